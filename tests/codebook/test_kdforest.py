import heapq

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from vlawe.codebook import Codebook, nearest_codeword
from vlawe.codebook.kdforest import KDForest

# ------------------------------------------------------------------- twins, obviously right


def squared_distances(queries, points):
    return np.square(queries[:, None].astype(float) - points[None]).sum(axis=2)


def best_bin_first(forest, query, n_comparisons):
    """Return the points that a search compares, in their order."""
    roots = [(np.float32(0), box) for box in forest._trees.roots]
    queue, compared = [], []
    while (roots or queue) and len(compared) < n_comparisons:
        bound, box = roots.pop(0) if roots else heapq.heappop(queue)
        while box >= 0:
            below, above, dimension, value = forest._trees.nodes[box]
            difference = query[dimension] - value
            near, far = (below, above) if difference < 0 else (above, below)
            heapq.heappush(queue, (bound + difference * difference, far))
            box = near
        if ~box not in compared:
            compared.append(~box)
    return compared


def members(forest, box, points):
    """Return the points of a box; each must lie on its side of every plane."""
    if box < 0:
        return [~box]
    below, above, dimension, value = forest._trees.nodes[box]
    first, second = members(forest, below, points), members(forest, above, points)
    assert (points[first, dimension] < value).all()
    assert (points[second, dimension] >= value).all()
    return first + second


# -------------------------------------------------------------------------------- strategies

shapes = st.tuples(st.integers(1, 40), st.integers(1, 6))
few_values = st.integers(-2, 2).map(float)  # many ties and many equal points
any_values = st.floats(width=32, allow_nan=False, allow_infinity=False)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def points_and_queries(draw, elements):
    n, d = draw(shapes)
    points = draw(arrays(np.float32, (n, d), elements=elements))
    return points, draw(arrays(np.float32, (draw(st.integers(1, 10)), d), elements=elements))


def word_rows(default, n_points=2000, n_queries=2000):
    rows = np.random.default_rng(0).permutation(len(default))
    matrix = default.matrix
    return matrix[rows[:n_points]], matrix[rows[n_points : n_points + n_queries]]


@pytest.fixture(scope="module")
def words(default):
    """Points and queries: rows of the bundled table, and which point is nearest."""
    points, queries = word_rows(default)
    return points, queries, nearest_codeword(queries, points)


def recall(words, n_comparisons, **forest):
    points, queries, nearest = words
    found, _ = KDForest(points, **forest).query(queries, n_comparisons=n_comparisons)
    return np.mean(found == nearest)


# ------------------------------------------------------------------------------------- trees


@given(arrays(np.float32, shapes, elements=any_values), seeds)
def test_every_tree_has_each_point_once_on_its_side_of_every_plane(points, seed):
    forest = KDForest(points, n_trees=3, random_state=seed)
    _, first = np.unique(points + np.float32(0), axis=0, return_index=True)  # no -0.0
    for root in forest._trees.roots:
        assert sorted(members(forest, root, points)) == sorted(first)


def test_points_that_differ_are_told_apart_though_the_first_hundred_are_equal():
    points = np.zeros((5000, 2), np.float32)
    points[17] = (0, 1)
    forest = KDForest(points, n_trees=5)
    assert all(sorted(members(forest, root, points)) == [0, 17] for root in forest._trees.roots)
    assert forest.query([[0, 0.9]], n_comparisons=2)[0] == 17


def test_neighbouring_floats_are_told_apart():
    one = np.float32(1)
    points = np.array([[one], [np.nextafter(one, np.float32(2))]])
    assert forest_finds_itself(KDForest(points), points)


def test_the_split_dimension_is_drawn_among_the_five_of_the_greatest_variance():
    spread = np.array([9, 1, 8, 0, 7, 2, 6, 3, 5, 4])
    points = np.random.default_rng(0).normal(size=(90, 10)) * 2.0**spread
    forest = KDForest(points, n_trees=200)
    drawn = forest._trees.nodes["dimension"][forest._trees.roots]
    dimensions, counts = np.unique(drawn, return_counts=True)
    np.testing.assert_array_equal(dimensions, [0, 2, 4, 6, 8])
    assert counts.min() >= 20
    np.testing.assert_allclose(
        forest._trees.nodes["value"][forest._trees.roots], points.mean(axis=0)[drawn], rtol=1e-4
    )


