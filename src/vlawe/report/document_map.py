"""Documents in two dimensions."""

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.system.threads import one_native_thread

MapMethod = Literal["pca", "tsne"]

STEPS = 10_000
"""Places along each axis of a map; more would not show."""


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
    low, extent = points.min(axis=0), np.ptp(points, axis=0)
    shares = np.divide(points - low, extent, out=np.full(points.shape, 0.5), where=extent > 1e-9)
    return np.rint(shares * STEPS).astype(np.int64), explained


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
