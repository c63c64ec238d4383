"""Tests of `vlawe explore`, as a user types it."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


class FakeServer:
    """Remembers the explorer instead of serving it."""

    url = "http://127.0.0.1:1/"
    explorer = None
    interrupted = False

    def __init__(self, explorer, port):
        FakeServer.explorer = explorer

    def run(self):
        raise KeyboardInterrupt


@pytest.fixture
def explore(run, monkeypatch):
    """Run the command up to the point where it would serve; return how it ended."""
    opened = []
    monkeypatch.setattr("vlawe.explore.LocalServer", FakeServer)
    monkeypatch.setattr("webbrowser.open", opened.append)

    def explore(*arguments):
        ended = run("explore", *arguments)
        ended.opened = opened
        return ended

    return explore


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "d.csv"
    rows = ["fresh bread,food", "cold soup,food", "warm butter,food", "a late train,travel",
            "two flights home,travel", "a ticket,travel"]  # fmt: skip
    path.write_text("text,label\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture
def classifier(run, data, tmp_path):
    folder = tmp_path / "topics"
    assert run("train", data, "-o", folder, "-k", 2, "--recipe", "vlawe", "-q").code == 0
    return folder


def test_the_page_is_opened_and_ctrl_c_ends_it(explore, classifier, data):
    ended = explore(classifier, data)
    assert ended.code == 0
    assert ended.err == "topics, 6 documents: http://127.0.0.1:1/ (Ctrl+C ends)\n"
    assert ended.opened == [FakeServer.url]
    assert FakeServer.explorer.document(3)["labels"] == ["travel"]


def test_no_browser_is_opened_if_not_wanted(explore, classifier):
    ended = explore(classifier, "--no-browser")
    assert ended.code == 0
    assert ended.opened == []
    assert FakeServer.explorer.n_documents == 0


def test_documents_need_no_labels(explore, classifier, tmp_path):
    lines = tmp_path / "lines.txt"
    lines.write_text("bread\n\ntrain\n")
    assert explore(classifier, lines).code == 0
    assert FakeServer.explorer.document(1) == {"row": 1, "text": "", "labels": None}
    table = tmp_path / "t.csv"
    table.write_text("text,label\nbread,\ntrain,travel\n")
    assert explore(classifier, table).code == 0
    assert FakeServer.explorer.document(0)["labels"] is None


def test_an_encoder_can_be_explored(explore, model, lines):
    ended = explore(model, lines)
    assert ended.code == 0
    assert FakeServer.explorer.describe()["classes"] is None


def test_errors_are_told_in_a_line(explore, run, classifier, tmp_path):
    for arguments, message in [
        ((tmp_path / "nowhere",), "nowhere"),
        ((classifier, tmp_path / "nothing.csv"), "nothing.csv"),
        ((classifier, "--jobs", 0), "--jobs must not be 0"),
        ((classifier, "--port", 70000), "port"),
    ]:
        ended = explore(*arguments)
        assert ended.code in (1, 2)
        assert message in ended.err
        assert "Traceback" not in ended.err


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_the_real_thing_serves_until_it_is_interrupted(classifier, data):
    command = [sys.executable, "-m", "vlawe.cli", "explore", classifier, data, "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            url = re.search(r"http://\S+", process.stderr.readline())[0]
            with urllib.request.urlopen(url + "model", timeout=20) as response:
                assert json.load(response)["name"] == "topics"
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr.read() == ""
