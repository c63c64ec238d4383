"""Documents in two dimensions."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.system.threads import one_native_thread

MapMethod = Literal["scores", "pca", "tsne"]

STEPS = 10_000
"""Places along each axis of a map; more would not show."""


def place_by_scores(
    scores: NDArray[np.float64], labels: Sequence[Any] | None, rows: Any, random_state: Any = 0
) -> NDArray[np.int64]:
    """Place documents by what the model decides by, from 0 to `STEPS` along both axes.

    Of two classes (a column of scores each, one the negative of the other) the first axis is the
    score of the second class, and the second axis the largest principal component of the ``rows``
    that does not go with it. Of more classes they are the two directions among the scores that
    separate the ``labels`` best (linear discriminants), or the widest ones where there are no
    single labels.
    """
    scores = np.where(np.isnan(scores), np.nanmin(scores, initial=0.0), scores)
    points: NDArray[np.float64]
    with one_native_thread():  # sums of several threads depend on their number
        if scores.shape[1] <= 2:
            components, _ = _principal_components(rows, 2, random_state)
            score = scores[:, -1]
            points = np.stack([score, _besides(components, score)], axis=1)
        else:
            found = _discriminants(scores, labels)
            points = _principal_components(scores, 2, random_state)[0] if found is None else found
    return _in_steps(points)


def _besides(components: NDArray[np.float64], score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what is left of the components without what goes with the score, the larger one."""
    centred = score - score.mean()
    rest = components - components.mean(axis=0)
    along = centred @ rest / max(float(centred @ centred), 1e-12)
    rest = rest - np.outer(centred, along)
    widest: NDArray[np.float64] = rest[:, int(rest.std(axis=0).argmax())]
    return widest


def _discriminants(
    scores: NDArray[np.float64], labels: Sequence[Any] | None
) -> NDArray[np.float64] | None:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    names, of_label, counts = np.unique(
        [] if labels is None else list(labels), return_inverse=True, return_counts=True
    )
    told = counts[of_label] > 1  # one document tells nothing of how its label spreads
    if (counts > 1).sum() < 3:
        return None
    analysis = LinearDiscriminantAnalysis(n_components=2, solver="eigen", shrinkage=0.1)
    try:
        analysis.fit(scores[told], names[of_label[told]])
    except (ValueError, np.linalg.LinAlgError):  # scores that do not differ
        return None
    points: NDArray[np.float64] = analysis.transform(scores)
    return points


def place_documents(
    rows: Any, method: MapMethod = "pca", random_state: Any = 0
) -> tuple[NDArray[np.int64], float | None]:
    """Place the rows of documents on a map, by principal components or t-SNE of the first fifty.

    Returns places (n, 2), from 0 to `STEPS` along both axes, and the share of the variance that
    two principal components explain.
    """
    if method not in ("pca", "tsne"):
        raise ValueError(f'method must be "pca" or "tsne", got {method!r}')
    with one_native_thread():  # sums of several threads depend on their number
        n_components = 2 if method == "pca" else 50
        points, explained = _principal_components(rows, n_components, random_state)
        if method == "tsne":
            points, explained = _neighbour_embedding(points, random_state), None
    return _in_steps(points), explained


def _in_steps(points: NDArray[np.float64]) -> NDArray[np.int64]:
    low, extent = points.min(axis=0), np.ptp(points, axis=0)
    shares = np.divide(points - low, extent, out=np.full(points.shape, 0.5), where=extent > 1e-9)
    places: NDArray[np.int64] = np.rint(shares * STEPS).astype(np.int64)
    return places


def _principal_components(
    rows: Any, n_components: int, random_state: Any
) -> tuple[NDArray[np.float64], float | None]:
    from sklearn.decomposition import PCA

    n_possible = min(n_components, *rows.shape)
    points = np.zeros((rows.shape[0], max(2, n_possible)))
    if rows.shape[0] < 2 or not (rows.max(axis=0) - rows.min(axis=0)).max() > 0:
        return points, 1.0
    # A handful of rows is decomposed exactly; ARPACK is the one solver that takes sparse ones.
    small = min(rows.shape) <= 500
    if sp.issparse(rows) and small:
        rows = rows.toarray()
    solver = "full" if small else "arpack" if sp.issparse(rows) else "randomized"
    pca = PCA(n_possible, svd_solver=solver, random_state=random_state)
    points[:, :n_possible] = pca.fit_transform(rows)
    return points, float(pca.explained_variance_ratio_[:2].sum())


def _neighbour_embedding(points: NDArray[np.float64], random_state: Any) -> NDArray[np.float64]:
    from sklearn.manifold import TSNE

    if len(points) < 4 or not np.ptp(points, axis=0).any():
        return points[:, :2]
    # It starts small, as the authors of t-SNE advise.
    start = points[:, :2] / max(float(points[:, 0].std()), 1e-12) * 1e-4
    perplexity = min(30.0, (len(points) - 1) / 3)
    tsne = TSNE(perplexity=perplexity, init=start, random_state=random_state)
    embedded: NDArray[np.float64] = tsne.fit_transform(points).astype(np.float64)
    return embedded
