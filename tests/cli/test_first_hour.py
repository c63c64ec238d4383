"""A newcomer's first hour: files as people have them, and commands as people guess them.

Each command does what was meant, or ends in an error that names what to type instead.
"""

import csv
import json
from importlib.resources import files
from pathlib import Path

import pytest

GERMAN = [
    "Der Zug nach Hamburg hat schon wieder zwanzig Minuten Verspätung.",
    "Die Suppe war kalt und das Brot trocken.",
    "Ich kann mein Passwort nicht mehr zurücksetzen.",
    "Der Arzt sagt, das Knie braucht Ruhe.",
    "Die Rechnung vom letzten Monat stimmt nicht.",
]
TWEETS = [
    ("lol covid is back 😂😂 #fml", "bad"),
    ("bitcoin to the moon 🚀🚀 best day", "good"),
    ("ChatGPT wrote my essay 🤖 so happy", "good"),
    ("brb getting boba 🧋 yes please", "good"),
    ("missed the train and the gig 💔", "bad"),
    ("u ok hun? terrible news", "bad"),
]

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with reviews in a semicolon CSV, tickets, German texts and tweets, to work in."""
    monkeypatch.chdir(tmp_path)
    with files("vlawe").joinpath("data/messages.csv").open(encoding="utf-8", newline="") as file:
        topics = ("food", "travel")
        rows = [row for row in csv.DictReader(file) if row["topic"] in topics][:150]
    with Path("reviews.csv").open("w", encoding="latin-1", errors="replace", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["id", "Text", "topic"])
        for number, row in enumerate(rows):
            writer.writerow([number, f"{row['text']}; café", row["topic"]])
    with Path("tickets.jsonl").open("w", encoding="utf-8") as file:
        for number, row in enumerate(rows):
            ticket = {"id": number, "body": row["text"], "team": row["topic"]}
            ticket |= {"team": None} if number % 7 == 3 else {}
            ticket |= {"body": None} if number % 13 == 6 else {}
            print(json.dumps(ticket), file=file)
    Path("german.txt").write_text("\n".join(GERMAN * 6), encoding="utf-8")
    lines = [f"{text}\t{mood}" for text, mood in TWEETS * 4]
    Path("tweets.tsv").write_text("\n".join(["tweet\tmood", *lines]), encoding="utf-8")
    lines = [f"{row['text']}|{row['topic']}" for row in rows if "|" not in row["text"]]
    Path("export.csv").write_text("\n".join(["text|label", *lines]), encoding="utf-16")
    Path("marked.csv").write_text("text;label\nsoup;food\n", encoding="utf-8-sig")
    return tmp_path


@pytest.fixture
def type_line(run):
    """Run a command as it is typed; it must end well, or tell what its error tells to type."""

    def type_line(line, told=None):
        ended = run(*line.split())
        if told is None:
            assert ended.code == 0, f"{line}: {ended.err}"
            return ended
        assert ended.code != 0, line
        assert told in ended.err, f"{line}: {ended.err}"
        assert ended.err.splitlines()[-1].startswith("vlawe: error: ")
        assert "Traceback" not in ended.err
        return ended

    return type_line


def test_an_hour(folder, type_line):
    columns = "--text-column Text --label-column topic"

    # A semicolon CSV of an old spreadsheet.
    type_line("train reviews.csv", told="add -o MODEL")
    type_line("train reviews.csv -o topics", told="'Text', 'topic' (choose one with --text-column")
    type_line("train reviews.csv -o topics --text-column Text", told="with --label-column")
    trained = type_line(f"train reviews.csv -o topics {columns}")
    assert "read as windows-1252" in trained.err
    type_line("predict topics reviews.csv", told="add -o OUT")
    type_line("predict topics reviews.csv -o new.xlsx --text-column Text", told="name it *.csv")
    type_line("predict topics reviews.csv -o new.csv --text-column Text")
    answers = Path("new.csv").read_text(encoding="utf-8")
    assert answers.count("café") == 150

    # An export in UTF-16 with pipes, a table with a byte-order mark.
    type_line("train export.csv -o exported -q")
    type_line("predict exported marked.csv -o answers.csv")
    assert Path("answers.csv").read_text(encoding="utf-8").splitlines()[1].startswith("soup,food,")
    type_line("train export.csv -o exported --delimiter ;", told="choose one with --text-column")
    type_line("train export.csv -o exported --encoding utf-8", told="--encoding")

    # Tickets, some without a team, some without a text.
    type_line("train tickets.jsonl -o teams", told="'body', 'team' (choose one with --text-column")
    named = "--text-column body --label-column team"
    type_line(f"train tickets.jsonl -o teams {named}", told="--skip-missing leaves such rows out")
    trained = type_line(f"train tickets.jsonl -o teams {named} --skip-missing")
    assert "rows without a text left out" in trained.err
    assert "rows without a label left out" in trained.err
    type_line("predict teems tickets.jsonl -o x.csv", told="vlawe train, fit and index write one")

    # German, of which the bundled table knows little.
    fitted = type_line("fit german.txt -o german")
    assert "The bundled table is English" in fitted.err
    type_line("fit german.txt -o german --vectors cc.de.300.vec", told="bundled tables are meta-en")
    type_line("encode german german.txt -o rows.npy", told="usage: vlawe encode [OPTIONS] INPUT")
    type_line("encode german -o rows.npy", told="takes it as --model")
    type_line("encode german.txt -o rows.npy --model german")
    type_line("predict german german.txt -o x.csv", told="vlawe train makes a model")

    # Tweets.
    judged = type_line("evaluate topics tweets.tsv --text-column tweet --label-column mood")
    assert "labels unknown to the model" in judged.out
    assert "😂" in judged.err
    type_line("vectors nearest covid", told="--vectors names another table")
    type_line("vectors info")

    trained = type_line("train tweets.tsv -o moods --text-column tweet --label-column mood")
    assert "n-grams learn from them all the same" in trained.err
    assert "covid" in type_line("words moods -n 30").out
    type_line("words topic", told="vlawe train, fit and index write one")

    # Looking at what came out.
    type_line("explain topics", told="--file INPUT")
    type_line("explain topics the_train_was_late")
    type_line("explain topics the_train_was_late --label bus", told="it has food, travel")
    type_line("explain topics --file tweets.tsv", told="choose one with --text-column")
    told = type_line("explain topics --file tweets.tsv --text-column tweet --label food").out
    assert len(told.splitlines()) == 24
    type_line("words topics -n 5")
    assert "tweets.tsv is explained as a text" in type_line("explain topics tweets.tsv").err
    judged = type_line(f"evaluate topics reviews.csv {columns}")
    assert "the model was trained on these documents" in judged.err
    type_line(f"report topics reviews.csv {columns} -o report.html")
    assert "not held out" in Path("report.html").read_text(encoding="utf-8").lower()
    type_line("codebook topics")
    type_line("index topics reviews.csv -o found --text-column Text")
    assert "score" in type_line("search found train").out
    type_line("search found reviews.csv train", told="leave out reviews.csv")
    type_line("train reviews.csv -o report.html", told="choose another folder")
