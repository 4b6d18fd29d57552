"""A server that sends exactly the bytes that it is told to: for what no HTTP library would send."""

import asyncio
import json
import socket
import struct
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Self

Answer = Callable[["Line"], Awaitable[None]]
"""Answers one request on its line; the line is closed afterwards."""

EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CLOSE_DELIMITED = EVENTS + b"Connection: close\r\n\r\n"
CHUNKED = EVENTS + b"Transfer-Encoding: chunked\r\n\r\n"


class Line:
    """A connection with one request on it.

    Attributes:
        body: The request.
    """

    def __init__(self, body: Any, writer: asyncio.StreamWriter) -> None:
        self.body = body
        self._writer = writer

    async def send(self, data: bytes) -> None:
        """Send bytes; a client that hangs up raises `ConnectionError`."""
        self._writer.write(data)
        await self._writer.drain()

    async def chunk(self, data: bytes) -> None:
        """Send bytes as one chunk of a chunked reply."""
        await self.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def reset(self) -> None:
        """Close the line with a TCP reset instead of an end."""
        found = self._writer.get_extra_info("socket")
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class RawServer:
    """The server, as an asynchronous context manager in the test's own loop.

    Args:
        answers: What answers the requests, in order; the last one answers all further ones.

    Attributes:
        bodies: The requests, in order.
        open_lines: How many connections a client keeps open right now.
    """

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._answers = list(answers)
        self.bodies: list[Any] = []
        self.open_lines = 0
        self._server: asyncio.Server | None = None
        self._handlers: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The `api_base` for an OpenAI client."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for handler in self._handlers:
            handler.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)

    async def all_lines_closed(self) -> None:
        """Wait until every client has hung up."""
        while self._handlers:
            await asyncio.wait(self._handlers)

    def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._handlers.add(task)
        task.add_done_callback(self._handlers.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open_lines += 1
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                line = Line(await _request(reader), writer)
                self.bodies.append(line.body)
                answer = self._answers[min(len(self.bodies), len(self._answers)) - 1]
                await _unless_gone(answer(line), reader)
        finally:
            self.open_lines -= 1
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


async def _request(reader: asyncio.StreamReader) -> Any:
    """The JSON body of the next request."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = next(
        int(line.partition(":")[2])
        for line in head.splitlines()
        if line.startswith("content-length")
    )
    return json.loads(await reader.readexactly(length))


async def _unless_gone(answer: Awaitable[None], reader: asyncio.StreamReader) -> None:
    """Answer, but no longer than the client listens."""
    both = {asyncio.ensure_future(_sent(answer)), asyncio.ensure_future(_hung_up(reader))}
    try:
        done, _ = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in both:
            task.cancel()


async def _sent(answer: Awaitable[None]) -> None:
    with suppress(ConnectionError):
        await answer


async def _hung_up(reader: asyncio.StreamReader) -> None:
    with suppress(ConnectionError):
        await reader.read(1)


def event(delta: dict[str, Any], finish: str | None = None) -> bytes:
    """One server-sent event of a streamed reply."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    whole = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    said = json.dumps({**whole, "choices": [choice]}, ensure_ascii=False)
    return f"data: {said}\n\n".encode()


def stream_of(text: str) -> Iterator[bytes]:
    """The events of a whole streamed reply, with its finish reason and `[DONE]`."""
    yield event({"role": "assistant", "content": ""})
    for word in text.split(" "):
        yield event({"content": f"{word} "})
    yield event({}, "stop")
    yield b"data: [DONE]\n\n"


def reply_of(content: Any, finish: str | None = "stop") -> bytes:
    """A whole reply that is not streamed, with its headers."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content},
        "finish_reason": finish,
    }
    whole = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    return json_reply(json.dumps({**whole, "choices": [choice]}).encode())


def json_reply(data: bytes, *, headers: str = "", kind: str = "application/json") -> bytes:
    """A whole HTTP answer with these bytes as its body."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n{headers}"
    return f"{head}Connection: close\r\n\r\n".encode() + data


async def well(line: Line, text: str = "All is well again.") -> None:
    """Answer as one should, streamed or whole."""
    if not line.body.get("stream"):
        await line.send(reply_of(text))
        return
    await line.send(CLOSE_DELIMITED + b"".join(stream_of(text)))
