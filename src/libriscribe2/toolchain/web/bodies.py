"""Bodies of answers, unpacked under watch."""

import zlib
from collections.abc import AsyncIterator, Iterator
from typing import Final

from libriscribe2.toolchain.tool_error import ToolError

ACCEPTED: Final = "gzip, deflate"
"""What requests say that they can unpack."""

_CHUNK: Final = 2**16
_GZIP_OR_ZLIB: Final = zlib.MAX_WBITS | 32


async def read_body(
    pieces: AsyncIterator[bytes], encoding: str, *, url: str, most: int, cut: bool = False
) -> bytes:
    """A body as it was before it was packed.

    Args:
        pieces: The bytes as they come.
        encoding: The `Content-Encoding`.
        url: Whose body it is.
        most: Most bytes, unpacked; they are counted while they come.
        cut: Whether a longer body is cut off there instead of refused.

    Raises:
        ToolError: 413 where it is larger, 415 where it is packed in another way or damaged.
    """
    unpack = _unpacker(encoding, url)
    body = bytearray()
    async for piece in pieces:
        for part in _unpacked(unpack, piece, url) if unpack is not None else (piece,):
            body += part
            if len(body) > most:
                if cut:
                    return bytes(body[:most])
                raise _too_large(url, most)
    return bytes(body)


def _unpacker(encoding: str, url: str) -> "zlib._Decompress | None":
    kind = encoding.strip().casefold()
    if kind in ("", "identity"):
        return None
    if kind in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(_GZIP_OR_ZLIB)
    raise _unreadable(url, f"its body is packed as {kind[:40]!r}")


def _unpacked(unpack: "zlib._Decompress", piece: bytes, url: str) -> Iterator[bytes]:
    """What a piece unpacks to, in parts of a size that may be counted before the next is made."""
    try:
        while piece:
            yield unpack.decompress(piece, _CHUNK)
            piece = unpack.unconsumed_tail
    except zlib.error as error:
        raise _unreadable(url, "its body is damaged") from error


def _too_large(url: str, most: int) -> ToolError:
    return ToolError(
        413,
        "page_too_large",
        f"{url} is larger than {most / 2**20:.3g} MB.",
        {"url": url, "limit_bytes": most},
    )


def _unreadable(url: str, reason: str) -> ToolError:
    return ToolError(415, "page_not_readable", f"{url} cannot be read: {reason}.", {"url": url})
