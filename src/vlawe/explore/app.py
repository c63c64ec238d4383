"""The explorer as a web application (Starlette): its page, and what the page asks for."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from vlawe.explore.guard import Guard
from vlawe.pages import read_asset

if TYPE_CHECKING:
    from vlawe.explore.explorer import Explorer

LARGEST_REQUEST = 256 * 1024
"""Bytes of a request's body."""

_SECONDS_TO_SEND = 10
_MOST_WAITING = 8
_MOST_DIGITS = 12

_FILES = {
    "/": ("vlawe.explore", "page.html", "text/html"),
    "/base.css": ("vlawe.pages", "base.css", "text/css"),
    "/page.css": ("vlawe.explore", "page.css", "text/css"),
    "/elements.js": ("vlawe.pages", "elements.js", "text/javascript"),
    "/words.js": ("vlawe.pages", "words.js", "text/javascript"),
    "/page.js": ("vlawe.explore", "page.js", "text/javascript"),
}


def make_app(explorer: "Explorer", port: int) -> Guard:
    """Return the application that serves an explorer on a port of this machine."""
    thread = ThreadPoolExecutor(1)  # works for all requests, one after the other
    waiting = 0

    async def document(request: Request) -> Response:
        row = request.path_params["row"]
        # Starlette's own numbers are of any length, and Python's are not read from any text.
        if not (row.isascii() and row.isdigit() and len(row) <= _MOST_DIGITS):
            raise HTTPException(404, f"a document's row has {_MOST_DIGITS} digits at most")
        try:
            return JSONResponse(explorer.document(int(row)))
        except IndexError as error:
            raise HTTPException(404, str(error)) from error

    async def analyse(request: Request) -> Response:
        nonlocal waiting
        asked = await _read_question(request)
        label = asked.get("label")
        if label is not None and not (isinstance(label, str) and explorer.has_class(label)):
            raise HTTPException(400, "the model has no such label")
        if waiting >= _MOST_WAITING:
            raise HTTPException(503, "too many requests at a time")
        waiting += 1
        try:
            loop = asyncio.get_running_loop()
            answer = await loop.run_in_executor(thread, explorer.analyse, asked["text"], label)
        finally:
            waiting -= 1
        return JSONResponse(answer)

    async def tell(_: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            return JSONResponse({"error": error.detail}, error.status_code)
        return JSONResponse({"error": "something went wrong"}, 500)

    fixed: dict[str, Response] = {"/model": JSONResponse(explorer.describe())}
    for path, (package, name, kind) in _FILES.items():
        fixed[path] = Response(read_asset(package, name), media_type=kind)
    app = Starlette(
        routes=[
            *(Route(path, response, methods=["GET"]) for path, response in fixed.items()),
            Route("/documents/{row}", document),
            Route("/analyse", analyse, methods=["POST"]),
        ],
        exception_handlers={HTTPException: tell, Exception: tell},
    )
    return Guard(app, port)


async def _read_question(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request, which has a text; HTTPException for anything else."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "the request must be application/json")
    body = bytearray()
    try:
        async with asyncio.timeout(_SECONDS_TO_SEND):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST_REQUEST:
                    raise HTTPException(413, f"a request has {LARGEST_REQUEST:,} bytes at most")
    except TimeoutError as error:
        raise HTTPException(408, "the request took too long") from error
    except ClientDisconnect as error:
        raise HTTPException(400, "the request ended early") from error
    try:
        asked = json.loads(body)
        if not isinstance(asked, dict) or not isinstance(asked.get("text"), str):
            raise HTTPException(400, "the request must be an object with a text")
        asked["text"].encode()  # half a character cannot be
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, "the request is not JSON of whole characters") from error
    return asked
