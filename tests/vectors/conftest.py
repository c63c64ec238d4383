from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# Compiling, or loading what was compiled, makes the first example slow.
settings.register_profile("compiled", deadline=None)
settings.load_profile("compiled")

SHARED = Path(__file__).parents[2].parent / "shared"


@pytest.fixture(scope="session")
def shared_path() -> Callable[[str], Path]:
    """Find a real file in the folder beside the checkout, or skip the test."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"needs {name} in the folder 'shared' beside the checkout")
        return path

    return find


@pytest.fixture(scope="session")
def glove_gz(shared_path) -> Path:
    return shared_path("vectors/glove-txt/glove.6B.50d.first50k.txt.gz")


@pytest.fixture(scope="session")
def google_news(shared_path) -> Path:
    return shared_path("vectors/word2vec-bin/GoogleNews-vectors-negative300-bolukbasi.bin")
