"use strict";

// The section of the mistakes that the model is surest of, word by word.

function drawMistakes() {
  const { shown, n_wrong: wrong } = facts.mistakes;
  if (!shown.length)
    return make("p", {}, wrong ? "No mistakes are shown." : "There are no mistakes.");
  const intro = facts.multilabel
    ? "Labels that were given wrongly or missed, the furthest from right first."
    : "The documents whose wrong label has the largest lead over the right one.";
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
    make("div", { class: "mistakes" }, shown.map(drawMistake)),
  );
}

function drawMistake(mistake) {
  const { towards, instead, row, confidence, explained } = mistake;
  const missed = towards === null;
  const title = missed
    ? [tag(instead), " missed"]
    : instead === null
      ? [tag(towards), " given wrongly"]
      : [tag(instead), " labelled ", tag(towards)];
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
      make("h3", {}, title),
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
