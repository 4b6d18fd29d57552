"""An HTTP server on loopback that answers while a test runs."""

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from typing_extensions import override


class LoopbackServer:
    """A server in threads of its own, as a context manager.

    Args:
        handler: Answers requests; each of its instances has the server as its `owner`.
        port: Where it listens; 0 takes a free port.
    """

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int = 0) -> None:
        bound = type("Bound", (handler,), {"owner": self})
        self._http = _QuietServer(("127.0.0.1", port), bound)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._http.server_port

    @property
    def root(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


class QuietHandler(BaseHTTPRequestHandler):
    """Answers without a word on the terminal."""

    protocol_version = "HTTP/1.1"

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: the requests are kept instead."""


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    @override
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is part of the tests; anything else is a bug here."""
        if not isinstance(sys.exception(), OSError):
            raise
