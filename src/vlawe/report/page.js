"use strict";

// The report page: each section from the facts that stand in the page as JSON.

const facts = JSON.parse(document.getElementById("facts").textContent);
const ranks = rankOf(facts, facts.map.names);
const colours = new Map(facts.map.names.map((name, i) => [name, colourOf(ranks[i])]));
const tag = (name) => make("span", { class: "tag", "--colour": colours.get(name) }, name);

// ------------------------------------------------------------------------------------ summary

function drawHeader() {
  const { data, model, classes, multilabel, scores, protocol } = facts;
  const listed = classes.slice(0, 8).join(", ") + (classes.length > 8 ? ` and ${classes.length - 8} more` : "");
  const task = `${multilabel ? "any number" : "one"} of ${count(classes.length, "label")}: ${listed}`;
  const main = scores.accuracy === undefined
    ? ["Micro F1", percent(scores.micro_f1), "over all labels"]
    : ["Accuracy", percent(scores.accuracy), protocol.kind === "training" ? "of training documents" : interval(scores.interval)];
  const figures = [
    main,
    ["Macro F1", percent(scores.macro_f1), "mean over the labels"],
    ["Documents", number.format(data.documents), `${number.format(facts.mistakes.n_wrong)} labelled wrong`],
    ["Words known", percent(data.coverage), `of ${number.format(data.tokens)}`],
  ];
  document.getElementById("top").append(
    make("p", { class: "over" }, "Report"),
    make("h1", {}, data.name),
    make("p", { class: "lead" }, `The model “${model.name}” gives a document ${task}. ${baseline(scores)}`),
    make("dl", { class: "figures" }, figures.map(([name, value, note], i) =>
      make("div", { class: i ? "" : "main" }, make("dt", {}, name),
        make("dd", { class: "number" }, value), make("dd", { class: "note" }, note)))),
    make("aside", { class: `protocol ${protocol.kind === "held out" || protocol.kind === "as given" ? "" : "caution"}` },
      make("h2", {}, protocol.title), make("p", {}, protocol.text)));
}

const interval = ([low, high]) => `95 % interval ${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)}`;

function baseline(scores) {
  return scores.most_frequent === undefined ? ""
    : `Always giving the most frequent label would be right for ${percent(scores.most_frequent)} of the documents.`;
}

// ------------------------------------------------------------------------------------- scores

const SHOWN_CLASSES = 12;

function drawScores() {
  const { scores } = facts;
  const parts = [make("div", {}, make("h3", {}, "Label by label"), drawClasses(scores.per_class))];
  if (scores.confusion_matrix) {
    parts.push(make("div", {}, make("h3", {}, "Confusions"), drawMatrix(scores)));
  } else if (scores.confusions) {
    parts.push(make("div", {}, make("h3", {}, "Most frequent confusions"), drawConfusions(scores.confusions)));
  }
  const section = make("div", {}, make("div", { class: "columns" }, parts));
  if (scores.unknown_labels.length) {
    section.append(make("p", { class: "muted" },
      `The model does not know the ${scores.unknown_labels.length === 1 ? "label" : "labels"} `
      + `${scores.unknown_labels.slice(0, 20).join(", ")}; documents that have them count as mistakes.`));
  }
  return section;
}

function drawClasses(classes) {
  const cell = (share) => make("td", { class: "number" }, (100 * share).toFixed(1));
  const many = classes.length > SHOWN_CLASSES;
  const ranked = many ? [...classes].sort((a, b) => b.documents - a.documents) : classes;
  const rows = ranked.map((own) => make("tr", {}, make("th", { scope: "row" }, tag(own.name)),
    cell(own.precision), cell(own.recall),
    make("td", { class: "number with-bar" }, (100 * own.f1).toFixed(1), bar(own.f1, colours.get(own.name))),
    make("td", { class: "number" }, number.format(own.documents))));
  const body = make("tbody", {});
  return make("div", {}, scrolling("Precision, recall and F1 of each label", make("table", {},
    make("thead", {}, make("tr", {}, ["Label", "Precision", "Recall", "F1", "Documents"].map((name, i) =>
      make("th", { scope: "col", class: i ? "number" : "" }, name)))), body)),
  showing(body, rows, SHOWN_CLASSES, "labels"));
}

