"""From an archive to a `Dataset`, counts verified."""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from vlawe.reproduce.datasets.archives import read_zip
from vlawe.reproduce.datasets.catalog import PAIRS, DataError, DatasetInfo, find_dataset
from vlawe.reproduce.datasets.dataset import Dataset, Labels
from vlawe.reproduce.datasets.pairs import SentencePairs, read_pairs
from vlawe.reproduce.datasets.reuters import modapte, read_stories

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
    dataset = Dataset(info.name, *_READERS[info.name](path), info.metric)
    for what, found, expected in (
        ("documents", len(dataset), info.n_documents),
        ("training documents", dataset.n_train, info.n_train),
        ("labels", len(dataset.classes), info.n_classes),
    ):
        if found != expected:
            raise DataError(f"{path}: {found:,} {what} of {info.name}, expected {expected:,}")
    return dataset


def load_pairs(
    name: str = "STS-dev", folder: str | os.PathLike[str] | None = None
) -> SentencePairs:
    """Read a set of judged pairs of sentences; parameters and errors are those of `load`."""
    return load_judged(find_dataset(name, PAIRS), folder)


def load_judged(info: DatasetInfo, folder: str | os.PathLike[str] | None = None) -> SentencePairs:
    """Read the pairs of an entry of the catalog, as `load_pairs` does by its name."""
    path = archive_path(info, folder)
    pairs = read_pairs(info.name, path)
    if len(pairs) != info.n_documents:
        raise DataError(
            f"{path}: {len(pairs):,} pairs of {info.name}, expected {info.n_documents:,}"
        )
    return pairs


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


def data_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of the archives: the given one, else VLAWE_DATA, else the user's cache.

    It need not exist.
    """
    named = folder or os.environ.get("VLAWE_DATA")
    return Path(named) if named else _user_cache() / "vlawe" / "datasets"


def _user_cache() -> Path:
    named = {"win32": "LOCALAPPDATA", "darwin": ""}.get(sys.platform, "XDG_CACHE_HOME")
    folder = Path(os.environ.get(named, ""))
    if folder.is_absolute():  # the XDG specification says to pass over a relative path
        return folder
    usual = {"win32": "AppData/Local", "darwin": "Library/Caches"}.get(sys.platform, ".cache")
    try:
        return Path.home() / usual
    except RuntimeError as error:  # of pathlib
        raise FileNotFoundError(
            "this user has no home folder: let VLAWE_DATA name one for the data sets"
        ) from error


# --------------------------------------------------------------------------------- the readers


def _read_one_file_a_label(member: str, names: tuple[str, ...], path: Path) -> Documents:
    return _labelled({name: _lines(path, member.format(name), "utf-8") for name in names})


def _read_rt2k(path: Path) -> Documents:
    files = {name: read_zip(path, f"movie_reviews/{name}/*.txt") for name in ("neg", "pos")}
    return _labelled(
        {name: [text.decode("latin-1") for text in own.values()] for name, own in files.items()}
    )


def _labelled(texts: dict[str, list[str]]) -> Documents:
    """Return the texts of each label, one label after the other."""
    labels = [label for label, own in texts.items() for _ in own]
    return [text for own in texts.values() for text in own], labels, None


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
    "MR": partial(_read_one_file_a_label, "sentence_polarity/rt-polarity.{}", ("neg", "pos")),
    "TREC": _read_trec,
    "Subj": partial(_read_one_file_a_label, "subjectivity/{}.tok.gt9.5000", ("plot", "quote")),
}
