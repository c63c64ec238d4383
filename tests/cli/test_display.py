import pytest

from vlawe.cli import display


@pytest.mark.parametrize(
    ("n_bytes", "shown"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (28_607_101, "28.6 MB"),
     (5.6e9, "5.6 GB"), (2e15, "2,000.0 TB")],
)  # fmt: skip
def test_sizes_are_shown_in_a_fitting_unit(n_bytes, shown):
    assert display.size_of(n_bytes) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.0123, "12 ms"), (0.34, "0.3 s"), (59.94, "59.9 s"), (125.7, "2 min 5 s")],
)
def test_durations_are_shown_in_a_fitting_unit(seconds, shown):
    assert display.seconds_of(seconds) == shown


def test_numbers_have_their_noun():
    assert display.counted(1, "document") == "1 document"
    assert display.counted(2000, "document") == "2,000 documents"
    assert display.percent(0.98765) == "98.8 %"
