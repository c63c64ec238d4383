"""Running a plan: resuming, records, processes."""

import json
import multiprocessing
from dataclasses import replace

import pytest

from made_up_sets import SMALL, TABLE, make_cells, make_dataset
from vlawe.reproduce import run as running
from vlawe.reproduce.cell import Measurement, Source
from vlawe.reproduce.datasets import DATASETS
from vlawe.reproduce.methods import METHODS, vlawe_method
from vlawe.reproduce.plan import (
    ABLATION_FOLDS,
    DEAR_METHODS,
    FIGURE_CODEWORDS,
    FURTHER_FOLDS,
    SEEDS,
    Request,
    make_plan,
)
from vlawe.reproduce.protocol import ORIGINAL, STRICT, Protocol, each_alone
from vlawe.reproduce.records import Records
from vlawe.reproduce.run import run
from vlawe.reproduce.units import make_units


@pytest.fixture
def made_up(monkeypatch):
    """Let runs read made-up documents and word vectors; count how many cells they measure."""
    for cached in (running._documents, running._dataset, running._table):
        cached.cache_clear()
    measured = []
    measure_cells = running.measure_cells

    def measure_and_count(cells, *arguments):
        for cell, measurement in measure_cells(cells, *arguments):
            measured.append(cell)
            yield cell, measurement

    monkeypatch.setattr(running, "load", lambda name, folder: make_dataset(name))
    monkeypatch.setattr(running, "open_vectors", lambda path: TABLE)
    monkeypatch.setattr(running, "measure_cells", measure_and_count)
    yield measured
    for cached in (running._documents, running._dataset, running._table):
        cached.cache_clear()


def cells_of(name="MR", methods=("mean", "vlawe", "boswe"), protocols=(STRICT,), folds=(0, 1, 2)):
    return make_cells(make_dataset(name), [SMALL[key] for key in methods], protocols, folds)


# --------------------------------------------------------------------------------------- resuming


def test_finished_cells_are_not_measured_again(made_up, tmp_path):
    cells = cells_of()
    first = run(cells[:4], Records(tmp_path))
    assert len(made_up) == 4
    results = run(cells, Records(tmp_path))
    assert len(made_up) == len(cells)
    assert list(results) == cells
    assert {cell: results[cell] for cell in first} == first
    assert run(cells, Records(tmp_path)) == results
    assert len(made_up) == len(cells)


def test_an_interruption_keeps_what_is_finished(made_up, tmp_path, monkeypatch):
    cells = cells_of(methods=("vlawe", "boswe"))
    measure = running._measure
    done = []

    def measure_and_interrupt(unit, data):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(unit)
        return measure(unit, data)

    monkeypatch.setattr(running, "_measure", measure_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(cells, Records(tmp_path))
    kept = Records(tmp_path).find(cells)
    assert set(kept) == {cell for unit in done for cell in unit.cells}
    assert 0 < len(kept) < len(cells)
    monkeypatch.setattr(running, "_measure", measure)
    run(cells, Records(tmp_path))
    assert len(made_up) == len(cells)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"identity": 1}', '{"measurement": {}}', "\x00", "null"]
)
def test_a_damaged_record_is_measured_anew(made_up, tmp_path, content):
    cells = cells_of(methods=("vlawe",), folds=(0,))
    expected = run(cells, Records(tmp_path))
    (path,) = tmp_path.rglob("*.json")
    path.write_text(content, encoding="utf-8")
    assert run(cells, Records(tmp_path)) == expected
    assert len(made_up) == 2


@pytest.mark.parametrize("scores", [{}, {"1": 101.0}, {"1": -1.0}, {"1": "x"}, {"1": float("nan")}])
def test_a_record_without_a_sensible_score_is_measured_anew(made_up, tmp_path, scores):
    cells = cells_of(methods=("vlawe",), folds=(0,))
    expected = run(cells, Records(tmp_path))
    (path,) = tmp_path.rglob("*.json")
    facts = json.loads(path.read_text(encoding="utf-8"))
    facts["measurement"]["scores"] = scores
    path.write_text(json.dumps(facts), encoding="utf-8")
    assert run(cells, Records(tmp_path)) == expected


