import os
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from itertools import count, islice

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from vlawe.system import threads
from vlawe.system.threads import (
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


def test_work_inside_a_thread_of_the_pool_does_not_wait_for_the_pool():
    def work(number):
        return sum(map_threads(lambda i: i * number, range(10), 2))

    assert list(map_threads(work, range(8), 2)) == [45 * number for number in range(8)]


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
    begun, under_way = threading.Event(), []

    def work(number):
        if number > 0:
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


def test_control_c_while_waiting_for_a_thread_waits_for_what_it_does(monkeypatch):
    under_way, begun = [], threading.Event()

    def interrupted(future, timeout=None):
        assert begun.wait(timeout=30)
        raise KeyboardInterrupt

    def work(number):
        under_way.append(number)
        begun.set()
        time.sleep(0.3)
        under_way.remove(number)
        return number

    monkeypatch.setattr(Future, "result", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(map_threads(work, range(2), 2))
    assert under_way == []


def test_a_single_item_needs_no_other_thread():
    here = threading.get_ident()
    assert list(map_threads(lambda _: threading.get_ident(), [0], 4)) == [here]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_threads_of_its_own():
    code = """
import os, warnings
from vlawe.system.threads import map_threads
warnings.simplefilter("ignore")
print(sum(map_threads(int, range(9), 2)), flush=True)
child = os.fork()
if child == 0:
    os._exit(sum(map_threads(int, range(9), 2)))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == ("36\n36\n", "")


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


def test_native_libraries_are_looked_for_again_only_after_imports(monkeypatch):
    found = threads._libraries(len(sys.modules))
    with one_native_thread():
        assert threads._libraries(len(sys.modules)) is found
    monkeypatch.setitem(sys.modules, "a_module_that_may_bring_a_library", sys)
    assert threads._libraries(len(sys.modules)) is not found
