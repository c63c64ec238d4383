"""Every command that writes, and every ``save``: killed, interrupted, and out of space.

At every call that touches the output (here a sample is taken; ``make crash`` takes all) and at
random instants. After each, what is at the output is the old result or the new one, the next run
ends in the bytes of an undisturbed one, goes on with the work that was noted, and nothing is left
behind.
"""

import json
import os
import random
import shutil
import signal
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import small_fasttext
from crashes import KILLED, OUTSIDE, Crashes, content_of, told
from vlawe import WordVectors

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

ALL = os.environ.get("VLAWE_CRASHES") == "all"
SAMPLE = {"kill": 2, "interrupt": 1, "full": 1}
N_RANDOM = int(os.environ.get("VLAWE_CRASHES_AT_RANDOM", "5"))
TABLE = ["--vectors", "../table.safetensors"]
PLACES, THINGS = ("coast", "kitchen", "bank"), ("train", "bread", "coin")
WORDS = [*PLACES, *THINGS, ",", "number", "on", "off"]
TEXTS = [f"{place} {thing}, number {n}" for n in range(5) for place in PLACES for thing in THINGS]


@dataclass
class Case:
    """A command, its output, and more options, with which it made an old result."""

    output: str
    command: list[str]
    other: list[str] = field(default_factory=list)


def encoding(output, *options, other=("-k", "3")):
    return Case(output, ["encode", "in.csv", "-o", output, "--json", *options], list(other))


def predicting(output):
    return Case(output, ["predict", "../classifier", "in.csv", "-o", output])


CASES = {
    "encode npy": encoding("rows.npy", "-k", "2", *TABLE),
    "encode npz": encoding("rows.npz", "-k", "2", *TABLE),
    "encode parquet": encoding("rows.parquet", "-k", "2", *TABLE),
    "encode sparse": encoding("rows.npz", "--method", "bow", *TABLE, other=["--dtype", "float64"]),
    "encode with PCA": encoding("rows.npy", "-k", "2", "--components", "3", *TABLE),
    "encode by a model": encoding("rows.npy", "--model", "../model", other=["--no-resume"]),
    "encode once": encoding("rows.npy", "-k", "2", "--no-resume", *TABLE),
    "fit": Case("new", ["fit", "in.csv", "-o", "new", "-k", "2", *TABLE], ["-k", "3"]),
    "train": Case(
        "new",
        ["train", "in.csv", "-o", "new", "-k", "2", *TABLE],
        ["-C", "3"],
    ),
    "predict csv": predicting("out.csv"),
    "predict lines": predicting("out.jsonl"),
    "predict parquet": predicting("out.parquet"),
    "index": Case("new", ["index", "../model", "in.csv", "-o", "new"], ["--no-texts"]),
    "convert": Case(
        "table.safetensors",
        ["vectors", "convert", "in.txt", "-o", "table.safetensors"],
        ["--dtype", "float16"],
    ),
    "learn": Case(
        "own.safetensors",
        ["vectors", "learn", "in.csv", "-o", "own.safetensors", "-d", "4", "--epochs", "1"],
        ["--seed", "3"],
    ),
    "extend": Case(
        "own.safetensors",
        ["vectors", "extend", "../tiny.bin", "in.csv", "-o", "own.safetensors"],
        ["--dtype", "float16"],
    ),
    "report": Case("page.html", ["report", "../classifier", "in.csv", "-o", "page.html"]),
    "save encoder": Case("new", ["save encoder"]),
    "save classifier": Case("new", ["save classifier"]),
    "save index": Case("new", ["save index"]),
    "save table": Case("table.safetensors", ["save table"]),
}
if find_spec("gensim") is None:  # which learns, and wrote the model that is extended
    del CASES["learn"], CASES["extend"]
COUNTED = Counter()


@pytest.fixture(scope="module")
def crashes():
    """The process that runs commands; they run once there, so that all is compiled."""
    process = Crashes()
    yield process
    process.close()


