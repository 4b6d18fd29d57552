"""Bar 18: replies that are none, in every way: never a traceback, never saved, little memory.

Again: .venv/bin/pytest tests/reliability/test_bar_18_malformed.py -s
"""

import gzip
import json
import sys
import zlib
from pathlib import Path
from typing import Any, Final

import pytest
from tests.support.calls import MemoryCallLog
from tests.support.raw_server import (
    CHUNKED,
    CLOSE_DELIMITED,
    Answer,
    Line,
    RawServer,
    event,
    json_reply,
    reply_of,
    stream_of,
    well,
)
from tests.support.transport import KEY, with_litellm

from libriscribe2.errors import LibriScribeError
from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.call_records import CallOptions, ListOutbox, NoOutbox, Outbox, Piece
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.limits.retries import Circuits, RetryPolicy
from libriscribe2.llm.session import CallSession

pytestmark = with_litellm

TEXT: Final = "Ünïcode — 灯台 🌊 «fin»."
HTML: Final = b"<!DOCTYPE html><html><body><h1>Sign in to the network</h1></body></html>"
MEGABYTE: Final = 1_000_000
MOST_GROWTH: Final = 100 * MEGABYTE
KINDS: Final = {"malformed", "cut", "server", "connection", "bad_request"}


def sends(data: bytes) -> Answer:
    async def answer(line: Line) -> None:
        await line.send(data)

    return answer


def whole(value: Any) -> bytes:
    return json_reply(json.dumps(value).encode())


def choices(value: Any) -> bytes:
    return whole({"id": "c", "object": "chat.completion", "created": 1, "choices": value})


def events(data: bytes) -> bytes:
    return CLOSE_DELIMITED + data


WHOLE: Final[dict[str, bytes]] = {
    "a page": json_reply(HTML, kind="text/html"),
    "a page that says it is JSON": json_reply(HTML),
    "half of the JSON": json_reply(b'{"id": "c", "choices": [{"mess'),
    "no body": json_reply(b""),
    "null": whole(None),
    "a list": whole(["choices"]),
    "no choices": choices([]),
    "choices are null": choices(None),
    "a choice without a message": choices([{"index": 0, "finish_reason": "stop"}]),
    "content is a number": reply_of(7),
    "gzip that is none": json_reply(b"not gzip", headers="Content-Encoding: gzip\r\n"),
    "half of the gzip": json_reply(
        gzip.compress(b'{"id": "c"}' * 99)[:40], headers="Content-Encoding: gzip\r\n"
    ),
    "bytes that are no UTF-8": json_reply(b'{"id": "\xff\xfe", "choices": [\xc3'),
    "an error with status 200": whole({"error": {"message": "upstream broke", "code": 502}}),
    "a shorter body than announced": json_reply(b'{"id": "c"').replace(b": 10\r\n", b": 99\r\n"),
}
STREAMED: Final[dict[str, bytes]] = {
    "a page": json_reply(HTML, kind="text/html"),
    "no event": events(b""),
    "nothing but [DONE]": events(b"data: [DONE]\n\n"),
    "half an event": events(b'data: {"id": "c", "choi\n\n'),
    "an event that is no JSON": events(b"data: nonsense\n\ndata: [DONE]\n\n"),
    "null": events(b"data: null\n\ndata: [DONE]\n\n"),
    "a number": events(b"data: 7\n\ndata: [DONE]\n\n"),
    "choices are null": events(b'data: {"id": "c", "choices": null}\n\ndata: [DONE]\n\n'),
    "an error event": events(b'data: {"error": {"message": "broke", "code": 502}}\n\n'),
    "bytes that are no UTF-8": events(
        b'data: {"choices": [{"delta": {"content": "\xff\xc3"}}]}\n\n'
    ),
    "gzip that is none": events(b"x").replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n"),
    "a broken chunk": CHUNKED + b"zz\r\ndata: {}\r\n",
}


def client_at(
    url: str, log: MemoryCallLog, outbox: Outbox | None = None
) -> tuple[LLMClient, LiteLLMBackend]:
    backend = LiteLLMBackend(url, KEY)
    session = CallSession(
        retry=RetryPolicy(attempts=1),
        circuits=Circuits(failures=10_000),
        outbox=outbox if outbox is not None else NoOutbox(),
    )
    return LLMClient("", "", "openai/m", backend=backend, call_log=log, session=session), backend


@pytest.mark.parametrize(
    ("name", "streamed"),
    [*((name, False) for name in WHOLE), *((name, True) for name in STREAMED)],
)
async def test_bar_18_what_is_no_reply_is_an_error_of_ours_and_never_saved(
    name: str, *, streamed: bool
) -> None:
    log = MemoryCallLog()
    async with RawServer([sends((STREAMED if streamed else WHOLE)[name])]) as server:
        client, backend = client_at(server.url, log)
        with pytest.raises(LibriScribeError) as caught:
            await client.with_options(CallOptions(step="s", streamed=streamed)).think("q")
        await backend.aclose()
    assert log.kept == {}
    assert log.kinds[0] == "sent"
    assert log.kinds[1].removeprefix("failed ") in KINDS
    assert caught.value.fix
    assert "Traceback" not in caught.value.why
    how = "streamed" if streamed else "whole"
    sys.stdout.write(f"{name}, {how}: {log.kinds[1]}: {caught.value.what}\n")


