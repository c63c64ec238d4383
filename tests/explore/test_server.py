"""Tests of the explorer's server as others reach it: whole requests, and whatever else is sent."""

import json
import random
import socket
import threading

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from vlawe.explore import Explorer, LocalServer
from vlawe.explore import app as application
from vlawe.explore.app import LARGEST_REQUEST


def error_of(content):
    answer = json.loads(content)
    assert list(answer) == ["error"]
    return answer["error"]


# ------------------------------------------------------------------------------ what it serves


def test_it_listens_on_this_machine_alone(server):
    assert server._socket.getsockname()[0] == "127.0.0.1"
    assert server.url.startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html"),
        ("/base.css", "text/css"),
        ("/page.css", "text/css"),
        ("/elements.js", "text/javascript"),
        ("/words.js", "text/javascript"),
        ("/page.js", "text/javascript"),
        ("/model", "application/json"),
        ("/documents/0", "application/json"),
    ],
)
def test_everything_comes_with_a_strict_policy(ask, path, kind):
    status, headers, content = ask("GET", path)
    assert status == 200
    assert headers["content-type"].startswith(kind)
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "require-trusted-types-for 'script'; trusted-types 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers
    assert content


def test_texts_are_analysed(ask, model):
    text = "zwei Züge 😀 to the coast <script>"
    status, _, content = ask("POST", "/analyse", json.dumps({"text": text, "label": "travel"}))
    answer = json.loads(content)
    assert status == 200
    assert answer["prediction"] == model.predict([text]).tolist()
    assert answer["label"] == "travel"


# ------------------------------------------------------------------------------- what it refuses


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost", "[::1]:{port}",
     "127.0.0.1:{port}.evil.example", "", "127.0.0.1:{port}@evil.example"],
)  # fmt: skip
def test_another_host_is_refused(ask, port, host):
    status, _, content = ask("GET", "/model", Host=host.format(port=port))
    assert status == 403
    assert "another host" in error_of(content)


def test_this_machine_has_two_names(ask, port):
    for name in ("127.0.0.1", "localhost", "LOCALHOST"):
        assert ask("GET", "/model", Host=f"{name}:{port}")[0] == 200


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:{port}",
     "http://127.0.0.1:{port}.evil.example", ""],
)  # fmt: skip
def test_another_origin_is_refused(ask, port, origin):
    body = json.dumps({"text": "bread"})
    status, _, content = ask("POST", "/analyse", body, Origin=origin.format(port=port))
    assert status == 403
    assert "another site" in error_of(content)
    assert ask("POST", "/analyse", body, Origin=f"http://127.0.0.1:{port}")[0] == 200


def test_requests_that_a_browser_says_are_from_elsewhere_are_refused(ask):
    for site in ("cross-site", "same-site"):
        assert ask("GET", "/model", Sec_Fetch_Site=site)[0] == 403
        opened = {"Sec_Fetch_Site": site, "Sec_Fetch_Mode": "navigate"}
        assert ask("GET", "/", **opened)[0] == 200  # a link to the page itself
        assert ask("GET", "/model", **opened)[0] == 403
    for site in ("same-origin", "none"):
        assert ask("GET", "/model", Sec_Fetch_Site=site)[0] == 200


def test_two_hosts_are_refused(port):
    answer = send_raw(
        port, f"GET /model HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil\r\n\r\n".encode()
    )
    assert answer.split()[1] in (b"400", b"403")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("", 400),
        ("{", 400),
        ("[]", 400),
        ("null", 400),
        ('"text"', 400),
        ("{}", 400),
        ('{"text": 3}', 400),
        ('{"text": null}', 400),
        ('{"text": ["a"]}', 400),
        ('{"text": "\\ud800"}', 400),
        (b'{"text": "\xff"}', 400),
        ("[" * 100_000, 400),
        ('{"text": "a", "label": "no such"}', 400),
        ('{"text": "a", "label": 7}', 400),
        ('{"text": "a", "label": {}}', 400),
        (json.dumps({"text": "x" * LARGEST_REQUEST}), 413),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_questions_that_make_no_sense_are_told_in_json(ask, is_well, body, status):
    found, headers, content = ask("POST", "/analyse", body)
    assert found == status
    assert headers["content-type"] == "application/json"
    assert error_of(content)
    assert is_well()


def test_only_json_is_taken(ask):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        status, _, content = ask("POST", "/analyse", '{"text": "a"}', Content_Type=kind)
        assert status == 415
        assert error_of(content)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nowhere", 404), ("GET", "/../../etc/passwd", 404), ("GET", "/documents/300", 404),
     ("GET", "/documents/-1", 404), ("GET", "/documents/x", 404), ("GET", "/analyse", 405),
     ("GET", "/documents/" + "9" * 5000, 404), ("GET", "/documents/%D9%A3", 404),
     ("DELETE", "/", 405), ("PUT", "/model", 405)],
)  # fmt: skip
def test_other_paths_and_methods_are_errors_in_json(ask, method, path, status):
    found, _, content = ask(method, path)
    assert found == status
    assert error_of(content)


