"""The shape of the package: what may know what, how long files are, and that nothing stands twice.

Packages are the folders and the single modules right under ``vlawe``.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "vlawe"
FILES = sorted(ROOT.rglob("*.py"))
LONGEST_FILE = 350
LONGEST_REPETITION = 9


def module_of(path: Path) -> str:
    parts = ("vlawe", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


def package_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def walk_at_run_time(node: ast.AST) -> Iterator[ast.AST]:
    """Walk a tree, functions included, without what only a type checker sees."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not is_type_checking(child):
            yield from walk_at_run_time(child)
        else:
            for other in child.orelse:
                yield from walk_at_run_time(other)


# ------------------------------------------------------------------------------ the import graph


def imported_by(path: Path) -> set[str]:
    """Return the modules of the package that a file imports, wherever in the file it does."""
    found = set()
    imports_by_name = "import_module" in path.read_text(encoding="utf-8")
    for node in walk_at_run_time(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                found.add(name if name in MODULES else node.module)
        elif imports_by_name and isinstance(node, ast.Constant):
            found.add(node.value)
    return (found & MODULES.keys()) - {module_of(path)}


def module_graph() -> dict[str, set[str]]:
    return {module: imported_by(path) for module, path in MODULES.items()}


def package_graph() -> dict[str, set[str]]:
    graph: dict[str, set[str]] = defaultdict(set)
    for module, imported in module_graph().items():
        graph[package_of(module)] |= {package_of(other) for other in imported}
    return {package: others - {package} for package, others in graph.items()}


def in_cycles(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return what is left of a graph without the modules that lead to nothing that is left."""
    while ends := {node for node, others in graph.items() if not others}:
        graph = {node: others - ends for node, others in graph.items() if node not in ends}
    return graph


def drawn(graph: dict[str, set[str]]) -> str:
    return "\n".join(f"{node} → {', '.join(sorted(graph[node]))}" for node in sorted(graph))


@pytest.mark.parametrize("graph", [package_graph, module_graph])
def test_imports_have_no_cycle_lazy_ones_included(graph):
    found = graph()
    try:
        order = list(TopologicalSorter(found).static_order())
    except CycleError as error:
        pytest.fail(f"{' ← '.join(error.args[1])}\n\n{drawn(in_cycles(found))}")
    assert set(order) == set(found)


def test_the_graph_sees_what_the_package_imports():
    graph = package_graph()
    assert {"vlawe.encoders", "vlawe.kernels"} <= graph["vlawe.classifier"]
    assert "vlawe.reproduce" in graph["vlawe.cli"]  # imported in functions only
    assert "vlawe.classifier" in graph["vlawe"]  # imported by name


def test_nothing_imports_the_facade_of_persistence():
    assert not [module for module, others in module_graph().items()
                if "vlawe.persistence" in others]  # fmt: skip


# ----------------------------------------------------------------------------------- private names


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name != "_"


def defined_in(tree: ast.Module) -> set[str]:
    """Return the names that a file gives to anything: functions, classes, variables, attributes."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
    return {name for name in names if is_private(name)}


def test_no_private_name_of_one_package_is_used_in_another():
    homes: dict[str, set[str]] = defaultdict(set)
    for module, path in MODULES.items():
        for name in defined_in(tree_of(path)):
            homes[name].add(package_of(module))
    found = []
    for module, path in MODULES.items():
        own = package_of(module)
        for node in ast.walk(tree_of(path)):
            used = set()
            if isinstance(node, ast.Attribute):
                used = {node.attr} if own not in homes.get(node.attr, {own}) else set()
            elif isinstance(node, ast.ImportFrom) and package_of(node.module or "") != own:
                used = {alias.name for alias in node.names} & homes.keys()
            found += [f"{module}:{node.lineno} uses {name} of {', '.join(sorted(homes[name]))}"
                      for name in used if is_private(name)]  # fmt: skip
    assert not found, "\n".join(found)


# ------------------------------------------------------------------------ length and repetition


def test_no_file_is_long():
    lengths = {module: len(path.read_text(encoding="utf-8").splitlines())
               for module, path in MODULES.items()}  # fmt: skip
    assert not {module: n for module, n in lengths.items() if n > LONGEST_FILE}


def docstring_lines(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text or isinstance(node, ast.Import | ast.ImportFrom):
            yield from range(node.lineno, node.end_lineno + 1)


def code_lines(path: Path) -> list[tuple[int, str]]:
    """Return the numbered lines of a file, without imports, docstrings, comments and spaces."""
    left_out = set(docstring_lines(tree_of(path)))
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    return [
        (number, " ".join(line.split()))
        for number, line in lines
        if line.strip() and not line.strip().startswith("#") and number not in left_out
    ]


def test_no_ten_lines_stand_twice():
    seen: dict[tuple[str, ...], str] = {}
    found = []
    for module, path in MODULES.items():
        lines = code_lines(path)
        n_lines = LONGEST_REPETITION + 1
        for start in range(len(lines) - n_lines + 1):
            some = lines[start : start + n_lines]
            place = f"{module}:{some[0][0]}"
            first = seen.setdefault(tuple(line for _, line in some), place)
            if first != place:
                found.append(f"{first} and {place}")
    assert not found, "\n".join(found)
