import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from vlawe import NGrams, VectorFormatError, WordVectors
from vlawe.lookup import LONGEST_RUN, first_slot, word_key
from vlawe.vectors import DuplicateWordError, Vocabulary

# With words around the eight bytes that are compared as one number, and NULs, which pad them.
words = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
    st.text("ab\0", min_size=1, max_size=18),
)
vocabularies = st.lists(words, unique=True, max_size=60)


@settings(max_examples=300)
@given(vocabularies, st.lists(words, max_size=20))
def test_words_are_found_as_in_a_dict(known, others):
    vocabulary = Vocabulary.from_words(known)
    rows = {word: row for row, word in enumerate(known)}
    asked = [*known, *others, *(word + "\0" for word in known)]
    assert vocabulary.rows(asked).tolist() == [rows.get(word, -1) for word in asked]
    assert [word in vocabulary for word in asked] == [word in rows for word in asked]
    assert list(vocabulary) == list(vocabulary[:]) == known == vocabulary.to_arrow().to_pylist()
    assert len(vocabulary) == len(known)


def test_a_large_vocabulary_finds_every_word(default):
    everything = list(default.words)
    assert np.array_equal(default.words.rows(everything), np.arange(len(everything)))
    unknown = [f"{word}\u2603" for word in everything]
    assert (default.words.rows(unknown) == -1).all()


def test_it_is_a_sequence():
    vocabulary = Vocabulary.from_words(["red", "green", "blue"])
    assert (vocabulary[0], vocabulary[-1], vocabulary[1:]) == ("red", "blue", ["green", "blue"])
    assert vocabulary[::-1] == ["blue", "green", "red"]
    assert list(reversed(vocabulary)) == ["blue", "green", "red"]
    assert vocabulary.count("red") == 1
    with pytest.raises(IndexError):
        vocabulary[3]


def test_the_row_of_a_word_is_its_index():
    vocabulary = Vocabulary.from_words(["red", "green", "blue"])
    assert vocabulary.index("green") == 1
    assert vocabulary.index("green", 1, 2) == 1
    for arguments in (("x",), ("red", 1), ("blue", 0, 2), (7,), ("",)):
        with pytest.raises(ValueError, match="is not in the vocabulary"):
            vocabulary.index(*arguments)


@pytest.mark.parametrize("stranger", ["", "\ud800", "?", 7, None, b"red"])
def test_what_cannot_be_a_word_is_not_in_it(stranger):
    assert stranger not in Vocabulary.from_words(["red", "\ufffd"])


def test_a_part_of_an_arrow_array_is_a_vocabulary_of_these_words():
    words = pa.array(["one", "zwei", "three", "vier"], pa.large_string())
    for part in (words[:2], words[1:3], words[2:], words[2:2]):
        vocabulary = Vocabulary.from_arrow(part)
        assert list(vocabulary) == part.to_pylist()
        assert [vocabulary.index(word) for word in vocabulary] == list(range(len(part)))


def test_an_empty_vocabulary_finds_nothing():
    vocabulary = Vocabulary.from_words([])
    assert (len(vocabulary), list(vocabulary), "x" in vocabulary) == (0, [], False)
    assert not vocabulary.capitalised


@given(vocabularies.filter(len), st.data())
def test_a_word_that_stands_twice_is_refused_with_its_rows(known, data):
    first = data.draw(st.integers(0, len(known) - 1))
    with pytest.raises(DuplicateWordError) as caught:
        Vocabulary.from_words([*known, known[first]])
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.word, error.first, error.second) == (known[first], first, len(known))
    assert str(error) == (
        f"the word {known[first]!r} stands in row {first} and again in row {len(known)}"
    )


@pytest.mark.parametrize("bad", ["", "x" * 65_536])
def test_words_are_neither_empty_nor_very_long(bad):
    with pytest.raises(ValueError, match="the word in row 1 is empty or has 65,536 bytes or more"):
        Vocabulary.from_words(["red", bad])


