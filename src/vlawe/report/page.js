"use strict";

// The report page: each section from the facts that stand in the page as JSON.

const facts = JSON.parse(document.getElementById("facts").textContent);
const ranks = rankOf(facts, facts.map.names);
const colours = new Map(facts.map.names.map((name, i) => [name, colourOf(ranks[i])]));
const tag = (name) => make("span", { class: "tag", "--colour": colours.get(name) }, name);

// ------------------------------------------------------------------------------------ summary

function drawHeader() {
  const { data, model, classes, multilabel, scores, protocol } = facts;
  const listed =
    classes.slice(0, 8).join(", ") + (classes.length > 8 ? ` and ${classes.length - 8} more` : "");
  const of = multilabel ? "any number of" : "one of";
  const task = `${of} ${count(classes.length, "label")}: ${listed}`;
  const main =
    scores.accuracy === undefined
      ? ["Micro F1", percent(scores.micro_f1), "over all labels"]
      : [
          "Accuracy",
          percent(scores.accuracy),
          protocol.kind === "training" ? "of training documents" : interval(scores.interval),
        ];
  const learned = model.documents
    ? `, which learned from ${count(model.documents, "document")},`
    : "";
  const figures = [
    main,
    ["Macro F1", percent(scores.macro_f1), "mean over the labels"],
    [
      "Documents",
      number.format(data.documents),
      `${number.format(facts.mistakes.n_wrong)} labelled wrong`,
    ],
    ["Words known", percent(data.coverage), `of ${number.format(data.tokens)}`],
  ];
  document.getElementById("top").append(
    make(
      "p",
      { class: "over" },
      "How well a model labels texts · ",
      make("span", { class: "whole" }, facts.made),
    ),
    make("h1", {}, data.name),
    make(
      "p",
      { class: "lead" },
      `The model “${model.name}”${learned} gives a text ${task}. On this page it labels the ` +
        `${count(data.documents, "document")} of ${data.name}, whose right labels are known. ` +
        `${headline(scores)} ${baseline(scores)}`,
    ),
    make(
      "dl",
      { class: "figures" },
      figures.map(([name, value, note], i) =>
        make(
          "div",
          { class: i ? "" : "main" },
          make("dt", {}, name),
          make("dd", { class: "number" }, value),
          make("dd", { class: "note" }, note),
        ),
      ),
    ),
    make(
      "aside",
      {
        class: `protocol ${["held out", "as given"].includes(protocol.kind) ? "" : "caution"}`,
      },
      make("h2", {}, protocol.title),
      make("p", {}, protocol.text),
    ),
  );
}

function headline({ accuracy, micro_f1: f1, confusions }) {
  const good =
    accuracy === undefined
      ? `Over all labels its F1 is ${percent(f1)}.`
      : `It is right for ${percent(accuracy)} of them.`;
  if (!confusions?.length) return good;
  const [has, given, n] = confusions[0];
  return `${good} Most often it takes “${has}” for “${given}”: ${count(n, "document")}.`;
}

const interval = ([low, high]) =>
  `95 % interval ${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)}`;

function baseline(scores) {
  return scores.most_frequent === undefined
    ? ""
    : "Always giving the most frequent label would be right for " +
        `${percent(scores.most_frequent)} of the documents.`;
}

// ----------------------------------------------------------------------------------- codebook

const SHOWN_CODEWORDS = 60;

function drawCodebook() {
  const { codewords, part } = facts.codebook;
  const cards = codewords.map((own) =>
    make(
      "article",
      { class: "card codeword" },
      make("h3", {}, inLine(own, own.frequent.length ? own.frequent : own.words, 3)),
      chips(own.frequent.slice(3)),
      drawMeter("of the words", own.share, "var(--muted)"),
      own.weight === null ? null : drawMeter("of the decision", own.weight, "var(--accent)"),
      drawLifts(own.classes),
      make(
        "p",
        { class: "small muted" },
        `Codeword ${own.number}${own.common ? ", of stop words and marks" : ""}; in the table ` +
          `nearest to ${inLine(own, own.words, 5)}`,
      ),
    ),
  );
  const weighed = codewords.some((own) => own.weight !== null)
    ? ` Its share of the decision is that of what the part ${part} tells the labels apart by.`
    : "";
  const list = make("div", { class: "cards" });
  const more = showing(list, cards, SHOWN_CODEWORDS, "codewords");
  return make(
    "div",
    {},
    make(
      "p",
      { class: "muted" },
      "A codeword stands for words that are alike; it is headed by those of its words that are " +
        "most frequent in these documents. Codewords of stop words and marks come last. " +
        "“×\u00a01.5” says that its words are one and a half times as frequent with a label as in " +
        `all documents.${weighed}`,
    ),
    list,
    more,
  );
}

