"""How many tokens of the data sets the bundled table knows.

    python benchmarks/coverage.py [folder with the archives]

The folder is VLAWE_DATA or ``../shared/datasets`` by default.
"""

import html
import os
import re
import sys
import tarfile
import zipfile
from pathlib import Path

from vlawe import WordVectors, tokenize

DEFAULT = Path(__file__).parent.parent.parent / "shared" / "datasets"


def lines(archive: Path, part: str, encoding: str) -> list[str]:
    """Return the lines of the members whose name contains ``part``."""
    with zipfile.ZipFile(archive) as opened:
        members = [name for name in opened.namelist() if part in name]
        return [
            line for name in members for line in opened.read(name).decode(encoding).splitlines()
        ]


def reviews(archive: Path) -> list[str]:
    """Return the movie reviews, one a file."""
    with zipfile.ZipFile(archive) as opened:
        members = [name for name in opened.namelist() if name.endswith(".txt")]
        return [opened.read(name).decode("latin-1") for name in members]


def reuters(archive: Path) -> list[str]:
    """Return title and body of every story."""
    stories = []
    with tarfile.open(archive) as opened:
        for member in opened.getmembers():
            file = opened.extractfile(member)
            if file is None or not member.name.endswith(".sgm"):
                continue
            for text in re.findall(r"<TEXT.*?</TEXT>", file.read().decode("latin-1"), re.DOTALL):
                parts = re.findall(r"<(?:TITLE|BODY)>(.*?)</(?:TITLE|BODY)>", text, re.DOTALL)
                stories.append(html.unescape("\n".join(parts)))
    return stories


def main(folder: Path) -> None:
    """Print a row for each data set."""
    questions = lines(folder / "qc.zip", ".txt", "latin-1")
    corpora = {
        "MR": lines(folder / "sentence_polarity.zip", "rt-polarity.", "utf-8"),
        "Subj": lines(folder / "subjectivity.zip", ".tok.", "latin-1"),
        "RT-2k": reviews(folder / "movie_reviews.zip"),
        "TREC": [line.split(" ", 1)[1] for line in questions if ":" in line.split(" ", 1)[0]],
        "Reuters-21578": reuters(folder / "reuters21578.tar.gz"),
    }
    vectors = WordVectors.default()
    for name, texts in corpora.items():
        bags = tokenize(texts, vectors)
        print(
            f"{name:14}{len(texts):7,} documents {bags.n_tokens:10,} tokens "
            f"{bags.coverage:8.2%} known {bags.n_empty:5,} without a known word"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("VLAWE_DATA", DEFAULT)))