def test_words_that_are_alike_but_for_their_length_are_different():
    known = ["a", "a\0", "a\0\0", "\0", "\0\0", "12345678", "12345678\0", "123456789"]
    assert Vocabulary.from_words(known).rows(known).tolist() == list(range(len(known)))


@pytest.mark.parametrize("length", [9, 15, 16, 17, 24, 25, 40])
def test_long_words_of_the_same_hash_are_told_apart(length):
    # Slots with the keys of other words, as if the hashes were the same; the right one comes last.
    word = ("abcdefghij" * 4)[:length]
    others = [f"{word[:i]}-{word[i + 1 :]}" for i in range(length)]  # each differs in one byte
    vocabulary = Vocabulary.from_words([*others, word])
    start = int(slot_of_key(key_of(word), vocabulary.lookup))
    entries = sorted((entry for entry in vocabulary.slots[:, 1] if entry), key=row_of)
    slots = np.zeros_like(vocabulary.slots)
    for i, entry in enumerate(entries):
        slots[(start + i) % len(slots)] = key_of(word), entry
    same_hash = Vocabulary(vocabulary.word_bytes, vocabulary.word_offsets, slots)
    assert same_hash.index(word) == length


def row_of(entry: np.uint64) -> int:
    return int(entry) & 0xFFFFFFFF


@njit
def key_of_bytes(data):
    return word_key(data, np.int64(0), len(data))


@njit
def slot_of_key(key, lookup):
    return first_slot(key, lookup)


def key_of(word: str) -> np.uint64:
    return np.uint64(key_of_bytes(np.frombuffer(word.encode(), np.uint8)))


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (["red", "ß", "ı", "1", "日本", "ς"], False),
        (["red", "Red"], True),
        (["É"], True),
        (["Я"], True),
        (["\u212a"], True),  # the Kelvin sign
        (["ẞ"], True),
        (["ǅ"], True),
    ],
)
def test_it_knows_whether_a_word_has_a_capital(known, expected):
    assert Vocabulary.from_words(known).capitalised is expected


def test_it_cannot_be_changed():
    vocabulary = Vocabulary.from_words(["red", "green"])
    for array in (vocabulary.word_bytes, vocabulary.word_offsets, vocabulary.slots):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_vocabularies_of_the_same_words_are_equal():
    one, same, other = (Vocabulary.from_words(known) for known in (["ab", "c"], ["ab", "c"], ["a"]))
    assert one == same
    assert one != other
    assert one != Vocabulary.from_words(["a", "bc"])
    assert one != ["ab", "c"]
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_it_shows_its_first_words():
    assert repr(Vocabulary.from_words(["a", "b"])) == "<Vocabulary of 2 words: 'a', 'b'>"
    many = repr(Vocabulary.from_words(map(str, range(2000))))
    assert many == "<Vocabulary of 2,000 words: '0', '1', '2', '3', …>"


# ------------------------------------------------------------------------- arrays from elsewhere


def broken(**changes) -> dict[str, np.ndarray]:
    vocabulary = Vocabulary.from_words(["red", "green"])
    arrays = {
        "word_bytes": vocabulary.word_bytes.copy(),
        "word_offsets": vocabulary.word_offsets.copy(),
        "slots": vocabulary.slots.copy(),
    }
    return arrays | changes


def slots_with(row: int, column: int, value: int) -> np.ndarray:
    slots = broken()["slots"]
    occupied = np.flatnonzero(slots[:, 1])
    slots[occupied[row], column] = value
    return slots


