import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from vlawe import tokenize
from vlawe.documents import BATCH_BYTES, BATCH_DOCUMENTS, TextBatch, read

TEXTS = ["red green.", "", "Blue x blue", "warm"]
WORDS = [["red", "green", "."], [], ["Blue", "x", "blue"], ["warm"]]
IDS = [[0, 1, 7], [], [2, 2], [5]]


class Colour(str):
    """A text that shows itself otherwise, as the members of an Enum of str do."""

    __slots__ = ()

    def __str__(self) -> str:
        return "Colour"


def texts_of(texts) -> list[str]:
    return [text for batch in read(texts) for text in batch.texts()]


def chunked(kind, *chunks) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(chunk, kind) for chunk in chunks])


TEXT_CONTAINERS = {
    "list": TEXTS,
    "tuple": tuple(TEXTS),
    "generator": None,
    "numpy str": np.array(TEXTS),
    "numpy object": np.array(TEXTS, object),
    "numpy StringDType": np.array(TEXTS, np.dtypes.StringDType()),
    "numpy strided": np.array([text for text in TEXTS for _ in range(2)])[::2],
    "list of numpy str": list(np.array(TEXTS)),
    "pandas": pd.Series(TEXTS),
    "pandas object": pd.Series(TEXTS, dtype=object),
    "pandas string": pd.Series(TEXTS, dtype="string"),
    "pandas category": pd.Series(TEXTS, dtype="category"),
    "pandas Arrow": pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.large_string())),
    "pandas with another index": pd.Series(TEXTS, index=[7, 7, 0, -1]),
    "pandas object with another index": pd.Series(TEXTS, index=[3, 2, 1, 0], dtype=object),
    "pandas Index": pd.Index(TEXTS),
    "pandas slice": pd.Series(["x", *TEXTS, "y"])[1:-1],
    "polars": pl.Series(TEXTS),
    "polars Categorical": pl.Series(TEXTS, dtype=pl.Categorical),
    "polars Enum": pl.Series(TEXTS, dtype=pl.Enum(TEXTS)),
    "polars slice": pl.Series(["x", *TEXTS, "y"])[1:-1],
    "pandas frame of one column": pd.DataFrame({"text": TEXTS}),
    "polars frame of one column": pl.DataFrame({"text": TEXTS}),
    "Arrow table of one column": pa.table({"text": TEXTS}),
    "Arrow batch of one column": pa.record_batch({"text": TEXTS}),
    "polars column": pl.DataFrame({"text": TEXTS})["text"],
    "Arrow string": pa.array(TEXTS),
    "Arrow large string": pa.array(TEXTS, pa.large_string()),
    "Arrow string view": pa.array(TEXTS, pa.string_view()),
    "Arrow dictionary": pa.array(TEXTS).dictionary_encode(),
    "Arrow slice": pa.array(["x", *TEXTS, "y"])[1:-1],
    "Arrow dictionary slice": pa.array(["x", *TEXTS, "y"]).dictionary_encode()[1:-1],
    "Arrow string view slice": pa.array(["x", *TEXTS, "y"], pa.string_view())[1:-1],
    "Arrow chunks": chunked(pa.string(), [], TEXTS[:1], [], TEXTS[1:], []),
    "Arrow column": pa.table({"text": TEXTS})["text"],
}
LIST_CONTAINERS = {
    "list": WORDS,
    "tuples": tuple(map(tuple, WORDS)),
    "lists and tuples": [WORDS[0], *map(tuple, WORDS[1:])],
    "generator": None,
    "numpy arrays": [np.array(words, np.str_) for words in WORDS],
    "numpy object": np.array([*WORDS, None], object)[:-1],
    "pandas": pd.Series(WORDS, index=[9, 9, 9, 9]),
    "pandas Arrow": pd.Series(WORDS, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
    "polars": pl.Series(WORDS),
    "Arrow list": pa.array(WORDS),
    "Arrow large list": pa.array(WORDS, pa.large_list(pa.large_string())),
    "Arrow list of views": pa.array(WORDS, pa.list_(pa.string_view())),
    "Arrow slice": pa.array([["x", "y"], *WORDS, ["z"]])[1:-1],
    "Arrow large slice": pa.array([["x"], *WORDS, ["z"]], pa.large_list(pa.large_string()))[1:-1],
    "Arrow chunks": chunked(pa.list_(pa.string()), WORDS[:2], [], WORDS[2:]),
}


def assert_same_bags(bags) -> None:
    assert [bags[i].tolist() for i in range(len(bags))] == IDS
    assert bags.n_unknown.tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize("name", TEXT_CONTAINERS)
def test_every_container_of_texts_gives_the_same_bags(colours, name):
    texts = TEXT_CONTAINERS[name]
    assert_same_bags(tokenize(iter(TEXTS) if texts is None else texts, colours))


@pytest.mark.parametrize("name", LIST_CONTAINERS)
def test_every_container_of_word_lists_gives_the_same_bags(colours, name):
    documents = LIST_CONTAINERS[name]
    assert_same_bags(tokenize(iter(WORDS) if documents is None else documents, colours))


def test_lists_of_a_fixed_size_are_word_lists(colours):
    pairs = pa.array([["x", "y"], ["red", "blue"], ["warm", "x"]], pa.list_(pa.string(), 2))
    bags = tokenize(pairs[1:], colours)
    assert [bags[i].tolist() for i in range(2)] == [[0, 2], [5]]


@pytest.mark.parametrize(
    "nothing",
    [
        [],
        (),
        iter(()),
        np.array([], object),
        np.array([], str),
        pd.Series([], dtype=object),
        pd.Series([], dtype="string"),
        pl.Series([], dtype=pl.String),
        pl.Series([]),
        pa.array([], pa.string()),
        pa.array([]),
        pa.chunked_array([], pa.string()),
    ],
    ids=lambda nothing: type(nothing).__name__,
)
def test_a_collection_may_be_empty(nothing):
    assert list(read(nothing)) == []


def test_an_open_file_is_a_collection_of_lines(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("red\nblue\n", encoding="utf-8")
    with path.open(encoding="utf-8") as lines:
        assert texts_of(lines) == ["red\n", "blue\n"]


def test_subclasses_of_str_are_texts_by_their_characters():
    assert texts_of([Colour("red"), "blue"]) == ["red", "blue"]
    (batch,) = read([[Colour("red"), "blue"]])
    assert bytes(batch.data) == b"redblue"


def test_texts_of_a_slice_are_its_own():
    array = pa.array(["zero", "one", "two", "three"])
    assert texts_of(array[1:3]) == ["one", "two"]
    assert list(TextBatch.from_arrow(array[2:]).texts()) == ["two", "three"]


# ------------------------------------------------------------------------------------- refusals

NAN = float("nan")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["a", None], "row 1 is not a text but None"),
        ([None], "row 0 is not a text but None"),
        (["a", NAN], r"row 1 is not a text but nan \(float\)"),
        ([NAN, "a"], r"row 0 is not a text but nan \(float\)"),
        (["a", 3], r"row 1 is not a text but 3 \(int\)"),
        (["a", b"x"], r"row 1 is not a text but b'x' \(bytes\)"),
        (["a", str], r"row 1 is not a text but <class 'str'> \(type\)"),
        (["a", range(10**30)], r"row 1 is not a text but range.* \(range\)"),
        ([np.array("a")], r"row 0 is not a text but array\('a'.*\(ndarray\)"),
        (["a", ("b",)], "row 1 is of another kind"),
        (["a", np.array(["b"])], "row 1 is of another kind"),
        ([["a"], "b"], "row 1 is of another kind"),
        ([["a"], None], "row 1 is not a text but None"),
        ([["a"], ["b", None]], "row 1 has a word that is no str but None"),
        ([["a"], ["b", 3]], "row 1 has a word that is no str but 3"),
        ([["a"], ["b", b"c"]], "row 1 has a word that is no str but b'c'"),
        ([["a"], ["b", ["c"]]], r"row 1 has a word that is no str but \['c'\]"),
        ([["a"], {"b"}], "row 1 is not a text but {'b'}"),
        (["a"] * 600 + [None], "row 600 is not a text but None"),
        (["a"] * 600 + [["b"]], "row 600 is of another kind"),
        (["a"] * 2 * BATCH_DOCUMENTS + [["b"]], "row 32768 is of another kind"),
        ([["a"]] * 600 + ["b"], "row 600 is of another kind"),
        ([["a"]] * 600 + [["b", 3]], "row 600 has a word that is no str but 3"),
        (np.array(["a", None], object), "row 1 is not a text but None"),
        (np.array([1.5, 2]), r"row 0 is not a text but 1.5 \(float\)"),
        (pd.Series(["a", None], dtype=object), "row 1 is not a text but None"),
        (pd.Series(["a", NAN], dtype=object, index=[5, 6]), "row 1 is not a text but nan"),
        (pd.Series(["a", None], dtype="string"), "row 1 is missing"),
        (pd.Series(["a", None], dtype="category"), "row 1 is missing"),
        (pd.Series(["a", None], dtype=pd.ArrowDtype(pa.string())), "row 1 is missing"),
        (pd.Series([1, 2]), "not an Arrow array of int64"),
        (pd.Series([1 + 2j]), "row 0 is not a text but"),  # which Arrow does not have
        (pl.Series(["a", None]), "row 1 is missing"),
        (pl.Series(["a", None], dtype=pl.Categorical), "row 1 is missing"),
        (pl.Series([["a"], None]), "row 1 is missing"),
        (pl.Series([["a"], ["b", None]]), r"row 1 has a missing \(null\) word"),
        (pl.Series([1, 2]), "not an Arrow array of int64"),
        (pa.array(["a", None]), "row 1 is missing"),
        (pa.array(["x", "a", None])[1:], "row 1 is missing"),
        (pa.array(["a", None], pa.string_view()), "row 1 is missing"),
        (pa.array([None, None]), "row 0 is missing"),
        (pa.array(["a", None]).dictionary_encode(), "row 1 is missing"),
        (pa.DictionaryArray.from_arrays([0, 0, 1], ["a", None]), "row 2 is missing"),
        (pa.array([["a"], None]), "row 1 is missing"),
        (pa.array([["a"], ["b", None]]), r"row 1 has a missing \(null\) word"),
        (pa.array([[None], ["a"], ["b", None]])[1:], r"row 1 has a missing \(null\) word"),
        (pa.array([1]), "not an Arrow array of int64"),
        (pa.array([b"x"]), "not an Arrow array of binary"),
        (pa.array([["a"]], pa.list_(pa.binary())), "not an Arrow array of list"),
        (chunked(pa.string(), ["a", "b"], [], ["c", None]), "row 3 is missing"),
        (chunked(pa.string(), ["a"] * 600, [None]), "row 600 is missing"),
        ("text", r"got a single str; put it in a list: \[text\]"),
        (b"text", "got a single bytes"),
        ({"a": 1}, "got a dict"),
        ({"a"}, "got a set"),
        (frozenset("a"), "got a frozenset"),
        (pd.DataFrame({"a": ["x"], "b": ["y"]}), "got a whole DataFrame of several"),
        (pl.DataFrame({"a": ["x"], "b": ["y"]}), "got a whole DataFrame of several"),
        (pa.table({"a": ["x"], "b": ["y"]}), "got a whole Table of several"),
        (pa.record_batch({"a": ["x"], "b": ["y"]}), "got a whole RecordBatch of several"),
        (None, "expected a collection of texts, got None"),
        (7, "expected a collection of texts, got 7"),
    ],
)
def test_what_is_no_text_is_refused_with_its_row(texts, message):
    with pytest.raises(TypeError, match=message):
        list(read(texts))


