"""Indexes as folders: the encoder's own folder, and the documents in a file that is mapped."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe import __version__
from vlawe.persistence.encoders import load_encoder, write_encoder
from vlawe.system.files import atomic_folder, new_file_mode
from vlawe.system.model_folder import (
    CONFIG,
    FORMAT,
    TENSORS,
    check_target,
    error_in,
    file_digest,
    read_config,
    read_tensors,
    write_sealed,
)
from vlawe.system.tensors import Pieces, TensorFileError, Tensors, map_tensors, write_pieces

if TYPE_CHECKING:
    from vlawe.search import DocumentIndex
    from vlawe.search.rows import Block, IndexRows
    from vlawe.search.strings import StringColumn
    from vlawe.tokenizer import Tokenizer
    from vlawe.vectors import WordVectors

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
    from vlawe.search.lists import ListSearch

    target = check_target(folder)
    with atomic_folder(target) as temporary:
        own = temporary / ENCODER
        own.mkdir()
        write_encoder(index.encoder, own, include_vectors)
        documents = temporary / DOCUMENTS
        write_pieces(documents, _pieces(index), {"format": FORMAT})
        documents.chmod(new_file_mode())
        content = {
            "class": type(index).__name__,
            "parameters": {
                "backend": index.backend,
                "keep_texts": index.keep_texts,
                "n_probe": index.n_probe,
            },
            "documents": len(index),
            "encoder_sha256": file_digest(own / TENSORS),
            "documents_sha256": file_digest(documents),
        }
        learned = index._search.tensors() if isinstance(index._search, ListSearch) else {}
        write_sealed(temporary, content, learned, _card(index))


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
        Read the documents once through to check that nothing was changed. False opens an index of
        any size at once, for folders that you trust.

    Raises
    ------
    ModelError
        If a file is missing, changed, of a newer version, or does not fit the others.
    """
    from vlawe.search import DocumentIndex
    from vlawe.search.lists import ListSearch

    folder = Path(folder)
    config = read_config(folder)
    if config.get("class") != "DocumentIndex":
        raise error_in(folder, CONFIG, f"holds a {config.get('class')}, not a DocumentIndex")
    learned = read_tensors(folder, config)
    encoder = load_encoder(folder / ENCODER, vectors=vectors, tokenizer=tokenizer)
    if file_digest(folder / ENCODER / TENSORS) != config.get("encoder_sha256"):
        raise error_in(folder / ENCODER, TENSORS, "belongs to another model")
    tensors = _map_documents(folder, config, verify)
    try:
        index = DocumentIndex(encoder, **config["parameters"])
        n_documents = config["documents"]
        rows = _rows(tensors, n_documents, index._rows)
        texts = _strings(tensors, "texts", n_documents if index.keep_texts else 0)
        metadata = _strings(tensors, "metadata", n_documents if "metadata.bytes" in tensors else 0)
        index._take(rows, texts, metadata)
        if isinstance(index._search, ListSearch):
            index._search.restore(learned)
    except (KeyError, TypeError, ValueError) as error:
        raise error_in(folder, DOCUMENTS, f"does not fit {CONFIG}: {error}") from error
    return index


def _pieces(index: "DocumentIndex") -> dict[str, Pieces]:
    """Return the documents as tensors that are written piece by piece."""
    blocks = index._rows.blocks()
    n_documents, n_columns, dtype = len(index), index._rows.n_columns, index._rows.dtype
    pieces = {"lengths": Pieces(np.float64, (n_documents,), (block.lengths for block in blocks))}
    if index.encoder.is_sparse:
        n_values = sum(block.rows.nnz for block in blocks)
        indptr = Pieces(np.int64, (n_documents + 1,), _row_starts(blocks))
        pieces["rows.indptr"] = indptr
        indices = (block.rows.indices.astype(np.int32) for block in blocks)
        pieces["rows.indices"] = Pieces(np.int32, (n_values,), indices)
        pieces["rows.data"] = Pieces(dtype, (n_values,), (block.rows.data for block in blocks))
    else:
        shape = (n_documents, n_columns)
        pieces["rows"] = Pieces(dtype, shape, (block.rows for block in blocks))
    for name, column in (("texts", index._texts), ("metadata", index._metadata)):
        if len(column):
            pieces[f"{name}.bytes"] = Pieces(np.uint8, (column.n_bytes,), column.data())
            offsets = Pieces(np.int64, (len(column) + 1,), column.offsets())
            pieces[f"{name}.offsets"] = offsets
    return pieces


