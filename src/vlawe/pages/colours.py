"""The colours of pages, pictures, notebooks and terminals: those of ``base.css``, on white."""

import re

from vlawe.pages import read_asset

_LIGHT = read_asset("vlawe.pages", "base.css").partition("@media (prefers-color-scheme: dark)")[0]
_COLOURS: dict[str, str] = dict(re.findall(r"--([\w-]+): (#\w{6});", _LIGHT))

FOR, AGAINST = _COLOURS["for"], _COLOURS["against"]
"""What speaks for a class, and what against it."""
CLASSES = tuple(_COLOURS[f"class-{i}"] for i in range(6))
OTHER = _COLOURS["class-other"]
"""Classes beyond those that have a colour of their own."""
TEXT = _COLOURS["text"]
