"use strict";

// The drawing of documents as points on a canvas: zooming, pointing and choosing.
//
// points: {x, y: numbers from 0 to 1; colour: index; wrong: 0 or 1}, arrays of the same length

class DocumentMap {
  constructor(canvas, points, { onPoint, onChoose }) {
    this.canvas = canvas;
    this.points = points;
    this.n = points.x.length;
    this.onPoint = onPoint;
    this.onChoose = onChoose;
    this.view = { scale: 1, x: 0, y: 0 };
    this.marked = null; // null: all; else 1 for the documents that stand out
    this.pointed = -1;
    this.chosen = -1;
    this.grid = new PointGrid(points);
    this.sprites = new Map();
    this.pending = false;
    this.pointers = new Map();
    new ResizeObserver(() => this.resize()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
    this.listen();
    this.resize();
  }

  // ---------------------------------------------------------------------------------- places

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.ratio = Math.min(3, window.devicePixelRatio || 1);
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.margin = Math.min(28, width / 16);
    this.recolour();
  }

  // From a place on the map (0 to 1) to a pixel, and back.
  toPixel(index) {
    const { scale, x, y } = this.view;
    const { margin, width, height } = this;
    return [
      (margin + this.points.x[index] * (width - 2 * margin)) * scale + x,
      (margin + (1 - this.points.y[index]) * (height - 2 * margin)) * scale + y,
    ];
  }

  toPlace(px, py) {
    const { scale, x, y } = this.view;
    const { margin, width, height } = this;
    return [
      ((px - x) / scale - margin) / (width - 2 * margin),
      1 - ((py - y) / scale - margin) / (height - 2 * margin),
    ];
  }

  nearest(px, py, reach) {
    const [x, y] = this.toPlace(px, py);
    const [reachX, reachY] = this.reachAt(reach);
    let best = -1;
    let least = reach * reach;
    this.grid.around(x, y, reachX, reachY, (index) => {
      if (this.marked && !this.marked[index]) return;
      const [ix, iy] = this.toPixel(index);
      const distance = (ix - px) ** 2 + (iy - py) ** 2;
      if (distance < least) [best, least] = [index, distance];
    });
    return best;
  }

