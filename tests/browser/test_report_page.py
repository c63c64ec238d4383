"""Tests of the report page in a real browser."""

import json

import pytest

from pages_in_browser import HOSTILE, HOSTILE_LABEL, WIDTHS, scrolls_sideways
from vlawe import VLAWE, DocumentClassifier, MeanVector, NGrams
from vlawe.report import ReportOptions, render_report, report_facts


@pytest.fixture(scope="module")
def facts(model, messages):
    texts, labels = messages
    named = [HOSTILE_LABEL if label == "food" else label for label in labels]
    # The hostile text is a mistake, too.
    named[0] = "money"
    options = ReportOptions(learning_curve=True, n_mistakes=200)
    return report_facts(model, texts, named, options, model_name="<i>topics", data_name="<u>data")


@pytest.fixture(scope="module")
def url(facts, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_report(facts), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(params=WIDTHS)
def page(request, url, open_page):
    return open_page(url, request.param)


def pixel_of(page, index):
    """Return where a document is in the window, after scrolling to the map."""
    page.locator("canvas").scroll_into_view_if_needed()
    return page.evaluate(
        """(index) => {
            const box = document.querySelector("canvas").getBoundingClientRect();
            const [x, y] = map.map.toPixel(index);
            return [box.left + x, box.top + y];
        }""",
        index,
    )


def lonely_document(page):
    """Return a document that no other one is near, so that pointing is not a matter of luck."""
    return page.evaluate(
        """() => {
            const {n} = map.map;
            const far = (i) => {
                const [x, y] = map.map.toPixel(i);
                let least = Infinity;
                for (let j = 0; j < n; j++) {
                    const [u, v] = map.map.toPixel(j);
                    if (j !== i) least = Math.min(least, Math.hypot(u - x, v - y));
                }
                // Not under the buttons that zoom.
                return x > map.map.width - 70 ? 0 : least;
            };
            let best = 0;
            for (let i = 1; i < n; i++) if (far(i) > far(best)) best = i;
            return best;
        }"""
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_shows_every_section_and_fits(url, open_page, width, scheme, facts):
    page = open_page(url, width, color_scheme=scheme)
    titles = page.locator("main h2").all_text_contents()
    assert titles == [
        *("Scores", "Certainty", "Mistakes", "Labels", "Map", "Codebook"),
        *("Learning curve", "Model and words"),
    ]
    assert page.locator("h1").inner_text() == "<u>data"
    assert page.locator(".figures dd").first.inner_text() == (
        f"{100 * facts['scores']['accuracy']:.1f} %"
    )
    assert page.locator(".codeword").count() == 4
    assert page.locator(".mistake").count() == len(facts["mistakes"]["shown"])
    assert not scrolls_sideways(page)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")


def test_the_first_screen_tells_what_the_page_is(page, facts):
    told = page.locator("#top").inner_text()
    has, given, n = facts["scores"]["confusions"][0]
    assert "HOW WELL A MODEL LABELS TEXTS" in told.upper()
    assert facts["made"] in told
    learned = "which learned from 151 documents,"
    assert f"The model “<i>topics”, {learned} gives a text one of 3 labels" in told
    assert f"It is right for {100 * facts['scores']['accuracy']:.1f} % of them." in told
    assert f"Most often it takes “{has}” for “{given}”: {n} document" in told
    assert page.locator(".lead").bounding_box()["y"] < 400


def test_letters_of_the_learning_curve_can_be_read(page):
    heights = page.evaluate(
        """() => [...document.querySelectorAll(".curve text")].map(
            (text) => text.getBoundingClientRect().height)"""
    )
    assert heights
    assert min(heights) > 11


@pytest.mark.parametrize("width", WIDTHS)
def test_short_names_of_labels_are_not_broken(open_page, facts, tmp_path, width):
    renamed = json.dumps(facts).replace('"travel"', '"technology"')
    path = tmp_path / "renamed.html"
    path.write_text(render_report(json.loads(renamed)), encoding="utf-8")
    name = open_page(path.as_uri(), width).locator("#scores tbody th", has_text="technology").first
    height = name.evaluate("(own) => own.getBoundingClientRect().height")
    assert height < 60  # two lines would be more


def test_two_labels_are_mapped_by_their_score_and_probabilities_are_judged(
    open_page, messages, tmp_path
):

    texts, labels = messages
    two = [row for row, label in enumerate(labels) if label != "money"]
    texts, labels = [texts[row] for row in two], [labels[row] for row in two]
    parts = [("vlawe", VLAWE(n_codewords=2), "linear")]
    model = DocumentClassifier(parts, probability=True).fit(texts[::2], labels[::2])
    facts = report_facts(model, texts[1::2], labels[1::2])
    path = tmp_path / "two.html"
    path.write_text(render_report(facts), encoding="utf-8")
    page = open_page(path.as_uri())
    assert "the score of “travel” grows" in page.locator("#map").inner_text()
    places = dict(zip(facts["map"]["x"], model.decision_function(texts[1::2]), strict=True))
    in_order = [places[x] for x in sorted(places)]
    assert in_order == sorted(in_order)
    table = page.locator("#certainty table").nth(1)
    assert table.locator("tbody tr").count() == len(facts["calibration"]["bins"])


def test_the_share_of_the_variance_is_said_in_words(open_page, model, messages, tmp_path):
    texts, labels = messages
    facts = report_facts(model, texts, labels, ReportOptions(map_method="pca", n_mistakes=1))
    path = tmp_path / "pca.html"
    path.write_text(render_report(facts), encoding="utf-8")
    said = open_page(path.as_uri()).locator("#map").inner_text()
    held = round(100 * facts["map"]["explained"])
    assert f"Two dimensions show {held} of 100 parts of the differences" in said


def test_codewords_are_headed_by_frequent_words_and_stop_words_come_last(page, facts):
    codewords = facts["codebook"]["codewords"]
    headings = page.locator(".codeword h3").all_text_contents()
    assert headings == [
        ("\u2002" if own["common"] else ", ").join(own["frequent"][:3]) for own in codewords
    ]
    common = [own["common"] for own in codewords]
    assert common == sorted(common)


def test_each_label_has_its_words(page, facts):
    assert page.locator(".label h3").all_inner_texts() == [
        own["name"] for own in facts["scores"]["per_class"]
    ]
    words = facts["label_words"]["travel"]
    card = page.locator(".label", has_text="travel").last
    assert card.locator(".chips li").all_inner_texts() == words


def test_mistakes_can_be_seen_by_pair_of_labels(page, facts):
    has, given, n = facts["scores"]["confusions"][0]
    buttons = page.locator(".pairs button")
    first = buttons.nth(1)
    assert has in first.inner_text()
    assert given in first.inner_text()
    assert first.inner_text().endswith(str(n))
    first.click()
    shown = page.locator(".mistake:visible")
    assert shown.count() == n
    assert all(f"labelled {given}" in text for text in shown.locator("h3").all_inner_texts())
    buttons.first.click()
    assert shown.count() == len(facts["mistakes"]["shown"])


def test_answering_only_when_sure_is_told(page, facts):
    rows = page.locator("#certainty tbody tr").all_inner_texts()
    assert len(rows) == 10
    share, accuracy, _ = facts["thresholds"][5]
    assert rows[5].split("\t")[0] == f"{100 * share:.0f} %"
    assert f"{100 * accuracy:.1f} %" in rows[5]


def test_a_wide_table_shows_that_it_scrolls(url, open_page):
    page = open_page(url, 360)
    frame = page.locator(".scroll-frame", has=page.locator(".matrix"))
    assert frame.locator(".hint").is_visible()
    assert "more-right" in frame.get_attribute("class")
    frame.locator(".scrolling").evaluate("(own) => { own.scrollLeft = own.scrollWidth; }")
    page.wait_for_function(
        "() => document.querySelector('.scroll-frame.more-left:not(.more-right) .matrix')"
    )
    wide = open_page(url, 1440)
    assert not wide.locator(".hint").first.is_visible()


def test_the_map_is_drawn_in_the_colours_of_the_labels(page):
    colours = page.evaluate(
        """() => {
            map.map.mark(new Uint8Array(map.map.n).fill(1));
            map.map.paint();
            const canvas = document.querySelector("canvas");
            const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const seen = new Set();
            for (let i = 0; i < data.length; i += 4) {
                seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
            }
            return [...seen];
        }"""
    )
    for wanted in ("11,110,79", "209,86,154", "74,58,168"):
        red, green, blue = map(int, wanted.split(","))
        near = [c for c in colours if sum(abs(a - b) for a, b in zip(
            map(int, c.split(",")), (red, green, blue), strict=True)) < 12]  # fmt: skip
        assert near, wanted


def test_pointing_at_a_document_shows_its_text(url, open_page, facts):
    page = open_page(url)
    index = lonely_document(page)
    x, y = pixel_of(page, index)
    assert not page.locator(".tip").is_visible()
    page.mouse.move(x, y)
    tip = page.locator(".tip")
    tip.wait_for(state="visible")
    assert facts["map"]["text"][index][:60].strip() in tip.inner_text()
    page.mouse.move(5, 5)
    tip.wait_for(state="hidden")


def test_a_tap_keeps_the_text(url, open_page, facts):
    page = open_page(url, 360, has_touch=True, is_mobile=True)
    index = lonely_document(page)
    page.touchscreen.tap(*pixel_of(page, index))
    page.wait_for_function("() => map.map.chosen >= 0")
    assert page.evaluate("map.map.chosen") == index
    assert facts["map"]["text"][index][:60].strip() in page.locator(".chosen-document").inner_text()


def test_searching_marks_the_documents_that_have_the_words(page, facts):
    page.fill("#map-search", "THE bread")
    wanted = [i for i, text in enumerate(facts["map"]["text"])
              if "the" in text.lower() and "bread" in text.lower()]  # fmt: skip
    assert wanted
    page.wait_for_function("() => map.map.marked !== null")
    assert page.evaluate("[...map.map.marked].flatMap((m, i) => m ? [i] : [])") == wanted
    assert f"of {len(facts['map']['text'])}" in page.locator("#map [role=status]").inner_text()
    assert page.locator(".matches li").count() == min(25, len(wanted))
    page.locator(".matches button").first.click()
    assert page.evaluate("map.map.chosen") == wanted[0]
    page.locator(".map-side .quiet").click()
    assert page.evaluate("map.map.marked") is None


def test_a_confusion_leads_to_its_documents(page, facts):
    has, given, n = facts["scores"]["confusions"][0]
    name = f"of the documents with the label {has} are given {given}"
    page.get_by_role("button", name=name).click()
    assert page.evaluate("map.map.marked.reduce((a, b) => a + b)") == n
    assert page.locator(".matches li").count() == min(25, n)


def test_mistakes_can_be_shown_alone_and_labels_can_be_singled_out(page, facts):
    page.select_option("#map-outcome", "wrong")
    assert page.evaluate("map.map.marked.reduce((a, b) => a + b)") == facts["mistakes"]["n_wrong"]
    page.select_option("#map-outcome", "all")
    button = page.locator(".legend button").nth(1)
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    counts = {own["name"]: own["documents"] for own in facts["scores"]["per_class"]}
    n_marked = page.evaluate("map.map.marked.reduce((a, b) => a + b)")
    assert n_marked == counts[button.inner_text()]


def test_the_map_can_be_used_with_the_keyboard(page):
    page.locator("canvas").focus()
    page.keyboard.press("ArrowRight")
    first = page.evaluate("map.map.chosen")
    assert first >= 0
    assert page.locator(".chosen-document").inner_text().strip()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("map.map.chosen") != first
    page.keyboard.press("+")
    assert page.evaluate("map.map.view.scale") == 1.5
    page.keyboard.press("0")
    assert page.evaluate("map.map.view.scale") == 1
    page.keyboard.press("Escape")
    assert page.evaluate("map.map.chosen") == -1


def test_the_map_can_be_zoomed_and_moved_with_the_mouse(url, open_page):
    page = open_page(url)
    page.get_by_role("button", name="Zoom in").click()
    scale = page.evaluate("map.map.view.scale")
    assert scale > 1
    before = page.evaluate("map.map.view")
    box = page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 240, box["y"] + 220, steps=4)
    page.mouse.up()
    after = page.evaluate("map.map.view")
    assert after["x"] > before["x"]
    assert after["y"] > before["y"]
    page.get_by_role("button", name="Show all", exact=True).click()
    assert page.evaluate("map.map.view.scale") == 1


def test_words_tell_their_effects_to_pointer_and_keyboard(page):
    mistake = page.locator(".mistake").nth(1)
    word = mistake.locator(".word.for").first
    word.hover()
    note = mistake.locator(".word-note")
    assert note.is_visible()
    assert word.inner_text() in note.inner_text()
    assert "towards" in note.inner_text()
    page.mouse.move(2, 2)
    words = mistake.locator(".word")
    words.first.focus()
    assert words.nth(0).inner_text() in note.inner_text()
    page.keyboard.press("ArrowRight")
    assert words.nth(1).inner_text() in note.inner_text()
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.textContent") == words.last.inner_text()
    assert not scrolls_sideways(page)


def test_words_that_ngrams_alone_know_are_coloured_and_say_so(open_page, messages, tmp_path):
    texts, labels = messages
    parts = [("mean", MeanVector(), "linear"), ("words", NGrams(), "linear")]
    model = DocumentClassifier(parts).fit([*texts, *["the xqzzy"] * 20], [*labels, *["food"] * 20])
    facts = report_facts(model, ["the xqzzy"], ["travel"])
    assert facts["mistakes"]["n_wrong"] == 1
    path = tmp_path / "report.html"
    path.write_text(render_report(facts), encoding="utf-8")
    page = open_page(path.as_uri())
    word = page.locator(".mistake .word", has_text="xqzzy")
    assert {"unknown", "for"} <= set(word.get_attribute("class").split())
    word.hover()
    note = page.locator(".word-note:visible").inner_text()
    assert "towards food" in note
    assert note.endswith("not in the word vectors: known by n-grams")


def test_pointing_at_a_word_moves_nothing(page):
    word = page.locator(".mistake .word").nth(4)
    word.scroll_into_view_if_needed()
    height = page.evaluate("document.documentElement.scrollHeight")
    before = word.bounding_box()
    word.hover()
    page.locator(".mistake .word.chosen").wait_for()
    assert word.bounding_box() == before
    assert page.evaluate("document.documentElement.scrollHeight") == height


def test_tab_reaches_everything_that_can_be_used(url, open_page):
    page = open_page(url)
    reached = []
    for _ in range(400):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
    assert reached[0] == "A"  # past what stands above
    for wanted in ("map-search", "map-outcome", "CANVAS", "BUTTON"):
        assert wanted in reached


def test_hostile_texts_are_shown_and_never_run(page, facts):
    assert page.evaluate("window.stolen") is None
    assert page.locator("img").count() == 0
    assert page.locator("main script").count() == 0
    row = facts["map"]["text"].index(HOSTILE)
    page.evaluate("(row) => map.map.choose(row)", row)
    assert HOSTILE.split("\u2028")[0].strip() in page.locator(".chosen-document").inner_text()
    page.fill("#map-search", "<img src=x")
    assert page.locator(".matches button").first.inner_text().startswith("<script>")
    assert HOSTILE_LABEL in page.locator(".matrix").inner_text()
    assert page.locator("b[onclick]").count() == 0


def test_nothing_else_gets_into_the_page(url, open_page):
    page = open_page(url)
    page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.append("window.injected = 1");
            document.body.append(script);
            const picture = document.createElement("img");
            picture.src = "https://vlawe.invalid/x.png";
            document.body.append(picture);
        }"""
    )
    page.wait_for_timeout(200)
    assert page.evaluate("window.injected") is None
    refused = [text for text in page.complaints
               if "Content Security Policy" in text or "TrustedScript" in text]  # fmt: skip
    assert len(refused) == len(page.complaints) >= 2
    page.complaints.clear()


def test_a_string_does_not_become_markup(url, open_page):
    page = open_page(url)
    thrown = page.evaluate(
        """() => ["innerHTML", "outerHTML"].map((name) => {
            try { document.querySelector("footer")[name] = "<p>injected"; }
            catch (error) { return error.name; }
        })"""
    )
    assert thrown == ["TypeError", "TypeError"]
    page.complaints.clear()


def test_twenty_thousand_documents_are_drawn_and_found(facts, tmp_path, open_page):
    drawn = facts["map"]
    times = 20_000 // len(drawn["x"]) + 1
    larger = {**drawn, **{name: (drawn[name] * times)[:20_000]
                          for name in ("wanted", "found", "score", "text")}}  # fmt: skip
    larger["x"] = [(i * 7919) % 10_001 for i in range(20_000)]
    larger["y"] = [(i * 104_729 + i // 10_001 * 41) % 10_001 for i in range(20_000)]
    path = tmp_path / "large.html"
    path.write_text(render_report({**facts, "map": larger}), encoding="utf-8")
    page = open_page(path.as_uri())
    page.fill("#map-search", "bread")
    wanted = sum("bread" in text.lower() for text in larger["text"])
    assert page.evaluate("map.map.marked.reduce((a, b) => a + b)") == wanted
    index = 12_345
    page.fill("#map-search", "")
    for _ in range(6):
        page.evaluate("(i) => map.map.zoom(1.6, ...map.map.toPixel(i))", index)
    x, y = pixel_of(page, index)
    page.mouse.move(x, y)
    page.locator(".tip").wait_for(state="visible")
    assert page.evaluate("map.map.pointed") == index


def test_many_labels_have_a_list_of_confusions(open_page, tmp_path):
    import numpy as np

    generator = np.random.default_rng(0)
    words = [
        "bread",
        "soup",
        "train",
        "flight",
        "loan",
        "bank",
        "ticket",
        "butter",
        "coast",
        "bill",
    ]
    texts = [" ".join(generator.choice(words, 6)) for _ in range(120)]
    labels = [f"label {i % 30}" for i in range(120)]
    model = DocumentClassifier([("vlawe", VLAWE(n_codewords=2), "linear")]).fit(texts, labels)
    path = tmp_path / "many.html"
    path.write_text(render_report(report_facts(model, texts, labels)), encoding="utf-8")
    page = open_page(path.as_uri(), 360)
    assert page.locator(".matrix").count() == 0
    assert page.locator(".confusions li").count() > 5
    pairs = page.locator(".pairs [data-pair]")
    assert pairs.count() == 9  # all, and eight pairs
    told = page.locator(".pairs .more").inner_text()
    page.locator(".pairs .more").click()
    assert pairs.count() > 9
    assert told == f"Show all {pairs.count() - 1} pairs of labels"
    assert page.locator(".pairs .more").count() == 0
    page.locator("#scores").get_by_role("button", name="Show all 30 labels").click()
    assert page.locator("#scores tbody tr").count() == 30
    assert not scrolls_sideways(page)


def test_label_sets_have_a_page(open_page, messages, tmp_path):

    texts, labels = messages
    sets = [
        (label, "long") if len(t) > 70 else (label,) for t, label in zip(texts, labels, strict=True)
    ]
    model = DocumentClassifier([("vlawe", VLAWE(n_codewords=2), "linear")]).fit(texts, sets)
    swapped = [() if "travel" in own else own for own in sets]
    path = tmp_path / "sets.html"
    path.write_text(render_report(report_facts(model, texts, swapped)), encoding="utf-8")
    page = open_page(path.as_uri())
    assert "Micro F1" in page.locator(".figures").inner_text()
    assert page.locator(".matrix").count() == 0
    verdicts = page.locator(".mistake h3").all_text_contents()
    assert any("given wrongly" in verdict for verdict in verdicts)
