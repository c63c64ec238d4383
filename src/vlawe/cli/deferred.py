"""What scikit-learn imports although most commands do not need it: loaded when something does.

It takes as long as the work on a few lines. Only the command does this: it owns its process, a
library does not. And only with modules that no thread is the first to use: before Python 3.12, two
threads that load the same module at once may see half of it. (Which is why pandas is not here.)
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

DEFERRED = frozenset({"numpy.f2py", "numpy.testing", "scipy.stats"})


class _Deferring(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in DEFERRED:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def defer_imports() -> None:
    """Load these modules from now on when something of them is used, not when they are imported."""
    if not any(isinstance(finder, _Deferring) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Deferring())
