"""Bar 17: a stream cut anywhere, in any of five ways, never leaves part of a text as the reply.

Again: .venv/bin/pytest tests/reliability/test_bar_17_cut_streams.py -s
All of it: .venv/bin/pytest -m soak tests/reliability/test_bar_17_cut_streams.py -s
"""

import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import pytest
from tests.support.calls import MemoryCallLog
from tests.support.raw_server import CHUNKED, CLOSE_DELIMITED, Answer, Line, RawServer, stream_of
from tests.support.transport import KEY, with_litellm

from libriscribe2.errors import ProviderError
from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.limits.retries import Circuits, RetryPolicy
from libriscribe2.llm.session import CallSession

pytestmark = with_litellm

OFFSETS: Final = 50
TEXT: Final = "The keeper läuft die Treppe hinauf — 灯台 — and counts every step to the lamp."
EVENTS: Final = list(stream_of(TEXT))
WIRE: Final = b"".join(EVENTS)
POSITIONS: Final = [round(number * (len(WIRE) - 1) / (OFFSETS - 1)) for number in range(OFFSETS)]
DONE: Final = EVENTS[-1]
FINISH: Final = EVENTS[-2]

Cut = Callable[[bytes], Answer]


def chunked(part: bytes) -> Answer:
    """The connection ends within a chunked reply."""

    async def answer(line: Line) -> None:
        await line.send(CHUNKED)
        if part:
            await line.chunk(part)

    return answer


def close_delimited(part: bytes) -> Answer:
    """The end of the connection is the end of the reply, as far as HTTP can tell."""

    async def answer(line: Line) -> None:
        await line.send(CLOSE_DELIMITED + part)

    return answer


def reset(part: bytes) -> Answer:
    """The connection is reset."""

    async def answer(line: Line) -> None:
        await line.send(CLOSE_DELIMITED + part)
        line.reset()

    return answer


def without_finish(part: bytes) -> Answer:
    """Whole events up to here, then `[DONE]`, and nobody says why it ended."""
    return _whole_http(part.rpartition(b"\n\n")[0].removesuffix(FINISH.strip()), DONE)


def without_done(part: bytes) -> Answer:
    """Whole events up to here, and the HTTP reply ends in good order."""
    return _whole_http(part.rpartition(b"\n\n")[0], b"")


def _whole_http(events: bytes, ending: bytes) -> Answer:
    async def answer(line: Line) -> None:
        await line.send(CHUNKED)
        await line.chunk(b"%b\n\n%b" % (events, ending))
        await line.send(b"0\r\n\r\n")

    return answer


WAYS: Final[dict[str, Cut]] = {
    "chunked": chunked,
    "close-delimited": close_delimited,
    "reset": reset,
    "missing finish": without_finish,
    "missing [DONE]": without_done,
}
LAST: Final = 5
"""So many of the last offsets, where a text is complete and its end is not, are for every way."""

SHARED: Final = {
    way: [*POSITIONS[first : -LAST : len(WAYS)], *POSITIONS[-LAST:]]
    for first, way in enumerate(WAYS)
}
"""All other offsets, each for one of the ways."""


def client_at(url: str, log: MemoryCallLog) -> tuple[LLMClient, Callable[[], Awaitable[None]]]:
    backend = LiteLLMBackend(url, KEY)
    session = CallSession(retry=RetryPolicy(attempts=1), circuits=Circuits(failures=10_000))
    client = LLMClient("", "", "openai/m", backend=backend, call_log=log, session=session)
    return client, backend.aclose


@pytest.mark.parametrize(
    ("way", "positions"),
    [
        *(pytest.param(way, part, id=way) for way, part in SHARED.items()),
        *(pytest.param(way, POSITIONS, id=f"{way}, all", marks=pytest.mark.soak) for way in WAYS),
    ],
)
async def test_bar_17_no_part_of_a_text_is_ever_saved(way: str, positions: Sequence[int]) -> None:
    log = MemoryCallLog()
    answers = [WAYS[way](WIRE[:position]) for position in positions]
    whole = 0
    async with RawServer(answers) as server:
        client, close = client_at(server.url, log)
        for number, position in enumerate(positions):
            asked = CallOptions(step=f"s{number}", streamed=True)
            try:
                told = await client.with_options(asked).think("q")
            except ProviderError:
                continue
            assert (told["reply"] or "").strip() == TEXT
            assert FINISH.strip() in WIRE[:position], "it was whole before the cut"
            whole += 1
        await close()
        assert len(server.bodies) == len(positions)
    assert {str(kept["reply"]).strip() for kept in log.kept.values()} <= {TEXT}
    kinds = Counter(kind for kind in log.kinds if kind.startswith("failed"))
    assert sum(kinds.values()) == len(positions) - whole
    assert kinds.keys() <= {"failed cut", "failed connection", "failed malformed"}
    assert whole <= 3
    sys.stdout.write(
        f"{way}: {len(positions)} offsets, 0 parts saved, {dict(kinds)}, {whole} whole\n"
    )
