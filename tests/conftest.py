import csv
import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from numba.core.dispatcher import Dispatcher

from vlawe import WordVectors
from vlawe.reproduce.datasets import DATASETS, PAIRS, Dataset, SentencePairs, load, load_pairs
from vlawe.reproduce.datasets.reuters import read_stories
from vlawe.vectors import Vocabulary
from vlawe.vectors.store import write_store

# Compiling, or loading what was compiled, makes the first example slow.
settings.register_profile("compiled", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("compiled")

# A shell that starts the tests in the background lets them ignore Control-C; what they interrupt,
# themselves and their children, must not.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def untraced_compilation() -> Iterator[None]:
    """Let numba compile without coverage's tracing, which makes it half as slow again."""
    compile_traced = Dispatcher.compile

    def compile_untraced(self: Dispatcher, *arguments: Any) -> Any:
        tracer = sys.gettrace()
        sys.settrace(None)
        try:
            return compile_traced(self, *arguments)
        finally:
            sys.settrace(tracer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dispatcher, "compile", compile_untraced)
        yield


SHARED = Path(__file__).parents[1].parent / "shared"
DATA = Path(os.environ.get("VLAWE_DATA") or SHARED / "datasets")


@pytest.fixture(scope="session")
def shared_path() -> Callable[[str], Path]:
    """Find a real file in the folder beside the checkout, or skip the test."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"needs {name} in the folder 'shared' beside the checkout")
        return path

    return find


# ----------------------------------------------------------------------------------- data sets


@pytest.fixture(scope="session")
def archive() -> Callable[[str], Path]:
    """Find the real archive of a data set, or skip the test."""

    def find(name: str) -> Path:
        path = DATA / (DATASETS | PAIRS)[name].archive
        if not path.exists():
            pytest.skip(f"needs {path.name}: set VLAWE_DATA to the folder that has it")
        return path

    return find


@pytest.fixture(scope="session")
def sts_dev(archive) -> SentencePairs:
    """The real development part of the STS benchmark."""
    return load_pairs(folder=archive("STS-dev").parent)


@pytest.fixture(scope="session")
def dataset(archive) -> Callable[[str], Dataset]:
    """Read a real data set, or skip the test."""
    return cache(lambda name: load(name, archive(name).parent))


@pytest.fixture(scope="session")
def mr_sentences(dataset) -> list[str]:
    """MR: 5331 negative sentences, then 5331 positive ones."""
    return dataset("MR").texts


@pytest.fixture(scope="session")
def subj(dataset) -> list[str]:
    """Subj: 5000 objective sentences, then 5000 subjective ones."""
    return dataset("Subj").texts


@pytest.fixture(scope="session")
def trec(dataset) -> list[str]:
    """TREC: the questions, 5452 for training and 500 for testing, without their labels."""
    return dataset("TREC").texts


@pytest.fixture(scope="session")
def movie_reviews(dataset) -> list[str]:
    """RT-2k: 1000 negative reviews, then 1000 positive ones."""
    return dataset("RT-2k").texts


@pytest.fixture(scope="session")
def reuters(archive) -> list[str]:
    """Reuters-21578: title and body of all stories, whatever their split."""
    return [story.text for story in read_stories(archive("Reuters"))]


@pytest.fixture(scope="session")
def sample() -> list[dict[str, str]]:
    """The bundled messages with their topics, which every machine has."""
    with files("vlawe.data").joinpath("messages.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def messages(sample) -> list[str]:
    """The texts of the bundled messages."""
    return [message["text"] for message in sample]


@pytest.fixture(scope="session")
def letters(messages) -> list[str]:
    """Long documents: some dozens of the bundled messages each."""
    return [" ".join(messages[start : start + 40]) for start in range(0, 600, 40)]


# -------------------------------------------------------------------------------- word vectors


@pytest.fixture(scope="session")
def default() -> WordVectors:
    """The bundled table."""
    return WordVectors.default()


@pytest.fixture(scope="session")
def former_default(shared_path, tmp_path_factory) -> WordVectors:
    """The table that version 0.1 bundled."""
    folder = shared_path("vectors/default-en")
    words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    stored = {
        "matrix": np.load(folder / "vectors.int8.npy"),
        "scales": np.load(folder / "scales.npy"),
        "blocks": np.array([0, 100, 400], np.int64),
    }
    path = tmp_path_factory.mktemp("former") / "default-en.safetensors"
    write_store(path, Vocabulary.from_words(words), stored, "default-en")
    return WordVectors.load(path)


@pytest.fixture(scope="session")
def english(default) -> WordVectors:
    """The first hundred columns of the bundled table."""
    return WordVectors(default.words, default.matrix[:, :100], name="english")


@pytest.fixture(scope="session")
def glove(shared_path) -> WordVectors:
    """Real GloVe 6B 100d, 200,000 words."""
    folder = shared_path("vectors/glove-6b-100d-200k")
    words = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    matrix = np.load(folder / "vectors.float16.npy")
    return WordVectors(words[: len(matrix)], matrix, name="glove")


@pytest.fixture(scope="session")
def colours() -> WordVectors:
    """A table of eight words in three dimensions."""
    words = ["red", "green", "blue", "black", "white", "warm", "cold", "."]
    rows = np.random.default_rng(0).normal(size=(len(words), 3))
    return WordVectors(words, rows, name="colours")


@pytest.fixture(scope="session")
def tiny_fasttext(messages, tmp_path_factory) -> tuple[Path, Any]:
    """A real fastText ``.bin`` of the bundled messages, and the model of gensim that wrote it."""
    pytest.importorskip("gensim.models")
    from small_fasttext import train

    return train(messages, tmp_path_factory.mktemp("fasttext"))


@pytest.fixture(scope="session")
def open_table(tiny_fasttext) -> WordVectors:
    """Its table, with n-grams of letters."""
    return WordVectors.load(tiny_fasttext[0], unknown="subwords")