def test_whatever_decides_a_number_decides_its_record(monkeypatch):
    (cell,) = cells_of(methods=("vlawe",), folds=(0,))
    changed = [
        replace(cell, dataset=replace(cell.dataset, sha256="other")),
        replace(cell, vectors=replace(cell.vectors, sha256="other")),
        replace(cell, method=vlawe_method(7)),
        replace(cell, protocol=Protocol(no_power=True)),
        replace(cell, protocol=Protocol(best_c_on_test=True)),
        replace(cell, seed=1),
        replace(cell, fold=1),
        replace(cell, n_folds=5),
    ]
    keys = {cell.key, *(other.key for other in changed)}
    monkeypatch.setattr("vlawe.reproduce.cell.FORMAT", -1)
    keys.add(cell.key)
    monkeypatch.setattr("vlawe.reproduce.cell.__version__", "other")
    keys.add(cell.key)
    assert len(keys) == len(changed) + 3


def test_where_word_vectors_lie_does_not_decide():
    (cell,) = cells_of(methods=("vlawe",), folds=(0,))
    assert cell.key == replace(cell, vectors=replace(cell.vectors, path="elsewhere")).key


def test_data_that_change_during_a_run_are_refused(made_up, tmp_path):
    (cell,) = cells_of(methods=("vlawe",), folds=(0,))
    for what in ("dataset", "vectors"):
        source = Source("MR", "another checksum")
        with pytest.raises(ValueError, match="has changed while the run was under way"):
            run([replace(cell, **{what: source})], Records(tmp_path))


def test_the_progress_is_told(made_up, tmp_path):
    cells = cells_of()
    told = []
    run(cells, Records(tmp_path), report=told.append)
    assert (told[0].n_done, told[0].share) == (0, 0.0)
    assert (told[-1].n_done, told[-1].n_cells) == (len(cells), len(cells))
    assert told[-1].share == pytest.approx(1.0)
    run(cells, Records(tmp_path), report=told.append)
    assert told[-1].share == 1.0


# ------------------------------------------------------------------------------------------ units


def test_each_cell_is_in_one_unit_and_units_are_of_one_seed():
    cells = cells_of(methods=SMALL, protocols=[STRICT, *each_alone(), ORIGINAL])
    cells += cells_of("TREC", methods=SMALL, folds=(0,))
    cells += [replace(cell, seed=1) for cell in cells]
    cells = list(dict.fromkeys(cells))
    units = make_units(cells)
    assert sorted(cell.key for unit in units for cell in unit.cells) == sorted(
        cell.key for cell in cells
    )
    for unit in units:
        assert len({(cell.dataset, cell.vectors, cell.seed) for cell in unit.cells}) == 1
    assert [unit.cost for unit in units] == sorted((unit.cost for unit in units), reverse=True)


def test_a_sum_of_kernels_comes_after_its_parts():
    cells = make_cells(make_dataset(), METHODS.values())
    units = [[cell.method.key for cell in unit.cells] for unit in make_units(cells)]
    assert next(keys for keys in units if "vlawe" in keys)[-3:] == ["boswe", "vlawe", "vlawe+boswe"]
    assert ["cov+mean", "cov+bow", "cov+mean+bow"] in units


def test_a_row_that_came_later_keeps_the_records_of_the_others():
    (cell,) = cells_of(methods=("vlawe",), folds=(0,))
    assert "variant" not in cell.identity["parts"][0]  # a parameter that came with later rows
    (later,) = cells_of(methods=("swem-max",), folds=(0,))
    assert later.identity["parts"][0]["variant"] == "max"


# ------------------------------------------------------------------------------------------- plan

BUNDLED, GLOVE = Source("default-en", "1"), Source("glove", "2", "glove")


def plan_of(*names, **options):
    datasets = [Source(name, name) for name in names or DATASETS]
    return make_plan(Request(datasets, [BUNDLED, GLOVE], **options))


