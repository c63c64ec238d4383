import functools
import http.server
import json
import shutil
import threading
from dataclasses import replace

import pytest

from small_archives import SENTENCES, small_mr, zipped
from vlawe.reproduce.datasets import DATASETS, PAIRS

NO_SERVER = "http://127.0.0.1:9/file"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def one_small(tmp_path, monkeypatch):
    """A catalog with a small MR, whose archive is in the folder; return the folder."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setitem(DATASETS, "MR", small_mr(folder))
    return folder


# ------------------------------------------------------------------------------------------ list


def test_list_shows_what_is_there(one_small, run):
    ended = run("datasets", "list", "--data", one_small)
    assert ended.code == 0
    rows = {line.split()[0]: line.split()[-1] for line in ended.out.splitlines() if line.strip()}
    assert {name: rows[name] for name in DATASETS} == {
        name: "yes" if name == "MR" else "no" for name in DATASETS
    }
    assert "7,770 + 3,019" in ended.out
    assert str(one_small) in ended.err


def test_list_as_json(one_small, run, monkeypatch):
    monkeypatch.setenv("VLAWE_DATA", str(one_small))
    facts = json.loads(run("datasets", "list", "--json").out)
    assert facts["folder"] == str(one_small)
    assert [one["name"] for one in facts["datasets"] if one["present"]] == ["MR"]
    assert facts["datasets"][0]["n_train"] == 7770


# ---------------------------------------------------------------------------------------- verify


def test_verify_ends_well_if_all_is_well(one_small, run):
    ended = run("datasets", "verify", "mr", "--data", one_small)
    assert (ended.code, ended.err) == (0, "")
    assert "as distributed" in ended.out
    (one_small / "sentence_polarity.zip").unlink()
    zipped({**SENTENCES, "more": ""}, one_small / "sentence_polarity.zip")
    ended = run("datasets", "verify", "mr", "--data", one_small)
    assert ended.code == 0
    assert "packed anew" in ended.out


def test_verify_fails_with_a_line_for_each_problem(one_small, run):
    ended = run("datasets", "verify", "--data", one_small)
    assert ended.code == 1
    assert "5 of 6 data sets" in ended.err
    assert "`vlawe datasets download TREC`" in ended.err
    changed = {name: text.replace("film", "book") for name, text in SENTENCES.items()}
    zipped(changed, one_small / "sentence_polarity.zip")
    ended = run("datasets", "verify", "MR", "mr", "--data", one_small, "--json")
    assert ended.code == 1
    (facts,) = json.loads(ended.out)
    assert (facts["good"], facts["as_distributed"]) == (False, False)
    assert ended.err == f"vlawe: error: {facts['problem']}\n"


def test_verify_of_a_damaged_archive(one_small, run):
    path = one_small / "sentence_polarity.zip"
    path.write_bytes(path.read_bytes()[:-30])
    ended = run("datasets", "verify", "MR", "--data", one_small)
    assert ended.code == 1
    assert "not verified" in ended.out
    assert f"{path}: the archive is damaged" in ended.err


# -------------------------------------------------------------------------------------- download


@pytest.fixture
def mirror(one_small, tmp_path):
    """The archive moved to where Python's own file server serves it; return its address."""
    served = tmp_path / "served"
    served.mkdir()
    shutil.move(one_small / "sentence_polarity.zip", served)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=served)
    )
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/sentence_polarity.zip"
    server.shutdown()
    server.server_close()
    thread.join()


def test_download_then_verify(one_small, mirror, run):
    ended = run("datasets", "download", "mr", "--data", one_small, "--address", mirror)
    assert ended.code == 0
    assert "CC BY 4.0" in ended.err
    assert ended.out == ""
    assert run("datasets", "verify", "mr", "--data", one_small).code == 0
    ended = run("datasets", "download", "mr", "--data", one_small, "--json", "-q")
    assert json.loads(ended.out) == {"MR": str(one_small / "sentence_polarity.zip")}


def test_download_tries_addresses_in_turn(one_small, mirror, run):
    options = ("--data", one_small, "--address", mirror + "x", "--address", mirror, "-q")
    ended = run("datasets", "download", "mr", *options)
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_download_offline_is_one_line_and_exit_code_1(tmp_path, run):
    ended = run("datasets", "download", "MR", "--data", tmp_path, "--address", NO_SERVER)
    assert ended.code == 1
    assert ended.err.startswith("vlawe: error: MR could not be downloaded (no connection to ")
    assert ended.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_download_of_several_tells_of_each(tmp_path, run, monkeypatch):
    for known in (DATASETS, PAIRS):
        for name, info in known.items():
            monkeypatch.setitem(known, name, replace(info, addresses=(NO_SERVER,)))
    ended = run("datasets", "download", "--data", tmp_path, "--json")
    assert ended.code == 1
    assert json.loads(ended.out) == {}
    assert all(f"{name} could not be downloaded" in ended.err for name in DATASETS | PAIRS)
    assert "6 of 6 data sets" in ended.err


def test_pairs_of_sentences_are_verified(archive, run, tmp_path):
    path = archive("STS-dev")
    assert run("datasets", "verify", "sts-dev", "--data", path.parent).code == 0
    changed = path.read_text(encoding="utf-8").replace("horse", "pony")
    (tmp_path / path.name).write_text(changed, encoding="utf-8")
    ended = run("datasets", "verify", "STS-dev", "--data", tmp_path)
    assert ended.code == 1
    assert "the documents of STS-dev are not those expected" in ended.err


@pytest.mark.parametrize("command", ["verify", "download"])
def test_unknown_names_are_usage_errors(run, command):
    ended = run("datasets", command, "MR", "IMDB")
    assert ended.code == 2
    assert "no data set is called 'IMDB'" in ended.err


def test_an_address_goes_with_one_name(run):
    ended = run("datasets", "download", "MR", "Subj", "--address", NO_SERVER)
    assert ended.code == 2
    assert "--address" in ended.err
