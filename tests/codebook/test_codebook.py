import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_info, threadpool_limits

from vlawe import VLAWE, Codebook, WordVectors, tokenize
from vlawe.codebook import WEIGHTS, nearest_codeword


@pytest.fixture(scope="module")
def counts(english, messages) -> np.ndarray:
    """How often each word of the table occurs in the messages."""
    bags = tokenize(messages, english)
    return np.bincount(bags.ids, minlength=len(english))


@pytest.fixture(scope="module")
def codebook(english, counts) -> Codebook:
    return Codebook.learn(english, counts, 10, random_state=0)


def assert_same_bits(one: Codebook, other: Codebook) -> None:
    assert np.array_equal(one.centroids, other.centroids)
    assert np.array_equal(one.assignment, other.assignment)
    assert np.array_equal(one.counts, other.counts)
    assert one.inertia == other.inertia


def squared_distances(rows, centroids) -> np.ndarray:
    rows, centroids = rows.astype(np.float64), centroids.astype(np.float64)
    return np.stack([np.square(rows - centroid).sum(axis=1) for centroid in centroids], axis=1)


# ------------------------------------------------------------------------------------- exactness


@pytest.mark.parametrize("algorithm", ["lloyd", "elkan"])
def test_weighted_words_cluster_as_all_of_their_occurrences_do(english, counts, algorithm):
    seen = np.flatnonzero(counts)
    rng = np.random.default_rng(0)
    # In float64 and to the end, so that both take the same way.
    rows = english.matrix[seen].astype(np.float64)
    seeds = rows[rng.choice(len(seen), 10, replace=False)]
    kmeans = KMeans(10, init=seeds, n_init=1, algorithm=algorithm, tol=0, max_iter=1000)
    with threadpool_limits(1):
        weighted = clone_fit(kmeans, rows, counts[seen])
        expanded = clone_fit(kmeans, np.repeat(rows, counts[seen], axis=0), None)
    assert weighted.inertia_ == pytest.approx(expanded.inertia_, rel=1e-5)
    assert np.allclose(weighted.cluster_centers_, expanded.cluster_centers_, atol=1e-6)


def clone_fit(kmeans: KMeans, rows, weights) -> KMeans:
    return KMeans(**kmeans.get_params()).fit(rows, sample_weight=weights)


def test_the_inertia_is_that_of_all_occurrences(english, counts, codebook):
    seen = np.flatnonzero(counts)
    tokens = np.repeat(seen, counts[seen])
    distances = squared_distances(english.matrix[seen], codebook.centroids).min(axis=1)
    everything = np.repeat(distances, counts[seen])
    assert len(everything) == len(tokens) == counts.sum()
    assert codebook.inertia == pytest.approx(everything.sum(), rel=1e-5)


def test_the_codebook_is_that_of_scikit_learn_over_all_occurrences(english, counts, codebook):
    """From the codebook on, k-means over the expanded tokens finds nothing better."""
    tokens = np.repeat(np.arange(len(counts)), counts)
    # KMeans multiplies its tolerance with the variance of its points.
    words, occurrences = english.matrix[counts > 0], english.matrix[tokens]
    tolerance = 1e-4 * words.var(axis=0).mean() / occurrences.var(axis=0).mean()
    kmeans = KMeans(10, init=codebook.centroids, n_init=1, tol=tolerance)
    with threadpool_limits(1):
        again = kmeans.fit(occurrences)
    # Its own figure is a sum in float32.
    found = squared_distances(words, again.cluster_centers_).min(axis=1) @ counts[counts > 0]
    assert codebook.inertia == pytest.approx(found, rel=1e-4)
    assert codebook.inertia >= found * (1 - 1e-6)