def test_a_larger_forest_begins_with_the_trees_of_a_smaller_one(words):
    small, large = (KDForest(words[0], n_trees=n, random_state=7) for n in (2, 3))
    np.testing.assert_array_equal(large._trees.nodes[: len(small._trees.nodes)], small._trees.nodes)


def test_other_seeds_give_other_trees(words):
    first, second = (KDForest(words[0], random_state=seed) for seed in (1, 2))
    assert (first._trees.nodes["dimension"] != second._trees.nodes["dimension"]).any()


# ------------------------------------------------------------------------------------ search


@given(points_and_queries(few_values), st.integers(0, 5), seeds)
def test_a_budget_of_all_points_is_exact_with_ties_to_the_lower_index(case, more, seed):
    points, queries = case
    forest = KDForest(points, random_state=seed)
    found, squared = forest.query(queries, n_comparisons=len(points) + more)
    distances = squared_distances(queries, points)
    np.testing.assert_array_equal(found, distances.argmin(axis=1))
    np.testing.assert_array_equal(squared, distances.min(axis=1))


@given(points_and_queries(few_values), st.integers(1, 40), seeds)
def test_distances_are_those_to_the_points_returned(case, n_comparisons, seed):
    points, queries = case
    found, squared = KDForest(points, random_state=seed).query(queries, n_comparisons=n_comparisons)
    distances = squared_distances(queries, points)
    np.testing.assert_array_equal(squared, distances[np.arange(len(queries)), found])


@given(
    n=st.integers(2, 300),
    d=st.sampled_from([1, 2, 30, 128, 300]),
    n_trees=st.integers(1, 6),
    budgets=st.tuples(st.integers(1, 20), st.integers(1, 300)),
    seed=seeds,
)
@example(n=4, d=300, n_trees=4, budgets=(1, 2), seed=0)  # trees are begun in their order
@settings(max_examples=50)
def test_the_search_compares_the_points_of_the_most_promising_boxes(n, d, n_trees, budgets, seed):
    generator = np.random.default_rng(seed)
    points = generator.normal(size=(n, d)).astype(np.float32)
    queries = generator.normal(size=(3, d)).astype(np.float32)
    forest = KDForest(points, n_trees=n_trees, random_state=seed)
    distances = squared_distances(queries, points)
    for budget in budgets:
        found, squared = forest.query(queries, n_comparisons=budget)
        for i, query in enumerate(queries):
            compared = best_bin_first(forest, query, budget)
            assert len(compared) == min(budget, n)
            assert found[i] == compared[distances[i, compared].argmin()]
            np.testing.assert_allclose(squared[i], distances[i, found[i]], rtol=1e-6)


@given(points_and_queries(any_values), st.integers(1, 40))
def test_numbers_of_any_size_are_searched(case, n_comparisons):
    points, queries = case
    found, squared = KDForest(points).query(queries, n_comparisons=n_comparisons)
    distances = squared_distances(queries, points)[np.arange(len(queries)), found]
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(squared, distances.astype(np.float32), rtol=1e-6)


def forest_finds_itself(forest, points, n_comparisons=1):
    found, squared = forest.query(points, n_comparisons=n_comparisons)
    return np.array_equal(found, np.arange(len(points))) and not squared.any()


def test_a_single_comparison_finds_a_point_that_is_there(words):
    assert forest_finds_itself(KDForest(words[0]), words[0])


@pytest.mark.parametrize("n_comparisons", [15, 100, 1000])
def test_most_nearest_words_are_found_with_enough_comparisons(words, n_comparisons):
    # Measured on five seeds: 0.23 to 0.24, 0.56 to 0.59, 0.97 to 0.98.
    assert recall(words, n_comparisons) > {15: 0.2, 100: 0.5, 1000: 0.95}[n_comparisons]


