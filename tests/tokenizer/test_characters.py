import sys

import numpy as np
import pytest

from vlawe.tokenizer.characters import (
    MARK,
    SPACE,
    WORD,
    character_class,
    character_tables,
    lower_character,
    tables_for,
    upper_character,
)

EVERY_CHARACTER = [chr(point) for point in range(sys.maxunicode + 1)]


def test_the_classes_are_right_for_every_code_point():
    expected = [character_class(character) for character in EVERY_CHARACTER]
    assert np.array_equal(character_tables().classes, expected)


@pytest.mark.parametrize(
    ("table", "change"), [("lower", lower_character), ("upper", upper_character)]
)
def test_the_cases_are_right_for_every_code_point(table, change):
    points = getattr(character_tables(), table)
    expected = np.array([ord(change(character)) for character in EVERY_CHARACTER])
    assert np.array_equal(points, expected[: len(points)])
    # Beyond the table a character is its own lower and upper case.
    assert np.array_equal(expected[len(points) :], np.arange(len(points), len(expected)))


@pytest.mark.parametrize(
    ("characters", "expected"),
    [
        (" \t\n\r\x0b\x0c\x1c\x85\u00a0\u2003\u2028\u3000", SPACE),
        ("aZé9९½Ⅻ字ा\u0301\u200c\u200d\ufe0f\U000e0100", WORD),
        (".'’-_@#$🎉\0\u200b\ufeff\ufffd\U0010ffff", MARK),
    ],
)
def test_a_character_is_a_space_part_of_a_word_or_a_mark(characters, expected):
    assert {character_class(character) for character in characters} == {expected}


def test_case_changes_only_where_it_stays_one_character():
    assert (lower_character("A"), lower_character("İ"), lower_character("ß")) == ("a", "İ", "ß")
    assert (upper_character("a"), upper_character("ß"), upper_character("ﬁ")) == ("A", "ß", "ﬁ")


def test_small_tables_hold_what_the_bytes_of_a_text_can_spell():
    whole = character_tables()
    for point, character in enumerate(EVERY_CHARACTER):
        if point in (0x7F, 0x7FF, 0x2FFF, 0x3000, 0xFFFD, 0x10FFFF):
            found = tables_for(np.frombuffer(character.encode(), np.uint8))
            assert (len(found.lower) < len(whole.lower)) == (point < 0x3000)
    small = tables_for(np.zeros(0, np.uint8))
    n_known = len(small.lower)
    assert n_known == 0x3000
    assert np.array_equal(small.classes[:n_known], whole.classes[:n_known])
    assert np.array_equal(small.lower, whole.lower[:n_known])
    assert np.array_equal(small.upper, whole.upper[:n_known])
    # The compiled tokenizer looks up any code point, broken ones included.
    assert len(small.classes) == sys.maxunicode + 1


def test_what_is_the_upper_case_of_another_character_has_a_lower_case():
    # So that a capital is known by itself, see `Vocabulary.capitalised`.
    for character in EVERY_CHARACTER:
        capital = upper_character(character)
        assert capital == character or lower_character(capital) != capital
