import subprocess
import sys

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


def test_what_is_not_installed_is_not_found():
    code = CODE.replace("defer_imports()\ndefer_imports()", "defer_imports()").replace(
        "import sklearn.base",
        "import vlawe.cli.deferred as d; d.DEFERRED = {'no_such_module_here'}\n"
        "import no_such_module_here",
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert "ModuleNotFoundError: No module named 'no_such_module_here'" in done.stderr
