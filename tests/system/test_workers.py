import os
import subprocess
import sys
import threading
import time
import weakref

import pytest

from vlawe import workers


def run(function=lambda: None) -> threading.Thread:
    """Run a function in a worker to its end; return the thread."""
    done = threading.Event()

    def work():
        function()
        done.set()

    job = workers.start(work)
    assert done.wait(timeout=30)
    return job.thread


def wait_until(is_so) -> None:
    for _ in range(3000):
        if is_so():
            return
        time.sleep(0.01)
    raise AssertionError("it never came")


@pytest.fixture
def patient(monkeypatch):
    """Let threads wait for long, so that none ends although the machine is busy."""
    monkeypatch.setattr(workers, "_LINGER", 10.0)


def test_a_function_runs_in_another_thread():
    idents = []
    run(lambda: idents.append(threading.get_ident()))
    assert idents != [threading.get_ident()]


def test_a_thread_that_has_nothing_to_do_is_used_again(patient):
    first = run()
    for _ in range(5):
        wait_until(lambda: workers._idle and workers._idle[-1].thread is first)
        assert run() is first


def test_a_thread_that_is_busy_is_not_used(patient):
    is_over = threading.Event()
    job = workers.start(lambda: is_over.wait(timeout=30))
    assert run() is not job.thread
    is_over.set()
    job.wait()
    assert any(worker.thread is job.thread for worker in workers._idle)


def test_a_job_is_done_when_the_wait_for_it_is_over():
    done = []
    job = workers.start(lambda: (time.sleep(0.1), done.append(job.is_here)))
    job.wait()
    assert done == [True]
    assert not job.is_here
    job.wait()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_nobody_waits_for_a_job_that_failed():
    job = workers.start(lambda: 1 / 0)
    job.wait()
    job.thread.join(timeout=30)
    assert not job.thread.is_alive()
    assert run() is not job.thread


def test_threads_end_when_nothing_comes():
    thread = run()
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert all(worker.thread is not thread for worker in workers._idle)
    assert run() is not thread


def test_a_thread_that_somebody_has_taken_waits_for_what_it_is_to_do():
    worker = workers._Worker()
    worker.thread.start()  # and is not among those that are idle
    time.sleep(3 * workers._LINGER)
    assert worker.thread.is_alive()
    done = threading.Event()
    worker.jobs.put(workers.Job(done.set, worker.thread))
    assert done.wait(timeout=30)


def test_threads_let_go_of_what_they_ran(patient):
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
import os, warnings
from vlawe.system.threads import map_threads
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
