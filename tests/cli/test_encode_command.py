import csv
import gzip
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from vlawe import VLAWE, BagOfWords, MeanVector, NGrams, WordVectors
from vlawe.cli.inputs.lines import Lines

pytestmark = pytest.mark.filterwarnings("ignore:.*no known (word|n-gram)")


@pytest.fixture
def write_input(tmp_path, texts):
    """Write the texts in a format; return the file."""

    def write_input(extension: str):
        path = tmp_path / f"input{extension}"
        if extension == ".txt":
            path.write_text("\n".join(texts), encoding="utf-8")
        elif extension == ".txt.gz":
            path.write_bytes(gzip.compress("\n".join(texts).encode()))
        elif extension in (".csv", ".tsv"):
            with path.open("w", newline="", encoding="utf-8") as file:
                delimiter = "," if extension == ".csv" else "\t"
                writer = csv.writer(file, delimiter=delimiter)
                writer.writerows([("id", "text"), *((f"0{i}", t) for i, t in enumerate(texts))])
        elif extension == ".jsonl":
            lines = (json.dumps({"id": f"0{i}", "text": t}) for i, t in enumerate(texts))
            path.write_text("\n".join(lines))
        else:
            ids = [f"0{i}" for i in range(len(texts))]
            pq.write_table(pa.table({"id": ids, "text": texts}), path)
        return path

    return write_input


def read_rows(path):
    if path.suffix == ".parquet":
        return np.stack(pq.read_table(path)["vector"].to_numpy())
    loaded = np.load(path)
    return loaded if path.suffix == ".npy" else loaded["X"]


INPUTS = [".txt", ".txt.gz", ".csv", ".tsv", ".jsonl", ".parquet"]


@pytest.mark.parametrize("output", [".npy", ".npz", ".parquet"])
@pytest.mark.parametrize("extension", INPUTS)
def test_rows_are_those_of_the_library_bit_for_bit(
    extension, output, write_input, tmp_path, texts, run
):
    target = tmp_path / f"output{output}"
    ended = run("encode", write_input(extension), "-o", target, "-k", "3", "--batch-size", "3")
    assert ended.code == 0
    assert ended.out == ""
    expected = VLAWE(n_codewords=3).fit_transform(texts)
    found = read_rows(target)
    assert found.dtype == np.float32
    assert found.tobytes() == expected.tobytes()
    if output == ".parquet":
        table = pq.read_table(target)
        assert table["text"].to_pylist() == texts
        assert ("id" in table.column_names) == (not extension.startswith(".txt"))
        if "id" in table.column_names:
            assert table["id"].to_pylist() == [f"0{i}" for i in range(len(texts))]


@pytest.mark.parametrize("output", [".npy", ".parquet"])
@pytest.mark.parametrize("extension", [".txt", ".csv", ".jsonl", ".parquet"])
def test_standard_input_gives_the_same_rows(
    extension, output, write_input, tmp_path, texts, run, type_in
):
    type_in(write_input(extension).read_bytes())
    name = {".txt": "lines"}.get(extension, extension[1:])
    target = tmp_path / f"output{output}"
    ended = run("encode", "-", "-o", target, "-k", "3", "--input-format", name)
    assert ended.code == 0
    expected = VLAWE(n_codewords=3).fit_transform(texts)
    assert read_rows(target).tobytes() == expected.tobytes()


@pytest.mark.parametrize("output", [".npy", ".npz", ".parquet"])
def test_a_model_gives_the_same_rows_and_is_not_fitted_again(output, model, lines, tmp_path, run):
    target = tmp_path / f"output{output}"
    assert run("encode", lines, "-o", target, "--model", model).code == 0
    texts = lines.read_text(encoding="utf-8").splitlines()
    expected = VLAWE(n_codewords=3).fit_transform(texts)
    assert read_rows(target).tobytes() == expected.tobytes()


