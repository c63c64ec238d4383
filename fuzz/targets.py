"""What is fuzzed: functions of bytes, which raise what no input may cause."""

import asyncio
import json
import random
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import fasttext_model
import folders
from mutation import Choices, mutate
from vlawe import VectorFormatError, WordVectors, tokenize
from vlawe.cli.inputs.formats import InputFormat, open_input
from vlawe.cli.inputs.source import InputError

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import tokenizer_twin as twin

Target = Callable[[bytes], None]
CORPUS = Path(__file__).parent / "corpus"


@cache
def _room() -> Path:
    return Path(tempfile.mkdtemp(prefix="vlawe-fuzz-"))


def vectors(data: bytes) -> None:
    """Read any bytes as a file of word vectors; VectorFormatError is fine."""
    path = _room() / "vectors"
    path.write_bytes(data)
    try:
        table = WordVectors.load(path)
    except VectorFormatError:
        return
    with np.errstate(all="ignore"):
        assert table.matrix.shape == (len(table), table.dim)
    assert len(list(table.words)) == len(table)


def array_folder(data: bytes) -> None:
    """Read any bytes as the matrix of a folder with words; VectorFormatError is fine."""
    folder = _room() / "folder"
    folder.mkdir(exist_ok=True)
    (folder / "vocab.txt").write_text("red\ngreen\n", encoding="utf-8")
    (folder / "vectors.npy").write_bytes(data)
    try:
        table = WordVectors.load(folder)
    except VectorFormatError:
        return
    assert np.isfinite(table.matrix).all()


@cache
def _words() -> tuple[WordVectors, dict[str, int]]:
    words = ["a", "b", "ab", "a-b", "n't", "'s", "do", "Σ", "é", "word", "WORD", ".", "1,000", "’s"]
    return WordVectors(words, np.eye(len(words))), {word: row for row, word in enumerate(words)}


def tokenizer(data: bytes) -> None:
    """Tokenise a text, and compare with the plain twin."""
    table, rows = _words()
    text = data.decode("utf-8", "replace")
    bags = tokenize([text], table)
    assert (bags[0].tolist(), int(bags.n_unknown[0])) == twin.tokenize_text(text, rows)


@contextmanager
def _letters_guessed() -> Iterator[None]:
    """Take no notice of the warning that a file's letters are read as windows-1252."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*its letters are not UTF-8", UserWarning)
        yield


def _documents(data: bytes, kind: InputFormat) -> None:
    path = _room() / "documents"
    path.write_bytes(data)
    for all_columns in (False, True):
        try:
            with _letters_guessed(), open_input(str(path), input_format=kind) as opened:
                n_rows = sum(len(batch) for batch in opened.batches(all_columns=all_columns))
        except InputError:
            continue
        assert n_rows > 0


def json_lines(data: bytes) -> None:
    """Read any bytes as JSON lines; InputError is fine, and a warning about its letters."""
    _documents(data, InputFormat.jsonl)


def csv(data: bytes) -> None:
    """Read any bytes as CSV; InputError is fine, and a warning about its letters."""
    _documents(data, InputFormat.csv)


def parquet(data: bytes) -> None:
    """Read any bytes as Parquet; InputError is fine."""
    _documents(data, InputFormat.parquet)


@cache
def _app() -> Any:
    from vlawe import VLAWE
    from vlawe.explore import Explorer
    from vlawe.explore.app import make_app

    texts = ["red green", "blue black", "white warm", "cold red"]
    model = VLAWE(folders.small_table(), n_codewords=2).fit(texts)
    return make_app(Explorer(model, "small", texts), 8000)


def explorer(data: bytes) -> None:
    """Send a request to the explorer: path, headers and body; no answer is a 500."""
    choose = Choices(data[:8])
    paths = ["/", "/model", "/documents/0", "/documents/", "/analyse", "/../x", "/page.js"]
    head, _, body = data[8:].partition(b"\0")
    headers = [(b"host", b"127.0.0.1:8000"), (b"content-type", b"application/json")]
    path = choose.some(paths)
    if choose.number(4) == 0:
        path += head.decode("latin-1")
    elif choose.number(4) == 0:
        headers.append((choose.some([b"origin", b"host", b"content-type"]), head))
    if choose.number(2):
        body = json.dumps({"text": body.decode("utf-8", "replace")}).encode()
    scope = {
        "type": "http", "method": choose.some(["GET", "POST", "PUT"]), "path": path,
        "raw_path": path.encode(), "query_string": b"", "headers": headers, "root_path": "",
        "scheme": "http", "http_version": "1.1", "server": ("127.0.0.1", 8000),
    }  # fmt: skip
    answers = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        answers.append(message)

    with warnings.catch_warnings(action="ignore"):
        asyncio.run(_app()(scope, receive, send))
    assert answers[0]["status"] < 500


TARGETS: dict[str, Target] = {
    "vectors": vectors,
    "array_folder": array_folder,
    "fasttext": fasttext_model.load,
    "table": folders.table,
    "encoder": folders.encoder,
    "classifier": folders.classifier,
    "index": folders.index,
    "tokenizer": tokenizer,
    "json_lines": json_lines,
    "csv": csv,
    "parquet": parquet,
    "explorer": explorer,
}


def seeds(name: str) -> list[bytes]:
    """Return the corpus of a target: what it begins with, and all that ever failed."""
    return [path.read_bytes() for path in sorted((CORPUS / name).glob("*")) if path.is_file()]


def inputs(name: str, seed: object = 0) -> Any:
    """Yield endless inputs of a target: its seeds first, then what becomes of them."""
    generator = random.Random(f"{name} {seed}")
    known = seeds(name)
    yield from known
    while True:
        if known and generator.randrange(8):
            yield mutate(generator.choice(known), generator.choice(known), generator)
        else:
            yield generator.randbytes(generator.randrange(200))
