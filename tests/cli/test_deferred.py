import subprocess
import sys

import pytest

from vlawe import VLAWE

CODE = """
import sys
from vlawe.cli.deferred import defer_imports
defer_imports()
defer_imports()
import sklearn.cluster
from scipy.stats import chi2, rankdata
late = type(sys.modules["scipy.stats"]).__name__
"""


def run(code, *arguments, check=True):
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=check
    )


@pytest.mark.parametrize(
    ("use", "result"),
    [
        ("rankdata([30, 10, 20]).tolist()", "[3.0, 1.0, 2.0]"),
        ("rankdata(a=[20, 10]).tolist()", "[2.0, 1.0]"),
        ("round(chi2.cdf(2.0, df=2), 4)", "0.6321"),
        ("sys.modules['scipy.stats'].norm.cdf(0.0)", "0.5"),
    ],
)
def test_what_is_deferred_is_loaded_when_it_is_used(use, result):
    done = run(f"{CODE}print(late, {use}, type(sys.modules['scipy.stats']).__name__)")
    assert done.stdout == f"Deferred {result} module\n"


def test_the_real_thing_takes_the_place_of_what_stood_for_it():
    done = run(
        f"{CODE}rankdata([1])\nimport scipy.stats\n"
        "print(type(rankdata).__name__, type(scipy.stats.rankdata).__name__)"
    )
    assert done.stdout == "_Late function\n"


def test_a_package_is_run_before_its_parts_and_these_once():
    done = run(f"""{CODE}
import scipy.stats._distn_infrastructure as part
import scipy
print(type(scipy.stats).__name__, part.rv_continuous is scipy.stats.rv_continuous)
print(part.__spec__.name, sys.modules[part.__name__] is part)
""")
    assert done.stdout == "module True\nscipy.stats._distn_infrastructure True\n"


def test_an_import_that_fails_tells_why_each_time_and_can_be_tried_again():
    done = run(f"""{CODE}
sys.modules["scipy.stats._stats_py"] = None
for _ in range(2):
    try:
        rankdata([1])
    except ModuleNotFoundError as error:
        print(error.name, type(sys.modules["scipy.stats"]).__name__)
del sys.modules["scipy.stats._stats_py"]
print(rankdata([20, 10]).tolist())
""")
    failed = "scipy.stats._stats_py Deferred\n"
    assert done.stdout == f"{failed}{failed}[2.0, 1.0]\n"


def test_a_deferred_module_lists_what_it_has():
    assert run(f"{CODE}print('norm' in dir(sys.modules['scipy.stats']))").stdout == "True\n"


def test_each_can_be_used_after_scikit_learn_has_imported_it():
    done = run("""
import importlib
from vlawe.cli.deferred import DEFERRED, defer_imports
defer_imports()
import sklearn.cluster
modules = [importlib.import_module(name) for name in DEFERRED]
print(all(len(dir(module)) > 5 for module in modules), {type(module) for module in modules})
""")
    assert done.stdout == "True {<class 'module'>}\n"


@pytest.mark.parametrize("with_model", [True, False])
def test_encoding_lines_loads_none_of_them(tmp_path, with_model):
    texts = tmp_path / "texts.txt"
    texts.write_text("a cold soup\nfresh bread and butter\n")
    VLAWE(n_codewords=2).fit(["a cold soup", "fresh bread"]).save(tmp_path / "model")
    code = """
import atexit, sys
from vlawe.cli.app import main
from vlawe.cli.deferred import DEFERRED
found = lambda: {type(sys.modules[name]).__name__ for name in DEFERRED.keys() & set(sys.modules)}
atexit.register(lambda: print(found()))
main()
"""
    options = ["--model", tmp_path / "model"] if with_model else ["--codewords", "2"]
    done = run(code, "encode", texts, *options, "-o", tmp_path / "rows.npy")
    assert done.stdout.endswith("{'Deferred'}\n")


def test_what_is_not_installed_is_not_found():
    done = run(
        """
import vlawe.cli.deferred as deferred
deferred.DEFERRED = {"no_such_module_here": ()}
deferred.defer_imports()
import no_such_module_here
""",
        check=False,
    )
    assert "ModuleNotFoundError: No module named 'no_such_module_here'" in done.stderr
