import numpy as np
import pytest

from vlawe import VLAWE, DocumentClassifier, WordVectors
from vlawe.cli import display


@pytest.mark.parametrize(
    ("n_bytes", "shown"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (28_607_101, "28.6 MB"),
     (5.6e9, "5.6 GB"), (2e15, "2,000.0 TB")],
)  # fmt: skip
def test_sizes_are_shown_in_a_fitting_unit(n_bytes, shown):
    assert display.size_of(n_bytes) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.0123, "12 ms"), (0.34, "0.3 s"), (59.94, "59.9 s"), (125.7, "2 min 5 s")],
)
def test_durations_are_shown_in_a_fitting_unit(seconds, shown):
    assert display.seconds_of(seconds) == shown


def test_numbers_have_their_noun():
    assert display.counted(1, "document") == "1 document"
    assert display.counted(2000, "document") == "2,000 documents"
    assert display.percent(0.98765) == "98.8 %"


HOSTILE = "\x1b]0;owned\x07red\x9b2J\r\x00"
SHOWN = r"\x1b]0;owned"


def test_control_characters_of_texts_are_shown_and_not_obeyed(capsys):
    from rich.text import Text

    table = display.make_table("text", title=HOSTILE)
    table.add_row(Text(HOSTILE))
    display.console().print(table)
    display.console().print(HOSTILE)
    display.print_facts([("name", HOSTILE)])
    display.print_note(HOSTILE)
    captured = capsys.readouterr()
    for told in (captured.out, captured.err):
        assert SHOWN in told
        assert all(letter.isprintable() or letter == "\n" for letter in told)


def test_colours_of_a_terminal_are_left(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    display.console().print(HOSTILE, style="red")
    assert capsys.readouterr().out.startswith("\x1b[31m" + SHOWN)


@pytest.mark.parametrize(
    "command",
    ["codebook model", "vectors nearest \x1bred --vectors table.safetensors",
     "explain classifier \x1bred", "search model in.txt \x1bred", "evaluate classifier in.csv",
     "predict classifier in.csv -o out.csv", "train in.csv -o other -k 2 --label-column \x1b"],
)  # fmt: skip
def test_words_labels_and_texts_cannot_steer_a_terminal(run, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["\x1bred", "\x1bblue", "\x1bgreen", "\x1bblack"]
    WordVectors(words, np.eye(4)).save("table.safetensors")
    texts = [f"{word} {words[0]}" for word in words]
    (tmp_path / "in.txt").write_text("\n".join(texts))
    labels = ["\x1ba", "\x1bb"] * 2
    rows = [f"{text},{label}" for text, label in zip(texts, labels, strict=True)]
    (tmp_path / "in.csv").write_text("\n".join(["text,label", *rows]))
    table = WordVectors.load("table.safetensors")
    model = VLAWE(table, n_codewords=2, tokenizer=None).fit([[word] for word in words])
    model.save("model")
    parts = [("vlawe", model, "linear")]
    DocumentClassifier(parts).fit([text.split() for text in texts], labels).save("classifier")
    ended = run(*command.split(" "))
    assert "\x1b" not in ended.out + ended.err
    assert ended.out + ended.err