def test_more_comparisons_find_more(words):
    found = [recall(words, n) for n in (1, 15, 100, 400, 1000, 2000)]
    assert found == sorted(set(found))
    assert found[-1] == 1


def test_more_trees_find_more(words):
    found = [recall(words, 100, n_trees=n) for n in (1, 4, 16)]
    assert found == sorted(set(found))


def test_near_points_are_returned_where_the_nearest_is_missed(words):
    points, queries, nearest = words
    _, squared = KDForest(points).query(queries, n_comparisons=100)
    least = np.square(queries - points[nearest]).sum(axis=1)
    missed = np.sqrt(squared / least)[squared > least * (1 + 1e-5)]
    assert len(missed) > 400
    assert np.median(missed) < 1.05


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
def test_results_do_not_depend_on_the_number_of_threads(words, n_jobs):
    points, queries, _ = words
    expected = KDForest(points, n_jobs=None).query(queries)
    found = KDForest(points, n_jobs=n_jobs).query(queries, n_jobs=n_jobs)
    np.testing.assert_array_equal(found, expected)


def test_a_query_is_answered_the_same_alone_and_among_others(words):
    points, queries, _ = words
    forest = KDForest(points)
    found, squared = forest.query(queries)
    for i in (0, 1, 511, 512, 1999):
        assert forest.query(queries[i : i + 1]) == (found[i], squared[i])


# ---------------------------------------------------------------------------------- extremes


@pytest.mark.parametrize("n_comparisons", [1, 2, 15, 1000])
def test_of_equal_points_the_first_is_found(n_comparisons):
    points = np.repeat([[1.0, 2.0], [3.0, 4.0]], 300, axis=0)
    found, squared = KDForest(points, n_trees=2).query(points, n_comparisons=n_comparisons)
    np.testing.assert_array_equal(found, np.repeat([0, 300], 300))
    assert not squared.any()


def test_equal_points_are_one_comparison():
    points = np.repeat(np.arange(20.0)[:, None], 50, axis=0)
    found, _ = KDForest(points).query([[7.4], [12.6]], n_comparisons=4)
    np.testing.assert_array_equal(found, [7 * 50, 13 * 50])


@pytest.mark.parametrize("n_comparisons", [1, 3, 50])
def test_all_points_may_be_equal(n_comparisons):
    found, squared = KDForest(np.ones((10, 3))).query([[0, 1, 1]], n_comparisons=n_comparisons)
    assert (found, squared) == (0, 1)


def test_one_point_is_a_forest():
    found, squared = KDForest([[1, 2]], n_trees=3).query([[1, 2], [4, 6]])
    np.testing.assert_array_equal(found, [0, 0])
    np.testing.assert_array_equal(squared, [0, 25])


def test_there_may_be_more_trees_than_points():
    forest = KDForest([[0.0, 0], [1, 1], [2, 0]], n_trees=50)
    assert len(forest) == 3
    assert forest_finds_itself(forest, forest.points, n_comparisons=2)


def test_points_on_a_line_are_found_with_few_comparisons():
    points = np.random.default_rng(0).permutation(1000.0 * np.arange(5000))[:, None]
    queries = points + 300
    found, squared = KDForest(points).query(queries, n_comparisons=4)
    np.testing.assert_array_equal(found, np.arange(5000))
    assert (squared == 90000).all()


def depth_of(forest: KDForest) -> int:
    level, depth = list(forest._trees.roots), 0
    while level := [box for box in level if box >= 0]:
        nodes = forest._trees.nodes[level]
        level, depth = [*nodes["below"], *nodes["above"]], depth + 1
    return depth


def test_very_uneven_trees_are_searched():
    points = 2.0 ** np.arange(-120, 120)[:, None]  # the mean has nearly all below it
    forest = KDForest(points)
    assert depth_of(forest) > 40
    assert forest_finds_itself(forest, forest.points)


def test_no_queries_have_no_answers():
    found, squared = KDForest(np.eye(3)).query(np.empty((0, 3)))
    assert found.shape == squared.shape == (0,)


