"""The exact PQ kernel of whole data sets, beside Knight's algorithm pair by pair.

    python benchmarks/pq_kernel.py [--repeats 5] [--jobs 2] [--json out.json]

Rows are BOSWE histograms over 500 codewords of MR (sentences) and RT-2k (long reviews). Whole
kernels are timed, from histograms to the normalised matrix. Both contestants then compute one
random block of rows by rows: vlawe by its public function, checks and ranking included; Knight's
merge sort over the 500 bins with all rows ranked and sorted beforehand, compiled, on as many
threads. Peak memory is that of a process which computes the kernel of MR, over what it had before.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from side_by_side import machine, measure, report
from vlawe.kernels import pq_kernel
from vlawe.kernels.gram import slices
from vlawe.system.compiling import compiled, inlined
from vlawe.system.threads import run_threads

N_CODEWORDS = 500
SAMPLES = {"MR": (2048, 512), "RT-2k": (512, 512)}
"""Rows and columns of the block that both contestants compute."""


def save_histograms(folder: Path) -> None:
    """Write the histograms of both data sets."""
    from vlawe import BOSWE
    from vlawe.reproduce.datasets import load

    for name in SAMPLES:
        encoder = BOSWE(n_codewords=N_CODEWORDS, random_state=0)
        sp.save_npz(folder / f"{name}.npz", sp.csr_array(encoder.fit_transform(load(name).texts)))


# -------------------------------------------------------------------------- Knight's algorithm


def presort(rows: sp.csr_array) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return each row's ranks and its bins in the order of their values."""
    dense = rows.toarray()
    orders = np.argsort(dense, axis=1, kind="stable").astype(np.int32)
    in_order = np.take_along_axis(dense, orders, axis=1)
    steps = np.cumsum(np.diff(in_order, axis=1, prepend=in_order[:, :1]) != 0, axis=1)
    ranks = np.empty_like(orders)
    np.put_along_axis(ranks, orders, steps.astype(np.int32), axis=1)
    return ranks, orders


@inlined
def count_inversions(values: Any, room: Any) -> Any:
    """Sort the values by merging and return how many pairs were in falling order."""
    inversions = 0
    width = 1
    while width < len(values):
        for left in range(0, len(values) - width, 2 * width):
            middle = left + width
            end = min(middle + width, len(values))
            if values[middle - 1] <= values[middle]:
                continue
            for i in range(left, middle):
                room[i] = values[i]
            i, j, k = left, middle, left
            while i < middle and j < end:  # no branches in it: half would be mispredicted
                first, second = room[i], values[j]
                falls = np.int64(second < first)
                values[k] = second if second < first else first
                inversions += falls * (middle - i)
                j += falls
                i += 1 - falls
                k += 1
            while i < middle:
                values[k] = room[i]
                i += 1
                k += 1
        width *= 2
    return inversions


@compiled
def knight(ranks_x: Any, ranks_y: Any, orders_y: Any, start: Any, stop: Any, out: Any) -> None:
    """Write ``2(P − Q) = 2(N − T_x − T_y + T_xy − 2 inversions)`` of some rows x with all y."""
    n = ranks_x.shape[1]
    ends = np.empty(n + 1, np.int64)
    starts = np.empty(n + 1, np.int64)
    values = np.empty(n, np.int32)
    room = np.empty(n, np.int32)
    for i in range(start, stop):
        ranks = ranks_x[i]
        starts[:] = 0
        for rank in ranks:
            starts[rank + 1] += 1
        ties_x = 0
        for rank in range(n):
            ties_x += starts[rank + 1] * (starts[rank + 1] - 1) // 2
            starts[rank + 1] += starts[rank]
        for j in range(len(out[i])):
            # The bins by their rank in x, those of equal rank by y: y's order, dealt out to ranks.
            ends[:] = starts
            own = ranks_y[j]
            for name in orders_y[j]:
                values[ends[ranks[name]]] = own[name]
                ends[ranks[name]] += 1
            ties_xy = 0
            for rank in range(ranks.max() + 1):
                equal = 0
                for place in range(starts[rank] + 1, starts[rank + 1]):
                    equal = equal + 1 if values[place] == values[place - 1] else 0
                    ties_xy += equal
            inversions = count_inversions(values, room)
            ties_y = 0
            equal = 0
            for place in range(1, n):
                equal = equal + 1 if values[place] == values[place - 1] else 0
                ties_y += equal
            pairs = n * (n - 1) // 2 - ties_x - ties_y + ties_xy
            out[i, j] = 2.0 * (pairs - 2 * inversions)


