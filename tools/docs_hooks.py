"""What mkdocs does beyond its plugins: pages made from elsewhere, and formulas without scripts.

- ``commands.md`` is made from the command itself, by typer's own generator.
- ``changelog.md``, ``contributing.md`` and ``security.md`` are the files at the root.
- Formulas become drawings, made by matplotlib, which look the same in every browser.
"""

import html
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.font_manager import FontProperties
from matplotlib.mathtext import math_to_image
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]

GENERATED = ("commands.md", "changelog.md", "contributing.md", "security.md")

_FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\(?:\(|\[)(?P<tex>.*?)\\(?:\)|\])</(?P=tag)>',
    re.DOTALL,
)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made."""
    contents = {
        "commands.md": command_reference(),
        "changelog.md": (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        "contributing.md": (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"),
        "security.md": (ROOT / "SECURITY.md").read_text(encoding="utf-8"),
    }
    for name in GENERATED:
        files.append(File.generated(config, name, content=contents[name]))
    return files


def on_page_content(content: str, **_: Any) -> str:
    """Draw the formulas."""
    return _FORMULA.sub(
        lambda found: drawn_formula(html.unescape(found["tex"]), display=found["tag"] == "div"),
        content,
    )


def drawn_formula(tex: str, *, display: bool) -> str:
    """Return a formula as SVG in the colour of the text, and as TeX for those who hear the page."""
    tex = " ".join(tex.split())
    size = 100  # points: lengths are whole ones, so that they are good to a hundredth
    em = size / 1.1  # the letters of formulas are smaller than those of most texts
    file = io.BytesIO()
    style = {"mathtext.fontset": "stix", "svg.fonttype": "path", "svg.hashsalt": "vlawe"}
    with mpl.rc_context(style):
        depth = math_to_image(
            f"${tex}$", file, prop=FontProperties(size=size), dpi=72, format="svg"
        )
    drawing = file.getvalue().decode().strip()
    drawing = drawing[drawing.index("<svg") :]
    for what in ("<metadata>.*?</metadata>", "<style.*?</style>", '<g id="patch_1">.*?</g>'):
        drawing = re.sub(what, "", drawing, flags=re.DOTALL)
    width, height = (
        float(number) for number in re.findall(r'viewBox="0 0 (\S+) (\S+)"', drawing)[0]
    )
    label = html.escape(tex, quote=True)
    opening = (
        f'<svg class="formula" role="img" aria-label="{label}" viewBox="0 0 {width} {height}" '
        f'style="width:{width / em:.3f}em;height:{height / em:.3f}em;'
        f'vertical-align:{-depth / em:.3f}em" xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    drawing = re.sub(r"<svg.*?>", lambda _: opening, drawing, count=1, flags=re.DOTALL)
    return f'<div class="formula">{drawing}</div>' if display else drawing


def command_reference() -> str:
    """Return the help of every command as a page."""
    search_path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    made = subprocess.run(
        [sys.executable, "-m", "typer", "vlawe.cli.app", "utils", "docs", "--name", "vlawe",
         "--title", "Commands"],
        capture_output=True, text=True, check=True, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": search_path, "PYTHONUTF8": "1"},
    ).stdout  # fmt: skip
    # The lists of commands repeat, cut short, what follows them.
    made = re.sub(r"\*\*Commands\*\*:\n\n(?:\* .*\n)+\n?", "", made)
    made = re.sub(r'<span style="color[^>]*>(.*?)</span>', r"\1", made)
    return made.replace("&#x27;", "'")
