"use strict";

// The explorer: a text goes to the model as it is typed, and what comes back is drawn.

const place = (id) => document.getElementById(id);
const editor = place("text");

const state = {
  model: null, // what the server tells of it
  label: null, // the label whose effects are shown; null: the one of the highest score
  now: null, // the answer for the text as it is
  before: null, // the answer that changes are told against
  pinned: false,
  asking: false,
  again: false,
  typed: 0,
};

const PAUSE = 120; // milliseconds without a key before the model is asked
const SETTLED = 2500; // milliseconds after which a text is what the next changes are told against

// -------------------------------------------------------------------------------------- asking

let timer = 0;

function changed() {
  const time = performance.now();
  if (!state.pinned && state.now && time - state.typed > SETTLED) state.before = state.now;
  state.typed = time;
  clearTimeout(timer);
  timer = setTimeout(ask, PAUSE);
}

// One question at a time: what was typed meanwhile is asked when the answer is there.
async function ask() {
  if (!state.model) return; // start() asks when it knows the model
  if (state.asking) {
    state.again = true;
    return;
  }
  state.asking = true;
  const text = editor.value;
  try {
    const answer = await fetchJson("/analyse", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text, label: state.label }),
    });
    state.now = { ...answer, source: text };
    complain("");
    draw();
  } catch (error) {
    complain(error.message);
  }
  state.asking = false;
  if (state.again) {
    state.again = false;
    ask();
  }
}

async function fetchJson(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The explorer does not answer. Is it still running?");
  }
  const answer = await response.json();
  if (!response.ok) throw new Error(`The explorer refused: ${answer.error}.`);
  return answer;
}

function complain(problem) {
  place("problem").hidden = !problem;
  place("problem").textContent = problem;
}

function put(text) {
  editor.value = text;
  state.before = state.pinned ? state.before : null;
  state.now = state.pinned ? state.now : null;
  state.typed = performance.now();
  ask();
}

// ------------------------------------------------------------------------------------- drawing

function draw() {
  const { now, model } = state;
  const empty = !now.source.trim();
  place("tokens").textContent = empty
    ? ""
    : `${count(now.n_tokens, "word")}, ${number.format(now.n_unknown)} unknown`;
  place("reading").replaceChildren(
    ...(empty ? [] : [drawReading(), drawCodewords()].filter(Boolean)),
  );
  place("prediction").replaceChildren(...(model.classes && !empty ? drawPrediction() : []));
  place("changes").replaceChildren(...(empty ? [] : drawChanges()));
  place("nearest").replaceChildren(...(empty ? [] : drawNearest()));
  place("pin").textContent = state.pinned ? "Unpin" : "Pin";
  place("pin").setAttribute("aria-pressed", String(state.pinned));
}

const codewordNames = (number) => state.model.codewords?.[number].slice(0, 4) ?? null;

function drawReading() {
  const { now, model } = state;
  const meaning = now.explained
    ? { for: `for ${now.label}`, against: `against ${now.label}` }
    : null;
  const note =
    model.classes && !now.explained
      ? make(
          "p",
          { class: "small muted" },
          `Effects are told of texts of up to ${count(model.longest, "word")}.`,
        )
      : null;
  return make(
    "div",
    {},
    make("h2", {}, "As the model reads it"),
    meaning ? wordKey(meaning.for, meaning.against) : note,
    drawWords(now.text, meaning, codewordNames),
    drawStrongest(),
  );
}

// The words of the text by codeword, each codeword with the sum of its words' effects.
function drawCodewords() {
  const { model, now } = state;
  if (!model.codewords) return null;
  const groups = new Map();
  for (const [, word, effect, number] of now.text.pieces) {
    if (number === null && !effect) continue;
    if (!groups.has(number)) groups.set(number, { words: new Map(), sum: 0 });
    const own = groups.get(number);
    own.words.set(word.toLowerCase(), (own.words.get(word.toLowerCase()) ?? 0) + (effect ?? 0));
    own.sum += effect ?? 0;
  }
  if (!groups.size) return null;
  const ranked = [...groups].sort(
    ([a, one], [b, other]) =>
      Math.abs(other.sum) - Math.abs(one.sum) || other.words.size - one.words.size || (a ?? -1) - (b ?? -1),
  );
  return make(
    "div",
    {},
    make("h2", {}, "By codeword"),
    make(
      "ul",
      { class: "codewords" },
      ranked.slice(0, 40).map(([number, own]) => make("li", {}, drawCodeword(number, own))),
    ),
  );
}

const opened = new Set(); // codewords that are unfolded, also after the next answer