def test_a_model_encodes_other_documents_from_standard_input(model, tmp_path, run, type_in):
    type_in(b"bread and butter\nthe doctor\n")
    target = tmp_path / "out.npy"
    assert run("encode", "-", "-o", target, "--model", model).code == 0
    expected = VLAWE.load(model).transform(["bread and butter", "the doctor"])
    assert read_rows(target).tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("options", "encoder"),
    [
        (["--method", "mean"], MeanVector()),
        (["--method", "mean", "--dtype", "float64"], MeanVector(dtype="float64")),
        (["-k", "2", "--alpha", "1"], VLAWE(n_codewords=2, alpha=1)),
        (["-k", "2", "--seed", "3"], VLAWE(n_codewords=2, random_state=3)),
        (["-k", "2", "--components", "4"], VLAWE(n_codewords=2, n_components=4)),
        (["-k", "2", "--dtype", "float16", "--jobs", "1"], VLAWE(n_codewords=2, dtype="float16")),
        (["-k", "2", "--dtype", "int8"], VLAWE(n_codewords=2, dtype="int8")),
        (["-k", "2", "--vectors", "default"], VLAWE(n_codewords=2)),
    ],
    ids=str,
)
@pytest.mark.parametrize("output", [".npy", ".parquet"])
def test_options_reach_the_encoder(options, encoder, output, lines, texts, tmp_path, run):
    target = tmp_path / f"out{output}"
    assert run("encode", lines, "-o", target, *options).code == 0
    expected = encoder.fit_transform(texts)
    found = read_rows(target)
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()


def test_a_bag_of_words_is_sparse(lines, texts, tmp_path, run):
    target = tmp_path / "out.npz"
    assert run("encode", lines, "-o", target, "--method", "bow", "--batch-size", "3").code == 0
    found = sp.load_npz(target)
    assert (found != BagOfWords().fit_transform(texts)).nnz == 0
    for extension in (".npy", ".parquet"):
        ended = run("encode", lines, "-o", tmp_path / f"out{extension}", "--method", "bow")
        assert ended.code == 1
        assert "write them to .npz" in ended.err


@pytest.mark.parametrize(
    ("method", "encoder"),
    [("ngrams", NGrams()), ("characters", NGrams(analyzer="char", ngram_range=(2, 5)))],
)
def test_n_grams_need_no_word_vectors(method, encoder, lines, texts, tmp_path, run):
    target, folder = tmp_path / "out.npz", tmp_path / "model"
    ended = run("encode", lines, "-o", target, "--method", method, "--batch-size", "3")
    assert ended.code == 0
    assert "1 document without a known n-gram" in ended.err
    assert "token" not in ended.err
    expected = encoder.fit_transform(texts)
    assert (sp.load_npz(target) != expected).nnz == 0
    ended = run("fit", lines, "-o", folder, "--method", method)
    assert ended.code == 0
    assert f"NGrams, {expected.shape[1]:,} columns" in ended.out
    assert "word vectors" not in ended.out
    ended = run("encode", lines, "-o", target, "--model", folder, "--json")
    assert (sp.load_npz(target) != expected).nnz == 0
    facts = json.loads(ended.out)
    assert (facts["documents"], facts["documents_without_known_ngram"]) == (8, 1)
    ended = run("encode", lines, "-o", target, "--method", method, "--vectors", "default")
    assert ended.code == 2
    assert f"--vectors: not with --method {method}" in ended.err
    ended = run("encode", lines, "-o", target, "--method", method, "-k", "3")
    assert ended.code == 2


def test_too_few_words_for_the_codewords_are_told_of(lines, tmp_path, run):
    target = tmp_path / "out.npy"
    ended = run("encode", lines, "-o", target, "-k", "5000")
    assert ended.code == 0
    n_codewords = np.load(target).shape[1] // 300
    assert 10 < n_codewords < 100
    assert f"vlawe: warning: VLAWE has {n_codewords} codewords, not --codewords 5000" in ended.err


def test_word_vectors_can_be_given(lines, tmp_path, run):
    table = WordVectors(["the", "tea", "bread", "and"], np.eye(4))
    table.save(tmp_path / "v.safetensors")
    target = tmp_path / "out.npy"
    options = ["--vectors", tmp_path / "v.safetensors", "--method", "mean"]
    assert run("encode", lines, "-o", target, *options).code == 0
    texts = lines.read_text(encoding="utf-8").splitlines()
    assert np.array_equal(np.load(target), MeanVector(table).fit_transform(texts))


