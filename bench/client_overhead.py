"""What our client adds to bare LiteLLM, in CPU time of the client's process.

Two ways: against a zero-latency server on loopback, and over replies that lie ready in place of
LiteLLM. The first is the whole truth, and noisy: LiteLLM's own time, many times ours, is in both
terms of the difference, so the function calls of both are counted too. The second is ours alone,
with warm caches.
"""

import asyncio
import cProfile
import gc
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from statistics import median
from time import process_time
from typing import Any

from bench.figures import spread
from bench.ready_replies import ready_completion
from bench.zero_latency_server import PIECES
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.litellm_library import load_litellm

TITLE = "Our client over bare LiteLLM, CPU time of the client's process"
ROUNDS = 30
CALLS = 20
STREAMS = 1
MESSAGES = [{"role": "user", "content": "hello"}]

Work = Callable[[], Awaitable[None]]
Ask = Callable[..., Awaitable[Any]]


def measure() -> Iterator[str]:
    command = [sys.executable, "-m", "bench.zero_latency_server"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            port = int(server.stdout.readline()) if server.stdout is not None else 0
            yield from asyncio.run(_compare(f"http://127.0.0.1:{port}/v1"))
        finally:
            server.terminate()


async def _compare(url: str) -> list[str]:
    litellm = load_litellm()
    served = await _both(url, litellm.acompletion)
    await litellm.close_litellm_async_clients()
    litellm.acompletion = ready_completion(litellm)
    ready = await _both(url, litellm.acompletion)
    return ["- against a server", *served, "- over replies that lie ready", *ready]


async def _both(url: str, ask: Ask) -> list[str]:
    """Calls and streams of our client and of `ask`, in turn."""
    bare: dict[str, Any] = {
        "model": "openai/x", "api_base": url, "api_key": "k", "messages": MESSAGES,
        "max_retries": 0, "num_retries": 0,
    }  # fmt: skip
    client = LLMClient(url, "k", "openai/x")

    async def bare_call() -> None:
        await ask(**bare)

    async def bare_stream() -> None:
        await _spent(await ask(**bare, stream=True, stream_options={"include_usage": True}))

    async def our_call() -> None:
        await client.think("hello")

    async def our_stream() -> None:
        await _spent(client.stream("hello"))

    calls = await _pairs(our_call, bare_call, CALLS)
    streams = await _pairs(our_stream, bare_stream, STREAMS)
    pieces = [(ours / PIECES, other / PIECES) for ours, other in streams]
    return [
        *_lines("call", calls, 1e3, "ms"),
        f"  - function calls per call: {await _functions(our_call, bare_call, CALLS)}",
        *_lines("piece", pieces, 1e6, "us"),
        f"  - function calls per piece: {await _functions(our_stream, bare_stream, STREAMS, PIECES)}",
    ]


async def _spent(pieces: AsyncIterator[Any]) -> None:
    """Take every piece and do nothing with it."""
    async for _ in pieces:
        pass


async def _pairs(ours: Work, bare: Work, times: int) -> list[tuple[float, float]]:
    """CPU seconds of one run of each, round by round.

    Rounds are short and the two begin in turn: the speed of the machine drifts within seconds.
    """
    await _cpu(ours, times)
    await _cpu(bare, times)
    pairs = []
    for index in range(ROUNDS):
        turns = (ours, bare) if index % 2 else (bare, ours)
        took = {work: await _cpu(work, times) for work in turns}
        pairs.append((took[ours], took[bare]))
    return pairs


async def _cpu(work: Work, times: int) -> float:
    gc.collect()  # else one of the two pays for what the other left
    start = process_time()
    for _ in range(times):
        await work()
    return (process_time() - start) / times


async def _functions(ours: Work, bare: Work, times: int, parts: int = 1) -> str:
    """How many functions each calls in a part of its work: a figure that is hardly noisy."""
    one, other = [await _counted(work, times) / parts for work in (ours, bare)]
    return f"{one:.0f}, bare {other:.0f}"


async def _counted(work: Work, times: int) -> float:
    """Function calls of one run."""
    await _cpu(work, times)  # LiteLLM ends some of its work later, in the next call's time
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(times):
        await work()
    profile.disable()
    return sum(entry.callcount for entry in profile.getstats()) / times


def _lines(what: str, pairs: list[tuple[float, float]], scale: float, unit: str) -> Iterator[str]:
    ours, bare = zip(*pairs, strict=True)
    yield f"  - bare per {what}: {spread(bare, unit, scale)}"
    yield f"  - our client per {what}: {spread(ours, unit, scale)}"
    more = scale * median(one - other for one, other in pairs)
    fastest = scale * (min(ours) - min(bare))
    yield f"  - more per {what}: {more:.2f} {unit}; between the fastest rounds {fastest:.2f} {unit}"
