"use strict";

// The learning curve: a drawing, and the table of its figures.

// A drawing shrinks with its window, letters and all: on a phone it is drawn smaller instead.
const CURVE = {
  ...(window.innerWidth < 600 ? { width: 340, height: 240 } : { width: 640, height: 300 }),
  ...{ left: 52, right: 24, top: 12, bottom: 44 },
};

function drawCurve({ metric, held_out: heldOut, points, left_out: leftOut }) {
  const text =
    "Models like this one, trained on growing parts of three quarters of the documents; " +
    `${metric} of the ${number.format(heldOut)} that were held out, and of the training ` +
    "documents themselves. Each point is one model." +
    (leftOut ? " Smaller parts have too few words or labels to learn from." : "");
  const mark = (name, sign, said) =>
    make("span", {}, make("span", { class: name }, sign), ` ${said}`);
  return make(
    "div",
    {},
    make("p", { class: "muted" }, text),
    drawLines(metric, points),
    make(
      "p",
      { class: "key" },
      mark("held-out", "●", "held out"),
      mark("training", "■", "training documents"),
    ),
    drawFigures(points),
  );
}

function drawFigures(points) {
  const names = ["Training documents", "Held out", "Training"];
  const head = names.map((name) => make("th", { scope: "col", class: "number" }, name));
  const rows = points.map(([n, held, own]) =>
    make(
      "tr",
      {},
      [number.format(n), percent(held), percent(own)].map((value) =>
        make("td", { class: "number" }, value),
      ),
    ),
  );
  return scrolling(
    "Figures of the learning curve",
    make("table", {}, make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows)),
  );
}

function drawLines(metric, points) {
  const { width, height, left, right, top, bottom } = CURVE;
  const sizes = points.map(([n]) => Math.log(n));
  const low = Math.floor(10 * Math.min(...points.flatMap(([, a, b]) => [a, b]))) / 10;
  const x = (n) =>
    left + ((Math.log(n) - sizes[0]) / (sizes.at(-1) - sizes[0] || 1)) * (width - left - right);
  const y = (share) => top + ((1 - share) / (1 - low || 1)) * (height - bottom - top);
  const drawing = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "curve",
    role: "img",
    "aria-label": `Learning curve: ${metric} by the number of training documents; a table follows`,
  });
  for (let step = 0; step <= 4; step++) {
    const share = low + (step * (1 - low)) / 4;
    drawing.append(
      svg("line", { class: "rule", x1: left, x2: width - right, y1: y(share), y2: y(share) }),
      svg(
        "text",
        { x: left - 8, y: y(share) + 4, "text-anchor": "end" },
        `${(100 * share).toFixed(0)} %`,
      ),
    );
  }
  for (const [n] of points) {
    drawing.append(
      svg("text", { x: x(n), y: height - bottom + 22, "text-anchor": "middle" }, number.format(n)),
    );
  }
  ["held-out", "training"].forEach((name, i) => {
    const places = points.map((point) => [x(point[0]), y(point[i + 1])]);
    drawing.append(
      svg("polyline", { class: name, points: places.map((place) => place.join(",")).join(" ") }),
    );
    drawing.append(
      ...places.map(([px, py]) =>
        i
          ? svg("rect", { class: name, x: px - 4, y: py - 4, width: 8, height: 8 })
          : svg("circle", { class: name, cx: px, cy: py, r: 5 }),
      ),
    );
  });
  return drawing;
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
