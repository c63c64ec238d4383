"""Tests of what many and slow connections can do to the explorer: nothing."""

import socket
import time
from contextlib import ExitStack

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from vlawe.explore import connections


@pytest.fixture
def connect(port):
    """Open connections that say something, and stay open."""
    with ExitStack() as opened:

        def connect(said):
            connection = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.settimeout(10)
            connection.sendall(said)
            return connection

        yield connect


def head(port, request="GET /model"):
    return f"{request} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n".encode()


def is_ended(connection):
    """Wait until the other side ends a connection, whatever it sends before."""
    try:
        while connection.recv(65536):
            pass
    except ConnectionError:
        pass
    return True


def test_half_open_requests_do_not_keep_others_out(connect, port, is_well):
    body = b"Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"
    for half in (b"", head(port), head(port, "POST /analyse") + body):
        waiting = [connect(half) for _ in range(520)]
        assert is_well()
        assert is_ended(waiting[0])  # the oldest gave way


def test_a_request_that_never_ends_is_given_up(connect, port, monkeypatch):
    monkeypatch.setattr(connections, "SECONDS_TO_ASK", 0.1)
    assert is_ended(connect(b""))
    assert is_ended(connect(head(port)))
    # … also after a whole one.
    assert is_ended(connect(head(port) + b"\r\n" + head(port)))


def test_an_answer_that_nobody_reads_is_given_up(connect, port, server, monkeypatch):
    monkeypatch.setattr(connections, "SECONDS_TO_ANSWER", 0.2)
    monkeypatch.setattr(connections, "SECONDS_TO_ASK", 0.2)
    silent = connect(b"")
    silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    silent.sendall((head(port, "GET /page.js") + b"\r\n") * 2000)  # answers of 20 MB
    ours = silent.getsockname()
    state = server._server.server_state
    for _ in range(100):
        if ours not in {connection.client for connection in list(state.connections)}:
            return
        time.sleep(0.1)
    pytest.fail("the connection lasts")


def test_a_slow_answer_is_waited_for(ask, port, monkeypatch):
    from vlawe.explore import Explorer

    real = Explorer.analyse

    def slow(*arguments):
        time.sleep(0.5)
        return real(*arguments)

    monkeypatch.setattr(connections, "SECONDS_TO_ASK", 0.1)
    monkeypatch.setattr(Explorer, "analyse", slow)
    assert ask("POST", "/analyse", '{"text": "bread"}')[0] == 200
