"""A tiny real fastText model, trained and written by gensim."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vlawe.documents import read
from vlawe.tokenizer.tokens import token_lists

BUCKETS = 700


def train(texts: Sequence[str], folder: Path, *, dim: int = 8) -> tuple[Path, Any]:
    """Write ``tiny.bin``; return its path, and gensim's model."""
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    model = FastText(
        list(token_lists(read(texts))),
        vector_size=dim,
        min_count=3,
        bucket=BUCKETS,
        min_n=3,
        max_n=5,
        epochs=2,
        seed=1,
        workers=1,
    )
    path = folder / "tiny.bin"
    save_facebook_model(model, str(path))
    return path, model