function drawCodeword(number, { words, sum }) {
  const { explained, label } = state.now;
  const about = explained ? ` for ${label}` : "";
  const listed = [...words].sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const details = make(
    "details",
    { open: opened.has(number) },
    make(
      "summary",
      {},
      make("span", { class: "number muted" }, number === null ? "–" : String(number)),
      make("span", { class: "names" }, listed.map(([word]) => word).join(", ")),
      explained
        ? make("span", { class: "number sum", title: `${signed(sum, 3)}${about}` }, signed(sum))
        : null,
    ),
    make(
      "ul",
      { class: "chips" },
      listed.map(([word, effect]) =>
        make(
          "li",
          {},
          word,
          explained ? make("span", { class: "number small muted" }, ` ${signed(effect)}`) : null,
        ),
      ),
    ),
    make(
      "p",
      { class: "small muted" },
      number === null
        ? "not in the word vectors, and so of no codeword: known by n-grams"
        : `words like ${codewordNames(number).join(", ")}`,
    ),
  );
  details.addEventListener("toggle", () =>
    details.open ? opened.add(number) : opened.delete(number),
  );
  return details;
}

// The words that do most, as numbers.
const STRONGEST = 6;

function drawStrongest() {
  const { now } = state;
  if (!now.explained) return null;
  const sums = new Map();
  for (const [, word, effect] of now.text.pieces) {
    if (effect === null) continue;
    const own = sums.get(word.toLowerCase()) ?? { effect, n: 0 };
    own.n += 1;
    sums.set(word.toLowerCase(), own);
  }
  const ranked = [...sums].sort((a, b) => Math.abs(b[1].effect) - Math.abs(a[1].effect));
  const shown = ranked.filter(([, { effect }]) => Math.abs(effect) >= 0.0005).slice(0, STRONGEST);
  if (!shown.length) return null;
  return make(
    "ul",
    { class: "strongest", "aria-label": `Strongest words for or against ${now.label}` },
    shown.map(([word, { effect, n }]) =>
      make(
        "li",
        {},
        make("span", { class: `word ${effect < 0 ? "against" : "for"}`, "--strength": "0.6" }, word),
        make("span", { class: "number small" }, ` ${signed(effect, 3)}${n > 1 ? ` × ${n}` : ""}`),
      ),
    ),
  );
}

// Bars are on one scale that does not change with the text: probabilities from 0 to 1, else margins
// from -2 to 2 about their zero, beyond which a bar is full and says so by an arrow.
const FULL_MARGIN = 2;

function drawScale() {
  const marks = state.model.probability ? ["0 %", "50 %", "100 %"] : ["−2", "0", "+2"];
  return make(
    "p",
    { class: "scale small muted number", "aria-hidden": "true" },
    marks.map((mark) => make("span", {}, mark)),
  );
}

function scoreBar(score, chance) {
  if (chance !== null) {
    return make(
      "span",
      { class: "bar probability", "aria-hidden": "true" },
      make("span", { "--share": chance.toFixed(4), "--colour": "var(--for)" }),
    );
  }
  const share = Math.min(1, Math.abs(score) / FULL_MARGIN);
  return make(
    "span",
    {
      class: `bar margin${Math.abs(score) > FULL_MARGIN ? (score < 0 ? " below" : " above") : ""}`,
      "aria-hidden": "true",
    },
    make("span", {
      "--share": share.toFixed(4),
      "--from": (score < 0 ? -share : 0).toFixed(4),
      "--colour": score < 0 ? "var(--against)" : "var(--for)",
    }),
  );
}

function drawScore([label, score, chance], previous) {
  const change = previous.has(label) ? score - previous.get(label) : 0;
  return make(
    "li",
    {},
    make(
      "button",
      {
        type: "button",
        "aria-pressed": String(label === state.now.label),
        title: `Show what each word does for ${label}`,
        onclick: () => {
          state.label = label;
          ask();
        },
      },
      make("span", {}, label),
      make(
        "span",
        { class: "number" },
        chance === null ? signed(score) : percent(chance),
        chance === null
          ? null
          : make("span", { class: "small muted" }, ` margin ${signed(score)}`),
        Math.abs(change) >= 0.005
          ? make(
              "span",
              { class: "change" },
              `${change > 0 ? "▲" : "▼"} ${Math.abs(change).toFixed(2)}`,
            )
          : null,
      ),
      scoreBar(score, chance),
    ),
  );
}

