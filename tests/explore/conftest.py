"""A small model, documents, an explorer of them, and its server."""

import csv
import http.client
import json
import threading
from importlib.resources import files

import pytest

from vlawe import BOSWE, VLAWE, DocumentClassifier


@pytest.fixture(scope="session")
def messages():
    """The bundled messages of three topics: texts and labels."""
    with files("vlawe").joinpath("data/messages.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["topic"] in ("food", "money", "travel")]
    return [row["text"] for row in rows], [row["topic"] for row in rows]


@pytest.fixture(scope="session")
def model(messages):
    """A classifier of three topics."""
    parts = [("vlawe", VLAWE(n_codewords=4), "linear"), ("boswe", BOSWE(n_codewords=30), "pq")]
    return DocumentClassifier(parts).fit(*messages)


@pytest.fixture(scope="module")
def server(model, messages):
    """A server that is running."""
    from vlawe.explore import Explorer, LocalServer

    server = LocalServer(Explorer(model, "topics", *messages, data_name="messages.csv"))
    thread = threading.Thread(target=server.run)
    thread.start()
    yield server
    server.stop()
    thread.join(10)
    assert not thread.is_alive()


@pytest.fixture(scope="module")
def port(server):
    """The port of the server."""
    return int(server.url.rstrip("/").rpartition(":")[2])


@pytest.fixture
def ask(port):
    """Send a request; return its status, headers and content."""

    def ask(method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        if body is not None and "Content_Type" not in headers:
            headers["Content_Type"] = "application/json"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response.status, dict(response.getheaders()), content

    return ask


@pytest.fixture
def is_well(ask):
    """Tell whether the server answers as it should."""

    def is_well():
        status, _, content = ask("POST", "/analyse", json.dumps({"text": "fresh bread"}))
        return status == 200 and json.loads(content)["prediction"] == ["food"]

    return is_well
