"use strict";

// How far the model's certainty can be trusted: what leaving out unsure documents does, and
// whether probabilities mean what they say.

function drawCertainty() {
  const { thresholds, calibration } = facts;
  const parts = [
    thresholds ? drawThresholds(thresholds) : null,
    calibration ? drawCalibration(calibration) : null,
  ];
  return make("div", { class: "columns" }, parts);
}

function figureTable(label, names, rows) {
  const head = names.map((name) => make("th", { scope: "col", class: "number" }, name));
  const cells = rows.map((row) =>
    make(
      "tr",
      {},
      row.map((value) => make("td", { class: "number with-bar" }, value)),
    ),
  );
  return scrolling(
    label,
    make("table", {}, make("thead", {}, make("tr", {}, head)), make("tbody", {}, cells)),
  );
}

function drawThresholds(rows) {
  return make(
    "div",
    {},
    make("h3", {}, "Answering only when sure"),
    make(
      "p",
      { class: "small muted" },
      "If only the surest documents were labelled by the model, and the others left to people: " +
        "how many of its labels would be right, and the lead of the given label over the next " +
        "one that it takes.",
    ),
    figureTable(
      "Share of documents that are labelled, and accuracy",
      ["Labelled", "Right", "Lead at least"],
      rows.map(([share, accuracy, lead]) => [
        `${(100 * share).toFixed(0)} %`,
        [percent(accuracy), bar(accuracy, "var(--accent)")],
        signed(lead),
      ]),
    ),
  );
}

function drawCalibration({ bins, gap }) {
  return make(
    "div",
    {},
    make("h3", {}, "Calibration"),
    make(
      "p",
      { class: "small muted" },
      "Of the labels that were given with a probability, so many are right. In a well calibrated " +
        `model the two agree; here they differ by ${percent(gap)} on average.`,
    ),
    figureTable(
      "Probabilities and how often they are right",
      ["Probability", "Documents", "Mean", "Right"],
      bins.map(([low, high, n, mean, share]) => [
        `${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)} %`,
        number.format(n),
        percent(mean),
        [percent(share), bar(share, "var(--accent)")],
      ]),
    ),
  );
}
