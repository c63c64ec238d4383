"""What scikit-learn imports although most commands do not need it: loaded when something does.

It takes as long as the work on a few lines. Only the command does this: it owns its process, a
library does not. And only with modules that no thread is the first to use: two threads that load
the same module at once may see half of it. (Which is why pandas is not here.)
"""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

DEFERRED: dict[str, tuple[str, ...]] = {
    "numpy.f2py": (),
    "numpy.testing": (),
    "scipy.stats": ("chi2", "gmean", "rankdata", "spearmanr"),
}
"""Modules, and what scikit-learn imports from them by name before it is used."""


class Deferred(ModuleType):
    """A module that is run when something of it is used.

    (Python's own ``LazyLoader`` runs it as soon as a name is imported from it.)
    """

    def __getattr__(self, name: str) -> Any:
        """Run the module, which then has what it lacked."""
        run(self)
        return getattr(self, name)

    def __dir__(self) -> list[str]:
        run(self)
        return dir(self)


def run(module: ModuleType) -> None:
    """Run a module now, unless it has been run; after an error it can be tried again."""
    spec = module.__spec__
    if spec is not None and isinstance(late := spec.loader, _LateLoader):
        module.__class__ = ModuleType
        module.__loader__ = spec.loader = late.loader
        try:
            late.loader.exec_module(module)
        except BaseException:
            module.__loader__ = spec.loader = late
            late.exec_module(module)
            raise


class _Late:
    """What stands for something of a deferred module until it is called or looked into."""

    def __init__(self, module: ModuleType, name: str) -> None:
        self._module = module
        self._name = name

    def _found(self) -> Any:
        run(self._module)
        return getattr(self._module, self._name)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._found()(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found(), name)


class _LateLoader(Loader):
    """Make a module that has nothing yet but what is imported from it by name."""

    def __init__(self, loader: Loader, names: tuple[str, ...]) -> None:
        self.loader = loader
        self.names = names

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = Deferred
        for name in self.names:
            setattr(module, name, _Late(module, name))


class _Loaded(Loader):
    """Give a module that has been loaded while its import was prepared."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


class _Deferring(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        parent = sys.modules.get(fullname.rpartition(".")[0])
        if isinstance(parent, Deferred):  # a package is run before its parts, and imports some
            run(parent)
            if fullname in sys.modules:
                return ModuleSpec(fullname, _Loaded(sys.modules.pop(fullname)))
        if fullname not in DEFERRED:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            spec.loader = _LateLoader(spec.loader, DEFERRED[fullname])
        return spec


def defer_imports() -> None:
    """Load these modules from now on when something of them is used, not when they are imported."""
    if not any(isinstance(finder, _Deferring) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Deferring())