@pytest.mark.parametrize("streamed", [False, True])
async def test_bar_18_content_null_is_an_empty_reply_that_no_parser_accepts(
    *, streamed: bool
) -> None:
    silent = reply_of(None)
    if streamed:
        silent = events(event({"content": None}) + event({}, "stop") + b"data: [DONE]\n\n")
    log = MemoryCallLog()
    async with RawServer([sends(silent), well]) as server:
        client, backend = client_at(server.url, log)
        asked = client.with_options(CallOptions(step="s", streamed=streamed))
        found = await asked.think_with_retry("q", lambda text: {"status": "success", "data": text})
        await backend.aclose()
    assert found.strip() == "All is well again."
    assert server.bodies[1]["messages"][-1]["content"].startswith("Empty response")


async def test_bar_18_one_byte_at_a_time_across_every_character() -> None:
    async def answer(line: Line) -> None:
        await line.send(CHUNKED)
        for byte in b"".join(stream_of(TEXT)):
            await line.chunk(bytes([byte]))
        await line.send(b"0\r\n\r\n")

    outbox = ListOutbox()
    async with RawServer([answer]) as server:
        client, backend = client_at(server.url, MemoryCallLog(), outbox)
        told = await client.with_options(CallOptions(step="s", streamed=True)).think("q")
        await backend.aclose()
    assert (told["reply"] or "").strip() == TEXT
    assert "".join(one.text for one in outbox if isinstance(one, Piece)).strip() == TEXT


PIECE: Final = b"word " * (MEGABYTE // 50)
PIECES: Final = 500


async def runaway(line: Line) -> None:
    """A reply of 50 MB, event by event or in one body; no more of it than a piece is in memory."""
    if line.body.get("stream"):
        await line.send(CLOSE_DELIMITED)
        for _ in range(PIECES):
            await line.send(event({"role": "assistant", "content": PIECE.decode()}))
        await line.send(event({}, "stop") + b"data: [DONE]\n\n")
        return
    before, after = around(reply_of("@").partition(b"\r\n\r\n")[2])
    length = len(before) + PIECES * len(PIECE) + len(after)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    await line.send(head.encode() + before)
    for _ in range(PIECES):
        await line.send(PIECE)
    await line.send(after)


async def endless_line(line: Line) -> None:
    """One event of 50 MB."""
    before, after = around(event({"role": "assistant", "content": "@"}))
    await line.send(CLOSE_DELIMITED + before)
    for _ in range(PIECES):
        await line.send(PIECE)
    await line.send(after)


async def packed(line: Line) -> None:
    """The same as gzip, which is a thousand times shorter on its way."""
    plain = (
        event({"role": "assistant", "content": "@"}) if line.body.get("stream") else b'{"a": "@"}'
    )
    before, after = around(plain)
    packing = zlib.compressobj(wbits=31)
    parts = [packing.compress(part) for part in (before, *[PIECE] * PIECES, after)]
    kind = b"text/event-stream" if line.body.get("stream") else b"application/json"
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: gzip\r\nContent-Type: "
    await line.send(head + kind + b"\r\n\r\n" + b"".join(parts) + packing.flush())


def around(text: bytes) -> tuple[bytes, bytes]:
    """What stands before and after the `@` of a reply."""
    before, _, after = text.partition(b"@")
    return before, after


RUNAWAYS: Final[dict[str, tuple[Answer, bool]]] = {
    "whole": (runaway, False),
    "streamed": (runaway, True),
    "one line": (endless_line, True),
    "packed whole": (packed, False),
    "packed stream": (packed, True),
}


def peak() -> int:
    """The most memory that this process has held since `reset_peak`, in bytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def reset_peak() -> int:
    """Let the peak begin at what is held now."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return peak()


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak is read in /proc")
@pytest.mark.parametrize("name", RUNAWAYS)
async def test_bar_18_a_reply_of_50_MB_is_given_up_in_little_memory(name: str) -> None:
    answer, streamed = RUNAWAYS[name]
    log = MemoryCallLog()
    async with RawServer([well, answer]) as server:
        client, backend = client_at(server.url, log)
        await client.think("warm")
        before = reset_peak()
        with pytest.raises(LibriScribeError, match="not a reply"):
            await client.with_options(CallOptions(step="s", streamed=streamed)).think("q")
        growth = peak() - before
        await backend.aclose()
    assert log.kinds[-1] == "failed malformed"
    assert growth <= MOST_GROWTH
    sys.stdout.write(f"50 MB, {name}: +{growth / 1e6:.0f} MB\n")


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_bar_18_a_packed_reply_is_read(*, streamed: bool) -> None:
    plain = b"".join(stream_of(TEXT)) if streamed else reply_of(TEXT).partition(b"\r\n\r\n")[2]
    kind = "text/event-stream" if streamed else "application/json"
    reply = json_reply(gzip.compress(plain), kind=kind, headers="Content-Encoding: gzip\r\n")
    async with RawServer([sends(reply)]) as server:
        client, backend = client_at(server.url, MemoryCallLog())
        told = await client.with_options(CallOptions(step="s", streamed=streamed)).think("q")
        await backend.aclose()
    assert (told["reply"] or "").strip() == TEXT