def slots_and(key: int, entry: int) -> np.ndarray:
    slots = broken()["slots"]
    slots[np.flatnonzero(slots[:, 1] == 0)[0]] = key, entry
    return slots


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"word_bytes": np.zeros(8, np.int8)}, "bytes must be a one-dimensional array of uint8"),
        ({"word_bytes": np.zeros((8, 1), np.uint8)}, "one-dimensional array of uint8"),
        ({"word_bytes": np.zeros(7, np.uint8)}, "offsets do not divide"),
        ({"word_bytes": np.full(8, 0xFF, np.uint8)}, "UTF8|UTF-8"),
        ({"word_offsets": np.array([0, 3, 8], np.int32)}, "array of int64"),
        ({"word_offsets": np.zeros(0, np.int64)}, "array of int64, not empty"),
        ({"word_offsets": np.array([0, 9, 8])}, "offsets do not divide"),
        ({"word_offsets": np.array([1, 3, 8])}, "offsets do not divide"),
        ({"word_offsets": np.array([0, -3, 8])}, "offsets do not divide"),
        ({"word_offsets": np.array([0, 0, 8])}, "the word in row 0 is empty"),
        ({"slots": np.zeros((4, 2), np.int64)}, r"an \(m, 2\) array of uint64"),
        ({"slots": np.zeros((4, 3), np.uint64)}, r"an \(m, 2\) array of uint64"),
        ({"slots": np.zeros(4, np.uint64)}, r"an \(m, 2\) array of uint64"),
        ({"slots": np.array(4, np.uint64)}, r"an \(m, 2\) array of uint64"),
        ({"slots": np.zeros((3, 2), np.uint64)}, "3 slots, not a power of two above 2"),
        ({"slots": np.zeros((2, 2), np.uint64)}, "2 slots, not a power of two above 2"),
        ({"slots": np.zeros((0, 2), np.uint64)}, "0 slots"),
        ({"slots": np.zeros((4, 2), np.uint64)}, "does not hold 2 rows"),
        ({"slots": slots_with(0, 1, 3 << 32 | 99)}, "does not hold 2 rows"),
        ({"slots": slots_with(1, 1, 3 << 32)}, "does not hold 2 rows"),
        ({"slots": slots_and(0, 9 << 32)}, "does not hold 2 rows"),  # one more, of no row
    ],
)
def test_arrays_that_could_lead_the_lookup_astray_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        Vocabulary(**broken(**changes))


def test_a_word_that_is_cut_inside_a_character_is_refused():
    data = np.frombuffer("éé".encode(), np.uint8).copy()
    with pytest.raises(ValueError, match=r"UTF8|UTF-8"):
        Vocabulary.build(data, np.array([0, 1, 4]))


# --------------------------------------------------------------------- words made to collide


@pytest.fixture(scope="module")
def colliding():
    """Words that all begin at one of a few slots, as anyone can compute them."""
    found, generator = [], np.random.default_rng(1)
    while sum(map(len, found)) < LONGEST_RUN + 100:
        letters = generator.integers(ord("a"), ord("z"), size=(1 << 20, 8), dtype=np.uint8)
        mixed = letters.view(np.uint64)[:, 0] * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
        found.append(letters[mixed % (1 << 16) < 64])
    return [row.tobytes().decode() for row in np.concatenate(found)[: LONGEST_RUN + 100]]


def test_words_that_were_made_to_collide_are_refused_in_linear_time(colliding, tmp_path):
    assert len(set(colliding)) == len(colliding)
    some = Vocabulary.from_words(colliding[:1000])
    assert some.rows(colliding[:1000]).tolist() == list(range(1000))
    assert (some.rows(colliding[1000:]) == -1).all()
    with pytest.raises(ValueError, match="were made to collide"):
        Vocabulary.from_words(colliding)
    (tmp_path / "t.txt").write_text("".join(f"{word} 1 2\n" for word in colliding))
    with pytest.raises(VectorFormatError, match="were made to collide"):
        WordVectors.load(tmp_path / "t.txt")


def test_ngrams_that_were_made_to_collide_do_not_hide_others(colliding):
    words = ["tea", *colliding, "milk"]
    encoder = NGrams(ngram_range=(1, 1), min_df=2, n_jobs=1).fit([words, words])
    found = set(encoder.ngrams_)
    assert {"tea", "milk", *colliding[: LONGEST_RUN - 100]} <= found
    assert len(found) < len(words)