def test_json_says_what_was_done(lines, texts, tmp_path, run):
    target = tmp_path / "out.npy"
    ended = run("encode", lines, "-o", target, "-k", "3", "--json")
    facts = json.loads(ended.out)
    assert facts["input"] == str(lines)
    assert facts["output"] == str(target)
    assert facts["encoder"] == "VLAWE"
    assert (facts["documents"], facts["columns"], facts["dtype"]) == (8, 900, "float32")
    assert 0 < facts["known_tokens"] <= facts["tokens"]
    assert facts["coverage"] == round(facts["known_tokens"] / facts["tokens"], 6)
    assert facts["documents_without_known_word"] == 1
    assert facts["fit_seconds"] > 0
    assert facts["documents_per_second"] > 0
    assert "vlawe: warning: 1 of 8 documents" in ended.err
    assert ended.err.count("\n") == 1


def test_the_facts_do_not_depend_on_how_it_was_read(lines, model, tmp_path, run):
    facts = []
    for name, options in (
        ("a.npy", ["-k", "3"]),
        ("a.parquet", ["-k", "3"]),
        ("b.npy", ["--model", model]),
    ):
        ended = run("encode", lines, "--json", "-o", tmp_path / name, *options)
        found = json.loads(ended.out)
        facts.append({key: found[key] for key in ("documents", "tokens", "coverage", "columns")})
    assert facts[0] == facts[1] == facts[2]
    assert found["fit_seconds"] is None


def test_the_summary_is_one_line_on_standard_error(lines, tmp_path, model, run):
    target = tmp_path / "out.npy"
    ended = run("encode", lines, "-o", target, "-k", "3")
    assert ended.out == ""
    summary = ended.err.splitlines()[-1]
    for part in ("8 documents, 900 columns → ", "tokens, ", "% known", "fitted in ",
                 "1 document without a known word", "documents/s"):  # fmt: skip
        assert part in summary
    assert "fitted in" not in run("encode", lines, "-o", target, "--model", model).err


def test_quiet_says_nothing_but_warnings(lines, tmp_path, run):
    ended = run("encode", lines, "-o", tmp_path / "out.npy", "-k", "3", "--quiet")
    assert (ended.code, ended.out) == (0, "")
    assert ended.err.count("\n") == 1
    assert ended.err.startswith("vlawe: warning: ")


def test_progress_shows_on_a_terminal_only_and_never_on_standard_output(
    lines, tmp_path, run, monkeypatch
):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("vlawe.system.progress.PATIENCE", 0.0)
    for extension in (".npy", ".parquet"):
        ended = run("encode", lines, "-o", tmp_path / f"out{extension}", "-k", "3")
        assert "Fitting" in ended.err
        assert "Encoding" in ended.err
        assert ended.out == ""
    ended = run("encode", lines, "-o", tmp_path / "out.npy", "-k", "3", "--quiet")
    assert "Fitting" not in ended.err


def test_another_encoding_and_column_can_be_stated(tmp_path, run):
    path = tmp_path / "a.csv"
    path.write_bytes("id;body,body\n1,café\n2,the tea\n".encode("latin-1"))
    target = tmp_path / "out.parquet"
    options = ["--encoding", "latin-1", "--text-column", "body", "--method", "mean"]
    assert run("encode", path, "-o", target, *options).code == 0
    assert pq.read_table(target)["body"].to_pylist() == ["café", "the tea"]


def test_large_documents_and_small_ones_mix(tmp_path, run):
    texts = ["tea", "bread and butter " * 100_000, "", *["milk"] * 600, "salt " * 300_000]
    path = tmp_path / "a.txt"
    path.write_text("\n".join(texts))
    for extension in (".npy", ".parquet"):
        target = tmp_path / f"out{extension}"
        assert run("encode", path, "-o", target, "--method", "mean", "--quiet").code == 0
        assert np.array_equal(read_rows(target), MeanVector().fit_transform(texts))


