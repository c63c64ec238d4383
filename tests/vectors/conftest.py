from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def glove_gz(shared_path) -> Path:
    return shared_path("vectors/glove-txt/glove.6B.50d.first50k.txt.gz")


@pytest.fixture(scope="session")
def google_news(shared_path) -> Path:
    return shared_path("vectors/word2vec-bin/GoogleNews-vectors-negative300-bolukbasi.bin")
