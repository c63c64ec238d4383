"""All that fuzzing ever found, and some new inputs for each target; `make fuzz` runs more."""

import importlib
import sys
from itertools import islice
from pathlib import Path

import pytest

FUZZ = Path(__file__).parents[1] / "fuzz"
N_INPUTS = 400


@pytest.fixture(scope="module")
def targets():
    pytest.importorskip("starlette")
    sys.path.insert(0, str(FUZZ))
    try:
        return importlib.import_module("targets")
    finally:
        sys.path.remove(str(FUZZ))


NAMES = sorted(path.name for path in (FUZZ / "corpus").iterdir())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:Reading `.npy`")
def test_no_input_causes_what_is_not_documented(targets, name):
    assert targets.seeds(name)
    for data in islice(targets.inputs(name), N_INPUTS):
        try:
            targets.TARGETS[name](data)
        except Exception as error:
            pytest.fail(f"{name}: {data!r} raises {error!r}")


def test_every_target_has_a_corpus(targets):
    assert sorted(targets.TARGETS) == NAMES
    sizes = [path.stat().st_size for path in (FUZZ / "corpus").rglob("*")]
    assert max(sizes) <= 4096
