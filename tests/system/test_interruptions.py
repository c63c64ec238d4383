"""Tests of Control-C at whatever instant."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from vlawe.system.interruptions import is_interruption, uninterrupted


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


def test_control_c_waits_for_the_end_of_the_block():
    steps = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        interrupt()
        with uninterrupted():
            steps.append("inside")
        steps.append("still inside")
    assert steps == ["inside", "still inside"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_who_ignores_control_c_still_does():
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with uninterrupted():
            interrupt()
    finally:
        signal.signal(signal.SIGINT, former)


def test_other_threads_have_nothing_to_wait_for():
    def work():
        with uninterrupted():
            handlers.append(signal.getsignal(signal.SIGINT))

    handlers = []
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]


def test_what_native_code_makes_of_an_interruption_is_one():
    error = SystemError("returned a result with an exception set")
    error.__cause__ = SystemError()
    error.__cause__.__cause__ = KeyboardInterrupt()
    assert is_interruption(error)
    assert not is_interruption(ValueError())


INTERRUPTED = """
import random, signal, sys
from vlawe import VLAWE

n_jobs = int(sys.argv[1])
texts = ["fresh bread and the noon train to the coast"] * 100
encoder = VLAWE(n_codewords=3, n_jobs=n_jobs).fit(texts)
expected = encoder.transform(texts)
generator = random.Random(n_jobs)
# Libraries ask to be called when memory is freed; Python cannot raise what happens there.
sys.unraisablehook = lambda *_: None
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
n_interrupted = 0
for _ in range(1500):
    try:
        signal.setitimer(signal.ITIMER_REAL, generator.uniform(1e-5, 1e-3))
        encoder.transform(texts)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        n_interrupted += 1
signal.setitimer(signal.ITIMER_REAL, 0)
assert (encoder.transform(texts) == expected).all()
print(n_interrupted)
"""


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_transform_is_interrupted_by_keyboard_interrupt_only(n_jobs):
    """It was a SystemError in one of ten, and with threads it could hang for ever.

    In a process of its own: an interruption inside of coverage's tracer leaves its lock taken.
    """
    command = [sys.executable, "-c", INTERRUPTED, str(n_jobs)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 100