def test_a_batch_of_a_dictionary_with_a_null_is_refused():
    with pytest.raises(TypeError, match="row 8 is missing"):
        TextBatch.from_arrow(pa.DictionaryArray.from_arrays([0, 1], ["a", None]), first_row=7)


def test_a_generator_is_told_of_the_row_too():
    def texts():
        yield from ["a"] * 1000
        yield 3

    with pytest.raises(TypeError, match="row 1000 is not a text but 3"):
        list(read(texts()))


def test_containers_are_refused_before_anything_is_read():
    with pytest.raises(TypeError, match="single str"):
        read("text")  # not even iterated


@pytest.mark.parametrize("array", [np.array([["a"]]), np.array("a")])
def test_an_array_has_one_dimension(array):
    with pytest.raises(ValueError, match="expected a one-dimensional array of texts, got shape"):
        read(array)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["a", "b\ud800"], "row 1 has a lone surrogate at character 1"),
        ([["a"], ["b", "\udfff"]], "row 1 has a lone surrogate at character 0"),
        (["a"] * 600 + ["\udc80"], "row 600 has a lone surrogate at character 0"),
        (np.array(["\ud800"], object), "row 0 has a lone surrogate"),
    ],
)
def test_a_lone_surrogate_is_refused_with_its_row(texts, message):
    with pytest.raises(ValueError, match=message):
        list(read(texts))