// Put the first ones of many things there, with a button for all of them.
function showing(place, things, first, name) {
  place.append(...things.slice(0, first));
  if (things.length <= first) return null;
  const more = make("button", {
    type: "button", class: "more", onclick: () => { place.append(...things.slice(first)); more.remove(); },
  }, `Show all ${number.format(things.length)} ${name}`);
  return more;
}

function drawMatrix(scores) {
  const names = scores.per_class.map((own) => own.name);
  const head = make("tr", {}, make("td", { class: "corner small muted" }, "has ↓  given →"),
    names.map((name) => make("th", { scope: "col", class: "number" }, name)));
  const rows = scores.confusion_matrix.map((row, i) => {
    const total = Math.max(1, row.reduce((a, b) => a + b, 0));
    return make("tr", {}, make("th", { scope: "row" }, names[i]), row.map((n, j) => {
      const share = n / total;
      const label = `${count(n, "document")} with the label ${names[i]}, given ${names[j]}`;
      return make("td", { class: i === j ? "hit" : "miss", "--share": share.toFixed(3) }, n
        ? make("button", { type: "button", title: label, "aria-label": label, onclick: () => map.showConfusion(names[i], names[j]) },
          make("span", {}, number.format(n)), make("small", {}, `${(100 * share).toFixed(0)} %`))
        : make("span", { class: "none muted" }, "·"));
    }));
  });
  return make("div", {}, scrolling("Confusion matrix", make("table", { class: "matrix" },
    make("thead", {}, head), make("tbody", {}, rows))),
  make("p", { class: "small muted" }, "Choose a number to see its documents on the map."));
}

function drawConfusions(confusions) {
  return make("ol", { class: "confusions" }, confusions.map(([has, given, n]) => make("li", {},
    make("button", { type: "button", onclick: () => map.showConfusion(has, given) },
      make("span", {}, tag(has), make("span", { class: "muted" }, " labelled "), tag(given)),
      make("span", { class: "number" }, number.format(n))))));
}

// A wide table scrolls in its own frame, with a finger or the arrow keys.
function scrolling(label, table) {
  return make("div", { class: "scrolling", tabindex: "0", role: "region", "aria-label": label }, table);
}

// ----------------------------------------------------------------------------------- codebook

const SHOWN_CODEWORDS = 60;

function drawCodebook() {
  const { codewords, part } = facts.codebook;
  const cards = codewords.map((own) => make("article", { class: "card codeword" },
    make("h3", {}, `Codeword ${own.number}`),
    chips(own.words),
    drawMeter("of the words", own.share, "var(--muted)"),
    own.weight === null ? null : drawMeter("of the decision", own.weight, "var(--accent)"),
    drawLifts(own.classes),
    own.frequent.length ? make("p", { class: "small muted" }, `Frequent here: ${own.frequent.join("  ")}`) : null));
  const weighed = codewords.some((own) => own.weight !== null)
    ? ` Its share of the decision is that of what the part ${part} tells the labels apart by.` : "";
  const list = make("div", { class: "cards" });
  const more = showing(list, cards, SHOWN_CODEWORDS, "codewords");
  return make("div", {}, make("p", { class: "muted" },
    "A codeword stands for words that are alike; it is named by those that point its way. “×\u00a01.5” says "
    + `that its words are one and a half times as frequent with a label as in all documents.${weighed}`), list, more);
}

function drawMeter(name, share, colour) {
  return make("div", { class: "meter" }, make("span", { class: "number" }, percent(share)),
    make("span", { class: "muted" }, name), bar(share, colour));
}

