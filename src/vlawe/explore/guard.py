"""Who may ask the explorer: pages that it served itself.

A page of another site, open in the same browser, can send requests to 127.0.0.1, too, and by DNS
rebinding it can give this address a name of its own. Such requests name another host or another
origin, and are refused before anything is read.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
"""What every response says."""


class Guard:
    """Refuses requests to a port that come from elsewhere; gives all responses their headers."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        if port == 80:
            self.hosts |= {"127.0.0.1", "localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if scope["type"] != "http":
            return
        problem = self.problem_with(scope)
        answer = self.app if problem is None else JSONResponse({"error": problem}, 403)
        await answer(scope, receive, send_with_headers)

    def problem_with(self, scope: Scope) -> str | None:
        """Return why a request is refused; None if it is not."""
        headers = Headers(scope=scope)
        hosts = [host.lower() for host in headers.getlist("host")]
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return "the request names another host"
        origins = {f"http://{host}" for host in self.hosts}
        # Newer browsers say where a request comes from; opening the page by a link is fine.
        opened = scope["path"] == "/" and headers.getlist("sec-fetch-mode") == ["navigate"]
        sites = [] if opened else headers.getlist("sec-fetch-site")
        if not (
            all(origin.lower() in origins for origin in headers.getlist("origin"))
            and all(site in ("same-origin", "none") for site in sites)
        ):
            return "the request comes from another site"
        return None
