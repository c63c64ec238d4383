"""Processes that die, are interrupted, or find the disk full at the n-th call that changes files.

`Crashes` starts one process, which imports and compiles everything once, and then forks a child for
each trial: it runs a command of the package in a folder, or one of `SAVES`. Calls that touch files
of the folder are counted: opening to write, writing, cutting, forcing to the disk, renaming,
exchanging, making and removing. At the n-th one the child

- ``kill``: ends at once; of a write, half is done;
- ``interrupt``: gets Control-C just before;
- ``full``: is told from there on that no space is left;
- ``read-only``: is told from there on that the disk cannot be written.

Or a signal comes at a random instant, whatever the child does then.
"""

import builtins
import errno
import faulthandler
import gc
import io
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

from vlawe.system import exchange

KILLED = 137
OUTSIDE = 98
"""The exit code of a child that was interrupted before or after the command itself."""
_LONGEST = 240
"""Seconds after which a child says where it hangs, and ends."""

_ERRORS = {"full": errno.ENOSPC, "read-only": errno.EROFS}


class Calls:
    """Counts calls on files of a folder, and lets something happen at one of them."""

    def __init__(self, folder, how, n):
        self.folder = f"{folder}{os.sep}"
        self.how = how
        self.n = n
        self.count = 0

    def touches(self, path):
        try:
            return os.path.normpath(Path.cwd() / os.fsdecode(path)).startswith(self.folder)
        except TypeError:  # a descriptor
            return os.path.realpath(f"/proc/self/fd/{path}").startswith(self.folder)

    def step(self, *, writes=False, before_death=lambda: None):
        self.count += 1
        if self.how in _ERRORS and writes and self.count >= self.n:
            raise OSError(_ERRORS[self.how], os.strerror(_ERRORS[self.how]))
        if self.count == self.n and self.how == "kill":
            before_death()
            os._exit(KILLED)
        if self.count == self.n and self.how == "interrupt":
            os.kill(os.getpid(), signal.SIGINT)

    def install(self):
        calls = self

        class CountingFile(io.FileIO):
            def write(self, data):
                view = memoryview(data).cast("B")
                half = view[: len(view) // 2]
                calls.step(writes=True, before_death=lambda: super(CountingFile, self).write(half))
                return super().write(data)

            def truncate(self, size=None):
                calls.step()
                return super().truncate(size)

        real_open = builtins.open

        def open_counting(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None,
                          closefd=True, opener=None):  # fmt: skip
            if not set(mode) & set("wax+") or not calls.touches(file):
                return real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
            calls.step(writes=True)
            raw = CountingFile(file, mode.replace("b", "").replace("t", ""), closefd, opener)
            if buffering == 0:
                return raw
            buffered = (io.BufferedRandom if "+" in mode else io.BufferedWriter)(raw)
            if "b" in mode:
                return buffered
            return io.TextIOWrapper(buffered, encoding, errors, newline)

        real_os_open = os.open

        def os_open_counting(path, flags, *rest, **options):
            if flags & os.O_CREAT and calls.touches(path):
                calls.step(writes=True)
            return real_os_open(path, flags, *rest, **options)

        builtins.open = io.open = open_counting
        os.open = os_open_counting
        for name in ("rename", "replace", "unlink", "remove", "rmdir", "mkdir", "fsync"):
            setattr(os, name, self._counting(getattr(os, name), writes=name == "mkdir"))
        real = exchange._renameat2()
        if real is not None:

            def exchange_counting(*how):
                calls.step()
                return real(*how)

            exchange._renameat2 = lambda: exchange_counting

    def _counting(self, function, *, writes):
        def call(path, *rest, **options):
            # Removing a tree names files by descriptors of their folders.
            if "dir_fd" in options or self.touches(path):
                self.step(writes=writes)
            return function(path, *rest, **options)

        return call


def _save_encoder():
    from vlawe import VLAWE

    VLAWE.load("../model").save("new")


def _save_classifier():
    from vlawe import DocumentClassifier

    DocumentClassifier.load("../classifier").save("new")


def _save_index():
    from vlawe import DocumentIndex

    DocumentIndex.load("../index").save("new")


def _save_table():
    from vlawe import WordVectors

    WordVectors.load("in.txt").save("table.safetensors")


SAVES = {
    "save encoder": _save_encoder,
    "save classifier": _save_classifier,
    "save index": _save_index,
    "save table": _save_table,
}


def run_here(folder, arguments):
    """Run a command in a folder; return its exit code."""
    from vlawe.cli import main

    before = Path.cwd()
    os.chdir(folder)
    try:
        if arguments[0] in SAVES:
            return _saved(SAVES[arguments[0]])
        main([*arguments, "--quiet"])
    except SystemExit as ended:
        return ended.code or 0
    finally:
        os.chdir(before)


def _saved(save):
    """Call a function that saves; return what the command would have as exit code."""
    try:
        save()
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _outside(error):
    """Tell whether an interruption came before or after the command itself."""
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    return not any("vlawe" in Path(file).parts for file in files)


def run_child(folder, arguments, how=None, n=0, two_steps=False, after=None):
    """Run a command in a child; return its exit code, and how many calls touched the folder.

    With ``after`` the signal ``n`` is sent to it so many seconds after it has begun.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code, running = 99, True
        calls = Calls(folder, how, n)

        def interrupt(*_):
            if running:
                raise KeyboardInterrupt

        try:
            for stream, suffix in ((1, ".out"), (2, ".err")):
                name = Path(folder).with_suffix(suffix)
                os.dup2(os.open(name, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), stream)
            sys.stdout, sys.stderr = open(1, "w"), open(2, "w")  # noqa: SIM115
            faulthandler.dump_traceback_later(_LONGEST, exit=True, file=2)
            if two_steps:
                exchange._renameat2 = lambda: None
            calls.install()
            signal.signal(signal.SIGINT, interrupt)
            os.write(writing, b" ")
            code = run_here(folder, arguments)
            running = False
        except BaseException as error:
            traceback.print_exc()
            if isinstance(error, KeyboardInterrupt) and _outside(error):
                code = OUTSIDE
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os.write(writing, str(calls.count).encode())
            os._exit(code)
    os.close(writing)
    os.read(reading, 1)
    if after is not None:
        time.sleep(after)
        os.kill(child, n)
    _, status = os.waitpid(child, 0)
    counted = os.read(reading, 100)
    os.close(reading)
    return os.waitstatus_to_exitcode(status), int(counted or 0)


def serve():
    """Run commands as standard input asks, a line of JSON each; answer by a line."""
    from vlawe.cli import pipeline
    from vlawe.cli.inputs import delimited
    from vlawe.cli.outputs import parquet
    from vlawe.cli.runs import bags, checkpoint
    from vlawe.encoders import encoder

    # States are kept and forced to the disk at every occasion; batches and row groups are small.
    bags.KEPT_EVERY = checkpoint.SYNC_EVERY = pipeline.MOMENTS_EVERY = 0.0
    delimited.LARGEST_ROW = 512
    encoder.BATCH_ROWS = 8
    parquet.ROW_GROUP_BYTES = 1 << 12
    answers, sys.stdout = sys.stdout, Path(os.devnull).open("w")  # noqa: SIM115
    for line in sys.stdin:
        gc.freeze()  # or collecting in a child would copy all of the memory
        print(json.dumps(globals()[(asked := json.loads(line))[0]](*asked[1:])), file=answers)
        answers.flush()


class Crashes:
    """The process that forks children; threads of OpenMP would not live on in them."""

    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )  # fmt: skip

    def ask(self, *question):
        print(json.dumps(question, default=str), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def close(self):
        self._process.communicate()


def told(folder, suffix=".err"):
    """Return what the last child said on standard error, or output."""
    return Path(folder).with_suffix(suffix).read_text()


def content_of(folder):
    """Return all files of a folder, by their paths, with their bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in sorted(Path(folder).rglob("*"))}  # fmt: skip


if __name__ == "__main__":
    serve()
