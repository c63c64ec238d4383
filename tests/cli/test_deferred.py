import subprocess
import sys

from vlawe import VLAWE

CODE = """
import sys
from vlawe.cli.deferred import defer_imports
defer_imports()
defer_imports()
import sklearn.base
lazy = type(sys.modules["scipy.stats"]).__name__
import scipy.stats
print(lazy, scipy.stats.rankdata([30, 10, 20]).tolist(), type(scipy.stats).__name__)
"""


def test_what_is_deferred_is_loaded_when_it_is_used():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.split(" ", 1) == ["_LazyModule", "[3.0, 1.0, 2.0] module\n"]


def test_each_can_be_used_after_scikit_learn_has_imported_it():
    code = """
import importlib
from vlawe.cli.deferred import DEFERRED, defer_imports
defer_imports()
import sklearn.cluster
modules = [importlib.import_module(name) for name in DEFERRED]
print(all(len(dir(module)) > 5 for module in modules), {type(module) for module in modules})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True {<class 'module'>}\n"


def test_encoding_lines_with_a_model_loads_none_of_them(tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text("a cold soup\nfresh bread and butter\n")
    VLAWE(n_codewords=2).fit(["a cold soup", "fresh bread"]).save(tmp_path / "model")
    code = """
import atexit, sys
from vlawe.cli.app import main
from vlawe.cli.deferred import DEFERRED
found = lambda: {type(sys.modules[name]).__name__ for name in DEFERRED & set(sys.modules)}
atexit.register(lambda: print(found()))
main()
"""
    arguments = ["encode", texts, "--model", tmp_path / "model", "-o", tmp_path / "rows.npy"]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("{'_LazyModule'}\n")


def test_what_is_not_installed_is_not_found():
    code = CODE.replace("defer_imports()\ndefer_imports()", "defer_imports()").replace(
        "import sklearn.base",
        "import vlawe.cli.deferred as d; d.DEFERRED = {'no_such_module_here'}\n"
        "import no_such_module_here",
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert "ModuleNotFoundError: No module named 'no_such_module_here'" in done.stderr
