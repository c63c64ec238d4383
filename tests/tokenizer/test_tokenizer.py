import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tokenizer_twin as twin
from vlawe import WordVectors, tokenize
from vlawe.tokenizer import tokenize_text


def table(*words: str, unknown: str = "skip") -> WordVectors:
    return WordVectors(words, np.ones((len(words), 1)), unknown=unknown)


def tokens(text: str, *words: str, unknown: str = "skip") -> tuple[list[str], int]:
    """Return the words found in a text, and how many tokens are unknown."""
    bags = tokenize([text], table(*words, unknown=unknown), n_jobs=1)
    return [words[row] for row in bags.ids], int(bags.n_unknown[0])


# ------------------------------------------------------------------------------ the rules


@pytest.mark.parametrize("space", [" ", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\x1f", "\u2028"])
def test_runs_end_at_white_space_of_every_kind(space):
    assert tokens(f"{space}red{space}{space}blue{space}", "red", "blue") == (["red", "blue"], 0)


@pytest.mark.parametrize("mark", ["\0", "\u200b", "\ufeff", "\u00ad"])
def test_what_is_no_white_space_is_a_mark(mark):
    assert tokens(f"red{mark}blue", "red", "blue") == (["red", "blue"], 1)


def test_a_run_is_looked_up_whole_before_it_is_split():
    words = ["c++", "c", "+", ":-)", "http://a.b/?c", "don't", "do", "n't"]
    assert tokens("C++ :-) http://a.b/?c don't", *words) == (
        ["c++", ":-)", "http://a.b/?c", "don't"],
        0,
    )


def test_a_run_as_written_comes_before_its_lower_case():
    assert tokens("US us Us", "us", "US") == (["US", "us", "us"], 0)


def test_a_run_is_not_raised_before_it_is_split():
    # As a run "u.s" is unknown, since runs are not tried in upper case; as a compound it is known.
    assert tokens("u.s", "U.S") == (["U.S"], 0)
    assert tokens("a+b", "A+B") == ([], 3)


@pytest.mark.parametrize("clitic", ["'s", "'re", "'ve", "'ll", "'d", "'m"])
@pytest.mark.parametrize("apostrophe", ["'", "’"])
def test_clitics_are_cut_off_with_a_straight_or_a_curly_apostrophe(clitic, apostrophe):
    text = f"she{clitic.replace(chr(39), apostrophe)} SHE{clitic.upper()}"
    assert tokens(text, "she", clitic) == (["she", clitic, "she", clitic], 0)


def test_negations_take_the_n_with_them():
    assert tokens("don't isn’t CAN'T n't", "do", "is", "ca", "n't") == (
        ["do", "n't", "is", "n't", "ca", "n't", "n't"],
        0,
    )


def test_a_clitic_stands_only_at_the_end_of_a_word():
    assert tokens("o'malley", "o", "'", "'m", "malley") == (["o", "'", "malley"], 0)
    assert tokens("n'to", "n't", "n", "'", "to") == (["n", "'", "to"], 0)
    assert tokens("she's-", "she", "'s", "-") == (["she", "'s", "-"], 0)


def test_words_are_letters_their_marks_and_digits_of_every_script():
    hindi, persian = "हिन्दी", "می\u200cخواهم"
    words = [hindi, persian, "cafe\u0301", "año2", "日本語"]
    text = "".join(f"({word})!" for word in words)
    assert tokens(text, *words) == (words, 3 * len(words))


def test_marks_are_single():
    assert tokens("what?!..", "what", "?", "!", ".") == (["what", "?", "!", ".", "."], 0)
    assert tokens("🎉🎉", "🎉") == (["🎉", "🎉"], 0)


@pytest.mark.parametrize("joiner", list("-.'_&/,:’\u2010\u2011"))
def test_known_compounds_are_taken_whole(joiner):
    compound = f"rock{joiner}roll"
    assert tokens(f"({compound})", compound, "rock", "roll") == ([compound], 2)


@pytest.mark.parametrize("mark", list("+=*~|–—"))
def test_other_marks_do_not_join(mark):
    assert tokens(f"(rock{mark}roll)", f"rock{mark}roll", "rock", "roll") == (["rock", "roll"], 3)


def test_the_longest_known_compound_is_taken():
    words = ["state", "state-of", "state-of-the", "state-of-the-art", "of", "the", "art", "-"]
    assert tokens("(state-of-the-art-x", *words) == (["state-of-the-art", "-"], 2)
    assert tokens("(state-of-the-x", *words) == (["state-of-the", "-"], 2)
    assert tokens("(of-the-art", *words) == (["of", "-", "the", "-", "art"], 1)


def test_a_compound_may_close_with_a_dot():
    assert tokens("(u.s.)", "u.s.", "u", "s") == (["u.s."], 2)
    assert tokens("(mr.", "mr.", "mr", ".") == (["mr."], 1)


def test_a_compound_may_hold_clitics():
    assert tokens("(don't-know", "don't-know", "do") == (["don't-know"], 1)
    assert tokens("(she's", "she's", "she", "'s") == (["she's"], 1)


def test_a_compound_has_at_most_eight_parts():
    eight = "-".join("abcdefgh")
    assert tokens(f"({eight}", eight) == ([eight], 1)
    assert tokens(f"({eight}-i", f"{eight}-i") == ([], 1 + 9 + 8)


def test_a_piece_is_tried_as_written_lower_capitalised_and_upper():
    assert tokens("(Red", "red", "Red", "RED") == (["Red"], 1)
    assert tokens("(rEd", "red", "Red", "RED") == (["red"], 1)
    assert tokens("(rEd", "Red", "RED") == (["Red"], 1)
    assert tokens("(rEd", "RED") == (["RED"], 1)
    assert tokens("(rEd", "rED") == ([], 2)


def test_a_curly_apostrophe_is_also_looked_up_as_a_straight_one():
    assert tokens("o’clock", "o'clock") == (["o'clock"], 0)
    assert tokens("o’clock", "o'clock", "o’clock") == (["o’clock"], 0)
    assert tokens("(O’Clock", "o'clock") == (["o'clock"], 1)
    assert tokens("o'clock", "o’clock") == ([], 3)


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("STRAßE", "straße"),  # ß has no upper case of one letter
        ("ΟΔΟΣ", "οδος"),  # a final Σ is ς
        ("ΣΣ", "σς"),
        ("Σ", "σ"),
        ("\u212a", "k"),  # the Kelvin sign shrinks from three bytes to one
        ("Ⱥ", "ⱥ"),  # grows from two bytes to three
        ("ÉCOLE", "école"),
        ("МОСКВА", "москва"),
    ],
)
def test_case_is_mapped_character_by_character(written, known):
    assert tokens(written, known) == ([known], 0)
    assert tokens(f"({written}", known) == ([known], 1)


