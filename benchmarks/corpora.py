"""The five data sets of the paper, read from their archives as they are distributed.

The folder with the archives is VLAWE_DATA, or ``shared/datasets`` beside the checkout.
"""

import html
import os
import re
import tarfile
import zipfile
from pathlib import Path

FOLDER = Path(
    os.environ.get("VLAWE_DATA", Path(__file__).parent.parent.parent / "shared" / "datasets")
)

Labelled = tuple[list[str], list[str]]


def _lines(archive: str, member: str, encoding: str) -> list[str]:
    with zipfile.ZipFile(FOLDER / archive) as opened:
        text = opened.read(member).decode(encoding)
    return [line for line in text.split("\n") if line]


def mr() -> Labelled:
    """MR: 10,662 sentences of movie reviews, by polarity."""
    texts, labels = [], []
    for label in ("neg", "pos"):
        own = _lines("sentence_polarity.zip", f"sentence_polarity/rt-polarity.{label}", "utf-8")
        texts += own
        labels += [label] * len(own)
    return texts, labels


def subj() -> Labelled:
    """Subj: 10,000 sentences, plot summaries (objective) and quotes of reviews (subjective)."""
    texts, labels = [], []
    for label in ("plot", "quote"):
        own = _lines("subjectivity.zip", f"subjectivity/{label}.tok.gt9.5000", "latin-1")
        texts += own
        labels += [label] * len(own)
    return texts, labels


def rt2k() -> Labelled:
    """RT-2k: 2,000 movie reviews, by polarity."""
    with zipfile.ZipFile(FOLDER / "movie_reviews.zip") as opened:
        names = sorted(name for name in opened.namelist() if name.endswith(".txt"))
        texts = [opened.read(name).decode("latin-1") for name in names]
    return texts, [name.split("/")[-2] for name in names]


def trec() -> tuple[Labelled, Labelled]:
    """TREC: questions by the coarse class of their answer, 5,452 for training and 500 for test."""
    splits = []
    for name in ("train", "test"):
        pairs = [line.split(" ", 1) for line in _lines("qc.zip", f"qc/{name}.txt", "latin-1")]
        splits.append(([text for _, text in pairs], [label.split(":")[0] for label, _ in pairs]))
    return splits[0], splits[1]


def reuters() -> tuple[
    tuple[list[str], list[tuple[str, ...]]], tuple[list[str], list[tuple[str, ...]]]
]:
    """Reuters-21578, ModApte split, the 90 categories with a training and a test document."""
    stories: dict[str, list[tuple[str, tuple[str, ...]]]] = {"TRAIN": [], "TEST": []}
    for header, story in _reuters_stories():
        split = re.search(r'LEWISSPLIT="(\w+)"', header)
        if split and split[1] in stories and 'TOPICS="YES"' in header:
            stories[split[1]].append((_reuters_text(story), _reuters_topics(story)))
    topics = [{topic for _, own in stories[split] for topic in own} for split in stories]
    wanted = topics[0] & topics[1]
    halves = []
    for split in stories.values():
        kept = [(text, tuple(t for t in own if t in wanted)) for text, own in split]
        kept = [(text, own) for text, own in kept if own]
        halves.append(([text for text, _ in kept], [own for _, own in kept]))
    return halves[0], halves[1]


def reuters_all() -> list[str]:
    """Return every story of Reuters-21578."""
    return [_reuters_text(story) for _, story in _reuters_stories()]


def _reuters_stories() -> list[tuple[str, str]]:
    stories = []
    with tarfile.open(FOLDER / "reuters21578.tar.gz") as opened:
        for member in sorted(opened.getmembers(), key=lambda member: member.name):
            file = opened.extractfile(member)
            if file is not None and member.name.endswith(".sgm"):
                content = file.read().decode("latin-1")
                stories += re.findall(r"<REUTERS(.*?)>(.*?)</REUTERS>", content, re.DOTALL)
    return stories


def _reuters_text(story: str) -> str:
    text = re.search(r"<TEXT.*?</TEXT>", story, re.DOTALL)
    parts = re.findall(r"<(TITLE|BODY)>(.*?)</\1>", text[0] if text else "", re.DOTALL)
    if not parts and text:  # stories without structure
        return html.unescape(re.sub(r"<[^>]*>", " ", text[0]))
    return html.unescape("\n".join(part for _, part in parts))


def _reuters_topics(story: str) -> tuple[str, ...]:
    topics = re.search(r"<TOPICS>(.*?)</TOPICS>", story, re.DOTALL)
    return tuple(re.findall(r"<D>(.*?)</D>", topics[1] if topics else ""))
