"""Who may ask the explorer: pages that it served itself.

A page of another site, open in the same browser, can send requests to 127.0.0.1, too, and by DNS
rebinding it can give this address a name of its own. Such requests name another host or another
origin, and are refused before anything is read.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
"""What every response says."""


class Guard:
    """Refuses requests that come from elsewhere, and gives all responses their headers.

    Parameters
    ----------
    app : ASGI application
    port : int
        Where it is served.
    """

    def __init__(self, app: "ASGIApp", port: int) -> None:
        self.app = app
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        if port == 80:
            self.hosts |= {"127.0.0.1", "localhost"}

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer a request."""
        from starlette.responses import JSONResponse

        async def send_with_headers(message: "Message") -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", ()), *own]}
            await send(message)

        if scope["type"] != "http":
            return
        problem = self.problem_with(scope)
        if problem is None:
            await self.app(scope, receive, send_with_headers)
        else:
            refusal = JSONResponse({"error": problem}, 403)
            await refusal(scope, receive, send_with_headers)

    def problem_with(self, scope: "Scope") -> str | None:
        """Return why a request is refused; None if it is not."""
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        hosts = [host.decode("latin-1").lower() for host in headers.get(b"host", [])]
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return "the request names another host"
        for origin in headers.get(b"origin", []):
            if origin.decode("latin-1").lower() not in {f"http://{host}" for host in self.hosts}:
                return "the request comes from another site"
        # Newer browsers say where a request comes from; opening the page by a link is fine.
        sites = headers.get(b"sec-fetch-site", [])
        opened = scope["path"] == "/" and headers.get(b"sec-fetch-mode") == [b"navigate"]
        if not opened and any(site not in (b"same-origin", b"none") for site in sites):
            return "the request comes from another site"
        return None
