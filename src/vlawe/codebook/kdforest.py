"""A randomised forest of k-d trees: the nearest of many points, approximately.

Several trees cut the same points into boxes and are searched together, the most promising box
first, until enough points have been compared (Silpa-Anan and Hartley, CVPR 2008; Muja and Lowe,
VISAPP 2009). At each node the variance of every dimension is estimated from at most 100 of its
points, the split dimension is drawn among the five of the greatest, the split value is the mean.

A tree is a run of nodes, each with two children. A child that is not negative is a node; a negative
one is the point ``~child``. So every leaf holds one point; of equal points it is the first.

Distances are summed in float64: the nearest of all points is then the nearest indeed, not one that
float32 cannot tell from it. They take a smaller part of the time than the walk through the trees.
"""

from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vlawe.codebook.kmeans import squared_distance
from vlawe.system.checks import check_whole
from vlawe.system.compiling import compiled, inlined
from vlawe.system.threads import resolve_jobs, run_threads

# What lies below ``value`` in ``dimension``, and what does not. One record rather than four arrays:
# one cache line a node, up to a fifth faster.
_NODE = np.dtype(
    [("below", np.int32), ("above", np.int32), ("dimension", np.int32), ("value", np.float32)]
)
_SAMPLE = 100  # of a node's points give its variances and its split value
_CANDIDATES = 5  # dimensions, of the greatest variance, among which the split dimension is drawn
_DRAWS = 60  # random numbers below it are fair among 1, 2, 3, 4 or 5 candidates
_STRETCH = 128  # dimensions after which a distance may be abandoned: saves a tenth to a quarter
_SLICE = 512  # queries of one call of compiled code
_wide = np.float64


class Trees(NamedTuple):
    """The nodes of all trees, and where each begins."""

    nodes: Any
    roots: Any


class KDForest:
    """Randomised k-d trees over the same points (n, d), to find one that is near.

    The same ``random_state`` gives the same trees, whatever the number of threads, and a larger
    forest begins with the trees of a smaller one. With many dimensions and few comparisons the
    nearest point is missed more often than found: ``benchmarks/kdforest.py`` tells how often, and
    from how many points on a forest pays.

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
        trees = Trees(np.empty(n_trees * n_nodes, _NODE), np.empty(n_trees, np.int32))
        generator = check_random_state(random_state)
        drawn = [
            (
                generator.permutation(len(self.points)).astype(np.int32),
                generator.randint(_DRAWS, size=n_nodes, dtype=np.uint8),
            )
            for _ in range(n_trees)
        ]

        def build(tree: int) -> None:
            first = tree * n_nodes
            trees.roots[tree] = _build_tree(self.points, *drawn[tree], first, trees.nodes)

        run_threads(build, range(n_trees), resolve_jobs(n_jobs))
        self._trees = trees

    def __len__(self) -> int:
        return len(self.points)

    def query(
        self, queries: ArrayLike, *, n_comparisons: int = 15, n_jobs: int | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return for each query (m, d) a point that is near, and the squared distance to it.

        A query is compared to ``n_comparisons`` points, and the nearest of these is found; if these
        are all points, it is the nearest for certain, the first one of several.
        """
        rows = _checked_rows(queries, "queries", at_least=0)
        if rows.shape[1] != self.points.shape[1]:
            raise ValueError(
                f"the queries have {rows.shape[1]} dimensions, the points {self.points.shape[1]}"
            )
        check_whole("n_comparisons", n_comparisons)
        budget = min(int(n_comparisons), len(self.points))
        found = np.empty(len(rows), np.int32)
        squared = np.empty(len(rows), np.float32)

        def search(start: int) -> None:
            some = slice(start, start + _SLICE)
            _search(rows[some], self.points, self._trees, budget, found[some], squared[some])

        run_threads(search, range(0, len(rows), _SLICE), resolve_jobs(n_jobs))
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