// Marks would be lost among commas.
const inLine = ({ common }, words, most) => words.slice(0, most).join(common ? "\u2002" : ", ");

function drawMeter(name, share, colour) {
  return make(
    "div",
    { class: "meter" },
    make("span", { class: "number" }, percent(share)),
    make("span", { class: "muted" }, name),
    bar(share, colour),
  );
}

function drawLifts(classes) {
  const speaking = classes.filter(([, lift]) => lift >= 1.02).slice(0, 4);
  if (!speaking.length) return make("p", { class: "small muted" }, "As frequent with every label.");
  return make(
    "ul",
    { class: "lifts" },
    speaking.map(([label, lift]) =>
      make(
        "li",
        {},
        tag(facts.classes[label]),
        make("span", { class: "number" }, ` × ${lift.toFixed(2)}`),
      ),
    ),
  );
}

const codewordNames = new Map(
  (facts.codebook?.codewords ?? []).map((own) => [
    own.number,
    (own.frequent.length ? own.frequent : own.words).slice(0, 4),
  ]),
);

// ------------------------------------------------------------------------------------- labels

function drawLabels() {
  const words = facts.label_words;
  const { per_class: classes } = facts.scores;
  const cards = classes
    .filter((own) => words[own.name]?.length)
    .map((own) =>
      make(
        "article",
        { class: "card label" },
        make("h3", {}, tag(own.name)),
        make("p", { class: "small muted" }, count(own.documents, "document")),
        chips(words[own.name]),
      ),
    );
  const list = make("div", { class: "cards" });
  const more = showing(list, cards, SHOWN_CLASSES, "labels");
  return make(
    "div",
    {},
    make(
      "p",
      { class: "muted" },
      "The frequent words of these documents that speak most for each label: those whose score " +
        "for it, each as a text of its own, is furthest above the scores for the other labels.",
    ),
    list,
    more,
  );
}

// ---------------------------------------------------------------------------------- all of it

function drawAbout() {
  const { model, data } = facts;
  const { vectors } = model;
  const rows = [
    ["Training documents", model.documents ? number.format(model.documents) : "not known"],
    [
      "Word vectors",
      `${vectors.name}, ${number.format(vectors.words)} words of ${vectors.dimensions} dimensions`,
    ],
    ...model.parts.map((part, i) => [i ? "" : "Parts", describePart(part)]),
    [
      "Machine",
      `support vector machine, C = ${model.penalty}` +
        (model.exact ? "" : ", kernels approximated by landmarks"),
    ],
    ["Documents without a known word", number.format(data.empty)],
    [
      "Most frequent unknown words",
      data.unknown_words.map(([word, n]) => `${word} ${number.format(n)}`).join(", ") || "none",
    ],
  ];
  return make(
    "dl",
    { class: "about" },
    rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]),
  );
}

function describePart({ name, encoder, codewords, kernel, weight }) {
  const size = codewords ? ` with ${count(codewords, "codeword")}` : "";
  return `${name}: ${encoder}${size}, compared by the ${kernel} kernel, weight ${weight}`;
}

const map = new MapSection(facts);

function drawPage() {
  drawHeader();
  const sections = [
    ["scores", "Scores", drawScores],
    facts.thresholds || facts.calibration ? ["certainty", "Certainty", drawCertainty] : null,
    ["mistakes", "Mistakes", drawMistakes],
    facts.label_words ? ["labels", "Labels", drawLabels] : null,
    ["map", "Map", () => map.draw()],
    facts.codebook ? ["codebook", "Codebook", drawCodebook] : null,
    facts.learning_curve
      ? ["curve", "Learning curve", () => drawCurve(facts.learning_curve)]
      : null,
    ["about", "Model and words", drawAbout],
  ].filter(Boolean);
  document.querySelector("nav").append(
    make(
      "ul",
      {},
      sections.map(([id, title]) => make("li", {}, make("a", { href: `#${id}` }, title))),
    ),
  );
  document
    .querySelector("main")
    .append(
      ...sections.map(([id, title, draw]) =>
        make(
          "section",
          { id, "aria-labelledby": `${id}-title` },
          make("h2", { id: `${id}-title` }, title),
          draw(),
        ),
      ),
    );
  document
    .querySelector("footer")
    .append(
      make(
        "p",
        { class: "small muted" },
        `Made by vlawe ${facts.version} on ${facts.made} from ${count(facts.data.documents, "document")}, ` +
          "whose texts are in this file.",
      ),
    );
}

drawPage();
