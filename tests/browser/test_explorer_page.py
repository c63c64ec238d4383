"""Tests of the explorer page in a real browser."""

import http.server
import threading

import pytest

from pages_in_browser import HOSTILE, HOSTILE_LABEL, WIDTHS, focused, scrolls_sideways

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from vlawe import VLAWE, DocumentClassifier, NGrams
from vlawe.explore import Explorer, LocalServer


def serve(explorer):
    server = LocalServer(explorer)
    thread = threading.Thread(target=server.run)
    thread.start()

    def stop():
        server.stop()
        thread.join(10)

    return server.url, stop


@pytest.fixture(scope="module")
def explorer(model, messages):
    texts, labels = messages
    return Explorer(model, "<i>topics", texts, labels, "<u>data")


@pytest.fixture(scope="module")
def url(explorer):
    address, stop = serve(explorer)
    yield address
    stop()


@pytest.fixture(params=WIDTHS)
def page(request, url, open_page):
    return open_page(url, request.param)


def type_text(page, text):
    """Type a text, and wait until the page shows what the model makes of it."""
    page.fill("#text", text)
    page.wait_for_function("(text) => state.now?.source === text && !state.asking", arg=text)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_loads_and_fits(url, open_page, width, scheme):
    page = open_page(url, width, color_scheme=scheme)
    page.wait_for_function("() => state.model !== null")
    assert page.locator("h1").inner_text() == "<i>topics"
    assert "301 documents of <u>data" in page.locator("#about").inner_text()
    assert focused(page) == "text"
    page.wait_for_function("() => state.now !== null")
    type_text(page, "Two tickets to the coast, and xqzzy bread for the train, please! " * 3)
    assert not scrolls_sideways(page)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")


def test_what_is_typed_is_predicted_key_by_key(page, model):
    page.wait_for_function("() => state.now !== null")
    page.locator("#text").press_sequentially("two train tickets", delay=15)
    page.wait_for_function("() => state.now?.source === 'two train tickets'")
    assert page.locator(".verdict").inner_text() == model.predict(["two train tickets"])[0]
    assert page.locator(".scores li").count() == 3
    assert page.locator(".words .word").all_text_contents() == ["two", "train", "tickets"]
    assert page.locator(".word.for").count() >= 1
    assert page.locator(".documents li").count() == 5
    assert page.locator("#tokens").inner_text() == "3 words, 0 unknown"


def note_of(page, word, text):
    """Return what is said of a word under the mouse; a page drawn anew meanwhile is asked again."""
    for _ in range(30):
        page.mouse.move(0, 0)
        word.hover()
        note = page.locator(".word-note").inner_text()
        if text in note:
            break
        page.wait_for_timeout(100)
    return note


def test_unknown_words_and_codewords_are_shown(page):
    type_text(page, "fresh xqzzy bread")
    assert page.locator(".words .word.unknown").all_text_contents() == ["xqzzy"]
    assert page.locator("#tokens").inner_text() == "3 words, 1 unknown"
    unknown, last = page.locator(".words .word.unknown"), page.locator(".words .word").last
    assert "not in the word vectors" in note_of(page, unknown, "not in the word vectors")
    assert "codeword" in note_of(page, last, "codeword")
    listed = page.locator(".codewords .names").all_text_contents()
    assert sorted(", ".join(listed).split(", ")) == ["bread", "fresh"]


def test_effects_can_be_seen_for_any_label(page):
    type_text(page, "fresh bread on the train")
    label = page.locator(".scores button").last.locator("span").first.inner_text()
    page.locator(".scores button").last.click()
    page.wait_for_function("(label) => state.now.label === label", arg=label)
    assert label in note_of(page, page.locator(".words .word").first, label)
    assert f"for {label}" in page.locator(".key").inner_text()


def test_editing_tells_what_changed(page, model):
    type_text(page, "fresh bread for lunch")
    page.click("#pin")
    assert page.locator("#pin").inner_text() == "Unpin"
    type_text(page, "a train for lunch")
    changes = page.locator("#changes")
    assert "Since you pinned" in changes.inner_text()
    assert set(changes.locator("del").all_text_contents()) == {"fresh", "bread"}
    assert set(changes.locator("ins").all_text_contents()) == {"a", "train"}
    before, after = model.predict(["fresh bread for lunch", "a train for lunch"])
    assert (f"From {before} to {after}" in changes.inner_text()) == (before != after)
    assert page.locator(".change").count() >= 1
    page.click("#pin")
    assert changes.inner_text() == ""


def test_a_pause_starts_a_new_comparison(page):
    type_text(page, "fresh bread")
    page.evaluate("state.typed -= 10_000")  # as if the pause had been long
    type_text(page, "fresh butter")
    assert "Since the last pause" in page.locator("#changes").inner_text()
    assert page.locator("#changes del").all_text_contents() == ["bread"]


