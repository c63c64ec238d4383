import os
import subprocess
import sys
import threading
import time
from itertools import count, islice

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from vlawe.system import threads as parallel
from vlawe.system.threads import (
    Shared,
    _stop_all,
    _Task,
    available_cores,
    map_threads,
    n_under_way,
    one_native_thread,
    resolve_jobs,
    run_threads,
)


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_results_come_in_the_order_of_the_items(n_jobs):
    assert list(map_threads(lambda i: i * i, range(100), n_jobs)) == [i * i for i in range(100)]
    assert list(map_threads(str, [], n_jobs)) == []


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_items_are_taken_only_as_they_are_needed(n_jobs):
    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield taken

    results = map_threads(lambda i: i, endless(), n_jobs)
    assert taken == 0
    for n_results in range(1, 20):
        assert next(results) == n_results
        assert taken <= n_results - 1 + n_under_way(n_jobs)
    results.close()


def test_items_are_taken_by_the_calling_thread_which_works_on_them_too():
    here = threading.get_ident()
    meeting = threading.Barrier(2)

    def items():
        for number in range(20):
            yield number, threading.get_ident()

    def work(item):
        number, taker = item
        if number < 2:
            meeting.wait(timeout=30)  # for the other thread
        return taker, threading.get_ident()

    done = list(map_threads(work, items(), 2))
    assert {taker for taker, _ in done} == {here}
    workers = {worker for _, worker in done}
    assert here in workers
    assert len(workers) == 2


def items_after(begun):
    """Yield numbers, the third when the other thread has begun with one of them."""
    yield from range(2)
    assert begun.wait(timeout=30)
    yield from count(2)


def test_an_error_of_the_calling_thread_waits_for_its_turn():
    here = threading.get_ident()
    begun, failed = threading.Event(), threading.Event()

    def work(i):
        if threading.get_ident() == here:
            failed.set()
            raise KeyError(i)
        begun.set()
        assert failed.wait(timeout=30)
        return i

    results = map_threads(work, items_after(begun), 2)
    assert next(results) == 0
    with pytest.raises(KeyError):
        list(results)


def test_control_c_does_not_wait_for_its_turn():
    here = threading.get_ident()
    begun, told = threading.Event(), threading.Event()

    def work(i):
        if threading.get_ident() == here:
            threading.Timer(0.2, told.set).start()  # lets the pool end
            raise KeyboardInterrupt
        begun.set()
        assert told.wait(timeout=30)
        return i

    with pytest.raises(KeyboardInterrupt):
        next(map_threads(work, items_after(begun), 2))


def test_threads_really_work_side_by_side():
    meeting = threading.Barrier(2)  # of two threads, or this never ends
    assert len(list(map_threads(lambda _: meeting.wait(timeout=30), range(2), 2))) == 2


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_error_comes_in_its_turn_and_ends_the_work(n_jobs):
    def fail_at_five(i):
        if i == 5:
            raise KeyError(i)
        return i

    results = map_threads(fail_at_five, count(), n_jobs)
    assert list(islice(results, 5)) == [0, 1, 2, 3, 4]
    with pytest.raises(KeyError, match="5"):
        next(results)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_error_of_the_items_passes_through(n_jobs):
    def items():
        yield 1
        raise OSError("no more")

    with pytest.raises(OSError, match="no more"):
        list(map_threads(str, items(), n_jobs))


def test_work_that_has_begun_is_over_when_an_iterator_is_closed():
    here, begun, under_way = threading.get_ident(), threading.Event(), []

    def work(number):
        if threading.get_ident() != here and number > 0:
            under_way.append(number)
            begun.set()
            time.sleep(0.2)
            under_way.remove(number)
        return number

    results = map_threads(work, count(), 2)
    assert next(results) == 0
    assert begun.wait(timeout=30)
    results.close()
    assert under_way == []


