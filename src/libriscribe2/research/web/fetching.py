"""Pages fetched within bounds of size, time and redirects."""

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import Message
from functools import cache
from importlib.metadata import version
from typing import Final

import httpx

from libriscribe2.llm.failures import retry_after_seconds
from libriscribe2.research.tool_error import ToolError
from libriscribe2.research.web.addresses import Gate, Target, target_of

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


MOST_BYTES: Final = 5 * 2**20
"""Most bytes of a page, unpacked."""

MOST_REDIRECTS: Final = 5
TOTAL_SECONDS: Final = 30.0
"""Longest time of a request, its redirects included."""

USER_AGENT: Final = f"LibriScribe2/{version('libriscribe2')} (research for a book)"
_SHOWN_BODY: Final = 2_000
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a server answered.

    Attributes:
        url: The address that answered in the end.
        content_type: Its type, such as `text/html`.
        charset: The charset that the server declared; "" without one.
        body: The bytes, unpacked.
    """

    url: str
    content_type: str
    charset: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Sends guarded requests.

    Nothing of the machine goes along: no proxy or certificate of the environment, no cookie, no
    password, no address that the user or a page did not name.

    Attributes:
        gate: Judges hosts.
        most_bytes: Most bytes of a body, unpacked.
        seconds: Longest time of a request with its redirects.
        now: The time of day, for a server that asks to wait until then.
    """

    gate: Gate = field(default_factory=Gate)
    most_bytes: int = MOST_BYTES
    seconds: float = TOTAL_SECONDS
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def get(
        self, url: str, types: Sequence[str], *, trusted: tuple[str, str, int] | None = None
    ) -> Fetched:
        """Fetch an address.

        Args:
            url: The address.
            types: The content types that are wanted.
            trusted: Scheme, host and port that the user's configuration names and that may
                therefore be on this machine or in its network; redirects to elsewhere are judged.

        Raises:
            ToolError: 403 where the address is forbidden, 413 or 415 where the answer is not
                wanted, 502 or 504 where none came; else the status that the server answered.
        """
        try:
            async with asyncio.timeout(self.seconds):
                return await self._follow(target_of(url), types, trusted)
        except TimeoutError as error:
            raise _no_answer(504, url, f"no answer within {self.seconds:g} seconds") from error
        except httpx.TimeoutException as error:
            raise _no_answer(504, url, "it answered too slowly") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _no_answer(502, url, "the connection failed") from error

    async def _follow(
        self, target: Target, types: Sequence[str], trusted: tuple[str, str, int] | None
    ) -> Fetched:
        for _ in range(MOST_REDIRECTS + 1):
            address = await self.gate.admit(target, trusted=target.origin == trusted)
            found = await self._hop(target, address, types)
            if isinstance(found, Fetched):
                return found
            target = found
        raise ToolError(
            403,
            "too_many_redirects",
            f"{target.url} redirects more than {MOST_REDIRECTS} times.",
            {"url": str(target.url)},
        )

    async def _hop(self, target: Target, address: str, types: Sequence[str]) -> Fetched | Target:
        """The answer of one server, or where it says that the page is."""
        # A client of its own, which keeps no connection: two hosts may share an address, and a
        # connection made for one must not carry a request for the other.
        async with httpx.AsyncClient(
            verify=_certificates(), trust_env=False, follow_redirects=False, timeout=self.seconds
        ) as client:
            request = client.build_request(
                "GET",
                target.url.copy_with(host=address.partition("%")[0]),
                headers={
                    "Host": target.url.netloc.decode("ascii"),
                    "User-Agent": USER_AGENT,
                    "Accept": ", ".join(types),
                    "Accept-Encoding": ACCEPTED,
                },
                extensions={"sni_hostname": target.host},
            )
            response = await client.send(request, stream=True)
            try:
                return await self._answer(target, response, types)
            finally:
                await response.aclose()

    async def _answer(
        self, target: Target, response: httpx.Response, types: Sequence[str]
    ) -> Fetched | Target:
        url = str(target.url)
        if response.status_code in _REDIRECTS and response.headers.get("location"):
            return target_of(str(target.url.join(response.headers["location"])))
        if response.status_code != httpx.codes.OK:
            raise await self._refused(url, response)
        content_type, charset = _type_of(response)
        if content_type not in types:
            raise ToolError(
                415,
                "page_not_readable",
                f"{url} is {content_type[:80] or 'of no type'}, which is not read.",
                {"url": url, "content_type": content_type[:80], "readable": list(types)},
            )
        body = await self._body(url, response)
        return Fetched(url, content_type, charset, body)

    async def _body(self, url: str, response: httpx.Response) -> bytes:
        """The body; one that says that it is too large is not begun."""
        said = response.headers.get("content-length", "")
        most = self.most_bytes
        if said.isdecimal() and int(said) > most:
            raise _too_large(url, most)
        encoding = response.headers.get("content-encoding", "")
        return await read_body(response.aiter_raw(), encoding, url=url, most=most)

    async def _refused(self, url: str, response: httpx.Response) -> ToolError:
        """The error for an answer that is not the page; what the body says goes along."""
        status = response.status_code
        details: dict[str, object] = {"url": url}
        encoding = response.headers.get("content-encoding", "")
        try:
            body = await read_body(
                response.aiter_raw(), encoding, url=url, most=_SHOWN_BODY, cut=True
            )
        except ToolError:
            body = b""
        details["body"] = body.decode("utf-8", "replace")
        headers = {name.lower(): value for name, value in response.headers.items()}
        wait = retry_after_seconds(headers, None, now=self.now)
        if wait is not None:
            details["retry_after_seconds"] = wait
        # 1xx to 3xx without a place to go are answers that no page should give.
        return ToolError(
            status if status >= httpx.codes.BAD_REQUEST else 502,
            f"http_{status}",
            f"{url} answered {status} {response.reason_phrase}".strip() + ".",
            details,
        )


@cache  # 90 ms
def _certificates() -> ssl.SSLContext:
    """The certificates of the package, not of the environment; loading them takes time."""
    return httpx.create_ssl_context(trust_env=False)


def _type_of(response: httpx.Response) -> tuple[str, str]:
    """Type and charset of an answer."""
    message = Message()
    message["content-type"] = response.headers.get("content-type", "")
    kind = message.get_content_type() if response.headers.get("content-type") else ""
    charset = message.get_param("charset", "")
    return kind, charset if isinstance(charset, str) else ""


def _no_answer(status: int, url: str, reason: str) -> ToolError:
    return ToolError(
        status, "no_answer", f"{url[:200]} was not reached: {reason}.", {"url": url[:200]}
    )
