import json

import numpy as np
import pytest

from vlawe import VLAWE, BagOfWords, MeanVector, WordVectors

pytestmark = pytest.mark.filterwarnings("ignore:.*no known word")


def test_the_model_is_that_of_the_library(lines, texts, tmp_path, run):
    folder = tmp_path / "model"
    ended = run("fit", lines, "-o", folder, "-k", "3", "--alpha", "0.7", "--seed", "1")
    assert ended.code == 0
    expected = VLAWE(n_codewords=3, alpha=0.7, random_state=1).fit(texts)
    found = VLAWE.load(folder)
    assert found.alpha == 0.7
    assert found.transform(texts).tobytes() == expected.transform(texts).tobytes()


@pytest.mark.parametrize(
    ("options", "encoder"),
    [
        (["--method", "mean"], MeanVector()),
        (["--method", "bow"], BagOfWords()),
        (["-k", "2", "--components", "3"], VLAWE(n_codewords=2, n_components=3)),
    ],
    ids=str,
)
def test_every_method_can_be_fitted(options, encoder, lines, texts, tmp_path, run):
    folder = tmp_path / "model"
    ended = run("fit", lines, "-o", folder, *options, "--json")
    assert ended.code == 0
    found = type(encoder).load(folder).transform(texts)
    expected = encoder.fit(texts).transform(texts)
    assert abs(found - expected).max() == 0
    facts = json.loads(ended.out)
    assert facts["encoder"] == type(encoder).__name__
    assert facts["columns"] == expected.shape[1]
    assert ("codewords" in facts) == ("-k" in options)
    assert ("explained_ratio" in facts) == ("--components" in options)


def test_json_says_what_was_fitted(lines, tmp_path, run):
    folder = tmp_path / "model"
    ended = run("fit", lines, "-o", folder, "-k", "3", "--json")
    facts = json.loads(ended.out)
    assert facts["documents"] == 8
    assert facts["documents_without_known_word"] == 1
    assert facts["codewords"] == 3
    assert facts["inertia"] == VLAWE.load(folder).codebook_.inertia
    assert facts["model"] == str(folder)
    assert facts["model_bytes"] == sum(file.stat().st_size for file in folder.iterdir())
    assert 0 < facts["coverage"] <= 1


def test_people_get_a_table(lines, tmp_path, run):
    ended = run("fit", lines, "-o", tmp_path / "model", "-k", "3", "--components", "2")
    assert ended.code == 0
    for part in ("VLAWE, 2 columns", "8, 1 without a known word", "3 codewords, inertia",
                 "62,658 words, 300 dimensions", "components"):  # fmt: skip
        assert part in ended.out


def test_quiet_says_nothing(lines, tmp_path, run):
    ended = run("fit", lines, "-o", tmp_path / "model", "-k", "3", "-q")
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_standard_input_can_be_fitted(tmp_path, run, type_in, texts):
    type_in("\n".join(texts).encode())
    assert run("fit", "-", "-o", tmp_path / "model", "-k", "3").code == 0


def test_vectors_are_included_as_asked(lines, tmp_path, run):
    path = tmp_path / "v.safetensors"
    WordVectors(["the", "and", "a"], np.eye(3)).save(path)
    options = ["--vectors", path, "--method", "mean"]
    for included, wish in (
        (True, []),
        (True, ["--include-vectors"]),
        (False, ["--no-include-vectors"]),
    ):
        assert run("fit", lines, "-o", tmp_path / "model", *options, *wish).code == 0
        assert (tmp_path / "model" / "vectors.safetensors").exists() == included


def test_a_model_without_its_vectors_takes_them_from_an_option(lines, tmp_path, run):
    path = tmp_path / "v.safetensors"
    WordVectors(["the", "and", "a"], np.eye(3)).save(path)
    folder = tmp_path / "model"
    options = ["--vectors", path, "--no-include-vectors", "-k", "2"]
    assert run("fit", lines, "-o", folder, *options).code == 0
    moved = path.rename(tmp_path / "moved.safetensors")
    target = tmp_path / "out.npy"
    ended = run("encode", lines, "-o", target, "--model", folder)
    assert ended.code == 1
    assert "needs the word vectors" in ended.err
    assert run("encode", lines, "-o", target, "--model", folder, "--vectors", moved).code == 0
    assert run("codebook", folder, "--vectors", moved).code == 0


def test_an_earlier_model_is_replaced(lines, model, run):
    assert run("fit", lines, "-o", model, "--method", "mean").code == 0
    assert MeanVector.load(model)


@pytest.mark.parametrize("content", [None, {"other.txt": "x"}, {"config.json": '{"a": 1}'},
                                     {"config.json": "[]"}, {"config.json": "{"}])  # fmt: skip
def test_what_is_no_model_is_not_replaced(content, lines, tmp_path, run, monkeypatch):
    def never(*_):
        raise AssertionError("it was noticed too late")

    monkeypatch.setattr("vlawe.cli.pipeline.learn", never)
    folder = tmp_path / "precious"
    if content is None:
        folder.write_text("a file")
    else:
        folder.mkdir()
        for name, text in content.items():
            (folder / name).write_text(text)
    ended = run("fit", lines, "-o", folder)
    assert ended.code == 1
    assert "exists and is not a model" in ended.err
    assert folder.exists()


def test_a_folder_that_does_not_exist_is_noticed_before_the_work(lines, tmp_path, run):
    ended = run("fit", lines, "-o", tmp_path / "none" / "model")
    assert ended.code == 1
    assert "does not exist" in ended.err
