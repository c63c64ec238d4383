"use strict";

// The section of the map: its drawing, its key, the search, and the documents that were found.

const SHOWN_MATCHES = 25;

class MapSection {
  constructor(facts) {
    this.facts = facts.map;
    this.n = this.facts.x.length;
    this.rank = rankOf(facts, this.facts.names);
    this.filter = { words: [], label: null, found: null, outcome: "all" };
    this.search = make("input", {
      type: "search",
      id: "map-search",
      placeholder: "Words of a text",
      autocomplete: "off",
      spellcheck: "false",
      oninput: (event) => this.searchFor(event.target.value),
    });
    this.outcome = make(
      "select",
      {
        id: "map-outcome",
        onchange: (event) => this.set({ outcome: event.target.value }),
      },
      ["all", "right", "wrong"].map((value) =>
        make(
          "option",
          { value },
          { all: "All documents", right: "Labelled right", wrong: "Labelled wrong" }[value],
        ),
      ),
    );
    this.canvas = make("canvas", {
      tabindex: "0",
      role: "application",
      "aria-label":
        "Map of the documents. Arrow keys go from document to document, plus and minus zoom, " +
        "0 shows all, Escape lets go.",
    });
    this.tip = make("div", { class: "tip", "aria-hidden": "true", hidden: true });
    this.chosen = make("div", { class: "chosen-document", "aria-live": "polite" });
    this.status = make("p", { class: "small muted", role: "status" });
    this.matches = make("ul", { class: "matches" });
    this.legend = make("div", { class: "legend", role: "group", "aria-label": "Labels" });
  }