def test_documents_can_be_taken(page, messages):
    page.click("#example")
    page.wait_for_function("() => state.now && document.getElementById('text').value !== ''")
    assert page.input_value("#text") in messages[0]
    type_text(page, "two tickets to the coast")
    page.locator(".documents button").first.click()
    page.wait_for_function("() => state.now && state.now.source !== 'two tickets to the coast'")
    assert page.input_value("#text") in messages[0]
    page.click("#clear")
    page.wait_for_function("() => state.now?.source === ''")
    assert page.locator("#prediction").inner_text() == ""


def test_a_page_begins_with_an_example_that_typing_replaces(page, messages):
    page.wait_for_function("() => state.now !== null")
    assert page.input_value("#text") in messages[0]
    assert page.locator(".verdict").inner_text()
    page.keyboard.type("tea")
    assert page.input_value("#text") == "tea"


def bars(page):
    """Return the widths of the bars, as shares of the widths that they could have."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".scores .bar")].map((bar) => {
            const whole = bar.getBoundingClientRect(), own = bar.firstChild.getBoundingClientRect();
            return [own.width / whole.width, (own.left - whole.left) / whole.width];
        })"""
    )


def test_bars_have_one_scale_whatever_the_text(page):
    for text in ("the", "fresh bread and butter", "xqzzy"):
        type_text(page, text)
        scores = [score for _, score, _ in page.evaluate("state.now.scores")]
        for score, (width, left) in zip(scores, bars(page), strict=True):
            assert width == pytest.approx(min(1, abs(score) / 2) / 2, abs=0.01)
            edge = left + width if score < 0 else left
            assert edge == pytest.approx(0.5, abs=0.01)  # they start from zero
    assert page.locator(".scale span").all_text_contents() == ["−2", "0", "+2"]


def test_probabilities_are_the_bars_of_a_model_that_has_them(open_page, messages):

    texts, labels = messages
    two = [row for row, label in enumerate(labels) if label != "money"]
    model = DocumentClassifier([("vlawe", VLAWE(n_codewords=3), "linear")], probability=True)
    model.fit([texts[row] for row in two], [labels[row] for row in two])
    address, stop = serve(Explorer(model, "two"))
    try:
        page = open_page(address)
        page.wait_for_function("() => state.now !== null")
        assert "train" in page.input_value("#text")  # a sentence where there are no documents
        type_text(page, "fresh bread")
        chances = [chance for *_, chance in page.evaluate("state.now.scores")]
        for chance, (width, left) in zip(chances, bars(page), strict=True):
            assert (width, left) == (pytest.approx(chance, abs=0.01), pytest.approx(0, abs=0.01))
        assert chances[0] == max(chances)  # the likeliest has the longest bar
        assert page.locator(".scale span").all_text_contents() == ["0 %", "50 %", "100 %"]
    finally:
        stop()


def test_the_strongest_effects_stand_there_as_numbers(page, model):
    type_text(page, "fresh bread on the train to the coast")
    effects = {}
    for word in model.explain("fresh bread on the train to the coast").words:
        effects[word.word] = list(word.effects.values())[
            model.classes_.tolist().index(page.evaluate("state.now.label"))
        ]
    strongest = sorted(effects, key=lambda word: -abs(effects[word]))[:6]
    shown = page.locator(".strongest li").all_inner_texts()
    assert [text.split()[0] for text in shown] == strongest
    assert f"{abs(effects[strongest[0]]):.3f}" in shown[0]


def test_codewords_are_folded_and_have_the_sum_of_their_words(page):
    type_text(page, "fresh bread on the train to the coast")
    assert page.locator(".codewords details[open]").count() == 0
    sums = page.evaluate(
        """() => {
            const sums = {};
            for (const [, , effect, number] of state.now.text.pieces)
                sums[number] = (sums[number] ?? 0) + effect;
            return sums;
        }"""
    )
    for row in page.locator(".codewords summary").all():
        number = row.locator(".number").first.inner_text()
        assert f"{abs(sums[number]):.2f}" in row.locator(".sum").inner_text()
    page.locator(".codewords summary").first.click()
    assert page.locator(".codewords details[open] .chips li").count() >= 1
    type_text(page, "fresh bread on the train to the coast, please")
    assert page.locator(".codewords details[open]").count() == 1  # it stays open


