import subprocess
import sys

import pytest

import vlawe


@pytest.mark.parametrize("name", vlawe.__all__)
def test_every_public_name_can_be_imported(name):
    value = getattr(vlawe, name)
    assert value.__name__ == name
    assert value.__doc__


def test_tokenize_is_the_function_and_not_a_module():
    from vlawe import tokenize

    assert callable(tokenize)


def test_other_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="module 'vlawe' has no attribute 'nonsense'"):
        vlawe.nonsense  # noqa: B018


def test_the_public_names_are_listed():
    assert dir(vlawe) == sorted([*vlawe.__all__, "__version__"])


def modules_after(code: str) -> set[str]:
    code = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_is_cheap():
    heavy = {"numpy", "numba", "sklearn", "scipy", "pyarrow", "pandas", "rich", "typer"}
    assert not heavy & modules_after("import vlawe")


def test_word_vectors_come_without_scikit_learn():
    assert "sklearn" not in modules_after("from vlawe import WordVectors, tokenize")