def test_a_dotted_capital_i_has_no_lower_case_of_one_character():
    assert tokens("İ", "i", "i̇") == ([], 1)


def test_capitals_that_are_the_upper_case_of_nothing_are_still_capitals():
    kelvin = "\u212a"
    assert table(f"{kelvin}x").words.capitalised
    assert tokens(f"({kelvin}X", f"{kelvin}x") == ([f"{kelvin}x"], 1)


def test_unknown_tokens_are_counted_one_per_part():
    bags = tokenize(["xa xb-xc", "red", "", "xd!"], table("red", "-"), n_jobs=1)
    assert bags.n_unknown.tolist() == [3, 0, 0, 2]
    assert [bags[i].tolist() for i in range(4)] == [[1], [0], [], []]


def test_an_unknown_word_is_split_into_the_longest_known_ones_if_the_table_asks_for_it():
    words = ["vacuum", "vac", "ing", "s", "ω", "day"]
    assert tokens("Vacuuming vacs-vacuum", *words) == (["vacuum"], 3)
    assert tokens("Vacuuming vacs-vacuum", *words, unknown="split") == (
        ["vacuum", "ing", "vac", "s", "vacuum"],
        1,
    )
    assert tokens("\u2126day vacingx", *words, unknown="split") == (["ω", "day"], 1)


def test_an_unknown_word_has_at_most_four_parts():
    assert tokens("ssss", "s", unknown="split") == (["s"] * 4, 0)
    assert tokens("sssss ssx", "s", unknown="split") == ([], 2)


def test_parts_of_unknown_words_are_tokens_of_a_text():
    found = tokenize_text("(Vacuuming xx", table("vacuum", "ing", "x", unknown="split"))
    assert found == [("(", -1), ("Vacuum", 0), ("ing", 1), ("x", 2), ("x", 2)]


# --------------------------------------------------------------------- agreement with the twin

TRICKY = (
    "aAbnNtTsSdDmM'’'’-._&/,:\u2010\u2011 \t\n0९ßΣσςİıiIK\u212aÅ\u212bΩ\u2126ẞǅϴⱥȺſﬁ"
    "e\u0301\u0308ि्क\u200d\u200c🎉👩\u00a0\u3000\0\u200b"
)
TRICKY_PIECES = ["n't", "'s", "’S", "'re", "'VE", "'ll", "n’T", "don't", "u.s.", "a-b", "Red", "Σ"]


