"""A randomised forest of k-d trees: the nearest of many points, approximately.

Several trees cut the same points into boxes, each at random among the dimensions that vary most,
and are searched together, the most promising box first, until enough points have been compared.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vlawe.codebook.kdforest_search import DRAWS, NODE, Trees, build_tree, scan, search_trees
from vlawe.system.checks import check_whole
from vlawe.system.threads import resolve_jobs, run_threads

_SLICE = 512  # queries of one call of a kernel


class KDForest:
    """Randomised k-d trees over the same points, to find one that is near.

    Parameters
    ----------
    points : array-like of shape (n, d)
        Taken as float32; not copied if they are.
    n_trees : int, default=4
        More trees find more with the same number of comparisons, and take longer to walk through.
    n_jobs : int or None, default=None
        Threads that build, each a tree at a time; None is all cores.
    random_state : int, RandomState or None, default=0
        Seed. The same seed gives the same trees, whatever the number of threads, and a larger
        forest begins with the trees of a smaller one.

    Attributes
    ----------
    points : ndarray of float32, shape (n, d)
    n_trees : int

    Notes
    -----
    At each node the variance of every dimension is estimated from at most 100 of its points, the
    split dimension is drawn among the five of the greatest, and the split value is the mean.
    Leaves hold one point (of equal points the first). One priority queue has the boxes of all
    trees that a search has passed by; the bound of a box is the sum of the squared distances to
    the planes behind which it lies. A point that is met again in another tree is not compared
    again.

    With many dimensions and few comparisons the nearest point is missed more often than found:
    ``benchmarks/kdforest.py`` tells how often, and from how many points on a forest pays. To
    compare by a forest costs about three times as much as to compare in a row (d = 400), so from
    a third of the points on it is faster to ask for all.

    References
    ----------
    C. Silpa-Anan and R. Hartley, "Optimised KD-trees for fast image descriptor matching",
    CVPR 2008.

    M. Muja and D. G. Lowe, "Fast approximate nearest neighbors with automatic algorithm
    configuration", VISAPP 2009.

    J. Philbin, O. Chum, M. Isard, J. Sivic and A. Zisserman, "Object retrieval with large
    vocabularies and fast spatial matching", CVPR 2007.

    Examples
    --------
    >>> from vlawe import WordVectors
    >>> from vlawe.codebook.kdforest import KDForest
    >>> matrix = WordVectors.default().matrix
    >>> forest = KDForest(matrix[1000:3000])
    >>> forest.query(matrix[[1234, 2345]])
    (array([ 234, 1345], dtype=int32), array([0., 0.], dtype=float32))
    """

    def __init__(
        self,
        points: ArrayLike,
        *,
        n_trees: int = 4,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        from sklearn.utils import check_random_state

        check_whole("n_trees", n_trees)
        self.points = _checked_rows(points, "points", at_least=1)
        self.n_trees = n_trees
        n_nodes = len(self.points) - 1  # of a tree, at most
        trees = Trees(np.empty(n_trees * n_nodes, NODE), np.empty(n_trees, np.int32))
        generator = check_random_state(random_state)

        def drawn() -> Iterator[tuple[int, NDArray[np.int32], NDArray[np.uint8]]]:
            for tree in range(n_trees):
                order = generator.permutation(len(self.points)).astype(np.int32)
                yield tree, order, generator.randint(DRAWS, size=n_nodes, dtype=np.uint8)

        def build(drawn_tree: tuple[int, NDArray[np.int32], NDArray[np.uint8]]) -> None:
            tree, order, draws = drawn_tree
            first = tree * n_nodes
            trees.roots[tree] = build_tree(self.points, order, draws, first, trees.nodes)

        run_threads(build, drawn(), min(resolve_jobs(n_jobs), n_trees))
        self._trees = trees

    def __len__(self) -> int:
        return len(self.points)

    def query(
        self, queries: ArrayLike, *, n_comparisons: int = 15, n_jobs: int | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return for each query a point that is near, and the squared distance to it.

        Parameters
        ----------
        queries : array-like of shape (m, d)
            Taken as float32. There may be none.
        n_comparisons : int, default=15
            How many points a query is compared to. If as many as there are points, they are all
            looked at and the nearest is found for certain, the first one of several.
        n_jobs : int or None, default=None
            Threads; None is all cores. The result does not depend on it.

        Returns
        -------
        found : ndarray of int32, shape (m,)
            The nearest of the points that were compared.
        squared : ndarray of float32, shape (m,)
            The squared Euclidean distance to that point, exactly.
        """
        rows = _checked_rows(queries, "queries", at_least=0)
        if rows.shape[1] != self.points.shape[1]:
            raise ValueError(
                f"the queries have {rows.shape[1]} dimensions, the points {self.points.shape[1]}"
            )
        check_whole("n_comparisons", n_comparisons)
        found = np.empty(len(rows), np.int32)
        squared = np.empty(len(rows), np.float32)

        def search(start: int) -> None:
            part = slice(start, start + _SLICE)
            if n_comparisons >= len(self.points):
                scan(rows[part], self.points, found[part], squared[part])
            else:
                budget = int(n_comparisons)
                search_trees(
                    rows[part], self.points, self._trees, budget, found[part], squared[part]
                )

        starts = range(0, len(rows), _SLICE)
        run_threads(search, starts, min(resolve_jobs(n_jobs), max(1, len(starts))))
        return found, squared


def _checked_rows(array: ArrayLike, name: str, at_least: int) -> NDArray[np.float32]:
    from sklearn.utils import check_array

    with np.errstate(over="ignore"):  # what float32 cannot hold is told as infinite
        rows = check_array(
            array, dtype=np.float32, order="C", ensure_min_samples=at_least, input_name=name
        )
    view: NDArray[np.float32] = rows.view(np.ndarray)
    view.flags.writeable = False  # one kind of array: functions are compiled once
    return view
