"""The explorer as a web application (Starlette): its page, and what the page asks for."""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from vlawe.explore.guard import Guard
from vlawe.pages import read_asset

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from vlawe.explore.explorer import Explorer

LARGEST_REQUEST = 256 * 1024
"""Bytes of a request's body."""

_SECONDS_TO_SEND = 10
_MOST_WAITING = 8

_FILES = {
    "/": ("vlawe.explore", "page.html", "text/html"),
    "/base.css": ("vlawe.pages", "base.css", "text/css"),
    "/page.css": ("vlawe.explore", "page.css", "text/css"),
    "/elements.js": ("vlawe.pages", "elements.js", "text/javascript"),
    "/words.js": ("vlawe.pages", "words.js", "text/javascript"),
    "/page.js": ("vlawe.explore", "page.js", "text/javascript"),
}


class Worker:
    """One thread that works for all requests, one after the other; few may wait for it."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._waiting = 0

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in the thread; HTTPException 503 if too many wait."""
        from starlette.exceptions import HTTPException

        if self._waiting >= _MOST_WAITING:
            raise HTTPException(503, "too many requests at a time")
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, function, *arguments)
        finally:
            self._waiting -= 1


def make_app(explorer: "Explorer", port: int) -> "ASGIApp":
    """Return the application that serves an explorer on a port of this machine."""
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    worker = Worker()
    described = explorer.describe()

    async def model(_: "Request") -> "Response":
        return JSONResponse(described)

    async def document(request: "Request") -> "Response":
        try:
            return JSONResponse(explorer.document(request.path_params["row"]))
        except IndexError as error:
            raise HTTPException(404, str(error)) from error

    async def analyse(request: "Request") -> "Response":
        asked = await read_question(request)
        label = asked.get("label")
        if label is not None and not (isinstance(label, str) and explorer.has_class(label)):
            raise HTTPException(400, "the model has no such label")
        return JSONResponse(await worker.run(explorer.analyse, asked["text"], label))

    def file_route(path: str) -> Route:
        package, name, kind = _FILES[path]

        async def file(_: "Request") -> "Response":
            return Response(read_asset(package, name), media_type=kind)

        return Route(path, file)

    async def told(_: "Request", error: Exception) -> "Response":
        status = error.status_code if isinstance(error, HTTPException) else 500
        message = error.detail if isinstance(error, HTTPException) else "something went wrong"
        return JSONResponse({"error": message}, status)

    app = Starlette(
        routes=[
            *map(file_route, _FILES),
            Route("/model", model),
            Route("/documents/{row:int}", document),
            Route("/analyse", analyse, methods=["POST"]),
        ],
        exception_handlers={HTTPException: told, Exception: told},
    )
    return Guard(app, port)


async def read_question(request: "Request") -> dict[str, Any]:
    """Return the JSON object of a request, which has a text; HTTPException for anything else."""
    from starlette.exceptions import HTTPException

    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "the request must be application/json")
    body = await _read_body(request)
    try:
        asked = json.loads(body)
        if not isinstance(asked, dict) or not isinstance(asked.get("text"), str):
            raise HTTPException(400, "the request must be an object with a text")
        asked["text"].encode()  # half a character cannot be
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, "the request is not JSON of whole characters") from error
    return asked


async def _read_body(request: "Request") -> bytes:
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect

    too_large = HTTPException(413, f"a request has {LARGEST_REQUEST:,} bytes at most")
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and int(length[:20]) > LARGEST_REQUEST:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(_SECONDS_TO_SEND):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST_REQUEST:
                    raise too_large
    except TimeoutError as error:
        raise HTTPException(408, "the request took too long") from error
    except ClientDisconnect as error:
        raise HTTPException(400, "the request ended early") from error
    return bytes(body)