def test_the_points_given_stay_writable():
    points = np.eye(3, dtype=np.float32)
    KDForest(points).query(points)
    assert points.flags.writeable


# ------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (np.empty((0, 3)), "0 sample"),
        (np.empty((3, 0)), "0 feature"),
        (np.ones(3), "2D array"),
        (np.ones((2, 2, 2)), "dim 3"),
        ([[1, np.nan]], "points contains NaN"),
        ([[1, np.inf]], "points contains infinity"),
        ([[1, 1e300]], "points contains infinity or a value too large"),
        ([["red", "blue"]], "convert string"),
    ],
)
def test_what_is_no_table_of_finite_numbers_is_refused(points, message):
    with pytest.raises(ValueError, match=message):
        KDForest(points)


def test_queries_must_be_finite_and_of_the_points_dimensions():
    forest = KDForest(np.eye(3))
    with pytest.raises(ValueError, match="queries contains NaN"):
        forest.query([[1, 2, np.nan]])
    with pytest.raises(ValueError, match="the queries have 2 dimensions, the points 3"):
        forest.query([[1, 2]])
    with pytest.raises(ValueError, match="2D array"):
        forest.query([1, 2, 3])


@pytest.mark.parametrize("value", [0, -1, 1.5, "15", True, None])
def test_numbers_of_trees_and_comparisons_are_whole_and_at_least_one(value):
    with pytest.raises(ValueError, match="n_trees must be a whole number of at least 1"):
        KDForest(np.eye(3), n_trees=value)
    with pytest.raises(ValueError, match="n_comparisons must be a whole number of at least 1"):
        KDForest(np.eye(3)).query(np.eye(3), n_comparisons=value)


# ---------------------------------------------------------------------------------- codebook


@pytest.fixture(scope="module")
def counts(default):
    """Counts of 3,000 words of the bundled table, as if they were a collection's."""
    counts = np.zeros(len(default), np.int64)
    generator = np.random.default_rng(0)
    counts[generator.choice(20_000, 3000, replace=False)] = generator.integers(1, 50, 3000)
    return counts


def learn(default, counts, n_codewords, assign):
    return Codebook.learn(default, counts, n_codewords, max_iter=5, assign=assign, random_state=0)


def test_a_codebook_by_forest_agrees_with_the_exact_one_for_most_words(default, counts):
    exact, forest = (learn(default, counts, 50, assign) for assign in ("exact", "forest"))
    np.testing.assert_array_equal(forest.centroids, exact.centroids)
    assert np.mean(forest.assignment == exact.assignment) > 0.55
    assert forest.counts.sum() == counts.sum()


def test_a_codebook_by_forest_is_exact_if_it_has_no_more_codewords_than_comparisons(
    default, counts
):
    exact, forest = (learn(default, counts, 15, assign) for assign in ("exact", "forest"))
    np.testing.assert_array_equal(forest.assignment, exact.assignment)
    np.testing.assert_array_equal(forest.counts, exact.counts)


def test_the_nearest_codeword_by_forest_is_exact_if_all_are_compared(words):
    points, queries, nearest = words
    found = nearest_codeword(queries, points, assign="forest", n_comparisons=len(points))
    assert found.dtype == nearest.dtype == np.int32
    np.testing.assert_array_equal(found, nearest)


def test_the_nearest_codeword_by_forest_does_not_depend_on_the_number_of_threads(words):
    points, queries, _ = words
    one, all_cores = (
        nearest_codeword(queries, points, assign="forest", n_jobs=n_jobs) for n_jobs in (1, None)
    )
    np.testing.assert_array_equal(one, all_cores)


@pytest.mark.parametrize("assign", ["tree", None, True])
def test_an_unknown_way_of_assignment_is_refused(default, counts, assign):
    with pytest.raises(ValueError, match='assign must be "exact" or "forest", got'):
        learn(default, counts, 2, assign)
    with pytest.raises(ValueError, match='assign must be "exact" or "forest", got'):
        nearest_codeword(np.eye(3), np.eye(3), assign=assign)
