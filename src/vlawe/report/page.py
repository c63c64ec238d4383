"""The report as one file: facts, styles and scripts in a page that needs nothing else.

Texts of documents are data. They stand in the page as JSON in which no ``<`` is left, scripts put
them there as text and never as markup, and the page's content security policy lets no other
script, style or connection in.
"""

import base64
import hashlib
import json
import re
from html import escape
from typing import Any

from vlawe.pages import read_asset

_STYLES = (("vlawe.pages", "base.css"), ("vlawe.report", "page.css"))
_SCRIPTS = (
    ("vlawe.pages", "elements.js"),
    ("vlawe.pages", "words.js"),
    ("vlawe.report", "map.js"),
    ("vlawe.report", "map_section.js"),
    ("vlawe.report", "scores.js"),
    ("vlawe.report", "certainty.js"),
    ("vlawe.report", "mistakes.js"),
    ("vlawe.report", "curve.js"),
    ("vlawe.report", "page.js"),
)


def render_report(facts: dict[str, Any]) -> str:
    """Return the page that shows the facts of a report (see `report_facts`)."""
    style = "\n".join(read_asset(*asset) for asset in _STYLES)
    script = "\n".join(read_asset(*asset) for asset in _SCRIPTS)
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
    content = {
        "title": escape(f"{facts['data']['name']} · {facts['model']['name']}"),
        "policy": escape(policy),
        "style": style,
        "facts": json_for_page(facts),
        "script": script,
    }
    page = read_asset("vlawe.report", "page.html")
    # In one pass: what is put in may itself hold something like a placeholder.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: content[match[1]], page)


def json_for_page(facts: Any) -> str:
    """Return JSON that cannot end, or open, an element of the page that it stands in."""
    encoded = json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return encoded.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _digest(content: str) -> str:
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    return f"sha256-{digest}"
