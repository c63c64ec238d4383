"use strict";

// A text whose words are coloured by what they do to a score (vlawe/pages/words.py makes them).
// Pointing at a word, or going to it with the arrow keys, says what it does.
//
// text:     {pieces: [[before, word, effect, codeword, known]], rest, left_out}
// meaning:  {for: "towards pos", against: "towards neg"}, or null where there are no effects
// codeword: number -> its words, or null

function drawWords(text, meaning, codeword) {
  const note = make("p", { class: "word-note", "aria-live": "polite", hidden: true });
  const shown = make("div", {
    class: "words",
    role: "group",
    "aria-label": "Text; arrow keys go from word to word",
  });
  const effects = text.pieces.map((piece) => Math.abs(piece[2] ?? 0));
  const strongest = Math.max(...effects, 1e-9);
  const words = text.pieces.map((piece) => {
    const [before, word, effect, , known] = piece;
    const share = (effect ?? 0) / strongest;
    const sign = share > 0.02 ? "for" : share < -0.02 ? "against" : "neutral";
    const kind = known ? sign : effect ? `unknown ${sign}` : "unknown";
    const element = make(
      "span",
      {
        class: `word ${kind}`,
        tabindex: "-1",
        "--strength": Math.abs(share).toFixed(3),
      },
      word,
    );
    shown.append(before, element);
    return element;
  });
  shown.append(text.rest);
  if (text.left_out)
    shown.append(make("span", { class: "muted" }, ` … ${count(text.left_out, "more word")}`));

  let chosen = -1;
  const choose = (index) => {
    if (chosen >= 0) words[chosen].classList.remove("chosen");
    chosen = index;
    if (index >= 0) words[index].classList.add("chosen");
    note.hidden = index < 0;
    note.textContent = index < 0 ? "" : tellWord(text.pieces[index], meaning, codeword);
  };
  if (words.length) words[0].tabIndex = 0;
  shown.addEventListener("pointerover", (event) => choose(words.indexOf(event.target)));
  shown.addEventListener("pointerleave", () => choose(words.indexOf(document.activeElement)));
  shown.addEventListener("focusin", (event) => choose(words.indexOf(event.target)));
  shown.addEventListener("focusout", () => choose(-1));
  shown.addEventListener("click", (event) => words.includes(event.target) && event.target.focus());
  shown.addEventListener("keydown", (event) => {
    const from = words.indexOf(document.activeElement);
    const to = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: words.length - 1 }[
      event.key
    ];
    if (from < 0 || to === undefined || to < 0 || to >= words.length) return;
    event.preventDefault();
    words[from].tabIndex = -1;
    words[to].tabIndex = 0;
    words[to].focus();
  });
  return make("div", { class: "told" }, shown, note);
}

function tellWord([, word, effect, number, known], meaning, codeword) {
  if (!known && !effect) return `“${word}” is not in the word vectors and has no effect.`;
  const parts = [`“${word}”`];
  if (meaning && effect !== null) {
    parts.push(`${signed(effect, 3)} ${effect < 0 ? meaning.against : meaning.for}`);
  }
  if (number !== null) {
    const others = codeword ? codeword(number) : null;
    parts.push(`codeword ${number}${others ? ` (${others.join(", ")})` : ""}`);
  }
  if (!known) parts.push("not in the word vectors: known by n-grams");
  return parts.join(" · ");
}

function wordKey(forText, againstText) {
  const word = (kind, text) => make("span", { class: `word ${kind}`, "--strength": "0.8" }, text);
  return make(
    "p",
    { class: "key" },
    word("for", forText),
    word("against", againstText),
    word("unknown", "not in the word vectors"),
  );
}