def test_the_largest_request_is_answered(ask):
    text = "bread " * 40_000
    body = json.dumps({"text": text})
    assert len(body) < LARGEST_REQUEST
    status, _, content = ask("POST", "/analyse", body)
    assert status == 200
    assert json.loads(content)["n_tokens"] == 40_000


def test_a_body_without_end_is_cut_off(port, is_well):
    """Chunks keep coming, and no length was told."""
    head = (
        f"POST /analyse HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    answer = send_raw(port, head.encode() + chunk * 8)
    assert answer.startswith(b"HTTP/1.1 413")
    assert is_well()


def test_a_body_that_never_comes_is_given_up(port, is_well, monkeypatch):
    monkeypatch.setattr(application, "_SECONDS_TO_SEND", 0.2)
    head = (
        f"POST /analyse HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        "Content-Length: 100\r\n\r\n{"
    )
    assert send_raw(port, head.encode()).startswith(b"HTTP/1.1 408")
    assert is_well()


def test_too_many_questions_at_a_time_are_put_off(ask, monkeypatch):
    monkeypatch.setattr(application, "_MOST_WAITING", 0)
    status, _, content = ask("POST", "/analyse", '{"text": "a"}')
    assert status == 503
    assert error_of(content)


def test_an_error_of_the_model_is_told_in_json_and_survived(ask, is_well, monkeypatch):
    def fail(*_):
        raise RuntimeError("a secret of the model")

    with monkeypatch.context() as patched:
        patched.setattr(Explorer, "analyse", fail)
        status, headers, content = ask("POST", "/analyse", '{"text": "a"}')
    assert status == 500
    assert "secret" not in error_of(content)
    assert "content-security-policy" in headers
    assert is_well()


def test_questions_of_many_threads_are_all_answered(ask):
    statuses = []

    def work():
        statuses.extend(ask("POST", "/analyse", '{"text": "fresh bread"}')[0] for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 30


# ---------------------------------------------------------------------------- what it survives


def send_raw(port, data, *, wait=True):
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        try:
            connection.sendall(data)
            if not wait:
                return b""
            return connection.recv(65536)
        except (ConnectionError, TimeoutError):
            return b""


def malformed(generator, port):
    """Return bytes that no browser would send."""
    get = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n".encode()
    post = get.replace(b"GET /", b"POST /analyse") + b"Content-Type: application/json\r\n"
    whole = post + b'Content-Length: 14\r\n\r\n{"text": "a"}'
    data = generator.choice([
        b"",
        b"\r\n" * generator.randrange(1, 100),
        generator.randbytes(generator.randrange(1, 400)),
        b"\x16\x03\x01\x02\x00\x01\x00" + generator.randbytes(60),  # TLS
        b"GET " + b"/" * generator.randrange(1, 70_000) + b" HTTP/1.1\r\n\r\n",
        get.replace(b"1.1", b"9.9") + b"\r\n",
        get + b"Content-Length: -5\r\n\r\n",
        get + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
        get + b"X: \x00\x01\r\n\r\n",
        get + b"X: " + b"y" * 70_000 + b"\r\n\r\n",
        get + b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        post + b"Content-Length: 14\r\n\r\n" + generator.choice([b"{", b"[[[[", b"\x00" * 14]),
        whole[: generator.randrange(1, len(whole))],
    ])  # fmt: skip
    if data and generator.random() < 0.3:  # and some of them broken once more
        place = generator.randrange(len(data))
        data = data[:place] + generator.randbytes(3) + data[place + 1 :]
    return data


def test_it_survives_a_thousand_malformed_requests(port, is_well):
    generator = random.Random(0)
    for number in range(1000):
        send_raw(port, malformed(generator, port), wait=False)
        if number % 250 == 0:
            assert is_well()
    assert is_well()


def test_it_survives_connections_that_say_nothing(port, is_well):
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(200)]
    assert is_well()
    for connection in silent:
        connection.close()
    assert is_well()


# ------------------------------------------------------------------------------------ starting


def test_a_port_that_is_taken_is_an_error(port, model):
    with pytest.raises(OSError, match="ddress already in use"):
        LocalServer(Explorer(model, "again"), port)


def test_a_missing_library_names_the_extra(model, monkeypatch):
    import sys

    from vlawe.system.extras import MissingExtraError

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtraError, match=r"vlawe\[explore\]"):
        LocalServer(Explorer(model, "again"))
