"""A randomised forest of k-d trees: the nearest of many points, approximately.

Several trees cut the same points into boxes, each at random among the dimensions that tell most,
and are searched together, the most promising box first, until so many points have been compared
(Silpa-Anan and Hartley 2008; Muja and Lowe 2009; Philbin et al. 2007).

A tree is a run of nodes (`NODE`), each with two children. A child that is not negative is a node;
``~child`` of a negative one is a point. So a leaf holds one point; of equal points it is the
first.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vlawe.compiled import inner, inner_reassociating, kernel
from vlawe.parallel import map_threads, resolve_jobs, run_threads

NODE = np.dtype(
    [("below", np.int32), ("above", np.int32), ("dimension", np.int32), ("value", np.float32)]
)
"""What lies below ``value`` in ``dimension``, and what does not. One record, one cache line."""

SAMPLE = 100
"""A node's variances and its split value are taken from at most so many of its points."""

CANDIDATES = 5
"""The split dimension is drawn among so many of the greatest variance."""

_DRAWS = 60  # a draw below it is fair among 1, 2, 3, 4 or 5 candidates
STRETCH = 128
_SLICE = 512  # queries of one call of a kernel
_wide = np.float64


class KDForest:
    """Randomised k-d trees over the same points, for the approximately nearest of them.

    Parameters
    ----------
    points : array-like of shape (n, d)
        Searched as float32.
    n_trees : int, default=4
        More trees find more, at the same number of comparisons, and take longer to walk through.
    n_jobs : int or None, default=None
        Threads that build, a tree at a time each; None is all cores.
    random_state : int, RandomState or None, default=0
        Seed. The same seed gives the same trees, whatever the number of threads; more trees
        are the same trees and some others.

    Attributes
    ----------
    points : ndarray of float32, shape (n, d)
        Read-only; not a copy if it need not be.
    n_trees : int

    Notes
    -----
    At a node the variance of each dimension is estimated from at most 100 points, the split
    dimension is drawn among the five of the greatest, and the mean is the split value.

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
    >>> from vlawe.kdforest import KDForest
    >>> vectors = WordVectors.default()
    >>> forest = KDForest(vectors.matrix[1000:3000])
    >>> found, squared = forest.query(vectors.matrix[[1234, 2345]])
    >>> found, squared
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

        self.points = _checked(points, "points")
        self.n_trees = _at_least_one(n_trees, "n_trees")
        threads = resolve_jobs(n_jobs)
        n = len(self.points)
        generator = check_random_state(random_state)
        self._nodes = np.empty(self.n_trees * (n - 1), NODE)
        self._roots = np.empty(self.n_trees, np.int32)

        def drawn() -> Iterator[tuple[int, NDArray[np.int32], NDArray[np.uint8]]]:
            for tree in range(self.n_trees):
                order = generator.permutation(n).astype(np.int32)
                yield tree, order, generator.randint(_DRAWS, size=n - 1, dtype=np.uint8)

        def build(tree: tuple[int, NDArray[np.int32], NDArray[np.uint8]]) -> int:
            number, order, draws = tree
            first = number * (n - 1)
            self._roots[number], depth = build_tree(self.points, order, draws, first, self._nodes)
            return int(depth)

        self._depth = max(map_threads(build, drawn(), threads))

    def __len__(self) -> int:
        return len(self.points)

    def query(
        self, queries: ArrayLike, *, n_comparisons: int = 15, n_jobs: int | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return a near point of each query, and the squared distance to it.

        Parameters
        ----------
        queries : array-like of shape (m, d)
            Taken as float32.
        n_comparisons : int, default=15
            How many points each query is compared to. From ``len(forest)`` on the nearest point
            is found for certain, the first one of several.
        n_jobs : int or None, default=None
            Threads; None is all cores. The result does not depend on it.

        Returns
        -------
        found : ndarray of int32, shape (m,)
            The nearest of the points that were compared.
        squared : ndarray of float32, shape (m,)
            The squared Euclidean distance to that point; it is exact.
        """
        rows = _checked(queries, "queries", at_least=0)
        if rows.shape[1] != self.points.shape[1]:
            raise ValueError(
                f"the queries have {rows.shape[1]} dimensions, the points {self.points.shape[1]}"
            )
        budget = _at_least_one(n_comparisons, "n_comparisons")
        found = np.empty(len(rows), np.int32)
        squared = np.empty(len(rows), np.float32)

        def search(start: int) -> None:
            part = slice(start, start + _SLICE)
            if budget >= len(self.points):
                scan(rows[part], self.points, found[part], squared[part])
            else:
                search_trees(
                    rows[part], self.points, self._nodes, self._roots, self._depth, budget,
                    found[part], squared[part],
                )  # fmt: skip

        run_threads(search, range(0, len(rows), _SLICE), resolve_jobs(n_jobs))
        return found, squared


