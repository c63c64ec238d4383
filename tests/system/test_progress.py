import io
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from vlawe.system import progress
from vlawe.system.progress import progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def open_terminal(monkeypatch):
    """Return a function, as pytest itself replaces standard error between set-up and test."""

    def open_terminal() -> Terminal:
        stream = Terminal()
        monkeypatch.setattr(sys, "stderr", stream)
        return stream

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    return open_terminal


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)


def test_nothing_is_shown_for_quick_work(open_terminal):
    terminal = open_terminal()
    with progress_bar("Working", total=3) as bar:
        bar.advance(3)
    assert bar.completed == 3
    assert terminal.getvalue() == ""


def test_shares_are_shown_as_percent(open_terminal, impatient):
    terminal = open_terminal()
    with progress_bar("Working", total=1000, unit="percent") as bar:
        bar.update(420)
    assert "42%" in terminal.getvalue()
    assert "420" not in terminal.getvalue()


def test_long_work_is_shown_on_a_terminal(open_terminal, impatient):
    terminal = open_terminal()
    with progress_bar("Working", total=3) as bar:
        bar.advance()
        bar.advance(2)
    assert "Working" in terminal.getvalue()
    assert "3/3" in terminal.getvalue()


def test_nothing_is_shown_if_standard_error_is_no_terminal(capsys, impatient):
    with progress_bar("Working", total=3) as bar:
        bar.update(3)
    assert capsys.readouterr() == ("", "")


def test_false_shows_nothing_even_on_a_terminal(open_terminal, impatient):
    terminal = open_terminal()
    with progress_bar("Working", total=3, show=False) as bar:
        bar.update(3)
    assert terminal.getvalue() == ""


def test_true_shows_the_bar_at_once_and_on_standard_error_only(capsys):
    with progress_bar("Reading [red]a[/red].txt", total=2_000_000, unit="bytes", show=True) as bar:
        bar.update(1_000_000)
        bar.update(2_000_000)
    out, err = capsys.readouterr()
    assert out == ""
    assert "Reading [red]a[/red].txt" in err
    assert "2.0/2.0 MB" in err


def test_the_total_may_be_unknown(capsys):
    with progress_bar("Counting", show=True) as bar:
        bar.advance(7)
    assert "7/?" in capsys.readouterr().err


def test_work_that_reports_nothing_is_shown_all_the_same(open_terminal, monkeypatch):
    terminal = open_terminal()
    shown = Event()
    show = progress._show

    def noted(*task):
        bar = show(*task)
        shown.set()
        return bar

    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    monkeypatch.setattr(progress, "_show", noted)
    with progress_bar("Thinking", unit="time"):
        assert shown.wait(60)
    assert re.search(r"Thinking .*0:00:\d\d", terminal.getvalue())


def test_work_that_ends_in_time_is_never_shown(open_terminal, monkeypatch):
    terminal = open_terminal()
    monkeypatch.setattr(progress, "PATIENCE", 3600.0)
    with progress_bar("Thinking", unit="time") as bar:
        timer = bar._timer
    timer.join(60)
    assert not timer.is_alive() and terminal.getvalue() == ""


def test_an_error_in_the_work_passes_through_and_ends_the_bar(capsys):
    with pytest.raises(KeyError), progress_bar("Working", show=True) as bar:
        bar.advance()
        raise KeyError("x")
    bar.advance()
    assert bar._shown is None


def test_what_is_printed_meanwhile_stays_on_standard_output(open_terminal, capsys):
    terminal = open_terminal()
    with progress_bar("Working", total=2, show=True) as bar:
        bar.advance()
        print("a result")
        bar.advance()
    assert capsys.readouterr().out == "a result\n"
    assert "a result" not in terminal.getvalue()


def test_a_process_without_standard_error_shows_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    for show in (None, True):
        with progress_bar("Working", show=show) as bar:
            bar.advance()
        assert bar.completed == 1


def test_threads_may_share_a_bar(capsys):
    with progress_bar("Working", total=4000, show=True) as bar, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: bar.advance(), range(4000)))
    assert bar.completed == 4000


def test_importing_it_is_cheap_and_so_is_a_bar_that_does_not_show():
    code = (
        "import sys, vlawe.system.progress\n"
        "with vlawe.system.progress.progress_bar('Working') as bar: bar.advance()\n"
        "print([name for name in ('rich', 'numba', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
