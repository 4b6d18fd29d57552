"""What our client adds to bare LiteLLM, in CPU time, against a zero-latency loopback server."""

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from statistics import median
from time import process_time
from typing import Any

from bench.figures import spread
from bench.zero_latency_server import PIECES
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.litellm_backend import load_litellm

TITLE = "Our client over bare LiteLLM, CPU time of the client's process"
ROUNDS = 15
CALLS = 40
STREAMS = 4
MESSAGES = [{"role": "user", "content": "hello"}]


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
    bare: dict[str, Any] = {
        "model": "openai/x", "api_base": url, "api_key": "k", "messages": MESSAGES,
        "max_retries": 0, "num_retries": 0,
    }  # fmt: skip
    client = LLMClient(url, "k", "openai/x")

    async def bare_call() -> None:
        await litellm.acompletion(**bare)

    async def bare_stream() -> None:
        usage = {"include_usage": True}
        async for _ in await litellm.acompletion(**bare, stream=True, stream_options=usage):
            pass

    async def our_call() -> None:
        await client.think("hello")

    async def our_stream() -> None:
        async for _ in client.stream("hello"):
            pass

    calls = await _pairs(our_call, bare_call, CALLS)
    streams = await _pairs(our_stream, bare_stream, STREAMS)
    await litellm.close_litellm_async_clients()
    return [*_lines("call", calls, 1e3, "ms"), *_lines("piece", _per_piece(streams), 1e6, "us")]


async def _pairs(
    ours: Callable[[], Awaitable[None]], bare: Callable[[], Awaitable[None]], times: int
) -> list[tuple[float, float]]:
    """CPU seconds of one run of each, round by round, the two in turn."""
    await _cpu(ours, times)
    await _cpu(bare, times)
    return [(await _cpu(ours, times), await _cpu(bare, times)) for _ in range(ROUNDS)]


async def _cpu(work: Callable[[], Awaitable[None]], times: int) -> float:
    start = process_time()
    for _ in range(times):
        await work()
    return (process_time() - start) / times


def _per_piece(pairs: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(ours / PIECES, bare / PIECES) for ours, bare in pairs]


def _lines(what: str, pairs: list[tuple[float, float]], scale: float, unit: str) -> Iterator[str]:
    ours, bare = zip(*pairs, strict=True)
    yield f"- bare LiteLLM per {what}: {spread(bare, unit, scale)}"
    yield f"- our client per {what}: {spread(ours, unit, scale)}"
    more = median(one - other for one, other in pairs)
    ratio = median(one / other for one, other in pairs)
    yield f"- more per {what}: {scale * more:.2f} {unit}, ratio {ratio:.2f}"