@inlined
def _add_moments(row: Any, origin: Any, sums: Any, squares: Any) -> None:
    for j in range(len(row)):
        shifted = _wide(row[j]) - _wide(origin[j])
        sums[j] += shifted
        squares[j] += shifted * shifted


@inlined
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


@inlined
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


@inlined
def _greatest(points: Any, members: Any, dimension: Any) -> Any:
    greatest = points[members[0], dimension]
    for member in members:
        greatest = max(greatest, points[member, dimension])
    return greatest


@compiled
def _build_tree(points: Any, order: Any, draws: Any, first: Any, nodes: Any) -> Any:
    """Write a tree to ``nodes`` from ``first`` on; return its root.

    ``order`` is a random permutation of the points, and is permuted further: each node has a
    stretch of it, whose beginning is the sample. ``draws`` has a random number for each node.
    """
    n, d = points.shape
    sums = np.empty(d, np.float64)
    squares = np.empty(d, np.float64)
    top = np.empty(_CANDIDATES, np.int64)
    # What is still to be built: its stretch, the node above and the side of that.
    waiting = np.empty((n + 1, 4), np.int64)
    waiting[0] = (0, n, -1, 0)
    n_waiting = 1
    n_built = 0
    root = 0
    while n_waiting > 0:
        n_waiting -= 1
        start, stop, parent, is_above = waiting[n_waiting]
        members = order[start:stop]
        n_top = 0
        sample = members[:_SAMPLE]
        if len(members) > 1:
            n_top = _most_varied(points, sample, sums, squares, top)
            if n_top == 0 and len(members) > _SAMPLE:
                sample = members
                n_top = _most_varied(points, sample, sums, squares, top)
        if n_top == 0:  # all are equal
            number = ~int(members.min())
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
            waiting[n_waiting] = (middle, stop, number, 1)
            waiting[n_waiting + 1] = (start, middle, number, 0)
            n_waiting += 2
        if parent < 0:
            root = number
        elif is_above:
            nodes[parent].above = number
        else:
            nodes[parent].below = number
    return root


@inlined
def _distance_within(a: Any, b: Any, limit: Any) -> Any:
    """Return the squared distance, or a part of it that is beyond the limit already."""
    squared = 0.0
    for start in range(0, len(a), _STRETCH):
        stop = min(start + _STRETCH, len(a))
        squared += squared_distance(a[start:stop], b[start:stop])
        if squared > limit:
            break
    return squared


@compiled
def _search(queries: Any, points: Any, trees: Any, budget: Any, found: Any, squared: Any) -> None:
    """Find a near point of each query among ``budget`` points, the most promising ones.

    Each tree is walked down once, then the boxes of all trees that were passed by wait in one
    heap, the least bound on top. The bound of a box is the sum of the squared distances to the
    planes behind which it lies.
    """
    n_trees = len(trees.roots)
    boxes = [(np.float32(0), np.int32(0))]
    met = np.zeros(len(points), np.bool_)
    compared = np.empty(budget, np.int32)
    for i in range(len(queries)):
        query = queries[i]
        n_begun = 0  # trees
        boxes.clear()
        n_compared = 0
        nearest = np.int32(0)
        least = np.inf
        while n_compared < budget and (n_begun < n_trees or len(boxes) > 0):
            if n_begun < n_trees:
                bound = np.float32(0.0)
                box = trees.roots[n_begun]
                n_begun += 1
            else:
                bound, box = heappop(boxes)
            while box >= 0:
                node = trees.nodes[box]
                difference = query[node.dimension] - node.value
                if difference < 0:
                    box = node.below
                    other = node.above
                else:
                    box = node.above
                    other = node.below
                heappush(boxes, (bound + difference * difference, other))
            point = ~box
            if not met[point]:
                met[point] = True
                compared[n_compared] = point
                n_compared += 1
                distance = _distance_within(query, points[point], least)
                if distance < least or (distance == least and point < nearest):
                    least = distance
                    nearest = point
        found[i] = nearest
        squared[i] = least
        for t in range(n_compared):
            met[compared[t]] = False
