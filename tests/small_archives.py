"""Small archives in the form of the real ones, and the entries of a catalog for them."""

import hashlib
import io
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

from vlawe.reproduce.datasets import DATASETS, Dataset, DatasetInfo

SENTENCES = {
    "sentence_polarity/rt-polarity.neg": "a dull film . \nnot a clich\u00e9\x96 two . \n",
    "sentence_polarity/rt-polarity.pos": "a fine film . \nwarm and funny . \n",
}
STORY = (
    '<REUTERS TOPICS="{marked}" LEWISSPLIT="{split}" CGISPLIT="X" NEWID="1">\n'
    "<TOPICS>{topics}</TOPICS>\n<TEXT>&#2;\n<TITLE>{title}</TITLE>\n"
    "<DATELINE>LONDON</DATELINE><BODY>{body}</BODY></TEXT>\n</REUTERS>\n"
)


def zipped(members: dict[str, str | bytes], path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def tarred(members: dict[str, bytes], path: Path) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def small_mr(folder: Path) -> DatasetInfo:
    """Write an archive of MR with four sentences; return the entry that describes it."""
    path = zipped(SENTENCES, folder / "sentence_polarity.zip")
    data = path.read_bytes()
    lines = [line for text in SENTENCES.values() for line in text.split("\n") if line]
    documents = Dataset("MR", lines, ["neg", "neg", "pos", "pos"], None, "accuracy")
    return replace(
        DATASETS["MR"],
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        documents_sha256=documents.sha256,
        n_documents=4,
    )


def story(split: str, *topics: str, title: str = "T", body: str = "B", marked: str = "YES") -> str:
    return STORY.format(
        split=split,
        topics="".join(f"<D>{topic}</D>" for topic in topics),
        title=title,
        body=body,
        marked=marked,
    )


def small_reuters(folder: Path, stories: list[str]) -> Path:
    """Write an archive of Reuters-21578 with these stories in the first of its 22 files."""
    files = {f"reut2-{number:03}.sgm": b"<!DOCTYPE lewis>\n" for number in range(22)}
    files["reut2-000.sgm"] += "".join(stories).encode("latin-1")
    return tarred({"README.txt": b"about", **files}, folder / "reuters21578.tar.gz")