@pytest.mark.parametrize(
    ("weights", "weigh"), [("occurrences", np.array), ("sqrt", np.sqrt), ("distinct", np.ones_like)]
)
def test_words_weigh_what_is_asked(english, counts, weights, weigh):
    seen = np.flatnonzero(counts)
    words, own = english.matrix[seen].astype(np.float64), weigh(counts[seen].astype(np.float64))
    book = Codebook.learn(english, counts, 10, weights=weights, random_state=0)
    # Each codeword is the weighted mean of its words, up to those that moved in the last round.
    labels = book.assignment[seen]
    for codeword, centroid in enumerate(book.centroids):
        mine = labels == codeword
        mean = np.average(words[mine], axis=0, weights=own[mine])
        assert np.linalg.norm(mean - centroid) < 0.1 * np.linalg.norm(mean)
    # And k-means with these weights finds nothing better from there.
    with threadpool_limits(1):
        again = KMeans(10, init=book.centroids, n_init=1).fit(words, sample_weight=own)
    found = own @ squared_distances(words, book.centroids).min(axis=1)
    assert found == pytest.approx(again.inertia_, rel=2e-3)
    # Counts and inertia are those of all occurrences, whatever words weigh.
    assert book.counts.tolist() == [counts[seen][labels == i].sum() for i in range(10)]
    distances = squared_distances(words, book.centroids).min(axis=1)
    assert book.inertia == pytest.approx(counts[seen] @ distances, rel=1e-4)


def test_counts_are_the_occurrences_of_each_codeword(counts, codebook):
    assert codebook.counts.sum() == counts.sum()
    expected = [counts[codebook.assignment == codeword].sum() for codeword in range(10)]
    assert codebook.counts.tolist() == expected
    assert (codebook.counts > 0).all()


def test_every_word_of_the_table_is_assigned_to_its_nearest_codeword(english, codebook):
    some = np.arange(0, len(english), 7)
    distances = squared_distances(english.matrix[some], codebook.centroids)
    nearest = np.argmin(distances, axis=1)
    first, second = np.sort(distances, axis=1)[:, :2].T
    clear = second - first > 1e-5 * second
    assert clear.mean() > 0.999
    assert np.array_equal(codebook.assignment[some][clear], nearest[clear])
    # Where two codewords are as near, the one taken is as near as the other to rounding.
    taken = distances[np.arange(len(some)), codebook.assignment[some]]
    assert np.allclose(taken, first, rtol=2e-5)


def test_the_types_are_those_promised(codebook, english):
    assert (codebook.centroids.dtype, codebook.centroids.shape) == (np.float32, (10, 100))
    assert (codebook.assignment.dtype, codebook.assignment.shape) == (np.int32, (len(english),))
    assert (codebook.counts.dtype, codebook.counts.shape) == (np.int64, (10,))
    assert isinstance(codebook.inertia, float)
    assert len(codebook) == 10


# --------------------------------------------------------------------------------- same bits


def test_the_same_seed_gives_the_same_bits_and_another_seed_others(english, counts, codebook):
    assert_same_bits(Codebook.learn(english, counts, 10, random_state=0), codebook)
    other = Codebook.learn(english, counts, 10, random_state=1)
    assert not np.array_equal(other.centroids, codebook.centroids)


@pytest.mark.parametrize("n_threads", [1, 2, 7])
def test_bits_do_not_depend_on_the_threads_of_blas_and_openmp(english, counts, codebook, n_threads):
    with threadpool_limits(n_threads):
        again = Codebook.learn(english, counts, 10, random_state=0)
    assert_same_bits(again, codebook)


def test_one_thread_clusters_as_several_would_add_up_in_any_order(colours, monkeypatch):
    fit, n_threads = KMeans.fit, []

    def spy(*arguments, **options):
        n_threads.extend(library["num_threads"] for library in threadpool_info())
        return fit(*arguments, **options)

    monkeypatch.setattr(KMeans, "fit", spy)
    Codebook.learn(colours, np.ones(8, np.int64), 3, random_state=0)
    assert set(n_threads) == {1}


def test_bits_do_not_depend_on_the_threads_of_the_encoder(english, messages):
    texts = messages[::2]
    one, *others = (
        VLAWE(english, n_codewords=5, n_jobs=n_jobs, batch_size=batch_size).fit(texts).codebook_
        for n_jobs, batch_size in ((1, None), (2, 7), (5, 100))
    )
    for other in others:
        assert_same_bits(one, other)


def test_more_runs_find_nothing_worse(english, counts):
    part, some = english.select(2000), counts[:2000]
    one, many = (Codebook.learn(part, some, 20, n_init=n_init, random_state=3) for n_init in (1, 5))
    assert many.inertia <= one.inertia


def test_both_algorithms_find_the_same(english, counts):
    part, some = english.select(2000), counts[:2000]
    lloyd, elkan = (
        Codebook.learn(part, some, 5, algorithm=algorithm, random_state=3)
        for algorithm in ("lloyd", "elkan")
    )
    assert elkan.inertia == pytest.approx(lloyd.inertia, rel=1e-4)
    assert np.allclose(elkan.centroids, lloyd.centroids, atol=1e-3)


