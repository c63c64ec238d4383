import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from small_archives import small_mr
from vlawe.reproduce.datasets import DataError
from vlawe.reproduce.datasets.download import _AddressError, _CarefulRedirects, download
from vlawe.system.progress import ProgressBar


class Server:
    """A file server with faults; `ranges` lists the Range header of each request."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.ranges: list[str | None] = []
        self.knows_ranges = True
        self.says_length = True
        self.status = 200
        self.location: str | None = None
        self.cut_after: list[int] = []  # of the body, request by request
        self.content_range: str | None = None
        self.raw: bytes | None = None  # to be sent instead of an answer
        self.silence = 0.0
        own = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                own.answer(self)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}/file.zip"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        asked = request.headers.get("Range")
        self.ranges.append(asked)
        time.sleep(self.silence)
        if self.raw is not None:
            request.wfile.write(self.raw)
            return
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and self.knows_ranges else 0
        body = self.content[start:]
        request.send_response(206 if start and self.status == 200 else self.status)
        if self.location:
            request.send_header("Location", self.location)
        if start:
            said = f"bytes {start}-{len(self.content) - 1}/{len(self.content)}"
            request.send_header("Content-Range", self.content_range or said)
        if self.says_length:
            request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[: self.cut_after.pop(0)] if self.cut_after else body)

    def close(self) -> None:
        if self._thread.is_alive():
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()


@pytest.fixture
def wanted(tmp_path):
    """The entry of a small archive, and its bytes; the archive itself is gone."""
    info = small_mr(tmp_path)
    content = (tmp_path / info.archive).read_bytes()
    (tmp_path / info.archive).unlink()
    return info, content


@pytest.fixture
def make_server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    servers = []

    def make(content: bytes) -> Server:
        servers.append(Server(content))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


@pytest.fixture
def server(make_server, wanted):
    return make_server(wanted[1])


def part(folder, info):
    return folder / f"{info.archive}.part"


def test_a_download_is_the_file_and_nothing_else(tmp_path, wanted, server):
    info, content = wanted
    folder = tmp_path / "new" / "folder"
    path = download(info, folder, addresses=[server.address])
    assert path == folder / info.archive
    assert path.read_bytes() == content
    assert list(folder.iterdir()) == [path]


def test_what_is_there_is_not_fetched(tmp_path, wanted, server):
    info, content = wanted
    (tmp_path / info.archive).write_bytes(content)
    download(info, tmp_path, addresses=[server.address])
    assert server.ranges == []


def test_another_file_of_its_name_is_never_replaced(tmp_path, wanted, server):
    info, _ = wanted
    (tmp_path / info.archive).write_bytes(b"mine")
    with pytest.raises(DataError, match="a file that is there is not replaced"):
        download(info, tmp_path, addresses=[server.address])
    assert (tmp_path / info.archive).read_bytes() == b"mine"
    assert server.ranges == []


# ------------------------------------------------------------------------------------ resuming


def test_an_interrupted_download_goes_on_where_it_ended(tmp_path, wanted, server, monkeypatch):
    info, content = wanted

    def press_ctrl_c(bar, completed):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("vlawe.reproduce.datasets.download._BLOCK", 100)
        patched.setattr(ProgressBar, "update", press_ctrl_c)
        with pytest.raises(KeyboardInterrupt):
            download(info, tmp_path, addresses=[server.address])
    assert part(tmp_path, info).read_bytes() == content[:100]
    assert not (tmp_path / info.archive).exists()
    assert download(info, tmp_path, addresses=[server.address]).read_bytes() == content
    assert server.ranges == [None, "bytes=100-"]


def test_a_complete_partial_file_needs_no_connection(tmp_path, wanted, server):
    info, content = wanted
    part(tmp_path, info).write_bytes(content)
    download(info, tmp_path, addresses=[server.address])
    assert server.ranges == []


def test_a_server_that_ignores_ranges_sends_it_all_again(tmp_path, wanted, server):
    info, content = wanted
    server.knows_ranges = False
    part(tmp_path, info).write_bytes(content[:100])
    assert download(info, tmp_path, addresses=[server.address]).read_bytes() == content


@pytest.mark.parametrize("garbage", [b"x" * 50, b"x" * 10_000])
def test_a_partial_file_of_something_else_is_fetched_anew(tmp_path, wanted, server, garbage):
    info, content = wanted
    part(tmp_path, info).write_bytes(garbage)
    assert download(info, tmp_path, addresses=[server.address]).read_bytes() == content
    assert server.ranges[-1] is None


def test_a_broken_connection_is_taken_up_again(tmp_path, wanted, server):
    info, content = wanted
    server.cut_after = [100, 50]
    assert download(info, tmp_path, addresses=[server.address]).read_bytes() == content
    assert server.ranges == [None, "bytes=100-", "bytes=150-"]


def test_a_body_that_always_ends_early_is_given_up_and_kept(tmp_path, wanted, server):
    info, content = wanted
    server.knows_ranges = False
    server.cut_after = [100] * 10
    with pytest.raises(DataError, match=f"ended after 100 of {info.size:,} bytes"):
        download(info, tmp_path, addresses=[server.address])
    assert len(server.ranges) == 2  # the second brought it no further
    assert part(tmp_path, info).read_bytes() == content[:100]


@pytest.mark.parametrize("said", ["bytes 0-9/10", "bytes 99-300/{}", "nonsense", "bytes 100-200/*"])
def test_an_answer_with_another_range_is_refused(tmp_path, wanted, server, said):
    info, content = wanted
    part(tmp_path, info).write_bytes(content[:100])
    server.content_range = said.format(info.size)
    with pytest.raises(DataError, match="another part of the file"):
        download(info, tmp_path, addresses=[server.address])
    assert part(tmp_path, info).read_bytes() == content[:100]


# ------------------------------------------------------------------------------ what is refused


def test_a_wrong_checksum_never_gets_the_name(tmp_path, wanted, make_server):
    info, content = wanted
    server = make_server(content[:-1] + b"x")
    with pytest.raises(DataError, match="another file"):
        download(info, tmp_path, addresses=[server.address])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("says_length", [True, False])
def test_too_many_bytes_are_refused(tmp_path, wanted, make_server, says_length):
    info, content = wanted
    server = make_server(content + b"x" * 1_000_000)
    server.says_length = says_length
    with pytest.raises(DataError, match="expected"):
        download(info, tmp_path, addresses=[server.address])
    assert not (tmp_path / info.archive).exists()
    assert not part(tmp_path, info).exists() or part(tmp_path, info).stat().st_size == 0


@pytest.mark.parametrize("says_length", [True, False])
def test_too_few_bytes_are_refused(tmp_path, wanted, make_server, says_length):
    info, content = wanted
    server = make_server(content[:-1])
    server.says_length = says_length
    with pytest.raises(DataError, match=f"expected {info.size:,}|of {info.size:,} bytes|another"):
        download(info, tmp_path, addresses=[server.address])
    assert not (tmp_path / info.archive).exists()


@pytest.mark.parametrize("status", [404, 403, 500])
def test_an_error_of_the_server_is_told(tmp_path, wanted, server, status):
    info, _ = wanted
    server.status = status
    with pytest.raises(DataError, match=f"{server.address}: the server answered {status}"):
        download(info, tmp_path, addresses=[server.address])


def test_the_next_mirror_is_asked(tmp_path, wanted, make_server):
    info, content = wanted
    missing, wrong, good = make_server(content), make_server(content[::-1]), make_server(content)
    missing.status = 404
    addresses = [one.address for one in (missing, wrong, good)]
    assert download(info, tmp_path, addresses=addresses).read_bytes() == content


def test_a_mirror_goes_on_where_another_ended(tmp_path, wanted, make_server):
    info, content = wanted
    first, second = make_server(content), make_server(content)
    first.cut_after = [100, 0, 0]
    addresses = [first.address, second.address]
    assert download(info, tmp_path, addresses=addresses).read_bytes() == content
    assert second.ranges == ["bytes=100-"]


def test_without_a_connection_the_message_says_what_to_do(tmp_path, wanted, make_server):
    info, content = wanted
    closed = make_server(content)
    address = closed.address
    closed.close()
    with pytest.raises(DataError) as caught:
        download(info, tmp_path, addresses=[address, address])
    message = str(caught.value)
    assert message.count("no connection to 127.0.0.1: Connection refused") == 1
    for part_of_it in ("offline", info.archive, info.sha256, str(tmp_path)):
        assert part_of_it in message


@pytest.mark.parametrize("raw", [b"", b"nonsense\r\n\r\n"])
def test_a_server_that_does_not_speak_http_is_given_up(tmp_path, wanted, server, raw):
    server.raw = raw
    with pytest.raises(DataError, match=r"no connection to 127\.0\.0\.1: \w+"):
        download(wanted[0], tmp_path, addresses=[server.address])


def test_a_silent_server_is_given_up(tmp_path, wanted, server, monkeypatch):
    monkeypatch.setattr("vlawe.reproduce.datasets.download._TIMEOUT", 0.1)
    server.silence = 0.3
    with pytest.raises(DataError, match="timed out"):
        download(wanted[0], tmp_path, addresses=[server.address])


def test_a_body_that_breaks_off_inside_a_chunk_is_given_up(tmp_path, wanted, server):
    server.raw = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\nPK"
    with pytest.raises(DataError, match="the connection broke"):
        download(wanted[0], tmp_path, addresses=[server.address])


@pytest.mark.parametrize("address", ["file:///etc/hosts", "ftp://127.0.0.1/x", "data:,x", "x", ""])
def test_only_http_is_spoken(tmp_path, wanted, address):
    with pytest.raises(DataError, match="not an http or https address"):
        download(wanted[0], tmp_path, addresses=[address])


# --------------------------------------------------------------------------------- redirections


def test_a_redirection_is_followed_with_its_range(tmp_path, wanted, make_server):
    info, content = wanted
    first, second = make_server(b""), make_server(content)
    first.status, first.location = 302, second.address
    part(tmp_path, info).write_bytes(content[:100])
    assert download(info, tmp_path, addresses=[first.address]).read_bytes() == content
    assert second.ranges == ["bytes=100-"]


@pytest.mark.parametrize("target", ["ftp://127.0.0.1/x", "file:///etc/hosts"])
def test_a_redirection_to_another_protocol_is_refused(tmp_path, wanted, server, target):
    server.status, server.location = 302, target
    with pytest.raises(DataError, match=r"not followed|not allowed"):
        download(wanted[0], tmp_path, addresses=[server.address])
    assert not (tmp_path / wanted[0].archive).exists()


def test_a_redirection_from_https_stays_https():
    class Body:
        def close(self):
            pass

    handler = _CarefulRedirects()
    request = urllib.request.Request("https://example.org/a")
    allowed = handler.redirect_request(request, Body(), 302, "", {}, "https://example.org/b")
    assert allowed.full_url == "https://example.org/b"
    with pytest.raises(_AddressError, match=r"http://example\.org/b, not followed"):
        handler.redirect_request(request, Body(), 302, "", {}, "http://example.org/b")


def test_a_loop_of_redirections_ends(tmp_path, wanted, server):
    server.status, server.location = 302, server.address
    with pytest.raises(DataError, match="could not be downloaded"):
        download(wanted[0], tmp_path, addresses=[server.address])


# --------------------------------------------------------------------------------------- the disk


def test_a_full_disk_is_not_taken_for_a_broken_connection(tmp_path, wanted, server, monkeypatch):
    info, _ = wanted

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        download(info, tmp_path, addresses=[server.address])
    assert not (tmp_path / info.archive).exists()