function drawLifts(classes) {
  const speaking = classes.filter(([, lift]) => lift >= 1.02).slice(0, 4);
  if (!speaking.length) return make("p", { class: "small muted" }, "As frequent with every label.");
  return make("ul", { class: "lifts" }, speaking.map(([label, lift]) =>
    make("li", {}, tag(facts.classes[label]), make("span", { class: "number" }, ` × ${lift.toFixed(2)}`))));
}

const codewordNames = new Map((facts.codebook?.codewords ?? []).map((own) => [own.number, own.words.slice(0, 4)]));

// ----------------------------------------------------------------------------------- mistakes

function drawMistakes() {
  const { shown, n_wrong: wrong } = facts.mistakes;
  if (!shown.length) return make("p", {}, wrong ? "No mistakes are shown." : "There are no mistakes.");
  const intro = facts.multilabel
    ? "Labels that were given wrongly or missed, those with the highest and the lowest scores first."
    : "The documents whose wrong label has the largest lead over the right one.";
  return make("div", {},
    make("p", { class: "muted" }, `${intro} Blue words pushed towards the mistake, orange ones away from it: `
      + "the effect of a word is the score with it less the score without it. "
      + "Point at a word, or go to it with the arrow keys, to see its effect."),
    wordKey("towards the mistake", "away from it"),
    make("div", { class: "mistakes" }, shown.map(drawMistake)));
}

function drawMistake(mistake) {
  const { towards, instead } = mistake;
  const title = towards === null ? [tag(instead), " missed"]
    : instead === null ? [tag(towards), " given wrongly"]
      : [tag(instead), " labelled ", tag(towards)];
  // A missed label is pushed away by the words that speak against it.
  const missed = towards === null;
  const text = missed ? { ...mistake, pieces: mistake.pieces.map(([b, w, effect, ...rest]) => [b, w, effect === null ? null : -effect, ...rest]) } : mistake;
  const meaning = missed ? { for: `against ${instead}`, against: `towards ${instead}` }
    : { for: `towards ${towards}`, against: instead === null ? `against ${towards}` : `towards ${instead}` };
  const words = drawWords(text, mistake.explained ? meaning : null, (number) => codewordNames.get(number));
  const card = make("article", { class: "card mistake" },
    make("header", {}, make("h3", {}, title),
      make("span", { class: "number muted small" },
        `document ${number.format(mistake.row + 1)} · ${missed ? "score" : instead === null ? "score" : "lead"} ${signed(missed ? -mistake.confidence : mistake.confidence)}`)),
    words);
  const long = mistake.pieces.length > 120 || mistake.rest.length > 900;
  if (!long) return card;
  words.firstChild.classList.add("folded");
  const more = make("button", {
    type: "button", "aria-expanded": "false", onclick: () => {
      const open = words.firstChild.classList.toggle("folded");
      more.textContent = open ? "Show the whole text" : "Show less";
      more.setAttribute("aria-expanded", String(!open));
    },
  }, "Show the whole text");
  card.append(more);
  return card;
}

// ----------------------------------------------------------------------------- learning curve

