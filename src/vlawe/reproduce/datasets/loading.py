"""From an archive to a `Dataset`, counts verified."""

import os
from collections.abc import Callable
from pathlib import Path

from vlawe.reproduce.datasets.archives import read_zip
from vlawe.reproduce.datasets.catalog import DatasetInfo, find_dataset
from vlawe.reproduce.datasets.dataset import Dataset
from vlawe.reproduce.datasets.errors import DataError
from vlawe.reproduce.datasets.folder import data_folder
from vlawe.reproduce.datasets.reuters import modapte, read_stories

Labels = list[str] | list[tuple[str, ...]]
Documents = tuple[list[str], Labels, int | None]
"""Texts, labels, and how many of them are for training (None: no split)."""


def load(name: str, folder: str | os.PathLike[str] | None = None) -> Dataset:
    """Read a data set from its archive.

    Parameters
    ----------
    name : str
        ``"Reuters"``, ``"RT-2k"``, ``"MR"``, ``"TREC"`` or ``"Subj"``; case and punctuation do not
        matter.
    folder : str or path, optional
        Where the archive is; else the folder named by VLAWE_DATA, else the user's cache.

    Returns
    -------
    Dataset
        Its numbers of documents and labels are those of the catalog.

    Raises
    ------
    DataError
        If the archive is missing or damaged, or holds other numbers of documents.
    """
    return load_entry(find_dataset(name), folder)


def load_entry(info: DatasetInfo, folder: str | os.PathLike[str] | None = None) -> Dataset:
    """Read the data set of an entry of the catalog, as `load` does by its name."""
    path = archive_path(info, folder)
    texts, labels, n_train = _READERS[info.name](path)
    dataset = Dataset(info.name, texts, labels, n_train, info.metric)
    _check_counts(dataset, info, path)
    return dataset


def archive_path(info: DatasetInfo, folder: str | os.PathLike[str] | None = None) -> Path:
    """Return where the archive of a data set is; a `DataError` if it is not there."""
    path = data_folder(folder) / info.archive
    if not path.is_file():
        raise DataError(
            f"{info.name}: no file {info.archive} in {path.parent}; "
            f"`vlawe datasets download {info.name}` gets it, and --data or VLAWE_DATA names "
            "another folder"
        )
    return path


def _check_counts(dataset: Dataset, info: DatasetInfo, path: Path) -> None:
    for what, found, expected in (
        ("documents", len(dataset), info.n_documents),
        ("training documents", dataset.n_train, info.n_train),
        ("labels", len(dataset.classes), info.n_classes),
    ):
        if found != expected:
            raise DataError(f"{path}: {found:,} {what} of {info.name}, expected {expected:,}")


# --------------------------------------------------------------------------------- the readers


def _read_mr(path: Path) -> Documents:
    return _one_file_a_label(path, "sentence_polarity/rt-polarity.{}", ("neg", "pos"))


def _read_subj(path: Path) -> Documents:
    return _one_file_a_label(path, "subjectivity/{}.tok.gt9.5000", ("plot", "quote"))


def _one_file_a_label(path: Path, member: str, names: tuple[str, ...]) -> Documents:
    texts: list[str] = []
    labels: list[str] = []
    for label in names:
        own = _lines(path, member.format(label), "utf-8")
        texts += own
        labels += [label] * len(own)
    return texts, labels, None


def _read_rt2k(path: Path) -> Documents:
    texts: list[str] = []
    labels: list[str] = []
    for label in ("neg", "pos"):
        files = read_zip(path, f"movie_reviews/{label}/*.txt")
        texts += [content.decode("latin-1") for content in files.values()]
        labels += [label] * len(files)
    return texts, labels, None


def _read_trec(path: Path) -> Documents:
    """Read ``COARSE:fine question`` lines; the label is the coarse one."""
    train, test = (_lines(path, f"qc/{split}.txt", "latin-1") for split in ("train", "test"))
    pairs = [line.partition(" ") for line in train + test]
    labels = [label.partition(":")[0] for label, _, _ in pairs]
    return [question for _, _, question in pairs], labels, len(train)


def _read_reuters(path: Path) -> Documents:
    train, test = modapte(read_stories(path))
    stories = train + test
    return [story.text for story in stories], [story.topics for story in stories], len(train)


def _lines(path: Path, member: str, encoding: str) -> list[str]:
    (content,) = read_zip(path, member).values()
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: {member}: byte {error.start} is not {encoding}") from error
    # Not splitlines, which also splits at control characters inside a sentence.
    return [line for line in text.split("\n") if line]


_READERS: dict[str, Callable[[Path], Documents]] = {
    "Reuters": _read_reuters,
    "RT-2k": _read_rt2k,
    "MR": _read_mr,
    "TREC": _read_trec,
    "Subj": _read_subj,
}
