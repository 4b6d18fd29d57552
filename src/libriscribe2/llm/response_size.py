"""A cap on the bytes of a reply, before they are read into memory.

The text of a reply in pieces is capped by its own count (`Reply`), but a reply that comes whole,
and a single line of one in pieces, would be read to its end by the HTTP client first, and held
several times over. Packed replies are unpacked here, a little at a time, because a few kilobytes of
gzip can stand for gigabytes.
"""

import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Final

import httpx
from typing_extensions import override

from libriscribe2.llm.backend import DEFAULT_SIZE_CAP, BackendError

MOST_BYTES: Final = 4 * DEFAULT_SIZE_CAP
"""Longest whole reply: four bytes for each character of the longest text."""

_LONGEST_LINE: Final = DEFAULT_SIZE_CAP
"""Longest line, and so piece, of a reply that comes in pieces."""

_IN_PIECES: Final = ("event-stream", "eventstream", "ndjson")
"""Words in the content types of replies that come in pieces."""

_GZIP: Final = 16 + zlib.MAX_WBITS
_SLICE: Final = 2**18

Handle = Callable[[httpx.Request], Awaitable[httpx.Response]]


class _Capped(httpx.AsyncByteStream):
    """A body that ends in an error where it, or one line of it, goes on for too long.

    Args:
        body: The body as it comes.
        in_lines: Whether the cap is on a line and not on the whole.
        packed: Whether it is gzip; what is read is unpacked.
    """

    def __init__(self, body: Any, *, in_lines: bool, packed: bool) -> None:
        self._body = body
        self._in_lines = in_lines
        self._unpack = _gunzip(zlib.decompressobj(_GZIP)) if packed else _as_it_is

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        most = _LONGEST_LINE if self._in_lines else MOST_BYTES
        size = 0
        async for data in self._body:
            for part in self._unpack(data):
                line_end = part.rfind(b"\n") if self._in_lines else -1
                size = len(part) - line_end - 1 + (size if line_end < 0 else 0)
                if size > most:
                    raise BackendError("malformed", f"the reply is longer than {most:,} bytes")
                yield part

    @override
    async def aclose(self) -> None:
        await self._body.aclose()


def _as_it_is(data: bytes) -> Iterator[bytes]:
    yield data


def _gunzip(unpacking: Any) -> Callable[[bytes], Iterator[bytes]]:
    """Unpacks one piece of a body after the other, in slices."""

    def slices(data: bytes) -> Iterator[bytes]:
        part = b""
        while data or len(part) == _SLICE:
            try:
                part = unpacking.decompress(data, _SLICE)
            except zlib.error as error:
                raise BackendError("malformed", "the reply is not the gzip it says") from error
            data = unpacking.unconsumed_tail
            yield part

    return slices


def limit_replies(handler: Any) -> None:
    """Have every HTTP transport of LiteLLM cap its replies.

    Args:
        handler: LiteLLM's `AsyncHTTPHandler`, whose `create_async_transport` makes the transports
            of all providers.
    """
    create = handler.create_async_transport

    def limited(*arguments: Any, **named: Any) -> Any:
        transport = create(*arguments, **named)
        if transport is not None:
            transport.handle_async_request = _limited(transport.handle_async_request)
        return transport

    handler.create_async_transport = staticmethod(limited)


def _limited(handle: Handle) -> Handle:
    """The same, with a cap on the body; nothing but gzip is offered and taken as its packing."""

    async def answer(request: httpx.Request) -> httpx.Response:
        request.headers["accept-encoding"] = "gzip"
        response = await handle(request)
        packing = response.headers.pop("content-encoding", "identity").strip().lower()
        if packing not in {"gzip", "identity", ""}:
            await response.aclose()
            raise BackendError("malformed", "the reply is compressed in an unexpected way")
        kind = response.headers.get("content-type", "")
        in_lines = any(word in kind for word in _IN_PIECES)
        response.stream = _Capped(response.stream, in_lines=in_lines, packed=packing == "gzip")
        return response

    return answer
