"use strict";

// The section of the scores: the table of the labels, and the confusions.

const SHOWN_CLASSES = 12;

function drawScores() {
  const { scores } = facts;
  const parts = [make("div", {}, make("h3", {}, "Label by label"), drawClasses(scores.per_class))];
  if (scores.confusion_matrix) {
    parts.push(make("div", {}, make("h3", {}, "Confusions"), drawMatrix(scores)));
  } else if (scores.confusions) {
    parts.push(
      make(
        "div",
        {},
        make("h3", {}, "Most frequent confusions"),
        drawConfusions(scores.confusions),
      ),
    );
  }
  const section = make("div", {}, make("div", { class: "columns" }, parts));
  if (scores.unknown_labels.length) {
    section.append(
      make(
        "p",
        { class: "muted" },
        `The model does not know the ${scores.unknown_labels.length === 1 ? "label" : "labels"} ` +
          `${scores.unknown_labels.slice(0, 20).join(", ")}; ` +
          "documents that have them count as mistakes.",
      ),
    );
  }
  return section;
}

function drawClasses(classes) {
  const cell = (share) => make("td", { class: "number" }, (100 * share).toFixed(1));
  const many = classes.length > SHOWN_CLASSES;
  const ranked = many ? [...classes].sort((a, b) => b.documents - a.documents) : classes;
  const rows = ranked.map((own) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, tag(own.name)),
      cell(own.precision),
      cell(own.recall),
      make(
        "td",
        { class: "number with-bar" },
        (100 * own.f1).toFixed(1),
        bar(own.f1, colours.get(own.name)),
      ),
      make("td", { class: "number" }, number.format(own.documents)),
    ),
  );
  const body = make("tbody", {});
  return make(
    "div",
    {},
    scrolling(
      "Precision, recall and F1 of each label",
      make(
        "table",
        {},
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            ["Label", "Precision", "Recall", "F1", "Documents"].map((name, i) =>
              make("th", { scope: "col", class: i ? "number" : "" }, name),
            ),
          ),
        ),
        body,
      ),
    ),
    showing(body, rows, SHOWN_CLASSES, "labels"),
  );
}

// Put the first ones of many things there, with a button for all of them.
function showing(place, things, first, name) {
  place.append(...things.slice(0, first));
  if (things.length <= first) return null;
  const more = make(
    "button",
    {
      type: "button",
      class: "more",
      onclick: () => {
        place.append(...things.slice(first));
        more.remove();
      },
    },
    `Show all ${number.format(things.length)} ${name}`,
  );
  return more;
}

function drawMatrix(scores) {
  const names = scores.per_class.map((own) => own.name);
  const head = make(
    "tr",
    {},
    make("td", { class: "corner small muted" }, "has ↓  given →"),
    names.map((name) => make("th", { scope: "col", class: "number" }, name)),
  );
  const rows = scores.confusion_matrix.map((row, i) => {
    const total = Math.max(
      1,
      row.reduce((a, b) => a + b, 0),
    );
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, names[i]),
      row.map((n, j) => {
        const share = n / total;
        const said = ` of the documents with the label ${names[i]} are given ${names[j]}`;
        return make(
          "td",
          { class: i === j ? "hit" : "miss", "--share": share.toFixed(3) },
          n
            ? make(
                "button",
                { type: "button", onclick: () => map.showConfusion(names[i], names[j]) },
                make("span", {}, number.format(n)),
                make("small", {}, `${(100 * share).toFixed(0)} %`),
                make("span", { class: "unseen" }, said),
              )
            : make("span", { class: "none muted" }, "·"),
        );
      }),
    );
  });
  return make(
    "div",
    {},
    scrolling(
      "Confusion matrix",
      make("table", { class: "matrix" }, make("thead", {}, head), make("tbody", {}, rows)),
    ),
    make("p", { class: "small muted" }, "Choose a number to see its documents on the map."),
  );
}

function drawConfusions(confusions) {
  return make(
    "ol",
    { class: "confusions" },
    confusions.map(([has, given, n]) =>
      make(
        "li",
        {},
        make(
          "button",
          { type: "button", onclick: () => map.showConfusion(has, given) },
          make("span", {}, tag(has), make("span", { class: "muted" }, " labelled "), tag(given)),
          make("span", { class: "number" }, number.format(n)),
        ),
      ),
    ),
  );
}

// A wide table scrolls in its own frame, with a finger or the arrow keys; where it does, a shade at
// the edge and a line below say so.
function scrolling(label, table) {
  const frame = make(
    "div",
    { class: "scrolling", tabindex: "0", role: "region", "aria-label": label },
    table,
  );
  const hint = make("p", { class: "small muted hint", hidden: true }, "Scroll sideways for more →");
  const whole = make("div", { class: "scroll-frame" }, frame, hint);
  const look = () => {
    const beyond = frame.scrollWidth - frame.clientWidth;
    whole.classList.toggle("more-right", beyond - frame.scrollLeft > 2);
    whole.classList.toggle("more-left", frame.scrollLeft > 2);
    hint.hidden = beyond <= 2;
  };
  frame.addEventListener("scroll", look);
  new ResizeObserver(look).observe(frame);
  return whole;
}
