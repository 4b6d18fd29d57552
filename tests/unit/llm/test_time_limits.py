"""Our own clocks over requests and streams; silence is an event that never comes."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from libriscribe2.llm.backend import BackendError
from libriscribe2.llm.limits.retries import TimeLimits, paced, within

SHORT = 0.01


def now() -> float:
    return asyncio.get_running_loop().time()


async def silence() -> str:
    await asyncio.Event().wait()
    return "never"


async def pieces(*texts: str, silent_after: bool = False) -> AsyncIterator[str]:
    for text in texts:
        yield text
    if silent_after:
        await silence()


async def collect(source: AsyncIterator[str], limits: TimeLimits) -> list[str]:
    return [piece async for piece in paced(source, limits, started=now())]


async def test_a_result_in_time_is_returned() -> None:
    told = await within(collect(pieces("in time"), TimeLimits()), now() + 5, "late")
    assert told == ["in time"]


async def test_a_late_result_is_a_timeout_that_says_why() -> None:
    with pytest.raises(BackendError, match="no answer") as raised:
        await within(silence(), now() + SHORT, "no answer")
    assert raised.value.kind == "timeout"


async def test_a_timeout_of_somebody_else_is_left_alone() -> None:
    async def socket() -> str:
        raise TimeoutError("a socket's")

    with pytest.raises(TimeoutError, match="a socket's"):
        await within(socket(), now() + 5, "ours")


async def test_all_pieces_come_through_in_order() -> None:
    assert await collect(pieces("a", "b", "c"), TimeLimits()) == ["a", "b", "c"]


async def test_the_first_piece_has_its_own_clock() -> None:
    with pytest.raises(BackendError, match=r"no piece of the reply within 0\.01"):
        await collect(pieces(silent_after=True), TimeLimits(first_piece=SHORT))


async def test_a_stream_that_falls_silent_is_a_timeout() -> None:
    limits = TimeLimits(between_pieces=SHORT)
    with pytest.raises(BackendError, match=r"no further piece of the reply for 0\.01"):
        await collect(pieces("a", silent_after=True), limits)


async def test_a_trickle_cannot_outlast_the_whole_call() -> None:
    async def trickle() -> AsyncIterator[str]:
        while True:
            await asyncio.wait([asyncio.ensure_future(silence())], timeout=SHORT / 5)
            yield "drop "

    with pytest.raises(BackendError, match=r"the reply took over 0\.05 seconds"):
        await collect(trickle(), TimeLimits(whole_call=5 * SHORT))


async def test_the_consumers_own_time_is_not_silence() -> None:
    limits = TimeLimits(between_pieces=2 * SHORT)
    seen = []
    async for piece in paced(pieces("a", "b"), limits, started=now()):
        seen.append(piece)
        await asyncio.wait([asyncio.ensure_future(silence())], timeout=3 * SHORT)
    assert seen == ["a", "b"]