def _row_starts(blocks: "list[Block]") -> Iterator[NDArray[np.int64]]:
    start = 0
    for block in blocks:
        yield block.rows.indptr[:-1].astype(np.int64) + start
        start += block.rows.nnz
    yield np.array([start])


def _map_documents(folder: Path, config: dict[str, Any], verify: bool) -> Tensors:
    path = folder / DOCUMENTS
    try:
        if verify and (found := file_digest(path)) != config.get("documents_sha256"):
            message = f"was changed: its checksum is {found}, not as in {CONFIG}"
            raise error_in(folder, DOCUMENTS, message)
        return map_tensors(path)[0]
    except FileNotFoundError as error:
        raise error_in(folder, DOCUMENTS, "is missing") from error
    except TensorFileError as error:
        raise error_in(folder, DOCUMENTS, str(error)) from error


def _rows(tensors: Tensors, n_documents: int, empty: "IndexRows") -> "IndexRows":
    """Return the rows, of the type and number of columns of ``empty``."""
    from vlawe.search.rows import DenseRows, SparseRows

    if isinstance(empty, SparseRows):
        pieces = [tensors[f"rows.{piece}"] for piece in ("data", "indices", "indptr")]
        if pieces[0].dtype != empty.dtype:
            raise ValueError(f"the rows are {pieces[0].dtype}, expected {empty.dtype}")
        rows = sp.csr_array(tuple(pieces), shape=(n_documents, empty.n_columns))
        rows.check_format(full_check=True)
        if not np.isfinite(rows.data).all():
            raise ValueError("a row has a number that is not finite")
        return SparseRows.mapped(rows)
    rows, lengths = tensors["rows"], tensors["lengths"]
    shape = (n_documents, empty.n_columns)
    if rows.dtype != empty.dtype or rows.shape != shape:
        raise ValueError(
            f"the rows are {rows.dtype} of shape {rows.shape}, expected {empty.dtype} of {shape}"
        )
    if lengths.dtype != np.float64 or lengths.shape != (n_documents,):
        raise ValueError(f"the lengths are {lengths.dtype} of shape {lengths.shape}")
    # That of a row of unit length in the coarsest type; a hostile one would spoil the order.
    least, most = 0.9, 1.1
    if rows.dtype == np.int8:  # a row's largest number is 127
        least, most = 126.9, 127.1 * np.sqrt(shape[1])
    if not (((lengths > least) & (lengths < most)) | (lengths == 0)).all():
        raise ValueError("a row is neither of unit length nor zero")
    return DenseRows.mapped(rows, lengths)


def _strings(tensors: Tensors, name: str, n_strings: int) -> "StringColumn":
    from vlawe.search.strings import StringColumn

    column = StringColumn()
    if n_strings:
        data, offsets = tensors[f"{name}.bytes"], tensors[f"{name}.offsets"]
        if data.dtype != np.uint8 or data.ndim != 1:
            raise ValueError(f"the bytes of the {name} are {data.dtype} of shape {data.shape}")
        if offsets.dtype != np.int64 or offsets.shape != (n_strings + 1,):
            raise ValueError(f"the offsets of the {name} are {offsets.dtype} of {offsets.shape}")
        if offsets[0] != 0 or offsets[-1] != len(data) or (np.diff(offsets) < 0).any():
            raise ValueError(f"the offsets of the {name} do not divide their bytes")
        column.append(data, offsets)
    return column


def _card(index: "DocumentIndex") -> str:
    kept = "kept" if index.keep_texts else "not kept"
    return f"""# Document index

{len(index):,} documents, encoded by the {type(index.encoder).__name__} in `{ENCODER}/`; their texts
are {kept}. Made with vlawe {__version__}.

```python
from vlawe import DocumentIndex

index = DocumentIndex.load("path/to/this/folder")
for hit in index.search("a text", n=10):
    print(hit.score, hit.position, hit.text)
```
"""
