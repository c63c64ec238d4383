import sys

import pytest

from vlawe.system.extras import MissingExtraError, require


def test_what_is_installed_is_imported():
    assert require("json.decoder", "plot") is sys.modules["json.decoder"]


def test_what_is_not_installed_names_its_extra():
    with pytest.raises(
        MissingExtraError, match=r"^no_such is not .*: pip install 'vlawe\[plot\]'$"
    ):
        require("no_such.module", "plot")


def test_a_library_that_lacks_something_itself_is_not_called_missing(tmp_path, monkeypatch):
    (tmp_path / "half_installed.py").write_text("import its_own_need")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="its_own_need") as raised:
        require("half_installed", "plot")
    assert not isinstance(raised.value, MissingExtraError)
