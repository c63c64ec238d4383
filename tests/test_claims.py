"""What README, tour and questions claim in passing holds, each claim by what it speaks of."""

import csv
import importlib.util
import re
from importlib.resources import files

import pytest
import typer

import vlawe
from documentation import PAGES, ROOT, blocks
from vlawe import DocumentClassifier, WordVectors, tokenize
from vlawe.cli.app import app
from vlawe.encoders import Encoder

every_page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix()
)


def text_of(name):
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def prose_of(page):
    """Return a page without its fenced blocks."""
    text = page.read_text(encoding="utf-8")
    for block in blocks(page):
        text = text.replace(block.code, "")
    return text


# ---------------------------------------------------------------------- names in running text


@every_page
def test_every_command_and_option_that_a_page_names_exists(page):
    root = typer.main.get_command(app)
    for code in re.findall(r"`vlawe ([^`\n]+)`", prose_of(page)):
        words = re.split(r"[ |,]+", code.replace("\\", ""))
        command = root
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]
        assert command is not root or words[0].isupper(), code
        options = {name for parameter in command.params for name in parameter.opts}
        for option in re.findall(r"(?<!\S)--[a-z-]+", code):
            assert option in options | {"--help", "--debug"}, code


@every_page
def test_every_attribute_that_a_page_names_exists(page):
    for name, attribute in re.findall(r"`([A-Z]\w+)\.(\w+)", prose_of(page)):
        if name in vlawe.__all__:
            assert hasattr(getattr(vlawe, name), attribute), f"{name}.{attribute}"


# -------------------------------------------------------------------------------- the claims


def test_the_bundled_table_and_messages_are_as_many_as_is_said():
    claim = "a table of 62,658 English words and 600 short messages on six topics"
    assert claim in text_of("docs/tour.md")
    assert len(WordVectors.default()) == 62_658
    with files("vlawe").joinpath("data/messages.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 600
    assert len({row["topic"] for row in rows}) == 6


def test_the_default_classifier_is_what_the_pages_say():
    parts = DocumentClassifier().get_params()
    kinds = {type(own).__name__ for own in parts.values() if isinstance(own, Encoder)}
    assert kinds == {"VLAWE", "MeanVector", "NGrams"}
    for page in ("docs/tour.md", "docs/classification.md", "docs/faq.md"):
        assert "VLAWE and BOSWE together" not in text_of(page)
    assert "by VLAWE, the mean of their word vectors and their n-grams" in text_of("docs/tour.md")
    paper = DocumentClassifier(recipe="paper").get_params()
    kinds = {type(own).__name__ for own in paper.values() if isinstance(own, Encoder)}
    assert kinds == {"VLAWE", "BOSWE"}


def test_the_bundled_tables_lack_what_the_questions_say_they_lack():
    assert "older than covid, bitcoin and ChatGPT and have no emoji" in text_of("docs/faq.md")
    for table in (WordVectors.default(), WordVectors.bundled("similar-en")):
        assert not {"covid", "bitcoin", "chatgpt", "😀", "😂", "🚀"} & set(table.words)
    assert tokenize(["covid 😂"], WordVectors.default()).n_unknown.tolist() == [2]


def test_the_first_paragraph_says_when_to_use_this_and_when_not():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = readme.split("\n\n")[1]
    assert "**Use it** to" in first
    assert "**Do not use it** where" in first


def test_the_readme_leads_from_the_demo_to_the_shell():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    steps = ("make demo", "source .venv/bin/activate", "vlawe encode")
    places = [readme.index(step) for step in steps]
    assert places == sorted(places)
    assert "pip install ." in readme


# ------------------------------------------------------------------------------- the pictures


def test_pictures_are_those_of_the_code_beside_them(tmp_path, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    spec = importlib.util.spec_from_file_location("pictures", ROOT / "tools" / "make_pictures.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    monkeypatch.chdir(tmp_path)
    drawn = []
    for page in ("pictures.md", "explanations.md"):
        namespace = {"__name__": "__main__"}
        for block in blocks(ROOT / "docs" / page):
            if block.language == "python":
                exec(compile(block.code.replace('method="tsne"', ""), page, "exec"), namespace)
        drawn.append(namespace["ax"])
    (wanted,) = tool.explanation().axes
    for own in drawn:
        assert told_by(own) == told_by(wanted)
    plt.close("all")


def told_by(ax):
    words = [label.get_text() for label in ax.get_yticklabels()]
    return ax.get_title(loc="left"), words, [text.get_text() for text in ax.texts]