def test_a_broken_arrow_array_is_refused():
    broken = pa.StringArray.from_buffers(
        2, pa.py_buffer(np.array([0, 9, 2], np.int32)), pa.py_buffer(b"ab")
    )
    with pytest.raises(ValueError, match="broken Arrow array from row 1"):
        list(read(pa.chunked_array([pa.array(["a"]), broken])))


# -------------------------------------------------------------------------------------- batches


def rows_of(batches) -> list[tuple[int, int]]:
    return [(batch.first_row, len(batch)) for batch in batches]


CONTAINERS = {
    "list": list,
    "generator": iter,
    "Arrow": pa.array,
    "Arrow views": lambda texts: pa.array(texts, pa.string_view()),
    "Arrow dictionary": lambda texts: pa.array(texts).dictionary_encode(),
    "polars": pl.Series,
    "pandas": pd.Series,
    "word lists": lambda texts: [text.split() for text in texts],
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_batch_has_at_most_so_many_documents(container):
    texts = CONTAINERS[container](["a"] * (2 * BATCH_DOCUMENTS + 3))
    assert rows_of(read(texts)) == [(0, 16384), (16384, 16384), (32768, 3)]


def test_chunks_of_an_arrow_array_are_batches_of_their_own():
    array = chunked(pa.string(), ["a"] * 3, ["b"] * 20_000)
    assert rows_of(read(array)) == [(0, 3), (3, 16384), (16387, 3616)]


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_batch_has_at_most_so_many_bytes_of_text(container):
    texts = ["word " * 4000] * 300  # 6 MB
    batches = list(read(CONTAINERS[container](texts)))
    assert [batch.first_row for batch in batches] == np.cumsum([0, *map(len, batches)])[
        :-1
    ].tolist()
    assert sum(map(len, batches)) == 300
    assert max(map(len, batches)) == BATCH_BYTES // len(
        "word" * 4000 if container == "word lists" else texts[0]
    )
    for batch in batches:
        start, stop = batch.documents[0], batch.documents[-1]
        assert batch.offsets[stop] - batch.offsets[start] <= BATCH_BYTES