def test_iterations_are_limited(english, counts):
    part, some = english.select(2000), counts[:2000]
    short, long = (
        Codebook.learn(part, some, 20, max_iter=max_iter, random_state=3) for max_iter in (1, 300)
    )
    assert short.inertia > long.inertia


# ---------------------------------------------------------------------------- too few, too alike


def test_one_codeword_is_the_mean_of_the_occurrences(colours):
    counts = np.array([3, 1, 0, 0, 0, 0, 0, 2])
    book = Codebook.learn(colours, counts, 1, random_state=0)
    expected = np.average(colours.matrix.astype(np.float64), axis=0, weights=counts)
    assert np.allclose(book.centroids[0], expected, atol=1e-6)
    assert book.assignment.tolist() == [0] * 8
    assert book.counts.tolist() == [6]


def test_the_codeword_of_a_single_word_is_that_word_bit_for_bit(default, messages):
    bags = tokenize(messages, default)
    counts = np.bincount(bags.ids, minlength=len(default))
    book = Codebook.learn(default, counts, 200, random_state=0)
    alone = np.flatnonzero(np.bincount(book.assignment[counts > 0]) == 1)
    assert len(alone) > 0
    for codeword in alone:
        (word,) = np.flatnonzero((book.assignment == codeword) & (counts > 0))
        assert np.array_equal(book.centroids[codeword], default.matrix[word])


def test_as_many_codewords_as_words_are_the_words(colours):
    book = Codebook.learn(colours, np.ones(8, np.int64), 8, random_state=0)
    assert sorted(book.assignment) == list(range(8))
    assert np.array_equal(book.centroids[book.assignment], colours.matrix)
    assert book.inertia == 0


def test_there_are_no_more_codewords_than_words(colours):
    counts = np.array([9, 7, 0, 0, 0, 0, 0, 0])
    book = Codebook.learn(colours, counts, 3, random_state=0)
    assert len(book) == 2
    assert sorted(book.centroids.tolist()) == sorted(colours.matrix[:2].tolist())
    assert sorted(book.counts) == [7, 9]


def test_there_are_no_more_codewords_than_different_vectors():
    table = WordVectors(["a", "b", "c"], [[1, 0], [1, 0], [0, 1]])
    book = Codebook.learn(table, np.ones(3, np.int64), 3, random_state=0)
    assert sorted(book.centroids.tolist()) == [[0, 1], [1, 0]]
    assert (sorted(book.counts), book.inertia) == ([1, 2], 0)


def test_no_words_or_no_codewords_are_refused(colours):
    with pytest.raises(ValueError, match="documents have none that the word vectors know"):
        Codebook.learn(colours, np.zeros(8, np.int64), 1)
    with pytest.raises(ValueError, match="n_codewords must be at least 1, got 0"):
        Codebook.learn(colours, np.ones(8, np.int64), 0)


@settings(max_examples=60)
@given(data=st.data())
def test_any_table_has_a_sound_codebook(data):
    n_words, dim = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 3))
    numbers = st.sampled_from([0, 0, 1, -1, 2, 0.5, 100])
    rows = data.draw(hnp.arrays(np.float32, (n_words, dim), elements=numbers))
    counts = data.draw(hnp.arrays(np.int64, n_words, elements=st.integers(0, 50)))
    n_codewords, weights = data.draw(st.integers(1, 5)), data.draw(st.sampled_from(WEIGHTS))
    table = WordVectors([f"w{i}" for i in range(n_words)], rows)
    n_distinct = len(np.unique(rows[counts > 0], axis=0))
    if n_distinct == 0:
        return
    book = Codebook.learn(table, counts, n_codewords, weights=weights, random_state=0)
    assert len(book) == min(n_codewords, n_distinct)
    assert np.isfinite(book.centroids).all()
    assert np.isfinite(book.inertia)
    distances = squared_distances(rows, book.centroids)
    taken = distances[np.arange(n_words), book.assignment]
    assert np.allclose(taken, distances.min(axis=1), rtol=1e-4, atol=1e-3)
    assert book.counts.sum() == counts.sum()


@pytest.mark.parametrize("n_words", [1, 100])
@pytest.mark.parametrize("n_codewords", [1, 7])
def test_the_nearest_codeword_is_found_for_every_row(n_words, n_codewords):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n_words, 5)).astype(np.float32)
    centroids = rng.normal(size=(n_codewords, 5)).astype(np.float32)
    expected = squared_distances(rows, centroids).argmin(axis=1)
    assert np.array_equal(nearest_codeword(rows, centroids), expected)


