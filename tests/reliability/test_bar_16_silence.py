"""Bar 16: a server that stalls, drips or never answers is left within the limit and a second.

Again: .venv/bin/pytest tests/reliability/test_bar_16_silence.py -s
"""

import asyncio
import signal
import sys
from pathlib import Path
from typing import Final

import pytest
from tests.support.calls import MemoryCallLog
from tests.support.raw_server import CLOSE_DELIMITED, Answer, Line, RawServer, event, well
from tests.support.transport import ASK, KEY, answered, with_litellm

from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.limits.retries import RetryPolicy, TimeLimits
from libriscribe2.llm.session import CallSession

pytestmark = with_litellm

LIMITS: Final = TimeLimits(first_piece=0.3, between_pieces=0.2, whole_call=0.5)
SECOND: Final = 1.0
PAUSE: Final = 0.02
HANGS: Final = 30.0
TEXT: Final = "All is well again."


async def pause() -> None:
    await asyncio.sleep(PAUSE)  # noqa: TID251 - a slow server is the point


async def never(_line: Line) -> None:
    """No byte at all."""
    await asyncio.Event().wait()


async def headers_only(line: Line) -> None:
    await line.send(CLOSE_DELIMITED)
    await asyncio.Event().wait()


async def comments(line: Line) -> None:
    """Signs of life for ever, and no piece of a reply."""
    await line.send(CLOSE_DELIMITED)
    while True:
        await line.send(b": keep-alive\n\n")
        await pause()


async def stall(line: Line) -> None:
    """A few pieces, and then nothing."""
    await line.send(CLOSE_DELIMITED + event({"role": "assistant", "content": "All "}))
    await line.send(event({"content": "is "}))
    await asyncio.Event().wait()


async def comments_after_a_piece(line: Line) -> None:
    await line.send(CLOSE_DELIMITED + event({"role": "assistant", "content": "All "}))
    while True:
        await line.send(b": keep-alive\n\n")
        await pause()


async def drip(line: Line) -> None:
    """Pieces for ever, each soon enough after the other."""
    await line.send(CLOSE_DELIMITED)
    number = 0
    while True:
        number += 1
        await line.send(event({"role": "assistant", "content": f"{number} "}))
        await pause()


async def half_a_body(line: Line) -> None:
    """A whole reply of which only the beginning comes."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"
    await line.send(head + b'{"id": "c", "choices": [')
    await asyncio.Event().wait()


async def spaces(line: Line) -> None:
    """A whole reply that is preceded by white space for ever."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n"
    await line.send(head)
    while True:
        await line.send(b" ")
        await pause()


STREAMED: Final[dict[str, tuple[Answer, float]]] = {
    "never": (never, LIMITS.first_piece),
    "headers only": (headers_only, LIMITS.first_piece),
    "comments": (comments, LIMITS.first_piece),
    "stall": (stall, LIMITS.first_piece + LIMITS.between_pieces),
    "comments after a piece": (comments_after_a_piece, LIMITS.first_piece + LIMITS.between_pieces),
    "drip": (drip, LIMITS.whole_call),
}
WHOLE: Final[dict[str, tuple[Answer, float]]] = {
    "never": (never, LIMITS.whole_call),
    "half a body": (half_a_body, LIMITS.whole_call),
    "spaces": (spaces, LIMITS.whole_call),
}


class TimedLog(MemoryCallLog):
    """A call log that knows how long each request was under way."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []
        self._sent_at = 0.0

    def sent(self, key: str, *, step: str, model: str, est_usd: float | None = None) -> None:
        super().sent(key, step=step, model=model)
        self._sent_at = asyncio.get_running_loop().time()

    def failed(self, key: str, *, kind: str, status: int | None, usd: float = 0.0) -> None:
        super().failed(key, kind=kind, status=status)
        self.seconds.append(asyncio.get_running_loop().time() - self._sent_at)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "streamed"),
    [*((name, True) for name in STREAMED), *((name, False) for name in WHOLE)],
)
async def test_bar_16_silence_is_left_in_time_retried_and_saved_once(
    name: str, *, streamed: bool
) -> None:
    answer, limit = (STREAMED if streamed else WHOLE)[name]
    log = TimedLog()
    before = asyncio.all_tasks()
    async with RawServer([well, answer, well]) as server:
        # What LiteLLM does at its first call takes longer than these limits.
        await answered(LiteLLMBackend(server.url, KEY), ASK, stream=streamed)
        backend = LiteLLMBackend(server.url, KEY, limits=LIMITS)
        session = CallSession(retry=RetryPolicy(attempts=5, base_seconds=0.0))
        client = LLMClient("", "", "openai/m", backend=backend, call_log=log, session=session)
        options = CallOptions(step="s", streamed=streamed)
        async with asyncio.timeout(HANGS):
            told = await client.with_options(options).think("q")
        await backend.aclose()
        async with asyncio.timeout(SECOND):
            await server.all_lines_closed()
            await pause()  # LiteLLM closes a client that nobody holds in a task of its own
    assert (told["reply"] or "").strip() == TEXT
    # A busy machine may be too late for the good answer, too; the silent one was left for sure.
    assert log.kinds[:2] == ["sent", "failed timeout"]
    assert log.kinds.count("done") == 1
    assert log.seconds[0] <= limit + SECOND
    left = [task.get_coro() for task in asyncio.all_tasks() - before]
    assert [one for one in left if "LoggingWorker" not in str(one)] == [], "LiteLLM keeps one"
    how = "streamed" if streamed else "whole"
    sys.stdout.write(f"{name}, {how}: left after {log.seconds[0]:.2f} s, limit {limit:g} s + 1\n")


STOOD_STILL: Final = (2.0, 0.6)
"""Seconds; after the shorter ones the clocks that ran out are hardly late."""

ASKS: Final = """
import asyncio, sys
from tests.reliability.test_bar_16_silence import LIMITS, STOOD_STILL
from tests.support.transport import ASK, KEY, answered
from libriscribe2.llm.backends.litellm import LiteLLMBackend

async def main(url):
    for stream in (True, False):
        await answered(LiteLLMBackend(url, KEY), ASK, stream=stream)
        for _ in STOOD_STILL:
            backend = LiteLLMBackend(url, KEY, limits=LIMITS)
            print((await answered(backend, ASK, stream=stream)).reply)

asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="nothing stops a process here")
async def test_bar_16_a_reply_that_came_while_the_process_stood_still_is_read() -> None:
    asked, stopped = asyncio.Event(), asyncio.Event()

    async def late(line: Line) -> None:
        asked.set()
        await stopped.wait()
        stopped.clear()
        await well(line)

    stops = [*STOOD_STILL, *STOOD_STILL]
    async with RawServer([well, late, late, well, late, late]) as server:
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", ASKS, server.url),
            cwd=Path(__file__).parents[2],
            stdout=asyncio.subprocess.PIPE,
        )
        for seconds in stops:
            async with asyncio.timeout(HANGS):
                await asked.wait()
            asked.clear()
            child.send_signal(signal.SIGSTOP)
            stopped.set()
            await asyncio.sleep(seconds)  # noqa: TID251 - its clock runs on meanwhile
            child.send_signal(signal.SIGCONT)
        async with asyncio.timeout(HANGS):
            told, _ = await child.communicate()
    assert [line.strip() for line in told.decode().splitlines()] == [TEXT] * len(stops)
    assert len(server.bodies) == len(stops) + 2, "one was asked again"