def test_an_iterator_that_was_stopped_when_python_ends_can_still_be_closed():
    begun, go = threading.Event(), threading.Event()

    def work(number):
        if number == 1:
            begun.set()
            assert go.wait(timeout=30)
        return number

    results = map_threads(work, count(), 2)
    assert next(results) == 0
    assert begun.wait(timeout=30)  # one is under way, and nobody has begun with the others
    go.set()
    _stop_all()
    closing = threading.Thread(target=results.close, daemon=True)
    closing.start()
    closing.join(timeout=30)
    assert not closing.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_can_close_an_iterator_whose_threads_it_does_not_have():
    code = """
import os, threading, warnings
from itertools import count
from vlawe.system.threads import map_threads
warnings.simplefilter("ignore")
here, begun, go = threading.get_ident(), threading.Event(), threading.Event()
def work(number):
    if number > 0 and threading.get_ident() == here:
        assert begun.wait(30)
    elif number > 0:
        begun.set()
        assert go.wait(30)
    return number
results = map_threads(work, count(), 2)
next(results)
begun.wait(30)
child = os.fork()
if child == 0:
    results.close()
    os._exit(7)
go.set()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == ("7\n", "")


def test_control_c_while_waiting_for_another_thread_waits_for_what_it_does(monkeypatch):
    here, under_way = threading.get_ident(), []
    begun = threading.Event()
    result = _Task.result

    def interrupted(task):
        assert begun.wait(timeout=30)
        if not task.is_done:
            raise KeyboardInterrupt
        return result(task)

    def work(number):
        if threading.get_ident() == here:
            assert begun.wait(timeout=30)
            return number
        under_way.append(number)
        begun.set()
        time.sleep(0.3)
        under_way.remove(number)
        return number

    monkeypatch.setattr(_Task, "result", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(map_threads(work, range(2), 2))
    assert under_way == []


def test_a_single_item_needs_no_other_thread(monkeypatch):
    monkeypatch.delattr(parallel, "start")
    here = threading.get_ident()
    assert list(map_threads(lambda _: threading.get_ident(), [0], 4)) == [here]


def test_threads_end_after_the_work():
    results = map_threads(str, count(), 4)
    next(results)
    results.close()
    assert all_threads_end()


def all_threads_end() -> bool:
    """Wait until no thread of the package is left; False if that takes too long."""
    for _ in range(300):
        if all(thread.name != "vlawe" for thread in threading.enumerate()):
            return True
        time.sleep(0.1)
    return False


def test_what_ends_a_thread_is_told_to_the_caller():
    here = threading.get_ident()
    begun = threading.Event()

    def items():
        yield from range(2)
        assert begun.wait(timeout=30)

    def work(i):
        if threading.get_ident() != here:
            begun.set()
            raise SystemExit(7)
        return i

    with pytest.raises(SystemExit):
        list(map_threads(work, items(), 2))


def test_python_ends_although_an_iterator_was_left_open():
    code = """
from itertools import count
from vlawe.system.threads import map_threads
results = map_threads(str, count(), 3)
print(next(results))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_work_without_results_is_run_to_its_end():
    done = np.zeros(50, bool)
    assert run_threads(lambda i: done.__setitem__(i, True), range(50), 3) is None
    assert done.all()


def test_what_is_shared_is_computed_once_by_the_threads_that_ask():
    meeting = threading.Barrier(2)
    made = []

    def work(item):
        made.append((item, threading.get_ident()))
        meeting.wait(timeout=30)  # for the thread that has the other item
        return item * item

    shared = Shared(work, [2, 3])
    assert list(map_threads(lambda _: (shared[0], shared[1]), range(8), 2)) == [(4, 9)] * 8
    assert sorted(item for item, _ in made) == [2, 3]
    assert len({thread for _, thread in made}) == 2


def test_an_error_of_something_shared_is_told_to_all_who_ask_for_it():
    def work(item):
        if item == 1:
            raise KeyError(item)
        return item

    shared = Shared(work, range(3))
    assert shared[2] == 2
    for _ in range(2):
        with pytest.raises(KeyError, match="1"):
            shared[1]
    assert shared[0] == 0


def test_control_c_ends_the_work_on_something_shared():
    begun = []

    def work(item):
        begun.append(item)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Shared(work, range(3))[2]
    assert begun == [0]


def test_nobody_waits_for_a_thread_that_was_interrupted(monkeypatch):
    here = threading.get_ident()
    is_claimed, other_asks = threading.Event(), threading.Event()
    shared = Shared(str, [0])
    work = _Task.work

    def interrupted(task):  # before it has begun with what it has claimed
        if task in shared._tasks:
            is_claimed.set()
            assert other_asks.wait(timeout=30)
            raise KeyboardInterrupt
        work(task)

    def ask(number):
        if threading.get_ident() != here:
            assert is_claimed.wait(timeout=30)
            other_asks.set()
        return shared[0]

    monkeypatch.setattr(_Task, "work", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(map_threads(ask, range(10), 2))  # and waits for the other thread


def test_a_thread_that_collects_the_iterator_does_not_wait_for_one_that_waits_for_it():
    here, asking = threading.get_ident(), []
    both_ask, is_left, is_closed = (threading.Event() for _ in range(3))

    def close(item):
        assert is_left.wait(timeout=30)
        results.close()
        is_closed.set()
        return item

    shared = Shared(close, [0])

    def work(number):
        if threading.get_ident() == here:
            assert both_ask.wait(timeout=30)
        elif number > 0:
            asking.append(number)
            if len(asking) == 2:
                both_ask.set()
            return shared[0]
        return number

    results = map_threads(work, count(), 3)
    assert next(results) == 0
    assert both_ask.wait(timeout=30)
    is_left.set()
    assert is_closed.wait(timeout=30)
    assert all_threads_end()


def test_the_number_of_threads_counts_back_from_all_cores():
    cores = available_cores()
    assert cores >= 1
    assert [resolve_jobs(n) for n in (None, 3, np.int64(3), -1, -cores, -99)] == [
        cores,
        3,
        3,
        cores,
        1,
        1,
    ]


def test_cores_are_counted_on_systems_without_affinity(monkeypatch):
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert available_cores() == 1


@pytest.mark.parametrize("n_jobs", [0, 1.0, "2", True])
def test_what_is_no_number_of_threads_is_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None or a whole number other than 0"):
        resolve_jobs(n_jobs)


def test_native_threads_are_limited_and_the_limit_is_lifted_even_after_an_error():
    def blas_threads():
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    before = blas_threads()
    with pytest.raises(KeyError), one_native_thread():
        assert blas_threads() == {1}
        raise KeyError
    assert blas_threads() == before
