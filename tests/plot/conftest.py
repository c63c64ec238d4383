import pytest


@pytest.fixture(autouse=True)
def _no_display(monkeypatch):
    """Draw without a screen, and leave no figure open."""
    matplotlib = pytest.importorskip("matplotlib", reason="needs the extra plot")
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
