import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from made_up_sets import TABLE, make_dataset
from vlawe import tokenize
from vlawe.reproduce.paragraph_vectors import COLUMNS, ParagraphVectors

KINDS = ("dm", "dbow")


@pytest.fixture(scope="module", params=KINDS)
def fitted(request):
    pytest.importorskip("gensim")
    bags = tokenize(make_dataset().texts, TABLE)
    return ParagraphVectors(TABLE, request.param, 0).fit_bags(bags), bags


def test_a_row_depends_on_its_own_words_alone(fitted):
    encoder, bags = fitted
    rows = encoder.encode(bags)
    assert rows.shape == (len(bags), COLUMNS)
    assert np.array_equal(encoder.encode(bags[5:7]), rows[5:7])
    assert np.array_equal(encoder.encode(bags), rows)  # whatever was inferred before
    assert len(np.unique(rows.round(6), axis=0)) == len(bags)


def test_rows_are_near_those_that_gensim_infers(fitted):
    encoder, bags = fitted
    rows = encoder.encode(bags[:20])
    words = [TABLE.words[int(row)] for row in range(len(TABLE))]
    theirs = np.array(
        [encoder._model.infer_vector([words[i] for i in bags[row]]) for row in range(20)]
    )
    cosines = (rows * theirs).sum(1) / np.linalg.norm(rows, axis=1) / np.linalg.norm(theirs, axis=1)
    assert np.median(cosines) > 0.9  # both start at random


def test_a_document_without_a_known_word_has_the_zero_row(fitted):
    encoder, _ = fitted
    assert not encoder.encode(tokenize(["nothing known"], TABLE)).any()


SCRIPT = """
import hashlib
from made_up_sets import TABLE, make_dataset
from vlawe import tokenize
from vlawe.reproduce.paragraph_vectors import ParagraphVectors
bags = tokenize(make_dataset().texts, TABLE)
for kind in ("dm", "dbow"):
    rows = ParagraphVectors(TABLE, kind, 3).fit_bags(bags).encode(bags)
    print(hashlib.sha256(rows.tobytes()).hexdigest())
"""


def test_the_bits_are_the_same_in_every_process(monkeypatch):
    pytest.importorskip("gensim")
    tests = Path(__file__).parents[1]
    found = set()
    for seed in ("1", "2"):  # of Python's own hashes
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        ended = subprocess.run(
            [sys.executable, "-c", SCRIPT], cwd=tests, capture_output=True, text=True, check=True
        )
        found.add(ended.stdout)
    assert len(found) == 1


def test_a_missing_gensim_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim.models.doc2vec", None)
    bags = tokenize(["word1 word2"], TABLE)
    with pytest.raises(ImportError, match=r"vlawe\[learn\]"):
        ParagraphVectors(TABLE, "dm", 0).fit_bags(bags)
