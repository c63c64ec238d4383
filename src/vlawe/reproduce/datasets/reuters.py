"""Reuters-21578: SGML to stories, and the ModApte split with its 90 categories."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from vlawe.reproduce.datasets.archives import read_tar
from vlawe.reproduce.datasets.catalog import DataError

N_FILES = 22

_STORY = re.compile(r"<REUTERS(.*?)>(.*?)</REUTERS>", re.DOTALL)
_SPLIT = re.compile(r'LEWISSPLIT="(\w+)"')
_TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
_TOPIC = re.compile(r"<D>(.*?)</D>")
_TEXT = re.compile(r"<TEXT.*?</TEXT>", re.DOTALL)
_PART = re.compile(r"<(TITLE|BODY)>(.*?)</\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class Story:
    """A story: its text (title and body), its topics, and which part of the split it is in.

    ``split`` is ``"train"`` or ``"test"`` of ModApte, or empty for a story in neither.
    """

    text: str
    topics: tuple[str, ...]
    split: str


def read_stories(path: Path) -> list[Story]:
    """Return all stories of the collection, in its order."""
    files = read_tar(path, "reut2-*.sgm")
    if len(files) != N_FILES:
        raise DataError(f"{path}: {len(files)} files reut2-*.sgm, expected {N_FILES}")
    return [story for content in files.values() for story in _stories(content.decode("latin-1"))]


def modapte(stories: list[Story]) -> tuple[list[Story], list[Story]]:
    """Return training and test stories with the topics that both parts have.

    Of the ModApte split are kept the stories that have one of these topics. Topics of a story that
    only one part has are dropped.
    """
    topics: dict[str, set[str]] = {"train": set(), "test": set(), "": set()}
    for story in stories:
        topics[story.split].update(story.topics)
    shared = topics["train"] & topics["test"]
    parts: dict[str, list[Story]] = {"train": [], "test": [], "": []}
    for story in stories:
        if own := tuple(topic for topic in story.topics if topic in shared):
            parts[story.split].append(replace(story, topics=own))
    return parts["train"], parts["test"]


def _stories(sgml: str) -> Iterator[Story]:
    for header, story in _STORY.findall(sgml):
        split = _SPLIT.search(header)
        in_modapte = split and split[1] in ("TRAIN", "TEST") and 'TOPICS="YES"' in header
        yield Story(_text(story), _topics(story), split[1].lower() if split and in_modapte else "")


def _text(story: str) -> str:
    text = _TEXT.search(story)
    if text is None:
        return ""
    parts = _PART.findall(text[0])
    if not parts:  # a story without structure
        return html.unescape(_TAG.sub(" ", text[0]))
    return html.unescape("\n".join(part for _, part in parts))


def _topics(story: str) -> tuple[str, ...]:
    topics = _TOPICS.search(story)
    # Some stories name a topic twice.
    return tuple(dict.fromkeys(_TOPIC.findall(topics[1]))) if topics else ()
