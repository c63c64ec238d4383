"""The colours of the pages can be told apart by everyone, and text can be read on them."""

import ast
import re
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest

from vlawe.pages import colours as colours_of_python
from vlawe.pages import read_asset
from vlawe.pages.explanation import explanation_html, explanation_text

# How colours look with one kind of cone missing (Machado, Oliveira & Fernandes, 2009).
VISIONS = {
    "full": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                   [0.004733, 0.691367, 0.303900]],
}  # fmt: skip


def colours(scheme):
    css = read_asset("vlawe.pages", "base.css")
    light, dark = css.split("@media (prefers-color-scheme: dark)")
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light if scheme == "light" else dark))


def linear(colour):
    values = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(values):
    matrix = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
              [0.0193339, 0.1191920, 0.9503041]]  # fmt: skip
    xyz = np.array(matrix) @ values / np.array([0.95047, 1, 1.08883])
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one, other):
    low, high = sorted(float(np.array([0.2126, 0.7152, 0.0722]) @ linear(c)) for c in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("vision", VISIONS)
def test_classes_and_effects_can_be_told_apart(scheme, vision):
    own = colours(scheme)
    seen = {name: lab(np.clip(np.array(VISIONS[vision]) @ linear(c), 0, 1))
            for name, c in own.items()}  # fmt: skip
    classes = [seen[f"class-{i}"] for i in range(6)]
    assert min(np.linalg.norm(a - b) for a, b in combinations(classes, 2)) > 15
    assert np.linalg.norm(seen["for"] - seen["against"]) > 50


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("ground", ["ground", "surface"])
@pytest.mark.parametrize("text", ["text", "muted", "accent"])
def test_text_can_be_read(scheme, ground, text):
    own = colours(scheme)
    assert contrast(own[text], own[ground]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("effect", ["for", "against"])
def test_words_can_be_read_on_the_strongest_effect(scheme, effect):
    own = colours(scheme)
    pairs = [
        (int(own[effect][i : i + 2], 16), int(own["ground"][i : i + 2], 16)) for i in (1, 3, 5)
    ]
    mixed = [round(0.48 * colour + 0.52 * ground) for colour, ground in pairs]
    assert contrast(own["text"], "#{:02x}{:02x}{:02x}".format(*mixed)) >= 4.5


def test_pictures_notebooks_and_terminals_have_the_colours_of_the_pages():
    own = colours("light")
    assert [own["for"], own["against"]] == [colours_of_python.FOR, colours_of_python.AGAINST]
    assert [own[f"class-{i}"] for i in range(6)] == list(colours_of_python.CLASSES)
    words = [("good", 1.0, 3, True), ("bad", -1.0, None, True), ("xqzzy", 0.0, None, False),
             ("covid", 0.9, None, False)]  # fmt: skip
    html = explanation_html("yes", {"yes": 0.5, "no": -0.5}, words)
    assert f"background:{own['for']}" in html
    assert f"background:{own['against']}" in html
    text = explanation_text("yes", {"yes": 0.5, "no": -0.5}, words)
    styles = [str(span.style) for span in text.spans]
    assert styles[1:] == [f"bold white on {own['for']}", f"bold black on {own['against']}",
                          "dim underline",
                          f"bold white on {own['for']} underline"]  # fmt: skip


@pytest.mark.parametrize(("effect", "text"), [("for", "#ffffff"), ("against", "#000000")])
def test_words_can_be_read_on_the_effects_in_a_terminal(effect, text):
    assert contrast(colours("light")[effect], text) >= 4.5


def test_presentation_knows_nothing_of_models():
    code = (
        "import sys, vlawe.pages.explanation\n"
        "print([name for name in sys.modules if name.startswith('vlawe.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    others = {name for name in ast.literal_eval(done.stdout) if "vlawe.pages" not in name}
    assert others == {"vlawe.version"}