  reachAt(reach) {
    const { scale } = this.view;
    return [
      reach / scale / (this.width - 2 * this.margin),
      reach / scale / (this.height - 2 * this.margin),
    ];
  }

  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const scale = Math.min(40, Math.max(1, this.view.scale * factor));
    const change = scale / this.view.scale;
    this.place({ scale, x: px - (px - this.view.x) * change, y: py - (py - this.view.y) * change });
  }

  place(view) {
    const keep = (offset, size) => Math.min(0, Math.max(size * (1 - view.scale), offset));
    this.view = { scale: view.scale, x: keep(view.x, this.width), y: keep(view.y, this.height) };
    // A page that is not zoomed into scrolls under the finger.
    this.canvas.style.touchAction = view.scale > 1 ? "none" : "pan-y";
    this.sprites.clear();
    this.draw();
  }

  show(index) {
    const [px, py] = this.toPixel(index);
    const inside = px >= 0 && py >= 0 && px <= this.width && py <= this.height;
    if (!inside) {
      const { scale, x, y } = this.view;
      this.place({ scale, x: x + this.width / 2 - px, y: y + this.height / 2 - py });
    }
  }

  // --------------------------------------------------------------------------------- drawing

  recolour() {
    const style = getComputedStyle(this.canvas);
    this.colours = [];
    for (let i = 0; i < N_COLOURS; i++)
      this.colours.push(style.getPropertyValue(`--class-${i}`).trim());
    this.colours.push(style.getPropertyValue("--class-other").trim());
    this.ground = style.getPropertyValue("--ground").trim();
    this.ink = style.getPropertyValue("--text").trim();
    this.sprites.clear();
    this.draw();
  }

  draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.paint();
    });
  }

  radius() {
    const crowd = Math.min(1, Math.max(0.42, 9 / Math.cbrt(this.n)));
    return 4.4 * crowd * Math.min(2.2, this.view.scale ** 0.35);
  }

  // The pixels of a point: a disc, or a cross for a mistake.
  sprite(colour, wrong) {
    const name = colour * 2 + wrong;
    if (!this.sprites.has(name)) {
      const r = this.radius() * this.ratio * (wrong ? 1.25 : 1);
      const size = Math.ceil(2 * r + 4);
      const canvas = Object.assign(document.createElement("canvas"), { width: size, height: size });
      const context = canvas.getContext("2d", { willReadFrequently: true });
      context.translate(size / 2, size / 2);
      if (wrong) cross(context, r, this.colours[colour], this.ground);
      else disc(context, r, this.colours[colour]);
      this.sprites.set(name, new Sprite(context.getImageData(0, 0, size, size)));
    }
    return this.sprites.get(name);
  }

  paint() {
    const context = this.canvas.getContext("2d");
    if (this.picture?.width !== this.canvas.width || this.picture.height !== this.canvas.height) {
      this.picture = context.createImageData(this.canvas.width, this.canvas.height);
      this.pixels = new Uint32Array(this.picture.data.buffer);
    }
    this.pixels.fill(packed(this.ground));
    const { x, y, colour, wrong } = this.points;
    const { marked, ratio, width, height, margin } = this;
    const scaleX = (width - 2 * margin) * this.view.scale;
    const scaleY = (height - 2 * margin) * this.view.scale;
    const left = margin * this.view.scale + this.view.x;
    const top = margin * this.view.scale + this.view.y;
    // Right ones first, mistakes over them; what is not marked below all.
    for (const layer of [0, 1, 2, 3]) {
      if (layer < 2 && !marked) continue;
      const opacity = layer < 2 ? 0.14 : marked ? 1 : 0.85;
      for (let i = 0; i < this.n; i++) {
        if (wrong[i] !== layer % 2 || (marked && marked[i] !== (layer < 2 ? 0 : 1))) continue;
        const px = left + x[i] * scaleX;
        const py = top + (1 - y[i]) * scaleY;
        if (px < -9 || py < -9 || px > width + 9 || py > height + 9) continue;
        this.sprite(colour[i], wrong[i]).stamp(this.picture, px * ratio, py * ratio, opacity);
      }
    }
    context.putImageData(this.picture, 0, 0);
    for (const index of new Set([this.pointed, this.chosen]))
      if (index >= 0) this.ring(context, index);
  }

  ring(context, index) {
    const [px, py] = this.toPixel(index);
    const r = this.radius() + 4;
    for (const [width, colour] of [
      [5, this.ground],
      [2.5, this.ink],
    ]) {
      context.lineWidth = width * this.ratio;
      context.strokeStyle = colour;
      context.beginPath();
      context.arc(px * this.ratio, py * this.ratio, r * this.ratio, 0, 2 * Math.PI);
      context.stroke();
    }
  }

  // -------------------------------------------------------------------------------- choosing

  mark(marked) {
    this.marked = marked;
    this.draw();
  }

  point(index) {
    if (index === this.pointed) return;
    this.pointed = index;
    this.onPoint(index);
    this.draw();
  }

  choose(index) {
    this.chosen = index;
    if (index >= 0) this.show(index);
    this.onChoose(index);
    this.draw();
  }

  // The document that an arrow key leads to: near, and in its direction.
  neighbour(direction) {
    const [dx, dy] = direction;
    const from = this.chosen >= 0 ? this.toPixel(this.chosen) : [this.width / 2, this.height / 2];
    let best = -1;
    let least = Infinity;
    for (let i = 0; i < this.n; i++) {
      if (i === this.chosen || (this.marked && !this.marked[i])) continue;
      const [px, py] = this.toPixel(i);
      const ahead = (px - from[0]) * dx + (py - from[1]) * dy;
      const aside = Math.abs((px - from[0]) * dy) + Math.abs((py - from[1]) * dx);
      if (ahead <= 0.5 || aside > 2 * ahead) continue;
      const cost = ahead + 2 * aside;
      if (cost < least) [best, least] = [i, cost];
    }
    return best;
  }

  key(event) {
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key in arrows) {
      const next = this.neighbour(arrows[event.key]);
      if (next >= 0) this.choose(next);
    } else if (event.key === "+" || event.key === "=") this.zoom(1.5);
    else if (event.key === "-") this.zoom(1 / 1.5);
    else if (event.key === "0") this.place({ scale: 1, x: 0, y: 0 });
    else if (event.key === "Escape") this.choose(-1);
    else return;
    event.preventDefault();
  }

  listen() {
    const place = (event) => {
      const box = this.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    let moved = 0;
    const on = (name, action, options) => this.canvas.addEventListener(name, action, options);
    on("keydown", (event) => this.key(event));
    on("pointerdown", (event) => {
      moved = 0;
      this.pointers.set(event.pointerId, place(event));
      this.canvas.setPointerCapture(event.pointerId);
    });
    on("pointermove", (event) => {
      const at = place(event);
      const before = this.pointers.get(event.pointerId);
      if (!before) return event.pointerType === "touch" || this.point(this.nearest(...at, 14));
      moved += Math.abs(at[0] - before[0]) + Math.abs(at[1] - before[1]);
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const apart = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]) || 1;
        this.zoom(apart(at) / apart(before), (at[0] + other[0]) / 2, (at[1] + other[1]) / 2);
      } else if (moved > 4) {
        const { scale, x, y } = this.view;
        this.place({ scale, x: x + at[0] - before[0], y: y + at[1] - before[1] });
      }
      this.pointers.set(event.pointerId, at);
    });
    on("pointerup", (event) => {
      this.pointers.delete(event.pointerId);
      if (moved <= 4)
        this.choose(this.nearest(...place(event), event.pointerType === "touch" ? 24 : 14));
    });
    on("pointercancel", (event) => this.pointers.delete(event.pointerId));
    on("pointerleave", () => this.point(-1));
    on("dblclick", (event) => this.zoom(2, ...place(event)));
    // The wheel alone scrolls the page; with Ctrl, or pinching on a trackpad, it zooms.
    on(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY / 200), ...place(event));
      },
      { passive: false },
    );
  }
}