  draw() {
    const { facts } = this;
    const zoomButton = (text, label, action) =>
      make("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
    const zooms = make(
      "div",
      { class: "zooms" },
      zoomButton("+", "Zoom in", () => this.map.zoom(1.6)),
      zoomButton("−", "Zoom out", () => this.map.zoom(1 / 1.6)),
      zoomButton("⤢", "Show all", () => this.map.place({ scale: 1, x: 0, y: 0 })),
    );
    const frame = make("div", { class: "map-frame" }, this.canvas, zooms, this.tip);
    const side = make(
      "div",
      { class: "map-side" },
      make(
        "div",
        { class: "fields" },
        make("label", { for: "map-search" }, "Find"),
        this.search,
        make("label", { for: "map-outcome" }, "Show"),
        this.outcome,
      ),
      this.status,
      this.chosen,
      this.matches,
    );
    const section = make(
      "div",
      {},
      make("p", { class: "muted" }, describeMap(facts, this.n)),
      this.legend,
      make("div", { class: "map" }, frame, side),
    );
    this.drawLegend();
    this.tell(-1);
    // The canvas is measured when it is on the page.
    queueMicrotask(() => this.start());
    return section;
  }

  start() {
    const { facts, n } = this;
    const points = {
      x: Float32Array.from(facts.x, (value) => value / facts.steps),
      y: Float32Array.from(facts.y, (value) => value / facts.steps),
      colour: Uint8Array.from({ length: n }, (_, i) => Math.min(N_COLOURS, this.colourRank(i))),
      wrong: Uint8Array.from({ length: n }, (_, i) => (this.isWrong(i) ? 1 : 0)),
    };
    this.map = new DocumentMap(this.canvas, points, {
      onPoint: (index) => this.pointAt(index),
      onChoose: (index) => this.tell(index),
    });
    this.apply();
  }

  labels(kind, index) {
    return this.facts.label_sets[this.facts[kind][index]].map((label) => this.facts.names[label]);
  }

  // A document of several labels has the colour of the most frequent one.
  colourRank(index) {
    const labels = this.facts.label_sets[this.facts.wanted[index]];
    return labels.length ? Math.min(...labels.map((label) => this.rank[label])) : N_COLOURS;
  }

  isWrong(index) {
    const { label_sets: sets, wanted, found } = this.facts;
    if (wanted[index] === found[index]) return false;
    const a = sets[wanted[index]];
    const b = new Set(sets[found[index]]);
    return a.length !== b.size || a.some((label) => !b.has(label));
  }

  // ------------------------------------------------------------------------------- filtering

  searchFor(text) {
    this.lower ??= this.facts.text.map((own) => own.toLowerCase());
    this.set({ words: text.toLowerCase().split(/\s+/).filter(Boolean) });
  }

  // Show the documents that have one label and were given another.
  showConfusion(label, found) {
    this.search.value = "";
    this.outcome.value = "all";
    this.set({ words: [], outcome: "all", label, found });
    this.canvas.scrollIntoView({ block: "center" });
    this.canvas.focus({ preventScroll: true });
  }

  set(change) {
    Object.assign(this.filter, change);
    this.apply();
  }

  passes(index) {
    const { words, label, found, outcome } = this.filter;
    if (outcome !== "all" && (outcome === "wrong") !== Boolean(this.map.points.wrong[index]))
      return false;
    if (label !== null && !this.labels("wanted", index).includes(label)) return false;
    if (found !== null && !this.labels("found", index).includes(found)) return false;
    return words.every((word) => this.lower[index].includes(word));
  }

  apply() {
    const { words, label, found, outcome } = this.filter;
    const filtered = words.length || label !== null || found !== null || outcome !== "all";
    this.matches.replaceChildren();
    for (const button of this.legend.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.label === label && found === null));
    }
    if (!filtered) {
      this.status.textContent = count(this.n, "document");
      this.map.mark(null);
      return;
    }
    const marked = Uint8Array.from({ length: this.n }, (_, i) => (this.passes(i) ? 1 : 0));
    const rows = [];
    for (let i = 0; i < this.n; i++) if (marked[i]) rows.push(i);
    this.map.mark(marked);
    const said = found === null ? "" : `, “${label}” labelled “${found}”`;
    this.status.replaceChildren(
      `${count(rows.length, "document")} of ${number.format(this.n)}${said}. `,
      make("button", { class: "quiet", type: "button", onclick: () => this.clear() }, "Show all"),
    );
    this.matches.append(
      ...rows.slice(0, SHOWN_MATCHES).map((i) =>
        make(
          "li",
          {},
          make(
            "button",
            {
              class: "match",
              type: "button",
              "--colour": colourOf(this.colourRank(i)),
              onclick: () => this.map.choose(i),
            },
            this.facts.text[i].slice(0, 120) || "(empty)",
          ),
        ),
      ),
    );
  }

  clear() {
    this.search.value = "";
    this.outcome.value = "all";
    this.set({ words: [], label: null, found: null, outcome: "all" });
    this.search.focus();
  }

  drawLegend() {
    const { names } = this.facts;
    const order = names.map((_, i) => i).sort((a, b) => this.rank[a] - this.rank[b]);
    const shown = order.slice(0, 24);
    this.legend.append(
      ...shown.map((i) =>
        make(
          "button",
          {
            type: "button",
            class: "tag",
            "aria-pressed": "false",
            "data-label": names[i],
            "--colour": colourOf(this.rank[i]),
            onclick: () => {
              const same = this.filter.label === names[i] && this.filter.found === null;
              this.set({ label: same ? null : names[i], found: null });
            },
          },
          names[i],
        ),
      ),
    );
    this.legend.append(
      make("span", { class: "shapes small muted" }, "● right", make("span", {}, "✕ wrong")),
    );
  }

  // --------------------------------------------------------------------------------- telling

  describe(index, length) {
    const text = this.facts.text[index];
    const said = (labels) => labels.join(", ") || "none";
    const [wanted, found] = [said(this.labels("wanted", index)), said(this.labels("found", index))];
    const row = this.facts.rows ? this.facts.rows[index] : index;
    const verdict = this.isWrong(index)
      ? [make("b", {}, wanted), ", labelled ", make("b", {}, found)]
      : [make("b", {}, wanted), ", labelled right"];
    return [
      make("p", { class: "small" }, verdict),
      make(
        "p",
        {},
        text.length > length ? `${text.slice(0, length).trimEnd()} …` : text || "(empty)",
      ),
      make(
        "p",
        { class: "small muted number" },
        `document ${number.format(row + 1)} · highest score ${signed(this.facts.score[index])}`,
      ),
    ];
  }

  pointAt(index) {
    this.tip.hidden = index < 0;
    this.canvas.style.cursor = index < 0 ? "" : "pointer";
    if (index < 0) return;
    this.tip.replaceChildren(...this.describe(index, 220));
    const [x, y] = this.map.toPixel(index);
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const right = x + 16 + width <= this.map.width;
    this.tip.style.left = `${Math.max(4, right ? x + 16 : x - 16 - width)}px`;
    const lowest = Math.max(4, this.map.height - height - 4);
    this.tip.style.top = `${Math.min(Math.max(4, y - height / 2), lowest)}px`;
  }

  tell(index) {
    this.chosen.replaceChildren(
      ...(index < 0
        ? [make("p", { class: "small muted" }, "Choose a point to keep its text here.")]
        : this.describe(index, Infinity)),
    );
  }
}

function describeMap(facts, n) {
  const drawn = facts.rows ? ` ${number.format(n)} documents were drawn at random.` : "";
  return `${placing(facts)} Colour is the label that a document has, a cross is a mistake.${drawn}`;
}

function placing({ method, explained, names }) {
  if (method === "tsne")
    return "The documents' vectors by t-SNE: neighbours are alike, larger distances say little.";
  if (method === "pca") {
    const held = Math.round(100 * explained);
    return (
      "The documents' vectors, seen from the side on which they differ most. Two dimensions show " +
      `${held} of 100 parts of the differences between them (the first two principal components).`
    );
  }
  return names.length > 2
    ? "The model's scores, seen from the side that separates the labels best: documents far " +
        "from those of other labels are easy, and between them it is unsure."
    : `From left to right the score of “${names.at(-1)}” grows, and the model is unsure in the ` +
        "middle; from top to bottom documents differ by what the score does not tell.";
}

// The places of labels by how many documents have them: the most frequent ones get the colours.
function rankOf(facts, names) {
  if (names.length <= N_COLOURS) return names.map((_, i) => i);
  const documents = new Map(facts.scores.per_class.map((own) => [own.name, own.documents]));
  const order = names
    .map((_, i) => i)
    .sort((a, b) => documents.get(names[b]) - documents.get(names[a]) || a - b);
  const rank = [];
  order.forEach((label, place) => {
    rank[label] = place;
  });
  return rank;
}
