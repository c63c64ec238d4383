"""The explorer's server (uvicorn), on this machine alone."""

import socket
from typing import TYPE_CHECKING, Any

from vlawe.system.extras import require

if TYPE_CHECKING:
    from vlawe.explore.explorer import Explorer

ADDRESS = "127.0.0.1"


class LocalServer:
    """Serves an explorer on a port of 127.0.0.1; 0 takes a free one.

    ``url`` is where the page is. Requests are taken from the beginning, and answered by `run`.
    Raises MissingExtraError without Starlette or uvicorn, OSError if the port is taken.
    """

    def __init__(self, explorer: "Explorer", port: int = 0) -> None:
        require("starlette.applications", "explore")
        uvicorn: Any = require("uvicorn", "explore")
        from vlawe.explore.app import make_app
        from vlawe.explore.connections import MOST_CONNECTIONS, BoundedConnection

        self._socket = socket.create_server((ADDRESS, port))
        own_port = self._socket.getsockname()[1]
        self.url = f"http://{ADDRESS}:{own_port}/"
        self._server = uvicorn.Server(
            uvicorn.Config(
                make_app(explorer, own_port),
                http=BoundedConnection,
                ws="none",
                lifespan="off",
                log_level="error",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                limit_concurrency=2 * MOST_CONNECTIONS,
                timeout_keep_alive=5,
                timeout_graceful_shutdown=1,
            )
        )

    def run(self) -> None:
        """Answer requests until it is interrupted or `stop` is called."""
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._socket.close()

    def stop(self) -> None:
        """Let `run` return; another thread calls this."""
        self._server.should_exit = True