function drawPrediction() {
  const { now, model } = state;
  const previous = new Map((state.before?.scores ?? []).map(([label, score]) => [label, score]));
  const shown = now.scores.slice(0, 12);
  if (model.probability) shown.sort((a, b) => b[2] - a[2]);
  const unknown = now.n_tokens === now.n_unknown;
  return [
    make("h2", {}, "Prediction"),
    make("p", { class: "verdict", role: "status" }, now.prediction.join(", ") || "no label"),
    unknown
      ? make(
          "p",
          { class: "small muted" },
          "No word is known: this is what the model says of nothing.",
        )
      : null,
    drawScale(),
    make(
      "ul",
      { class: "scores" },
      shown.map((own) => drawScore(own, previous)),
    ),
    now.scores.length > 12
      ? make(
          "p",
          { class: "small muted" },
          `and ${count(now.scores.length - 12, "label")} of lower scores`,
        )
      : null,
    make(
      "p",
      { class: "small muted" },
      model.probability
        ? "Bars are probabilities, all on the same scale."
        : "Bars are margins, all on the same scale: above 0 speaks for a label, below against it.",
    ),
  ].filter(Boolean);
}

// How often each word occurs, and its effect.
function wordsOf(answer) {
  const words = new Map();
  for (const [, word, effect] of answer.text.pieces) {
    const own = words.get(word) ?? { n: 0, effect };
    own.n += 1;
    words.set(word, own);
  }
  return words;
}

function drawChanges() {
  const { now, before, pinned } = state;
  const title = pinned ? "Since you pinned" : "Since the last pause";
  if (!before || (before.source === now.source && !pinned)) return [];
  const [old, own] = [wordsOf(before), wordsOf(now)];
  const sameLabel = before.label === now.label;
  const item = (kind, word, effect) =>
    make(
      "li",
      {},
      make(kind, {}, word),
      effect === null || effect === undefined
        ? null
        : make("span", { class: "number small muted" }, ` ${signed(effect)}`),
    );
  const added = [...own]
    .filter(([word, { n }]) => n > (old.get(word)?.n ?? 0))
    .map(([word, { effect }]) => item("ins", word, effect));
  const removed = [...old]
    .filter(([word, { n }]) => n > (own.get(word)?.n ?? 0))
    .map(([word, { effect }]) => item("del", word, sameLabel ? effect : null));
  const lines = [make("h2", {}, title)];
  if (now.scores) {
    const was = before.prediction.join(", ") || "no label";
    const is = now.prediction.join(", ") || "no label";
    const score = (answer) => answer.scores.find(([label]) => label === now.label)?.[1] ?? 0;
    lines.push(
      make(
        "p",
        {},
        was === is ? `Still ${is}. ` : `From ${was} to ${is}. `,
        make("span", { class: "number" }, `${now.label} ${signed(score(now) - score(before))}`),
      ),
    );
  }
  const list = [...removed, ...added].slice(0, 60);
  lines.push(
    list.length
      ? make("ul", { class: "changed" }, list)
      : make("p", { class: "small muted" }, "The words are the same."),
  );
  return lines;
}

function drawNearest() {
  const { now, model } = state;
  if (!model.documents) return [];
  const rows = now.nearest.map((own) =>
    make(
      "li",
      {},
      make(
        "button",
        {
          type: "button",
          title: "Take this document",
          onclick: () => take(own.row),
        },
        make("span", { class: "shortened" }, own.text || "(empty)"),
        make(
          "span",
          { class: "small muted number" },
          own.labels ? `${own.labels.join(", ")} · ` : "",
          `similarity ${own.similarity.toFixed(2)}`,
        ),
      ),
    ),
  );
  return [
    make("h2", {}, "Nearest documents"),
    rows.length
      ? make("ul", { class: "documents" }, rows)
      : make("p", { class: "small muted" }, "None: no word is known."),
  ];
}

// -------------------------------------------------------------------------------------- acting

async function take(row) {
  try {
    put((await fetchJson(`/documents/${row}`)).text);
    editor.focus();
  } catch (error) {
    complain(error.message);
  }
}

function pin() {
  state.pinned = !state.pinned;
  state.before = state.pinned ? state.now : null;
  if (state.now) draw();
}

function describe(model) {
  const what = model.classes
    ? `${model.multilabel ? "Any number" : "One"} of ${count(model.classes.length, "label")}`
    : `${model.encoder}, which gives no labels`;
  const among = model.documents
    ? ` · ${count(model.documents, "document")} of ${model.data ?? "the data"}`
    : "";
  return `${what} · ${model.vectors.name}, ${number.format(model.vectors.words)} words${among}`;
}

async function start() {
  editor.focus();
  editor.addEventListener("input", changed);
  place("pin").addEventListener("click", pin);
  place("clear").addEventListener("click", () => {
    put("");
    editor.focus();
  });
  place("example").addEventListener("click", () =>
    take(Math.floor(Math.random() * state.model.documents)),
  );
  try {
    state.model = await fetchJson("/model");
  } catch (error) {
    complain(error.message);
    return;
  }
  const { model } = state;
  document.title = `${model.name} · Explore`;
  place("name").textContent = model.name;
  place("about").textContent = describe(model);
  place("example").hidden = !model.documents;
  if (!editor.value) editor.value = model.example;
  editor.select(); // to type is to replace it
  ask();
}

start();