@pytest.fixture(scope="module")
def here(crashes, tmp_path_factory):
    """A folder with a table, an encoder, a classifier and an index; in memory if possible."""
    memory = Path("/dev/shm")
    parent = memory if os.access(memory, os.W_OK) else tmp_path_factory.getbasetemp()
    folder = Path(tempfile.mkdtemp(prefix="crashes", dir=parent))
    make_input(folder)
    WordVectors(WORDS, np.random.default_rng(3).normal(size=(len(WORDS), 4))).save(
        folder / "table.safetensors"
    )
    made = [
        *("fit in.csv -o model -k 2", "train in.csv -o classifier -k 2"),
        *("encode in.csv -o rows.parquet -k 3", "encode in.csv -o few.npy --components 3 -k 2"),
        "encode in.csv -o words.npz --method bow",
    ]
    used = ["predict classifier in.csv -o out.parquet", "index model in.csv -o index"]
    if "extend" in CASES:
        small_fasttext.train([text for text in TEXTS if "coin" not in text], folder)
        used += [
            "vectors learn in.csv -o own.safetensors -d 4 --epochs 1",
            "vectors extend tiny.bin in.csv -o extended.safetensors",
        ]
    for command in [*(f"{one} --vectors table.safetensors" for one in made), *used]:
        assert crashes.ask("run_here", folder, command.split()) == 0
    yield folder
    shutil.rmtree(folder)


def make_input(folder):
    folder.mkdir(exist_ok=True)
    rows = [f'"{text}",{text.split()[0]}' for text in TEXTS]
    (folder / "in.csv").write_text("\n".join(["text,label", *rows, ""]))
    (folder / "in.txt").write_text("".join(f"word{n} {n} {n % 7} 0.5\n" for n in range(50)))