def knight_block(X: sp.csr_array, Y: sp.csr_array, n_jobs: int) -> Any:
    """Return a function that computes the kernel of X with Y by `knight`."""
    ranks_x, _ = presort(X)
    ranks_y, orders_y = presort(Y)
    out = np.empty((X.shape[0], Y.shape[0]))

    def compute() -> NDArray[np.float64]:
        def fill(rows: slice) -> None:
            knight(ranks_x, ranks_y, orders_y, rows.start, rows.stop, out)

        run_threads(fill, slices(0, len(out), 32), n_jobs)
        return out

    return compute


# ---------------------------------------------------------------------------------- the figures


def peak_memory(path: Path, n_jobs: int) -> dict[str, float]:
    """Return the size of the kernel of some histograms and the memory it took, in MB."""
    rows = sp.csr_array(sp.load_npz(path))
    pq_kernel(rows[:64], normalize=True, n_jobs=n_jobs)  # compile
    unit = 1 if sys.platform == "darwin" else 1024
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kernel_matrix = pq_kernel(rows, normalize=True, n_jobs=n_jobs)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "result_mb": kernel_matrix.nbytes / 1e6,
        "peak_mb": (after - before) * unit / 1e6,
        "peak_over_result": (after - before) * unit / kernel_matrix.nbytes,
    }


def side_by_side(rows: sp.csr_array, shape: tuple[int, int], n_jobs: int, repeats: int
                 ) -> dict[str, float]:  # fmt: skip
    """Return the time of the whole kernel, and of both contestants per pair of a block."""
    chosen = np.random.default_rng(0).permutation(rows.shape[0])
    X, Y = rows[chosen[: shape[0]]], rows[chosen[-shape[1] :]]
    by_knight = knight_block(X, Y, n_jobs)
    np.testing.assert_array_equal(pq_kernel(X, Y), by_knight())
    block = measure({"vlawe": lambda: pq_kernel(X, Y, n_jobs=n_jobs), "knight": by_knight}, repeats)
    whole = measure({"vlawe": lambda: pq_kernel(rows, normalize=True, n_jobs=n_jobs)}, repeats)
    n_pairs = shape[0] * shape[1]
    return {
        "whole_seconds": whole["vlawe"],
        "vlawe_ns_per_pair": block["vlawe"] / n_pairs * 1e9,
        "knight_ns_per_pair": block["knight"] / n_pairs * 1e9,
        "ratio": block["knight"] / block["vlawe"],
    }


def in_a_process(*arguments: str) -> str:
    """Run a step of this file by itself: what it had in memory counts for no other step."""
    done = subprocess.run(
        [sys.executable, __file__, *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2, help="threads of both contestants")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--step", nargs=2, metavar=("STEP", "PATH"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step is not None:
        step, path = options.step
        if step == "histograms":
            save_histograms(Path(path))
        else:
            print(json.dumps(peak_memory(Path(path), options.jobs)))
        return

    facts: dict[str, Any] = {"jobs": options.jobs, "repeats": options.repeats}
    table = [["data set", "rows", "bins", "non-zero", "whole kernel s", "vlawe ns/pair",
              "Knight ns/pair", "ratio"]]  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        in_a_process("--step", "histograms", name)
        # Before this process grows: a child starts with its parent's peak.
        memory = json.loads(
            in_a_process("--jobs", str(options.jobs), "--step", "memory", f"{name}/MR.npz")
        )
        for data_set, shape in SAMPLES.items():
            rows = sp.csr_array(sp.load_npz(folder / f"{data_set}.npz"))
            figures = side_by_side(rows, shape, options.jobs, options.repeats)
            facts[data_set] = figures
            table.append(
                [
                    data_set,
                    f"{rows.shape[0]:,}",
                    str(rows.shape[1]),
                    f"{rows.nnz / rows.shape[0]:.0f}",
                    f"{figures['whole_seconds']:.2f}",
                    f"{figures['vlawe_ns_per_pair']:.0f}",
                    f"{figures['knight_ns_per_pair']:.0f}",
                    f"{figures['ratio']:.0f}",
                ]
            )
    facts |= {"memory": memory, **machine("vlawe", "numpy", "numba", "scipy")}
    title = (
        f"PQ kernel on {options.jobs} thread(s), medians of {options.repeats} interleaved runs; "
        f"MR: peak memory {memory['peak_mb']:.0f} MB, {memory['peak_over_result']:.2f} times the "
        f"result ({memory['result_mb']:.0f} MB)"
    )
    report(title, facts, table, options.json)


if __name__ == "__main__":
    main()
