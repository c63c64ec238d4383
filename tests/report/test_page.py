"""Tests of the page that shows a report."""

import base64
import hashlib
import json
import re

import numpy as np
import pytest

from vlawe import VLAWE, DocumentClassifier, WordVectors
from vlawe.report import render_report, report_facts
from vlawe.report.page import json_for_page

HOSTILE = [
    "<script>window.stolen = 1</script> bread",
    "</script><script>alert(1)</script>",
    "<!-- <script> --> soup",
    '"><img src=x onerror=alert(1)>',
    "{{script}} {{facts}} {{policy}}",
    "\u2028 \u2029 \x00 \ufffe & &amp; &lt;",
]


@pytest.fixture(scope="module")
def page(model):
    facts = report_facts(model, HOSTILE, ["food", "<b>money</b>", "travel"] * 2,
                         model_name="<model>", data_name="<data>&.csv")  # fmt: skip
    return render_report(facts)


def facts_in(page):
    return json.loads(re.search(r'<script type="application/json" id="facts">(.*?)</script>', page,
                                re.DOTALL)[1])  # fmt: skip


def test_hostile_texts_come_back_as_they_were(page):
    assert facts_in(page)["map"]["text"] == HOSTILE


def test_no_text_of_the_data_opens_or_ends_an_element(page):
    without_scripts = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert page.count("</script>") == 2
    assert page.count("<script") == 2
    assert "<img" not in without_scripts
    assert "<model>" not in without_scripts
    assert "<title>&lt;data&gt;&amp;.csv · &lt;model&gt;</title>" in page


def test_no_word_of_the_table_opens_or_ends_an_element():
    words = ["</script><script>alert(1)", "<img/src=x>", "bread", "soup", "<b", "coin"]
    vectors = WordVectors(words, np.eye(6, dtype=np.float32))
    texts = ["bread soup", "coin bread", "soup", "coin"]
    labels = ["food", "</style><script>", "food", "</style><script>"]
    model = DocumentClassifier([("part", VLAWE(vectors, 3), "linear")]).fit(texts, labels)
    page = render_report(report_facts(model, texts, labels, model_name="m", data_name="d"))
    shown = {word for own in facts_in(page)["codebook"]["codewords"] for word in own["words"]}
    assert shown & set(words[:2])
    assert page.count("<script") == page.count("</script>") == 2
    assert page.count("</style>") == 1
    assert "<img" not in page


def test_the_policy_lets_in_only_the_script_and_style_of_the_page(page):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1].replace(
        "&#x27;", "'"
    )
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "require-trusted-types-for 'script'; trusted-types 'none'" in policy
    for kind, tag in (("script", "script"), ("style", "style")):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_the_page_needs_nothing_from_elsewhere(page):
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", page)
    assert not re.search(r"@import|url\(", page)


def test_scripts_put_nothing_into_the_page_as_markup(page):
    script = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)[0]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", script)


def test_json_has_no_sign_of_markup_left():
    assert json_for_page({"a": "<b>&"}) == '{"a":"\\u003cb\\u003e\\u0026"}'
    with pytest.raises(ValueError, match="JSON"):
        json_for_page(float("nan"))