# -------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "options",
    [
        ["--method", "vlawe"],
        ["-k", "10"],
        ["--alpha", "0.5"],
        ["--components", "2"],
        ["--seed", "0"],
    ],
    ids=str,
)
def test_options_of_fitting_are_refused_with_a_model(options, lines, tmp_path, run):
    ended = run("encode", lines, "-o", tmp_path / "a.npy", "--model", tmp_path / "m", *options)
    assert ended.code == 2
    assert "not with --model" in ended.err


def test_options_of_working_are_allowed_with_a_model(lines, model, tmp_path, run):
    target = tmp_path / "out.npy"
    options = ["--dtype", "float64", "--jobs", "1", "--batch-size", "2", "--vectors", "default"]
    ended = run("encode", lines, "-o", target, "--model", model, *options)
    assert (ended.code, np.load(target).dtype) == (0, np.float64)


def test_a_model_keeps_its_own_type_of_numbers(lines, tmp_path, run):
    folder = tmp_path / "model"
    assert run("fit", lines, "-o", folder, "--method", "mean", "--dtype", "float64").code == 0
    assert run("encode", lines, "-o", tmp_path / "a.npy", "--model", folder).code == 0
    assert np.load(tmp_path / "a.npy").dtype == np.float64


def test_a_type_that_a_model_cannot_have_is_refused(lines, tmp_path, run):
    folder = tmp_path / "model"
    assert run("fit", lines, "-o", folder, "--method", "bow").code == 0
    target = tmp_path / "out.npz"
    ended = run("encode", lines, "-o", target, "--model", folder, "--dtype", "float16")
    assert ended.code == 1
    assert "not float16" in ended.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.txt", "-o", "a.npy"], "none.txt: No such file or directory"),
        ([".", "-o", "a.npy"], ".: is a folder, not a file"),
        (["texts.txt", "-o", "none/a.npy"], "the folder none does not exist"),
        (["texts.txt", "-o", "folder.npy"], "folder.npy: is a folder, not a file"),
        (["in.parquet", "-o", "in.parquet"], "is the input itself"),
        (["texts.txt", "-o", "a.npy", "--components", "9000"], "n_components=9000"),
        (["texts.txt", "-o", "a.npy", "--vectors", "none.vec"], "none.vec"),
        (["texts.txt", "-o", "a.npy", "--vectors", "texts.txt"], "texts.txt: "),
        (["texts.txt", "-o", "a.npy", "--model", "none"], "there is no model folder none"),
        (["texts.txt", "-o", "a.npy", "--model", "folder.npy"], "not a model folder"),
        (["texts.txt", "-o", "a.npy", "--encoding", "martian"], "unknown text encoding"),
        (["texts.txt", "-o", "a.npy", "--text-column", "x"], "text lines have no column 'x'"),
        (["empty.csv", "-o", "a.npy"], "there are no documents"),
        (["empty.csv", "-o", "a.parquet"], "there are no documents"),
        (["bad.csv", "-o", "a.npy"], "bad.csv: row 2: Expected 2 columns"),
        (["bad.jsonl", "-o", "a.npy"], "bad.jsonl: line 2: 'text' must be a string"),
        (["bad.txt", "-o", "a.npy"], "bad.txt: line 2, byte 4"),
        (["vector.csv", "-o", "a.parquet"], "a column 'vector' already"),
        (["odd.jsonl", "-o", "a.parquet"], "values of 'n'"),
        (["nothing.jsonl", "-o", "a.parquet", "--method", "mean"], "struct"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_users_get_wrong_is_told_in_one_line(
    arguments, message, lines, tmp_path, run, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "empty.csv").write_text("text\n")
    (tmp_path / "bad.csv").write_text("text,n\ntea,1\nmilk\n")
    (tmp_path / "bad.jsonl").write_text('{"text": "tea"}\n{"text": 3}\n')
    (tmp_path / "bad.txt").write_bytes(b"tea\n\xff\n")
    (tmp_path / "vector.csv").write_text("text,vector\nthe tea and the milk,1\n")
    (tmp_path / "odd.jsonl").write_text('{"text": "tea", "n": 1}\n{"text": "milk", "n": "x"}\n')
    (tmp_path / "nothing.jsonl").write_text('{"text": "the tea", "n": {}}\n')
    pq.write_table(pa.table({"text": ["tea"]}), "in.parquet")
    before = sorted(path.name for path in tmp_path.iterdir())
    ended = run("encode", *arguments)
    assert ended.code == 1
    assert ended.out == ""
    assert ended.err.startswith("vlawe: error: ")
    assert ended.err.count("\n") == 1
    assert message in ended.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


# ------------------------------------------------------------------------ whole or not at all


@pytest.mark.parametrize("extension", [".npy", ".npz", ".parquet"])
def test_an_existing_output_is_replaced(extension, lines, tmp_path, run):
    target = tmp_path / f"out{extension}"
    target.write_text("earlier")
    assert run("encode", lines, "-o", target, "--method", "mean").code == 0
    assert len(read_rows(target)) == 8


@pytest.mark.parametrize("extension", [".npy", ".npz", ".parquet"])
def test_an_error_in_the_middle_leaves_the_earlier_output(
    extension, model, tmp_path, run, left_behind
):
    path = tmp_path / "a.jsonl"
    good = json.dumps({"text": "the tea " * 50}) + "\n"
    path.write_text(good * 5000 + '{"text": 3}\n')
    target = tmp_path / f"out{extension}"
    target.write_text("earlier")
    ended = run("encode", path, "-o", target, "--model", model, "--input-format", "jsonl")
    assert ended.code == 1
    assert "line 5001" in ended.err
    assert target.read_text() == "earlier"
    assert left_behind() == []


@pytest.mark.parametrize("extension", [".npy", ".npz", ".parquet"])
def test_an_interruption_leaves_the_earlier_output(
    extension, model, lines, tmp_path, run, monkeypatch, left_behind
):
    reading = Lines._read

    def interrupted(self, all_columns):
        yield from reading(self, all_columns)
        raise KeyboardInterrupt

    monkeypatch.setattr(Lines, "_read", interrupted)
    target = tmp_path / f"out{extension}"
    for options in (["--model", model], ["-k", "3"]):
        target.write_text("earlier")
        ended = run("encode", lines, "-o", target, *options)
        assert ended.code == 130
        assert ended.out == ""
        assert ended.err.strip() == ""
        assert target.read_text() == "earlier"
        assert left_behind() == []


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_control_c_ends_a_real_process_cleanly(model, tmp_path):
    target = tmp_path / "out.npy"
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "vlawe.cli",
            "encode",
            "-",
            "-o",
            str(target),
            "--model",
            str(model),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdin.write(b"the tea and the bread\n" * 100_000)
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".out.npy*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert (out, err.strip()) == (b"", b"")
    assert not target.exists()
    assert list(tmp_path.glob(".*")) == []


def test_a_real_pipeline_works(tmp_path):
    target = tmp_path / "out.npy"
    done = subprocess.run(
        [sys.executable, "-m", "vlawe.cli", "encode", "-", "-o", str(target), "--method", "mean",
         "--json"],
        input=b"the tea\nbread and butter\n", capture_output=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["documents"] == 2
    assert done.stderr == b""
    assert np.array_equal(
        np.load(target), MeanVector().fit_transform(["the tea", "bread and butter"])
    )


@pytest.mark.skipif(os.name == "nt", reason="resource is POSIX's")
def test_memory_does_not_grow_with_the_documents(texts, tmp_path):
    for n in (4_000, 50_000):
        (tmp_path / f"{n}.txt").write_text("\n".join(texts * (n // len(texts))))
    code = f"""
import os, resource
from vlawe.cli import main

os.chdir({str(tmp_path)!r})

def peak_after(*arguments):
    try:
        main(["encode", *arguments, "--method", "mean", "-q"])
    except SystemExit as ended:
        assert ended.code == 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

small, large = peak_after("4000.txt", "-o", "a.npy"), peak_after("50000.txt", "-o", "b.npy")
print(large - small)
"""
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    grown = int(done.stdout) * (1 if sys.platform == "darwin" else 1024)
    assert (tmp_path / "b.npy").stat().st_size > 59e6  # and its words and texts beside it
    assert grown < 30e6
