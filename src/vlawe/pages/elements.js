"use strict";

// Elements and figures. Strings become text nodes: whatever a document holds is shown, never run.

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const number = new Intl.NumberFormat("en");
const count = (n, thing) => `${number.format(n)} ${thing}${n === 1 ? "" : "s"}`;
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const signed = (value, digits = 2) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;

// The first classes have colours of their own, the others share one.
const N_COLOURS = 6;
const colourOf = (index) => `var(--class-${index < N_COLOURS ? index : "other"})`;

function bar(share, colour) {
  return make(
    "span",
    { class: "bar", "aria-hidden": "true" },
    make("span", { "--share": String(Math.min(1, Math.max(0, share))), "--colour": colour }),
  );
}

const chips = (words) =>
  make(
    "ul",
    { class: "chips" },
    words.map((word) => make("li", {}, word)),
  );
