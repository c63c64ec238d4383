"""Connections to the explorer: bounded in number, and in the time that each may be idle.

A connection that says nothing, or begins a request and never ends it, costs its sender nothing. It
is given a few seconds; and when there are many, the oldest of those gives way to a new one, so that
the page is answered whatever else is connected.
"""

import asyncio
import time

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 100
SECONDS_TO_ASK = 10.0
"""From the beginning of a connection, or the last answer, until there is a whole request."""
SECONDS_TO_ANSWER = 120.0
"""Until the answer is with who asked; they may also not read it."""


class BoundedConnection(H11Protocol):
    """A connection of uvicorn's that does not last for ever."""

    _timer: asyncio.TimerHandle | None = None
    _since = 0.0

    @property
    def is_waiting(self) -> bool:
        """Whether there is no whole request that is still to be answered."""
        cycle = self.cycle
        return cycle is None or cycle.response_complete or cycle.more_body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin; the oldest that waits gives way if there are too many."""
        waiting = [
            other
            for other in self.connections
            if isinstance(other, BoundedConnection) and other.is_waiting
        ]
        if len(self.connections) >= MOST_CONNECTIONS and waiting:
            min(waiting, key=lambda other: other._since).end()
        super().connection_made(transport)
        self._since = time.monotonic()
        self._end_in(SECONDS_TO_ASK)

    def handle_events(self) -> None:
        """Take what was sent."""
        super().handle_events()
        if not self.is_waiting:
            self._end_in(SECONDS_TO_ANSWER)

    def on_response_complete(self) -> None:
        """Wait for the next request, and for the answer to be read."""
        super().on_response_complete()
        self._since = time.monotonic()
        if self in self.connections:
            self._end_in(SECONDS_TO_ASK)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def end(self) -> None:
        """End at once, though something may be left to be sent."""
        self.connections.discard(self)
        self.transport.abort()

    def _end_in(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, self.end)
