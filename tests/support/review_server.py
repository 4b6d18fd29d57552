"""The live pages, served from a thread of the test."""

import asyncio
import http.client
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass, field
from typing import Final, TypeVarTuple

from libriscribe2.desk.server import Door, serve
from libriscribe2.desk.snapshot import ProjectSource

Given = TypeVarTuple("Given")

UVICORN_LOOKS: Final = 0.1
"""So many seconds apart uvicorn looks whether it is to end, and whether all has been answered."""


@dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ReviewServer:
    """A running server."""

    door: Door

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.door.port}"

    def ask(self, path: str = "/", method: str = "GET", **headers: str) -> Answer:
        """Ask with the token, unless `X_Token` says otherwise; "" leaves a header out."""
        given = {
            "Host": f"127.0.0.1:{self.door.port}",
            "X_Token": self.door.token,
            "Content_Length": "0",
            **headers,
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.door.port, timeout=20)
        connection.putrequest(method, path, skip_host=True)
        for name, value in given.items():
            if value:
                connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        try:
            reply = connection.getresponse()
            body = reply.read().decode("utf-8")
        finally:
            connection.close()
        return Answer(reply.status, body, {name.lower(): text for name, text in reply.getheaders()})


@contextmanager
def serving(source: ProjectSource) -> Iterator[ReviewServer]:
    """Serve a project while the block runs."""
    door = Door.on(0)
    running = _Running(source, door)
    running.thread.start()
    running.ready.wait()
    try:
        yield ReviewServer(door)
    finally:
        running.stop()
        door.listener.close()


class _EndingLoop(asyncio.SelectorEventLoop):
    """A loop that looks at once, and not every tenth of a second, when the server is to end."""

    ends = False

    def call_later(
        self,
        delay: float,
        callback: Callable[[*Given], object],
        *args: *Given,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        wait = 0.0 if self.ends and delay <= UVICORN_LOOKS else delay
        return super().call_later(wait, callback, *args, context=context)


class _Running:
    """An event loop in a thread of its own: that of the test may belong to a browser."""

    def __init__(self, source: ProjectSource, door: Door) -> None:
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self._run, args=(source, door))
        self._stop: Callable[[], object] = lambda: None

    def _run(self, source: ProjectSource, door: Door) -> None:
        with asyncio.Runner(loop_factory=_EndingLoop) as runner:
            runner.run(self._serve(source, door))

    def stop(self) -> None:
        self._stop()
        self.thread.join()

    async def _serve(self, source: ProjectSource, door: Door) -> None:
        task = asyncio.ensure_future(serve(source, door))
        loop = asyncio.get_running_loop()
        assert isinstance(loop, _EndingLoop)

        def end() -> None:
            loop.ends = True
            task.cancel()

        self._stop = lambda: loop.call_soon_threadsafe(end)
        self.ready.set()
        await task