def tricky_texts() -> st.SearchStrategy[str]:
    pieces = st.one_of(st.sampled_from(TRICKY), st.sampled_from(TRICKY_PIECES))
    return st.lists(pieces, max_size=24).map("".join)


@st.composite
def texts_and_words(draw, texts) -> tuple[list[str], list[str]]:
    """Draw texts, and a vocabulary made of pieces of them, in their own or another case."""
    some = draw(st.lists(texts, min_size=1, max_size=3))
    whole = "".join(some) or "x"
    words = {"x"}
    for _ in range(draw(st.integers(0, 8))):
        start = draw(st.integers(0, len(whole) - 1))
        piece = whole[start : start + draw(st.integers(1, 6))]
        case = draw(st.sampled_from([str, str.lower, str.upper, str.capitalize]))
        words.add(case(piece).replace(*draw(st.sampled_from([("", ""), ("’", "'")]))))
    if draw(st.booleans()):
        words = {word.lower() for word in words}
    return some, sorted(word for word in words if word)


def row_of(words) -> dict[str, int]:
    return {word: row for row, word in enumerate(words)}


def assert_as_twin(texts: list[str], vectors: WordVectors) -> None:
    rows = row_of(vectors.words)
    bags = tokenize(texts, vectors)
    for row, text in enumerate(texts):
        expected = twin.tokenize_text(text, rows, vectors.words.splits_unknown)
        assert (bags[row].tolist(), int(bags.n_unknown[row])) == expected


either = st.sampled_from(["skip", "split"])


@settings(max_examples=400)
@given(texts_and_words(tricky_texts()), either)
@example((["\u212aX"], ["\u212ax"]), "skip")
@example((["a-b-c-d-e-f-g-h."], ["a-b-c-d-e-f-g-h.", "a-b-c-d-e-f-g-h"]), "skip")
def test_the_compiled_tokenizer_agrees_with_plain_python_on_tricky_texts(drawn, unknown):
    texts, words = drawn
    assert_as_twin(texts, table(*words, unknown=unknown))


@settings(max_examples=200)
@given(texts_and_words(st.text(st.characters(exclude_categories=["Cs"]), max_size=30)), either)
def test_the_compiled_tokenizer_agrees_with_plain_python_on_all_of_unicode(drawn, unknown):
    texts, words = drawn
    assert_as_twin(texts, table(*words, unknown=unknown))


@settings(max_examples=200)
@given(texts_and_words(tricky_texts()), st.data(), either)
def test_word_lists_are_looked_up_as_in_plain_python(drawn, data, unknown):
    texts, words = drawn
    pieces = st.lists(st.sampled_from([*words, *texts, *map(str.swapcase, words)]), max_size=5)
    documents = data.draw(st.lists(pieces, min_size=1, max_size=3))
    rows = row_of(words)
    bags = tokenize(documents, table(*words, unknown=unknown), n_jobs=1)
    for row, document in enumerate(documents):
        expected = twin.look_up_words(document, rows, unknown == "split")
        assert (bags[row].tolist(), int(bags.n_unknown[row])) == expected


@settings(max_examples=200)
@given(texts_and_words(tricky_texts()))
@example((["n’T"], ["N’T", "n", "n'T", "x"]))  # a run, whose cases are fewer than a piece's
def test_the_tokens_of_one_text_are_its_pieces_with_their_rows(drawn):
    texts, words = drawn
    vectors = table(*words)
    bags = tokenize(texts, vectors, n_jobs=1)
    for row, text in enumerate(texts):
        found = tokenize_text(text, vectors)
        assert "".join(token for token, _ in found) == "".join(text.split())
        assert [word for _, word in found if word >= 0] == bags[row].tolist()
        assert sum(word == -1 for _, word in found) == bags.n_unknown[row]
        for token, word in found:
            cases = [twin.PIECE_CASES] + [twin.RUN_CASES] * (token in text.split())
            assert word in {-1, *(twin.look_up(token, row_of(words), some) for some in cases)}


def test_the_compiled_tokenizer_agrees_with_plain_python_on_real_text(
    default, mr_sentences, reuters
):
    for vectors in (default, WordVectors.bundled("similar-en")):
        assert_as_twin(mr_sentences[::40] + reuters[::400], vectors)


def test_the_compiled_tokenizer_agrees_with_plain_python_on_a_table_with_capitals(reuters):
    texts = reuters[::500]
    words = sorted({word for text in texts[::2] for word in text.split()})
    assert_as_twin(texts, table(*words))


# ----------------------------------------------------------------------------------- real text


