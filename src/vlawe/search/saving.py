"""Indexes as folders: the encoder's own folder, and the documents in a file that is mapped."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from vlawe.encoders.saving import load_encoder, write_encoder
from vlawe.system.exchange import read_settled
from vlawe.system.gate import Declared, inside
from vlawe.system.model_folder import (
    CONFIG,
    FORMAT,
    check_belongs,
    check_unchanged,
    error_in,
    file_digest,
    file_parameters,
    made_with,
    new_model,
    read_model,
    write_model,
)
from vlawe.system.tensors import TensorFileError, map_tensors, write_pieces

if TYPE_CHECKING:
    from vlawe.search.document_index import DocumentIndex
    from vlawe.tokenizer import Tokenizer
    from vlawe.vectors import WordVectors

INDEX = "a DocumentIndex"
DOCUMENTS = "documents.safetensors"
ENCODER = "encoder"


def save_index(
    index: "DocumentIndex",
    folder: "str | os.PathLike[str]",
    *,
    include_vectors: bool | None = None,
) -> None:
    """Write an index and its encoder to a folder, which appears whole or not at all.

    Parameters are those of `vlawe.persistence.save_encoder`.
    """
    with new_model(folder) as temporary:
        own = temporary / ENCODER
        own.mkdir()
        encoder_sha256 = write_encoder(index.encoder, own, include_vectors)
        write_pieces(temporary / DOCUMENTS, index.pieces(), {"format": FORMAT})
        state = Declared(index.state())
        index.check_saved(Declared(map_tensors(temporary / DOCUMENTS)[0]), state)
        content = {
            "parameters": {
                "backend": index.backend,
                "keep_texts": index.keep_texts,
                "n_probe": index.n_probe,
            },
            "documents": len(index),
            "encoder_sha256": encoder_sha256,
            "documents_sha256": file_digest(temporary / DOCUMENTS),
        }
        write_model(temporary, INDEX, index, content, state, _card(index))


@read_settled
def load_index(
    folder: "str | os.PathLike[str]",
    *,
    vectors: "WordVectors | str | os.PathLike[str] | None" = None,
    tokenizer: "Tokenizer | None" = None,
    verify: bool = True,
) -> "DocumentIndex":
    """Open an index that `save_index` wrote; it finds the same, with the same scores.

    Its rows and texts are mapped: they are read when they are used, and processes share them.
    Documents can be added to it; the folder stays as it is.

    Parameters
    ----------
    folder : path
    vectors, tokenizer : optional
        As for `vlawe.persistence.load_encoder`.
    verify : bool, default=True
        Read the documents once through to check that nothing was changed, that all numbers are
        finite and that lengths belong to their rows. False opens an index of any size at once, for
        folders that you trust.

    Raises
    ------
    ModelError
        If a file is missing, changed, of a newer version, or does not fit the others.
    """
    folder = Path(folder)
    kind, config, state = read_model(folder, INDEX)
    try:
        own = inside(folder, ENCODER)
    except ValueError as error:
        raise error_in(folder, ENCODER, error) from error
    encoder = load_encoder(own, vectors=vectors, tokenizer=tokenizer)
    check_belongs(own, config.get("encoder_sha256"))
    if verify:
        check_unchanged(folder, DOCUMENTS, config.get("documents_sha256"))
    try:
        index: DocumentIndex = kind(encoder, **file_parameters(kind, config, ("encoder",)))
        documents = Declared(map_tensors(inside(folder, DOCUMENTS))[0])
        index.restore(documents, state, config.get("documents"), verify=verify)
        documents.check_all_taken()
        state.check_all_taken()
    except FileNotFoundError as error:
        raise error_in(folder, DOCUMENTS, "is missing") from error
    except TensorFileError as error:
        raise error_in(folder, DOCUMENTS, error) from error
    except (TypeError, ValueError) as error:
        raise error_in(folder, DOCUMENTS, f"does not fit {CONFIG}: {error}") from error
    return index


def _card(index: "DocumentIndex") -> str:
    kept = "kept" if index.keep_texts else "not kept"
    return f"""# Document index

{len(index):,} documents, encoded by the {type(index.encoder).__name__} in `{ENCODER}/`; their texts
are {kept}. {made_with()}
{_never_found(index.n_empty)}
```python
from vlawe import DocumentIndex

index = DocumentIndex.load("path/to/this/folder")
for hit in index.search("a text", n=10):
    print(hit.score, hit.position, hit.text)
```

On the command line: `vlawe search path/to/this/folder "a text"`.
"""


def _never_found(n_empty: int) -> str:
    return f"{n_empty:,} of them have no known word, and are never found.\n" if n_empty else ""
