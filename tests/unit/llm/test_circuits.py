"""Circuits in the client: a dead model is left alone, and somebody else is asked at once."""

import asyncio

import pytest
from tests.support.calls import FakeTime, MemoryCallLog, StopAtWait, waits_of

from libriscribe2.errors import LibriScribeError, ProviderError
from libriscribe2.llm.backend import BackendError, Completion, Request, ScriptedBackend
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.limits.retries import OUTAGES, RESTING, Circuits
from libriscribe2.llm.session import CallSession, RunStoppedError

DOWN = BackendError("server", "down", status=503)


async def turn() -> None:
    """Let every other task go on once."""
    over = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(over.set_result, None)
    await over


def asking(session: CallSession, *script: object, log: MemoryCallLog | None = None) -> LLMClient:
    backend = ScriptedBackend(script)  # type: ignore[arg-type]
    return LLMClient("", "", "a", backend=backend, call_log=log, session=session)


async def test_a_dead_model_is_passed_over_at_once_where_another_is_named() -> None:
    time = FakeTime()
    session = time.session(attempts=5)
    backend = ScriptedBackend([*[DOWN] * 5, "one", "two"])
    client = LLMClient("", "", "a", backend=backend, session=session).using("a", ["b"])
    assert (await client.think("1"))["reply"] == "one"
    before = list(time.slept)
    assert (await client.think("2"))["reply"] == "two"
    assert [call.model for call in backend.calls] == [*"aaaaa", "b", "b"]
    assert time.slept == before


async def test_without_another_model_the_probe_is_waited_for_and_the_wait_is_told() -> None:
    time = FakeTime()
    session = time.session(attempts=1)
    told = waits_of(session)
    client = asking(session, *[DOWN] * 5, "back")
    for _ in range(5):
        with pytest.raises(ProviderError):
            await client.think("q")
    assert (await client.think("q"))["reply"] == "back"
    assert [(wait.kind, wait.seconds) for wait in told] == [(RESTING, 30.0)]
    assert "paused" in told[0].message


async def test_exactly_one_of_many_waiting_requests_is_the_probe() -> None:
    time = FakeTime()
    under_way = most = 0

    class Slow(ScriptedBackend):
        async def complete(self, request: Request) -> Completion:
            nonlocal under_way, most
            self.calls.append(request)
            under_way += 1
            most = max(most, under_way)
            if len(self.calls) == 1:  # the probe takes as long as the others ask three times
                while len(time.slept) < 8 + 3 * 7:
                    await turn()
            under_way -= 1
            return Completion("ok")

    session = time.session(attempts=1, limit=asyncio.Semaphore(8))
    circuit = session.circuits.of("a")
    for _ in range(5):
        circuit.failed(circuit.enter())
    backend = Slow()
    client = LLMClient("", "", "a", backend=backend, session=session)
    await asyncio.gather(*(client.think(str(n)) for n in range(8)))
    assert (most, len(backend.calls), circuit.state) == (1, 8, "closed")


async def test_a_wait_longer_than_the_policy_allows_is_an_error_that_sends_nothing() -> None:
    time = FakeTime()
    log = MemoryCallLog()
    session = time.session(attempts=1, circuits=Circuits(1, 700.0, time))
    client = asking(session, DOWN, log=log)
    with pytest.raises(ProviderError):
        await client.think("q")
    with pytest.raises(ProviderError, match="paused"):
        await client.think("q")
    assert log.kinds == ["sent", "failed server"]


async def test_a_run_that_is_stopped_does_not_wait_for_a_circuit() -> None:
    session = FakeTime().session(attempts=1)
    session.outbox = StopAtWait(session)
    client = asking(session, *[DOWN] * 5, "back")
    for _ in range(5):
        with pytest.raises(ProviderError):
            await client.think("q")
    with pytest.raises(RunStoppedError):
        await client.think("q")


@pytest.mark.parametrize("kind", sorted(OUTAGES))
async def test_outages_open_a_circuit(kind: str) -> None:
    session = FakeTime().session(attempts=5)
    with pytest.raises(ProviderError):
        await asking(session, *[BackendError(kind, "no")] * 5).think("q")
    assert session.circuits.of("a").state == "open"


@pytest.mark.parametrize("kind", ["auth", "quota", "not_found", "bad_request", "context", "rate"])
async def test_refusals_of_a_request_and_429s_open_none(kind: str) -> None:
    session = FakeTime().session(attempts=1)
    client = asking(session, *[BackendError(kind, "no")] * 9, "ok")
    for _ in range(9):
        with pytest.raises(LibriScribeError):
            await client.think("q")
    assert session.circuits.of("a").state == "closed"
    assert (await client.think("q"))["reply"] == "ok"


async def test_a_request_that_is_cancelled_tells_nothing_of_the_server() -> None:
    class Hanging(ScriptedBackend):
        async def complete(self, request: Request) -> Completion:
            await asyncio.Event().wait()
            return Completion("never")

    time = FakeTime()
    session = time.session()
    circuit = session.circuits.of("a")
    for _ in range(5):
        circuit.failed(circuit.enter())
    time.now += 30
    task = asyncio.create_task(
        LLMClient("", "", "a", backend=Hanging(), session=session).think("q")
    )
    for _ in range(5):
        await turn()
    assert circuit.wait_seconds() > 0
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert circuit.wait_seconds() == 0