// Points by the cells of a grid, so that pointing does not look at all of them.
class PointGrid {
  constructor({ x, y }) {
    this.side = Math.max(1, Math.min(128, Math.ceil(Math.sqrt(x.length))));
    this.cells = new Map();
    for (let i = 0; i < x.length; i++) {
      const cell = this.cell(x[i]) * this.side + this.cell(y[i]);
      if (!this.cells.has(cell)) this.cells.set(cell, []);
      this.cells.get(cell).push(i);
    }
  }

  cell(value) {
    return Math.min(this.side - 1, Math.max(0, Math.floor(value * this.side)));
  }

  around(x, y, reachX, reachY, visit) {
    for (let i = this.cell(x - reachX); i <= this.cell(x + reachX); i++) {
      for (let j = this.cell(y - reachY); j <= this.cell(y + reachY); j++) {
        this.cells.get(i * this.side + j)?.forEach(visit);
      }
    }
  }
}

// A small picture that is put into a large one again and again. Twenty thousand of them are drawn
// in a few milliseconds; the canvas itself takes much longer where the processor draws.
class Sprite {
  constructor({ data, width }) {
    this.size = width;
    this.seen = []; // the pixels that are not empty: column, row, and where they are in data
    for (let i = 0; i < width * width; i++) {
      if (data[4 * i + 3]) this.seen.push(i % width, Math.floor(i / width), 4 * i);
    }
    this.data = data;
  }

  stamp({ data: picture, width, height }, px, py, opacity) {
    const { data, seen } = this;
    const left = Math.round(px - this.size / 2);
    const top = Math.round(py - this.size / 2);
    for (let k = 0; k < seen.length; k += 3) {
      const column = left + seen[k];
      const row = top + seen[k + 1];
      if (column < 0 || row < 0 || column >= width || row >= height) continue;
      const from = seen[k + 2];
      const to = 4 * (row * width + column);
      const share = (data[from + 3] / 255) * opacity;
      picture[to] += (data[from] - picture[to]) * share;
      picture[to + 1] += (data[from + 1] - picture[to + 1]) * share;
      picture[to + 2] += (data[from + 2] - picture[to + 2]) * share;
    }
  }
}

// A colour such as #1a2b3c as the four bytes of a pixel, in the order of this machine.
function packed(colour) {
  const bytes = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  return new Uint32Array(new Uint8Array([...bytes, 255]).buffer)[0];
}

function disc(context, r, colour) {
  context.fillStyle = colour;
  context.beginPath();
  context.arc(0, 0, r, 0, 2 * Math.PI);
  context.fill();
}

function cross(context, r, colour, ground) {
  context.lineCap = "round";
  for (const [width, stroke] of [
    [1.05 * r, ground],
    [0.55 * r, colour],
  ]) {
    context.lineWidth = width;
    context.strokeStyle = stroke;
    context.beginPath();
    context.moveTo(-0.8 * r, -0.8 * r);
    context.lineTo(0.8 * r, 0.8 * r);
    context.moveTo(0.8 * r, -0.8 * r);
    context.lineTo(-0.8 * r, 0.8 * r);
    context.stroke();
  }
}