def test_words_that_ngrams_alone_know_have_effects_and_no_codeword(open_page, messages):
    texts, labels = messages
    parts = [("vlawe", VLAWE(n_codewords=2), "linear"), ("words", NGrams(), "linear")]
    model = DocumentClassifier(parts).fit([*texts, *["the 🚀 xqzzy"] * 9], [*labels, *["food"] * 9])
    address, stop = serve(Explorer(model, "topics"))
    try:
        page = open_page(address)
        type_text(page, "🚀 soup of qwxyz")
        effect = model.explain("🚀 soup of qwxyz").words[0].effects["food"]
        word = page.locator(".words .word").first
        assert {"unknown", "for"} <= set(word.get_attribute("class").split())
        note = note_of(page, word, "known by n-grams")
        assert f"{effect:+.3f} for food" in note
        assert "known by n-grams" in note
        last = page.locator(".words .word").last
        assert "has no effect" in note_of(page, last, "has no effect")
        row = page.locator(".codewords details", has_text="🚀")
        assert row.locator(".number").first.inner_text() == "–"
        assert row.locator(".sum").inner_text() == f"{effect:+.2f}"
        row.locator("summary").click()
        assert "not in the word vectors" in row.inner_text()
    finally:
        stop()


def test_the_middle_of_the_scale_is_the_middle_of_the_bars(page):
    type_text(page, "fresh bread on the train to the coast")
    middles = page.evaluate(
        """() => [".scale span:nth-child(2)", ".scores .bar"].map((place) => {
            const box = document.querySelector(place).getBoundingClientRect();
            return box.left + box.width / 2;
        })"""
    )
    assert abs(middles[0] - middles[1]) < 1.5


def test_everything_can_be_done_with_the_keyboard(page):
    page.wait_for_function("() => state.now !== null")
    page.keyboard.type("fresh bread on the train")
    page.wait_for_function(
        "() => state.now?.source === 'fresh bread on the train' && !state.asking"
    )
    stops = []
    for _ in range(14):
        page.keyboard.press("Tab")
        stops.append(focused(page))
    assert stops[:3] == ["example", "pin", "clear"]
    assert "SPAN fresh" in stops
    assert any(stop.startswith("BUTTON travel") for stop in stops)
    page.locator(".words .word").first.focus()
    page.keyboard.press("ArrowRight")
    assert focused(page) == "SPAN bread"
    assert "bread" in page.locator(".word-note").inner_text()


def test_hostile_texts_are_shown_and_never_run(page):
    type_text(page, HOSTILE)
    assert page.evaluate("window.stolen") is None
    assert page.locator("img").count() == 0
    assert page.locator("main script").count() == 0
    shown = page.locator(".words").inner_text()
    assert "<script>window.stolen = 1</script>" in shown
    assert page.locator(".documents button").first.inner_text().startswith("<script>")
    assert HOSTILE_LABEL in page.locator("#prediction").inner_text()
    assert page.locator("b[onclick]").count() == 0


def test_too_much_text_is_told(page):
    page.fill("#text", "bread " * 60_000)
    page.locator("#problem").wait_for(state="visible")
    assert "262,144 bytes" in page.locator("#problem").inner_text()
    assert any("413" in complaint for complaint in page.complaints)
    page.complaints.clear()  # the browser logs what is refused
    type_text(page, "fresh bread")
    assert not page.locator("#problem").is_visible()


def test_an_explorer_that_has_ended_is_told(explorer, open_page):
    address, stop = serve(explorer)
    page = open_page(address)
    type_text(page, "fresh bread")
    stop()
    page.fill("#text", "fresh butter")
    page.locator("#problem").wait_for(state="visible")
    assert "Is it still running?" in page.locator("#problem").inner_text()
    page.complaints.clear()


def test_an_encoder_shows_words_and_neighbours_only(open_page, messages):

    address, stop = serve(Explorer(VLAWE(n_codewords=3).fit(messages[0]), "encoder", messages[0]))
    try:
        page = open_page(address)
        type_text(page, "fresh bread")
        assert page.locator("#prediction").inner_text() == ""
        assert page.locator(".words .word").count() == 2
        assert page.locator(".documents li").count() == 5
    finally:
        stop()


def test_a_page_of_another_site_cannot_use_it(url, explorer, open_page, monkeypatch):
    asked = []
    monkeypatch.setattr(explorer, "analyse", lambda *question: asked.append(question) or {})

    class Elsewhere(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><link rel=icon href=data:,><title>other</title>")

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        page = open_page(f"http://localhost:{other.server_port}/")
        outcomes = page.evaluate(
            """async (url) => {
                const question = {method: "POST", body: JSON.stringify({text: "bread"})};
                const json = {...question, headers: {"Content-Type": "application/json"}};
                const attempts = [
                    fetch(url + "analyse", json),
                    fetch(url + "analyse", question),
                    fetch(url + "analyse", {...question, mode: "no-cors"}),
                    fetch(url + "model"),
                    fetch(url + "documents/0", {mode: "no-cors"}),
                ];
                const results = await Promise.allSettled(attempts);
                return results.map((r) => r.status === "rejected" ? "refused" : r.value.type);
            }""",
            url,
        )
        other.shutdown()
        thread.join()
    assert asked == []
    assert all(outcome in ("refused", "opaque") for outcome in outcomes)
    assert outcomes.count("refused") >= 3
    page.complaints.clear()  # the browser logs what is refused