function drawCurve() {
  const { metric, held_out: heldOut, points, left_out: leftOut } = facts.learning_curve;
  const [width, height, left, bottom] = [640, 300, 52, 44];
  const svg = (tag, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const sizes = points.map(([n]) => Math.log(n));
  const low = Math.floor(10 * Math.min(...points.flatMap(([, a, b]) => [a, b]))) / 10;
  const x = (n) => left + ((Math.log(n) - sizes[0]) / (sizes.at(-1) - sizes[0] || 1)) * (width - left - 24);
  const y = (share) => 12 + ((1 - share) / (1 - low || 1)) * (height - bottom - 12);
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "curve", role: "img", "aria-label": `Learning curve: ${metric} by the number of training documents; the table below has the figures` });
  for (let share = low; share <= 1.0001; share += (1 - low) / 4) {
    drawing.append(svg("line", { class: "rule", x1: left, x2: width - 24, y1: y(share), y2: y(share) }),
      svg("text", { x: left - 8, y: y(share) + 4, "text-anchor": "end" }, `${(100 * share).toFixed(0)} %`));
  }
  for (const [n] of points) drawing.append(svg("text", { x: x(n), y: height - bottom + 22, "text-anchor": "middle" }, number.format(n)));
  ["held-out", "training"].forEach((name, i) => {
    drawing.append(svg("polyline", { class: name, points: points.map((point) => `${x(point[0])},${y(point[i + 1])}`).join(" ") }));
    for (const point of points) {
      const [px, py] = [x(point[0]), y(point[i + 1])];
      drawing.append(i ? svg("rect", { class: name, x: px - 4, y: py - 4, width: 8, height: 8 }) : svg("circle", { class: name, cx: px, cy: py, r: 5 }));
    }
  });
  const table = scrolling("Learning curve", make("table", {},
    make("thead", {}, make("tr", {}, ["Training documents", "Held out", "Training"].map((name) => make("th", { scope: "col", class: "number" }, name)))),
    make("tbody", {}, points.map(([n, held, own]) => make("tr", {}, [number.format(n), percent(held), percent(own)].map((value) => make("td", { class: "number" }, value)))))));
  return make("div", {},
    make("p", { class: "muted" }, `Models like this one, trained on growing parts of three quarters of the documents; ${metric} of the ${number.format(heldOut)} that were held out, and of the training documents themselves. Each point is one model.${leftOut ? " Smaller parts have too few words or labels to learn from." : ""}`),
    drawing,
    make("p", { class: "key" }, make("span", { class: "held-out" }, "● held out"), make("span", { class: "training" }, "■ training documents")),
    table);
}

// ---------------------------------------------------------------------------------- all of it

function drawAbout() {
  const { model, data } = facts;
  const { vectors } = model;
  const parts = model.parts.map((part) => `${part.name}: ${part.encoder}${part.codewords ? ` with ${count(part.codewords, "codeword")}` : ""}, compared by the ${part.kernel} kernel, weight ${part.weight}`);
  const rows = [
    ["Word vectors", `${vectors.name}, ${number.format(vectors.words)} words of ${vectors.dimensions} dimensions`],
    ...parts.map((part, i) => [i ? "" : "Parts", part]),
    ["Machine", `support vector machine, C = ${model.penalty}${model.exact ? "" : ", kernels approximated by landmarks"}`],
    ["Documents without a known word", number.format(data.empty)],
    ["Most frequent unknown words", data.unknown_words.map(([word, n]) => `${word} ${number.format(n)}`).join(", ") || "none"],
  ];
  return make("dl", { class: "about" }, rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

const map = new MapSection(facts);

function drawPage() {
  drawHeader();
  const sections = [
    ["scores", "Scores", drawScores],
    ["map", "Map", () => map.draw()],
    facts.codebook ? ["codebook", "Codebook", drawCodebook] : null,
    ["mistakes", "Mistakes", drawMistakes],
    facts.learning_curve ? ["curve", "Learning curve", drawCurve] : null,
    ["about", "Model and words", drawAbout],
  ].filter(Boolean);
  document.querySelector("nav").append(make("ul", {}, sections.map(([id, title]) =>
    make("li", {}, make("a", { href: `#${id}` }, title)))));
  document.querySelector("main").append(...sections.map(([id, title, draw]) =>
    make("section", { id, "aria-labelledby": `${id}-title` }, make("h2", { id: `${id}-title` }, title), draw())));
  document.querySelector("footer").append(make("p", { class: "small muted" },
    `Made by vlawe ${facts.version} from ${count(facts.data.documents, "document")}, whose texts are in this file.`));
}

drawPage();
