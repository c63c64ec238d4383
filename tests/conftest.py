import html
import os
import re
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from vlawe import WordVectors

# Compiling, or loading what was compiled, makes the first example slow.
settings.register_profile("compiled", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("compiled")

SHARED = Path(__file__).parents[1].parent / "shared"
DATASETS = Path(os.environ.get("VLAWE_DATA") or SHARED / "datasets")


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


def dataset_path(name: str) -> Path:
    path = DATASETS / name
    if not path.exists():
        pytest.skip(f"needs the data set {name}: set VLAWE_DATA to the folder that has it")
    return path


def zipped_lines(name: str, members: list[str], encoding: str) -> list[str]:
    with zipfile.ZipFile(dataset_path(name)) as archive:
        # Not splitlines, which also splits at the latin-1 control U+0085.
        texts = [archive.read(member).decode(encoding) for member in members]
    return [line for text in texts for line in text.split("\n") if line.strip()]


@pytest.fixture(scope="session")
def mr_sentences() -> list[str]:
    """MR: 5331 negative sentences, then 5331 positive ones."""
    members = [f"sentence_polarity/rt-polarity.{kind}" for kind in ("neg", "pos")]
    return zipped_lines("sentence_polarity.zip", members, "utf-8")


@pytest.fixture(scope="session")
def subj() -> list[str]:
    """Subj: 5000 subjective sentences, then 5000 objective ones."""
    members = [f"subjectivity/{kind}.tok.gt9.5000" for kind in ("quote", "plot")]
    return zipped_lines("subjectivity.zip", members, "latin-1")


@pytest.fixture(scope="session")
def trec() -> list[str]:
    """TREC: the questions, 5452 for training and 500 for testing, without their labels."""
    lines = zipped_lines("qc.zip", ["qc/train.txt", "qc/test.txt"], "latin-1")
    return [line.split(" ", 1)[1] for line in lines]


@pytest.fixture(scope="session")
def movie_reviews() -> list[str]:
    """RT-2k: 1000 negative reviews, then 1000 positive ones."""
    with zipfile.ZipFile(dataset_path("movie_reviews.zip")) as archive:
        names = sorted(name for name in archive.namelist() if re.search(r"/(neg|pos)/.", name))
        return [archive.read(name).decode("latin-1") for name in names]


@pytest.fixture(scope="session")
def reuters() -> list[str]:
    """Reuters-21578: title and body of all documents."""
    texts = []
    with tarfile.open(dataset_path("reuters21578.tar.gz")) as archive:
        for member in archive:
            if member.name.endswith(".sgm"):
                sgml = archive.extractfile(member).read().decode("latin-1")
                for document in re.findall(r"<REUTERS.*?</REUTERS>", sgml, re.DOTALL):
                    fields = re.findall(r"<(TITLE|BODY)>(.*?)</\1>", document, re.DOTALL)
                    texts.append(html.unescape("\n".join(text for _, text in fields)))
    return texts


# -------------------------------------------------------------------------------- word vectors


@pytest.fixture(scope="session")
def default() -> WordVectors:
    """The bundled table."""
    return WordVectors.default()


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