class Trial:
    """A case in a fresh folder, again and again."""

    def __init__(self, crashes, here, name, *, has_old, two_steps=False):
        self.crashes = crashes
        self.name = name
        self.case = CASES[name]
        self.folder = here / "trial"
        self.two_steps = two_steps
        self.old = None
        if has_old:
            self.begin()
            command = [*self.case.command, *self.case.other]
            assert crashes.ask("run_here", self.folder, command) == 0
            output = self.folder / self.case.output
            if not self.case.other and output.is_dir():
                (output / "README.md").write_text("old")
            elif not self.case.other:
                output.write_text("old")
            self.old = here / "old"
            shutil.rmtree(self.old, ignore_errors=True)
            shutil.copytree(self.folder, self.old)
        self.begin()
        code, self.n_calls = self.run()
        assert code == 0, told(self.folder)
        self.expected = content_of(self.folder)

    def begin(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.old is None:
            make_input(self.folder)
        else:
            shutil.copytree(self.old, self.folder)

    def run(self, how=None, n=0, after=None):
        command = self.case.command
        return self.crashes.ask("run_child", self.folder, command, how, n, self.two_steps, after)

    def check(self, how, n):
        """Let something happen at the n-th call, and see that nothing is lost."""
        self.begin()
        before = content_of(self.folder)
        code, count = self.run(how, n)
        where = f"{self.name}: {how} at call {n} of {self.n_calls}"
        # What is forced to the disk beside the work is not always in the same number of calls.
        assert code in CODES[how] or (code == 0 and count < n), (
            f"{where}: exit code {code}\n{told(self.folder)}"
        )
        if how in TOLD and code:
            assert TOLD[how] in told(self.folder), where
        assert "Traceback" not in told(self.folder), f"{where}\n{told(self.folder)}"
        COUNTED[f"{how} at a call"] += 1
        self.look(before, where, tidy=how != "kill")

    def check_at(self, number, after):
        """Send a signal after some seconds, and see that nothing is lost."""
        self.begin()
        before = content_of(self.folder)
        code, _ = self.run(None, number, after)
        where = f"{self.name}: signal {number} after {after:.6f} s"
        expected = (0, -number) if number == signal.SIGKILL else (0, 130, OUTSIDE)
        assert code in expected, f"{where}: exit code {code}\n{told(self.folder)}"
        COUNTED[f"{signal.Signals(number).name} at a random instant"] += code != 0
        self.look(before, where, tidy=False)
        return code != 0

    def look(self, before, where, *, tidy):
        """See what is there, and that the next run ends as an undisturbed one does."""
        found = content_of(self.folder)
        is_new = self.at_output(found) == self.at_output(self.expected)
        if not is_new and self.at_output(found) != self.at_output(before):
            # Between two renames there is neither; the next opening finishes that.
            assert self.two_steps, f"{where}: neither the old result nor the new one"
            assert not self.at_output(found), where
        if tidy:
            others = {name for name in found if name not in self.expected}
            assert all(name.partition("/")[0] == f"{self.case.output}.part" for name in others), (
                f"{where}: {others}"
            )
        again, _ = self.run()
        assert again == 0, f"{where}, then exit code {again}\n{told(self.folder)}"
        after = content_of(self.folder)
        assert after.keys() == self.expected.keys(), where
        assert after == self.expected, where
        if "--json" in self.case.command and not is_new:
            facts = json.loads(told(self.folder, ".out"))
            assert facts["documents_of_interrupted_run"] >= self.n_noted(found), where

    def n_noted(self, content):
        """Return how many documents the journal of rows says were written."""
        lines = content.get(f"{self.case.output}.part/rows.journal", b"").split(b"\n")
        noted = [json.loads(line) for line in lines[:-1] if line]  # the last may be half a line
        return noted[-1]["facts"]["coverage"]["documents"] if noted else 0

    def at_output(self, content):
        own = self.case.output
        return {name: data for name, data in content.items() if name.split("/")[0] == own}

    def places(self, how):
        """Return at which calls it is tried: all, or some of them."""
        if ALL:
            return range(1, self.n_calls + 1)
        return sorted(random.Random(self.name + how).sample(range(1, self.n_calls), SAMPLE[how]))


CODES = {"kill": (KILLED,), "interrupt": (130, 0), "full": (1, 0), "read-only": (1,)}
TOLD = {"full": "No space left on device", "read-only": "Read-only file system"}


@pytest.fixture(scope="module", autouse=True)
def tell_counts():
    """Say in the end how often what happened, if asked for."""
    yield
    if ALL:
        print("", *(f"{n:7,} × {what}" for what, n in sorted(COUNTED.items())), sep="\n")


@pytest.mark.parametrize("has_old", [False, True] if ALL else [True])
@pytest.mark.parametrize("name", CASES)
def test_whatever_happens_nothing_is_lost(crashes, here, name, has_old):
    trial = Trial(crashes, here, name, has_old=has_old)
    for how in SAMPLE if has_old else ["kill"]:
        for n in trial.places(how):
            trial.check(how, n)
    trial.check("read-only", 1)


@pytest.mark.parametrize("name", ["fit", "train", "index", "save classifier"])
def test_a_kill_where_folders_cannot_change_places(crashes, here, name):
    trial = Trial(crashes, here, name, has_old=True, two_steps=True)
    last = 1 if ALL else trial.n_calls - 8
    for n in range(last, trial.n_calls + 1, 1 if ALL else 2):
        trial.check("kill", n)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("name", CASES if ALL else ["encode parquet", "train"])
def test_at_random_instants(crashes, here, name, number):
    """`N_RANDOM` kills and as many interrupts for all cases together; here a few for some."""
    trial = Trial(crashes, here, name, has_old=True)
    instants = random.Random(None if ALL else 7)
    left, longest = -(-N_RANDOM // len(CASES)) if ALL else N_RANDOM, 0.2
    while left:
        after = instants.uniform(0, longest)
        if trial.check_at(number, after):
            left -= 1
        else:  # it had ended before
            longest = after
