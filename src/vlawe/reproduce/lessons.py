"""What the comparison of all systems says, in sentences made from its figures."""

from collections.abc import Sequence

from vlawe.reproduce.comparison import Compared, Score, cost_dataset
from vlawe.reproduce.findings import NEAR, join
from vlawe.reproduce.methods import METHODS
from vlawe.reproduce.networks import NetworkFigure
from vlawe.reproduce.published import published

_PAIRS = (
    ("vlawe", "mean", "Residuals of ten codewords in place of a mean"),
    ("vlawe", "fisher", "VLAWE in place of Fisher vectors of as many Gaussians"),
    ("vlawe-soft", "vlawe", "Soft assignment in place of the nearest codeword"),
    ("vlawe-multi", "vlawe", "Four codebooks (k = 1, 2, 5, 10) in place of one"),
    ("vlawe+boswe", "vlawe", "BOSWE beside VLAWE"),
)
"""Rows to be compared: the first stands in place of the second."""
_SURE = 2.0
"""Standard errors from which a difference is called more than chance."""


def lessons(rows: Sequence[Compared]) -> list[str]:
    """Return what the measured rows say, a sentence or two each."""
    sentences = [_best(rows, name) for name in published().columns]
    sentences += [_change(rows, *pair) for pair in _PAIRS]
    sentences += [_cheapest(rows), _networks(rows)]
    return [sentence for sentence in sentences if sentence]


def _measured(rows: Sequence[Compared], dataset: str) -> dict[str, Score]:
    return {
        row.title: row.scores[dataset] for row in rows if dataset in row.scores and not row.repeats
    }


def _best(rows: Sequence[Compared], dataset: str) -> str:
    """Say which row is the highest on a data set, and how VLAWE compares."""
    found = _measured(rows, dataset)
    own = found.get(METHODS["vlawe"].title)
    if len(found) < 2:
        return ""
    title = max(found, key=lambda one: found[one].mean)
    best = found[title]
    sentence = (
        f"{dataset}: of {len(found)} rows measured here {title} is the highest, {best.mean:.1f}"
    )
    if own is None or own is best:
        return f"{sentence} (standard error {best.standard_error:.1f})."
    higher = sum(score.mean > own.mean for score in found.values())
    above = "1 row is" if higher == 1 else f"{higher} rows are"
    return (
        f"{sentence}; VLAWE has {own.mean:.1f}, and {above} above it (standard error "
        f"{own.standard_error:.1f})."
    )


def _change(rows: Sequence[Compared], new: str, old: str, what: str) -> str:
    """Say what one row in place of another changes, by data set."""
    changes = []
    sure = 0
    for dataset in published().columns:
        found = _measured(rows, dataset)
        one, other = found.get(METHODS[new].title), found.get(METHODS[old].title)
        if one is not None and other is not None:
            difference = one.mean - other.mean
            sure += abs(difference) > _SURE * max(one.standard_error, other.standard_error)
            changes.append(f"{difference:+.1f} on {dataset}")
    if not changes:
        return ""
    return (
        f"{what}: {join(changes)} (points); {sure or 'none'} of these "
        f"{'is' if sure == 1 else 'are'} larger than {_SURE:g} standard errors."
    )


def _cheapest(rows: Sequence[Compared]) -> str:
    """Say what the highest row costs, and which cheaper one is near it."""
    dataset = cost_dataset(rows)
    costs = {row.title: row.cost(dataset) for row in rows if not row.repeats} if dataset else {}
    known = {title: cost["train_seconds"] for title, cost in costs.items() if cost is not None}
    if dataset is None or len(known) < 2:
        return ""
    scores = {title: score.mean for title, score in _measured(rows, dataset).items()}
    best = max(known, key=lambda title: scores[title])
    near = [title for title in known if scores[title] >= scores[best] - NEAR]
    cheapest = min(near, key=lambda title: known[title])
    sentence = f"Cost: on {dataset} {best} ({scores[best]:.1f}) takes {known[best]:.1f} s to train"
    if cheapest == best:
        return f"{sentence}; no cheaper row comes within {NEAR:g} point of it."
    return (
        f"{sentence}; the cheapest row within {NEAR:g} point of it is {cheapest} "
        f"({scores[cheapest]:.1f}), with {known[cheapest]:.1f} s."
    )


def _networks(rows: Sequence[Compared]) -> str:
    """Say how the best network compares with the best of all other rows, by data set."""
    parts = []
    for dataset in published().columns:
        nets = {row.title: row for row in rows if row.kind == "network" and dataset in row.scores}
        others = {row.title: row for row in rows if row.kind != "network" and dataset in row.scores}
        if not nets or not others:
            continue
        best, other = (
            max(some.values(), key=lambda row: row.scores[dataset].mean) for some in (nets, others)
        )
        parts.append(
            f"on {dataset} {best.title} has {_with_seconds(best, dataset)}, the best of the "
            f"others, {other.title}, {_with_seconds(other, dataset)}"
        )
    return f"Networks: {'; '.join(parts)}." if parts else ""


def networks_below(networks: Sequence[NetworkFigure]) -> list[str]:
    """Say which networks answer worse than published, and in which ways they are not the same."""
    sentences = []
    for figure in networks:
        printed = next(row for row in published().table(1) if row.system == figure.published)
        paper = printed.scores.get(figure.dataset)
        if paper is None or figure.accuracy >= paper - NEAR:
            continue
        sentences.append(
            f"{figure.title} on {figure.dataset}: {figure.accuracy:.1f}, published {paper:.1f}. "
            f"{figure.differs}".rstrip()
        )
    return sentences


def _with_seconds(row: Compared, dataset: str) -> str:
    cost = row.cost(dataset)
    seconds = "" if cost is None else f" (trained in {cost['train_seconds']:.1f} s)"
    return f"{row.scores[dataset].mean:.1f}{seconds}"