def test_a_batch_of_word_lists_holds_its_own_words_only():
    documents = pa.array([["word"] * 10] * 20_000, pa.large_list(pa.large_string()))
    batches = list(read(documents))
    assert [len(batch.offsets) for batch in batches] == [163_841, 36_161]


@pytest.mark.parametrize("make", [pa.array, pl.Series, list])
def test_a_row_is_named_wherever_in_the_collection_it_is(make):
    with pytest.raises(TypeError, match="row 9999 is"):
        list(read(make(["a"] * 9_999 + [None])))


def test_a_document_of_more_bytes_than_a_batch_is_a_batch_by_itself():
    texts = ["a", "x" * (BATCH_BYTES + 1), "b"]
    assert (1, 1) in rows_of(read(texts))
    assert texts_of(texts) == texts


def test_a_generator_is_read_only_as_far_as_its_batches_are_taken():
    taken = 0

    def texts():
        nonlocal taken
        while True:
            taken += 1
            yield "text"

    batches = read(texts())
    assert taken == 0
    for n_batches in (1, 2, 3):
        next(batches)
        assert taken == BATCH_DOCUMENTS * n_batches


def test_long_texts_of_a_generator_close_a_batch_early():
    taken = 0

    def texts():
        nonlocal taken
        while True:
            taken += 1
            yield "x" * (BATCH_BYTES // 4)

    next(read(texts()))
    assert taken <= 8


# ---------------------------------------------------------------- batches of texts, cut and joined


def as_lists(batch: TextBatch) -> list:
    """The documents of a batch, as texts or as lists of words."""
    strings = list(batch.texts())
    if not batch.tokenized:
        return strings
    edges = zip(batch.documents[:-1], batch.documents[1:], strict=True)
    return [strings[start:stop] for start, stop in edges]


@pytest.mark.parametrize("documents", [TEXTS, WORDS], ids=["texts", "word lists"])
def test_batches_of_texts_are_cut_taken_and_joined_like_lists(documents):
    (batch,) = read(documents)
    for start in range(5):
        for stop in range(5):
            part = batch[start:stop]
            assert as_lists(part) == documents[start:stop]
            assert as_lists(TextBatch.join([part, batch[:0], batch])) == [
                *documents[start:stop], *documents,
            ]  # fmt: skip
            assert as_lists(part[1:]) == documents[start:stop][1:]
    for rows in ([], [2, 0, 2], [3, 1]):
        taken = batch[:].take(np.array(rows, np.int64))
        assert as_lists(taken) == [documents[row] for row in rows]
        assert taken.tokenized == batch.tokenized
    assert len(TextBatch.join([])) == 0
    with pytest.raises(ValueError, match="in steps of 1 only"):
        batch[::2]


def test_texts_and_word_lists_are_not_joined():
    (texts,), (words,) = read(TEXTS), read(WORDS)
    with pytest.raises(TypeError, match="cannot be put end to end"):
        TextBatch.join([texts, words])
    assert as_lists(TextBatch.join([texts[:0], words])) == WORDS