@pytest.mark.parametrize("name", ["mr_sentences", "subj", "movie_reviews", "trec", "reuters"])
def test_the_bundled_table_knows_97_of_100_tokens(request, default, name):
    texts = request.getfixturevalue(name)
    bags = tokenize(texts, default)
    assert len(bags) == len(texts) > 1000
    assert bags.n_tokens > 8 * len(texts)
    assert bags.coverage >= 0.97


def test_bags_do_not_depend_on_the_number_of_threads(default, mr_sentences):
    texts = mr_sentences[:2000]
    one, many = (tokenize(texts, default, n_jobs=n_jobs) for n_jobs in (1, 5))
    assert np.array_equal(one.ids, many.ids)
    assert np.array_equal(one.indptr, many.indptr)
    assert np.array_equal(one.n_unknown, many.n_unknown)


# -------------------------------------------------------------------------------------- extremes


@pytest.mark.parametrize("text", ["", " ", " \n\t\u3000"])
def test_a_text_of_nothing_has_no_tokens(text):
    assert tokens(text, "red") == ([], 0)


@pytest.mark.parametrize(
    ("text", "n_unknown"),
    [
        ("x" * 1_000_000, 1),
        ("é" * 500_000, 1),
        ("-" * 1_000_000, 1_000_000),
        ("x-" * 100_000, 200_000),
        ("x'" * 100_000, 200_000),
        ("N't" * 100_000, 199_999),
    ],
)
def test_very_long_runs_are_split_in_good_time(text, n_unknown):
    found, unknown = tokens(text, "red", "n't")
    assert unknown == n_unknown
    assert found == (["n't"] if text.endswith("t") else [])


def test_a_word_of_the_table_may_be_very_long():
    word = "x" * 65_535
    assert tokens(f"{word} {word}x {word.upper()}", word) == ([word, word], 1)


def test_no_documents_have_no_bags(colours):
    bags = tokenize([], colours)
    assert (len(bags), bags.ids.tolist(), bags.indptr.tolist()) == (0, [], [0])


def test_the_types_are_those_promised(colours):
    bags = tokenize(["red x"], colours)
    assert (bags.ids.dtype, bags.indptr.dtype, bags.n_unknown.dtype) == (
        np.int32,
        np.int64,
        np.int64,
    )


def test_bytes_that_are_not_utf8_are_refused(colours):
    broken = pa.StringArray.from_buffers(
        2, pa.py_buffer(np.array([0, 3, 5], np.int32)), pa.py_buffer(b"red\xff\xfe")
    )
    with pytest.raises(ValueError, match="broken Arrow array from row 0"):
        tokenize(broken, colours)


# ---------------------------------------------------------------------------- the user's tokenizer


def test_a_tokenizer_of_the_users_replaces_the_rules():
    bags = tokenize(["red-blue", "Blue"], table("red", "blue"), tokenizer=lambda t: t.split("-"))
    assert [bags[i].tolist() for i in range(2)] == [[0, 1], [1]]


def test_a_tokenizer_may_yield_its_words():
    bags = tokenize(["red blue"], table("red", "blue"), tokenizer=lambda text: iter(text.split()))
    assert bags.ids.tolist() == [0, 1]


def test_a_tokenizer_is_not_applied_to_word_lists():
    bags = tokenize([["red blue", "red"]], table("red", "blue"), tokenizer=str.split)
    assert (bags.ids.tolist(), bags.n_unknown.tolist()) == ([0], [1])


@pytest.mark.parametrize(
    ("tokenizer", "message"),
    [
        (str.lower, "returned a single string for row 300"),
        (str.encode, "returned b'bad' for row 300"),
        (lambda text: None, "returned None for row 300"),
        (lambda text: [text, 7], "row 300 has a word that is no str but 7"),
        (lambda text: [b"bad"], "row 300 has a word that is no str but b'bad'"),
        (lambda text: ["bad", None], "row 300 has a word that is no str but None"),
    ],
)
def test_a_tokenizer_that_returns_no_words_is_told_of_with_the_row(colours, tokenizer, message):
    texts = ["red"] * 300 + ["bad"]
    with pytest.raises(TypeError, match=message):
        tokenize(texts, colours, tokenizer=lambda t: tokenizer(t) if t == "bad" else t.split())


def test_a_tokenizer_that_makes_a_lone_surrogate_is_told_of_with_the_row(colours):
    with pytest.raises(ValueError, match="row 1 has a lone surrogate at character 2"):
        tokenize(["red", "ab"], colours, tokenizer=lambda t: [t] if t == "red" else [t + "\udc80"])


def test_an_error_inside_the_tokenizer_passes_through(colours):
    def fail(text):
        raise KeyError(text)

    with pytest.raises(KeyError, match="red"):
        tokenize(["red"], colours, tokenizer=fail, n_jobs=2)
