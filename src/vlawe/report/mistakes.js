"use strict";

// The section of the mistakes that the model is surest of, word by word.

function drawMistakes() {
  const { shown, n_wrong: wrong } = facts.mistakes;
  if (!shown.length)
    return make("p", {}, wrong ? "No mistakes are shown." : "There are no mistakes.");
  const intro = facts.multilabel
    ? "Labels that were given wrongly or missed, the furthest from right first."
    : "The documents whose wrong label has the largest lead over the right one. The lead is the " +
      "score of the label that was given less the score of the right one: the larger, the surer " +
      "the model was of its mistake.";
  const cards = shown.map(drawMistake);
  return make(
    "div",
    {},
    make(
      "p",
      { class: "muted" },
      `${intro} Blue words pushed towards the mistake, orange ones away from it: ` +
        "the effect of a word is the score with it less the score without it. " +
        "Point at a word, or go to it with the arrow keys, to see its effect.",
    ),
    wordKey("towards the mistake", "away from it"),
    drawPairs(shown, cards),
    make("div", { class: "mistakes" }, cards),
  );
}

const SHOWN_PAIRS = 8;
const pairOf = ({ towards, instead }) => `${instead ?? ""}\u0000${towards ?? ""}`;

// Mistakes by pair of labels, with their number among all documents; choosing one shows its own.
function drawPairs(shown, cards) {
  const counts = new Map();
  for (const mistake of shown) {
    const pair = counts.get(pairOf(mistake)) ?? { ...mistake, shown: 0 };
    pair.shown += 1;
    counts.set(pairOf(mistake), pair);
  }
  for (const [instead, towards, n] of facts.scores.confusions ?? []) {
    const pair = counts.get(pairOf({ instead, towards }));
    if (pair) pair.all = n;
  }
  const pairs = [...counts].sort(
    ([, a], [, b]) => (b.all ?? b.shown) - (a.all ?? a.shown) || b.shown - a.shown,
  );
  if (pairs.length < 2) return null;
  const status = make("p", { class: "small muted", role: "status" });
  const choose = (key) => {
    shown.forEach((mistake, i) => {
      cards[i].hidden = key !== null && pairOf(mistake) !== key;
    });
    for (const button of buttons)
      button.setAttribute("aria-pressed", String(button.dataset.pair === (key ?? "")));
    const own = counts.get(key);
    status.textContent =
      own?.all > own?.shown
        ? `The surest ${number.format(own.shown)} of ${number.format(own.all)} are shown.`
        : "";
  };
  const button = (key, ...content) =>
    make(
      "button",
      {
        type: "button",
        "data-pair": key ?? "",
        "aria-pressed": String(key === null),
        onclick: () => choose(key),
      },
      content.flat(),
    );
  const total = make("span", { class: "number" }, number.format(shown.length));
  const all = button(null, "All shown ", total);
  const ofPairs = pairs.map(([key, pair]) =>
    button(
      key,
      pairTitle(pair),
      " ",
      make("span", { class: "number" }, number.format(pair.all ?? pair.shown)),
    ),
  );
  const buttons = [all, ...ofPairs];
  const group = make("div", { role: "group", "aria-label": "Mistakes by pair of labels" }, all);
  const more = showing(group, ofPairs, SHOWN_PAIRS, "pairs of labels");
  return make("div", { class: "pairs" }, group, more, status);
}

function pairTitle({ towards, instead }) {
  if (towards === null) return [tag(instead), " missed"];
  if (instead === null) return [tag(towards), " given wrongly"];
  return [tag(instead), " labelled ", tag(towards)];
}

function drawMistake(mistake) {
  const { towards, instead, row, confidence, explained } = mistake;
  const missed = towards === null;
  const meaning = missed
    ? { for: `against ${instead}`, against: `towards ${instead}` }
    : {
        for: `towards ${towards}`,
        against: instead === null ? `against ${towards}` : `towards ${instead}`,
      };
  const words = drawWords(
    missed ? reversed(mistake) : mistake,
    explained ? meaning : null,
    (codeword) => codewordNames.get(codeword),
  );
  const score = signed(missed ? -confidence : confidence);
  const figure = missed || instead === null ? `score ${score}` : `lead ${score}`;
  return make(
    "article",
    { class: "card mistake" },
    make(
      "header",
      {},
      make("h3", {}, pairTitle(mistake)),
      make(
        "span",
        { class: "number muted small" },
        `document ${number.format(row + 1)} · ${figure}`,
      ),
    ),
    words,
    mistake.pieces.length > 120 || mistake.rest.length > 900 ? foldButton(words.firstChild) : null,
  );
}

// A missed label is pushed away by the words that speak against it.
function reversed(text) {
  const pieces = text.pieces.map(([before, word, effect, ...rest]) => [
    before,
    word,
    effect === null ? null : -effect,
    ...rest,
  ]);
  return { ...text, pieces };
}

function foldButton(text) {
  text.classList.add("folded");
  const button = make(
    "button",
    {
      type: "button",
      "aria-expanded": "false",
      onclick: () => {
        const folded = text.classList.toggle("folded");
        button.textContent = folded ? "Show the whole text" : "Show less";
        button.setAttribute("aria-expanded", String(!folded));
      },
    },
    "Show the whole text",
  );
  return button;
}
