import os
import subprocess
import sys
import threading
import time

import pytest

from vlawe import workers


def run(function=lambda: None) -> threading.Thread:
    """Run a function in a worker; return its thread when it is idle again."""
    done = threading.Event()

    def work():
        function()
        done.set()

    thread = workers.start(work)
    assert done.wait(timeout=30)
    wait_until(lambda: any(worker.thread is thread for worker in workers._idle))
    return thread


def wait_until(is_so) -> None:
    for _ in range(3000):
        if is_so():
            return
        time.sleep(0.01)
    raise AssertionError("it never came")


@pytest.fixture
def patient(monkeypatch):
    """Let threads wait for long; those that wait already have ended."""
    wait_until(lambda: not workers._idle)
    monkeypatch.setattr(workers, "_LINGER", 5.0)


def test_a_thread_that_has_nothing_to_do_is_used_again(patient):
    assert len({run() for _ in range(5)}) == 1


def test_a_thread_that_is_busy_is_not(patient):
    is_over = threading.Event()
    first = workers.start(lambda: is_over.wait(timeout=30))
    assert run() is not first
    is_over.set()


def test_a_function_runs_in_another_thread():
    idents = []
    run(lambda: idents.append(threading.get_ident()))
    assert idents != [threading.get_ident()]


def test_threads_end_when_nothing_comes():
    thread = run()
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert all(worker.thread is not thread for worker in workers._idle)
    assert run() is not thread


def test_a_thread_that_is_taken_at_the_last_moment_stays(monkeypatch):
    thread = run()
    (worker,) = (worker for worker in workers._idle if worker.thread is thread)
    workers._idle.remove(worker)  # as who has something for it does
    time.sleep(3 * workers._LINGER)
    assert thread.is_alive()
    done = threading.Event()
    worker.functions.put(done.set)
    assert done.wait(timeout=30)


def test_threads_let_go_of_what_they_ran(patient):
    import weakref

    class Thing:
        def __call__(self):
            pass

    thing = Thing()
    is_gone = weakref.ref(thing)
    run(thing)
    del thing
    wait_until(lambda: is_gone() is None)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_starts_threads_of_its_own():
    code = """
import os, sys, warnings
from vlawe.parallel import map_threads
warnings.simplefilter("ignore")  # newer versions of Python warn of forking with threads
def work():
    return list(map_threads(str, range(100), 3)) == [str(i) for i in range(100)]
assert work()
child = os.fork()
if child == 0:
    os._exit(0 if work() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), work())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "0 True\n"
