import pytest

from vlawe.reproduce.datasets import DATASETS
from vlawe.reproduce.published import published


def test_the_columns_are_the_data_sets_in_order():
    assert published().columns == tuple(DATASETS)


def test_the_tables_have_the_rows_of_the_paper():
    first, second = published().table(1), published().table(2)
    assert len(first) == 27
    assert [row.scores for row in second] == [{"MR": 93.0}, {"MR": 93.2}, {"MR": 93.3}]
    assert published().rows == first + second
    systems = [row.system for row in published().rows]
    assert len(set(systems)) == len(systems)


def test_scores_are_percentages_of_known_data_sets():
    for row in published().rows:
        assert row.scores
        assert set(row.scores) <= set(DATASETS)
        assert all(70 < score < 100 for score in row.scores.values())


def test_only_the_papers_own_rows_have_all_five():
    complete = [row.system for row in published().table(1) if len(row.scores) == 5]
    assert complete == ["Mean of word vectors", "Bag of words", "VLAWE"]


def test_the_gain_on_mr_is_the_one_that_the_paper_claims():
    """Its abstract: "an absolute gain of 10% over the state-of-the-art approach"."""
    others = [row.scores.get("MR", 0) for row in published().table(1) if row.system != "VLAWE"]
    assert published().score("VLAWE", "MR") - max(others) == pytest.approx(10, abs=0.5)
    assert published().score("VLAWE (full, k = 10)", "MR") == published().score("VLAWE", "MR")


def test_what_the_paper_does_not_print_is_none():
    assert published().score("DARLM", "RT-2k") is None
    with pytest.raises(KeyError, match="no system 'GPT'"):
        published().score("GPT", "MR")


def test_the_figure_is_known_by_its_span_alone():
    assert (published().figure1_k[0], published().figure1_k[-1]) == (2, 30)
    assert published().figure1_dataset == "MR"


def test_the_source_is_cited():
    assert "Ionescu" in published().citation
    assert published().address.endswith("N19-1033")
