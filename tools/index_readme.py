"""The README as a package index shows it, where links between the project's files lead nowhere.

hatchling runs it when it builds the package. Links to files become absolute where ``project.urls``
in pyproject.toml has the address of the files as ``Source``; without one their texts stay, and the
pictures are left out.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_RELATIVE = r"\]\((?![a-z]+:|#)(?P<target>[^)\s]+)\)"
_PICTURE = re.compile(rf"!\[[^\]]*{_RELATIVE}\n?")
_LINK = re.compile(rf"(?<!!)\[(?P<text>[^\]]*){_RELATIVE}")


def for_the_index(readme: str, source: str | None) -> str:
    """Return a README whose links do not depend on where it is shown."""
    if source is None:
        return _LINK.sub(r"\g<text>", _PICTURE.sub("", readme))
    return re.sub(_RELATIVE, rf"]({source.rstrip('/')}/\g<target>)", readme)


class IndexReadme(MetadataHookInterface):
    """Sets the field ``readme`` of the package's metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Take README.md, with links that lead somewhere."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        source = metadata.get("urls", {}).get("Source")
        readme = for_the_index(text, source)
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}