def test_the_whole_has_all_rows_of_all_sets_with_both_tables(monkeypatch):
    monkeypatch.setattr("vlawe.reproduce.plan.find_spec", lambda name: "gensim")
    plan = plan_of()
    rows = {(cell.dataset.name, cell.vectors.name, cell.method.key) for cell in plan.table}
    expected = {
        (dataset, vectors, key)
        for dataset in DATASETS
        for vectors in ("default-en", "glove")
        for key in METHODS
    }
    assert expected - rows == {
        *(("Reuters", vectors, "boswe-per-class") for vectors in ("default-en", "glove")),
        *((name, "glove", key) for name in DATASETS for key in ("doc2vec-dm", "doc2vec-dbow")),
    }
    assert rows <= expected
    assert {cell.method for cell in plan.figure} == {vlawe_method(k) for k in FIGURE_CODEWORDS}
    assert {cell.dataset.name for cell in plan.figure} == {"MR"}
    assert all(cell.protocol == STRICT for cell in plan.table + plan.figure)


def test_several_seeds_but_one_for_what_is_dear():
    seeds = {}
    for cell in plan_of().table:
        key = (cell.vectors.name, cell.method.key)
        seeds.setdefault(key, set()).add(cell.seed)
        assert cell.n_folds == (1 if cell.dataset.name in ("TREC", "Reuters") else 10)
    assert SEEDS > 1
    for (vectors, key), found in seeds.items():
        dear = key in DEAR_METHODS or vectors == "glove"
        assert found == set(range(1 if dear else SEEDS))


def test_further_tables_and_paragraph_vectors_have_fewer_folds():
    folds = {}
    for cell in plan_of("MR").table:
        few = cell.vectors.name == "glove" or cell.method.needs_gensim
        folds.setdefault(few, set()).add(cell.fold)
    assert folds == {False: set(range(10)), True: set(range(FURTHER_FOLDS))}
    assert {cell.fold for cell in plan_of("MR", n_measured_folds=2).cells} == {0, 1}


def test_the_ablation_has_every_switch_alone_and_all_together():
    cells = plan_of().ablation
    for name, n_folds in ABLATION_FOLDS.items():
        own = [cell for cell in cells if cell.dataset.name == name]
        assert {cell.fold for cell in own} == set(range(n_folds))
        protocols = {cell.protocol for cell in own if cell.method.key == "vlawe+boswe"}
        assert {STRICT, ORIGINAL, *each_alone()} <= protocols


def test_a_quick_run_is_one_fold_and_one_seed():
    cells = plan_of(n_seeds=1, n_measured_folds=1, quick=True).cells
    assert {(cell.seed, cell.fold) for cell in cells} == {(0, 0)}


def test_rows_that_are_asked_for_come_alone():
    plan = plan_of("MR", methods=[vlawe_method(2), vlawe_method(30)], n_seeds=2)
    assert not plan.figure and not plan.ablation
    assert len(plan.cells) == 2 * 2 * 2 * 10


def test_paragraph_vectors_are_measured_where_gensim_is(monkeypatch):
    monkeypatch.setattr("vlawe.reproduce.plan.find_spec", lambda name: None)
    keys = {cell.method.key for cell in plan_of().cells}
    assert keys & METHODS.keys() == METHODS.keys() - {"doc2vec-dm", "doc2vec-dbow"}


# -------------------------------------------------------------------------------------- processes


def test_a_process_that_dies_is_told_and_nothing_is_lost(tmp_path, monkeypatch):
    class Ended:
        def done(self):
            return True

        def cancel(self):
            return False

        def result(self):
            raise running.BrokenProcessPool("gone")

    class Pool:
        def __init__(self, *arguments, **options):
            pass

        def submit(self, *arguments):
            return Ended()

        def shutdown(self, **options):
            pass

    monkeypatch.setattr(running, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(running, "as_completed", list)
    others = multiprocessing.active_children()  # of other tests
    with pytest.raises(ChildProcessError, match="fewer --jobs"):
        run(cells_of(), Records(tmp_path), n_jobs=2)
    assert [child for child in multiprocessing.active_children() if child not in others] == []


def test_measurements_are_compared_without_their_time():
    one = Measurement({"1": 50.0}, "s", 2, 1, 1.0, 0, seconds=1.0)
    assert one == replace(one, seconds=2.0)
    assert one != replace(one, n_empty=1)