def _checked(array: ArrayLike, name: str, at_least: int = 1) -> NDArray[np.float32]:
    """Return finite rows of float32, read-only: kernels are compiled for one kind of array."""
    from sklearn.utils import check_array

    rows: NDArray[np.float32] = check_array(
        array, dtype=np.float32, order="C", ensure_min_samples=at_least, input_name=name
    ).view()
    rows.flags.writeable = False
    return rows


def _at_least_one(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
    return int(value)


# ----------------------------------------------------------------------------------- building


@inner
def _add_moments(row: Any, origin: Any, sums: Any, squares: Any) -> None:
    for j in range(len(row)):
        shifted = _wide(row[j]) - _wide(origin[j])
        sums[j] += shifted
        squares[j] += shifted * shifted


@inner
def _most_varied(points: Any, members: Any, sums: Any, squares: Any, top: Any) -> Any:
    """Set ``top`` to the dimensions of the greatest variance; return how many vary at all.

    ``sums`` has then each dimension's sum of differences to the first member; that shift makes
    the variance of what does not vary exactly 0.
    """
    sums[:] = 0.0
    squares[:] = 0.0
    origin = points[members[0]]
    for t in range(1, len(members)):
        _add_moments(points[members[t]], origin, sums, squares)
    for j in range(len(sums)):
        squares[j] -= sums[j] * sums[j] / len(members)
    n_top = 0
    least = 0.0
    for j in range(len(squares)):
        if squares[j] > least:
            place = min(n_top, len(top) - 1)
            while place > 0 and squares[top[place - 1]] < squares[j]:
                top[place] = top[place - 1]
                place -= 1
            top[place] = j
            n_top = min(n_top + 1, len(top))
            if n_top == len(top):
                least = squares[top[-1]]
    return n_top


@inner
def _partition(points: Any, members: Any, dimension: Any, value: Any) -> Any:
    """Put the members below ``value`` first; return how many they are."""
    low, high = 0, len(members)
    while low < high:
        if points[members[low], dimension] < value:
            low += 1
        else:
            high -= 1
            members[low], members[high] = members[high], members[low]
    return low


@inner
def _greatest(points: Any, members: Any, dimension: Any) -> Any:
    greatest = points[members[0], dimension]
    for member in members:
        greatest = max(greatest, points[member, dimension])
    return greatest


@inner
def _push_stretch(row: Any, start: Any, stop: Any, level: Any, parent: Any, side: Any) -> None:
    row[0] = start
    row[1] = stop
    row[2] = level
    row[3] = parent
    row[4] = side


@kernel
def build_tree(points: Any, order: Any, draws: Any, first: Any, nodes: Any) -> Any:
    """Write a tree to ``nodes`` from ``first`` on; return its root and its depth.

    ``order`` is a random permutation of the points, and is permuted further: each node has a
    stretch of it, whose beginning is the sample. ``draws`` has a random number for each node.
    """
    n, d = points.shape
    sums = np.empty(d, np.float64)
    squares = np.empty(d, np.float64)
    top = np.empty(CANDIDATES, np.int64)
    # What is still to be built: its stretch and level, the node above and the side of that.
    waiting = np.empty((n + 1, 5), np.int64)
    _push_stretch(waiting[0], 0, n, 0, -1, 0)
    n_waiting = 1
    n_built = 0
    root = 0
    depth = 0
    while n_waiting > 0:
        n_waiting -= 1
        start, stop, level, parent, is_above = waiting[n_waiting]
        depth = max(depth, level)
        members = order[start:stop]
        n_top = 0
        sample = members[:SAMPLE]
        if len(members) > 1:
            n_top = _most_varied(points, sample, sums, squares, top)
            if n_top == 0 and len(members) > SAMPLE:
                sample = members
                n_top = _most_varied(points, sample, sums, squares, top)
        if n_top == 0:  # all are equal
            number = ~np.int64(members.min())
        else:
            number = first + n_built
            dimension = top[draws[n_built] % n_top]
            origin = points[sample[0], dimension]
            value = np.float32(origin + sums[dimension] / len(sample))
            n_below = _partition(points, members, dimension, value)
            if n_below == 0 or n_below == len(members):  # the mean was rounded to an end
                value = _greatest(points, members, dimension)
                n_below = _partition(points, members, dimension, value)
            nodes[number].dimension = dimension
            nodes[number].value = value
            n_built += 1
            middle = start + n_below
            _push_stretch(waiting[n_waiting], middle, stop, level + 1, number, 1)
            _push_stretch(waiting[n_waiting + 1], start, middle, level + 1, number, 0)
            n_waiting += 2
        if parent < 0:
            root = number
        elif is_above:
            nodes[parent].above = number
        else:
            nodes[parent].below = number
    return root, depth


# ---------------------------------------------------------------------------------- searching


@inner_reassociating
def _squared_difference(a: Any, b: Any) -> Any:
    squared = 0.0
    for j in range(len(a)):
        difference = _wide(a[j]) - _wide(b[j])
        squared += difference * difference
    return squared


@inner
def _squared_distance(a: Any, b: Any, limit: Any) -> Any:
    """Return the squared distance, or a part of it that is beyond the limit already."""
    squared = 0.0
    for start in range(0, len(a), STRETCH):
        stop = min(start + STRETCH, len(a))
        squared += _squared_difference(a[start:stop], b[start:stop])
        if squared > limit:
            break
    return squared


@inner
def _push(bounds: Any, boxes: Any, size: Any, bound: Any, box: Any) -> None:
    """Add a box to a heap of ``size`` boxes, the least bound on top."""
    place = size
    while place > 0:
        above = (place - 1) >> 1
        if bounds[above] <= bound:
            break
        bounds[place] = bounds[above]
        boxes[place] = boxes[above]
        place = above
    bounds[place] = bound
    boxes[place] = box


@inner
def _pop(bounds: Any, boxes: Any, size: Any) -> None:
    """Take the top off a heap of ``size`` boxes."""
    last = size - 1
    bound = bounds[last]
    box = boxes[last]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= last:
            break
        if below + 1 < last and bounds[below + 1] < bounds[below]:
            below += 1
        if bounds[below] >= bound:
            break
        bounds[place] = bounds[below]
        boxes[place] = boxes[below]
        place = below
    bounds[place] = bound
    boxes[place] = box


@kernel
def search_trees(queries: Any, points: Any, nodes: Any, roots: Any, depth: Any, budget: Any,
                 found: Any, squared: Any) -> None:  # fmt: skip
    """Find a near point of each query among ``budget`` points, the most promising ones.

    One heap has the boxes of all trees that were passed by. The bound of a box is the sum of the
    squared distances to the planes behind which it lies.
    """
    n_trees = len(roots)
    # A tree's box is pushed once; and a walk ends at a point that is new, or was met in another.
    room = min(n_trees * len(points), n_trees * (1 + budget * depth))
    bounds = np.empty(room, np.float32)
    boxes = np.empty(room, np.int32)
    met = np.zeros(len(points), np.bool_)
    compared = np.empty(budget, np.int32)
    for i in range(len(queries)):
        query = queries[i]
        for tree in range(n_trees):
            bounds[tree] = 0.0
            boxes[tree] = roots[tree]
        n_boxes = n_trees
        n_compared = 0
        nearest = np.int32(0)
        least = np.inf
        while n_boxes > 0 and n_compared < budget:
            bound = bounds[0]
            box = boxes[0]
            _pop(bounds, boxes, n_boxes)
            n_boxes -= 1
            while box >= 0:
                node = nodes[box]
                difference = query[node.dimension] - node.value
                if difference < 0:
                    box = node.below
                    other = node.above
                else:
                    box = node.above
                    other = node.below
                _push(bounds, boxes, n_boxes, bound + difference * difference, other)
                n_boxes += 1
            point = ~box
            if not met[point]:
                met[point] = True
                compared[n_compared] = point
                n_compared += 1
                distance = _squared_distance(query, points[point], least)
                if distance < least or (distance == least and point < nearest):
                    least = distance
                    nearest = point
        found[i] = nearest
        squared[i] = least
        for t in range(n_compared):
            met[compared[t]] = False


@kernel
def scan(queries: Any, points: Any, found: Any, squared: Any) -> None:
    """Find the nearest point of each query among all, the first one of several."""
    for i in range(len(queries)):
        query = queries[i]
        nearest = 0
        least = np.inf
        for point in range(len(points)):
            distance = _squared_distance(query, points[point], least)
            if distance < least:
                least = distance
                nearest = point
        found[i] = nearest
        squared[i] = least