# -------------------------------------------------------------------------------- what it holds


def test_codewords_are_named_by_the_words_of_their_clusters_that_point_their_way(english, codebook):
    names = codebook.nearest_words(english, 5)
    sizes = np.bincount(codebook.assignment)
    assert [len(words) for words in names] == np.minimum(sizes, 5).tolist()
    for codeword, words in enumerate(names):
        rows = english.words.rows(words)
        assert (codebook.assignment[rows] == codeword).all()
        has_length = english.matrix.any(axis=1)  # a few words have no GloVe vector
        members = np.flatnonzero((codebook.assignment == codeword) & has_length)
        centroid = codebook.centroids[codeword].astype(np.float64)

        def cosines(some, centroid=centroid):
            own = english.matrix[some].astype(np.float64)
            return own @ centroid / np.linalg.norm(own, axis=1) / np.linalg.norm(centroid)

        assert np.allclose(cosines(rows), np.sort(cosines(members))[::-1][:5], rtol=1e-5)


def test_a_cluster_of_few_words_names_them_all(colours):
    book = Codebook.learn(colours, np.ones(8, np.int64), 8, random_state=0)
    assert sorted(book.nearest_words(colours, 5)) == sorted([word] for word in colours.words)


def test_codewords_are_named_from_their_own_table(colours, codebook):
    with pytest.raises(ValueError, match="belongs to a table of 62,658 words, this one has 8"):
        codebook.nearest_words(colours)


def test_a_codebook_cannot_be_changed(codebook):
    for array in (codebook.centroids, codebook.assignment, codebook.counts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        codebook.inertia = 0.0


def test_a_pickle_is_the_same_after_encoding_and_cannot_be_changed_either(english, codebook):
    encoder = VLAWE(english)
    encoder.vectors_, encoder.codebook_ = english, codebook
    before = pickle.dumps(Codebook(*codebook.__reduce__()[1]))
    encoder.transform(["the film"])
    assert codebook.arrays.assignment.dtype == np.uint16
    assert pickle.dumps(codebook) == before
    again = pickle.loads(before)
    assert_same_bits(again, codebook)
    for array in (again.centroids, again.assignment, again.counts, again.arrays.assignment):
        assert not array.flags.writeable


@pytest.mark.parametrize("codeword", [-1, 2])
def test_an_assignment_beyond_the_codewords_is_refused(codeword):
    assignment = np.array([0, 1, codeword], np.int32)
    with pytest.raises(ValueError, match="names codewords beyond the 2"):
        Codebook(np.zeros((2, 3), np.float32), assignment, np.ones(2, np.int64), 0.0)


@pytest.mark.parametrize(
    "change", [np.asfortranarray, lambda array: array.astype(np.float64), lambda array: array[::1]]
)
def test_centroids_of_any_layout_give_the_same_rows(change):
    rng = np.random.default_rng(0)
    table = WordVectors([f"w{i}" for i in range(20)], rng.normal(size=(20, 20)))
    centroids = rng.normal(size=(3, 20)).astype(np.float32)
    rows = []
    for own in (centroids.copy(), change(centroids.copy())):
        encoder = VLAWE(table, 3)
        encoder.vectors_ = table
        encoder.codebook_ = Codebook(own, np.arange(20) % 3, np.ones(3, np.int64), 0.0)
        rows.append(encoder.transform(["w1 w2 w3 w4 w5 w7", "w3"]))
    assert np.array_equal(*rows)


# ------------------------------------------------------------------------------- another table


def test_words_of_another_table_keep_their_codewords_and_new_ones_get_the_nearest(codebook):
    generator = np.random.default_rng(0)
    places = np.array([5, -1, 3, -1, -1, 0])
    matrix = generator.normal(size=(6, codebook.centroids.shape[1])).astype(np.float32)
    other = codebook.of_words(places, matrix)
    expected = squared_distances(matrix, codebook.centroids).argmin(axis=1)
    known = places >= 0
    assert np.array_equal(other.assignment[known], codebook.assignment[places[known]])
    assert np.array_equal(other.assignment[~known], expected[~known])
    assert other.assignment.dtype == np.int32
    assert np.array_equal(other.centroids, codebook.centroids)
