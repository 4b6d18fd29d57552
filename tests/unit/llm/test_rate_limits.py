"""The gate before a request: the user's limits, a provider's pauses, and no file without a limit."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.calls import FakeTime, MemoryCallLog, StopAtWait

from libriscribe2.errors import ProviderError
from libriscribe2.llm.backend import BackendError, Request, ScriptedBackend
from libriscribe2.llm.call_records import CallReport
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.limits.rate_store import RateLimits, RateStore
from libriscribe2.llm.limits.rates import RateGate, account_name, kilo_tokens, rate_gate
from libriscribe2.llm.limits.retries import Wait
from libriscribe2.llm.session import RunStoppedError

KEY = "sk-canary-0123456789"


def request(text: str = "q", *, model: str = "m", max_tokens: int | None = None) -> Request:
    messages = ({"role": "user", "content": text},)
    return Request("s", model, messages, max_tokens=max_tokens)


class Shares:
    """Shared limits that make the first callers wait."""

    def __init__(self, *waits: float) -> None:
        self.waits = list(waits)
        self.taken: list[tuple[str, int]] = []
        self.paused: list[tuple[str, float]] = []

    def take(self, account: str, kilo_tokens: int) -> float:
        self.taken.append((account, kilo_tokens))
        return self.waits.pop(0) if self.waits else 0.0

    def pause(self, account: str, seconds: float) -> None:
        self.paused.append((account, seconds))

    def close(self) -> None:
        self.taken.append(("closed", 0))


async def test_a_share_is_taken_right_before_the_request_and_waits_are_told() -> None:
    time, shares, log = FakeTime(), Shares(3.0, 2.0), MemoryCallLog()
    session = time.session(rates=RateGate(shares, clock=time))
    told: list[Wait] = []
    client = LLMClient("", "", "m", backend=ScriptedBackend(["ok"]), call_log=log, session=session)

    class Noting:
        def put(self, item: CallReport) -> None:
            if isinstance(item, Wait):
                told.append(item)
                log.notes.append(("wait", ""))

    session.outbox = Noting()
    await client.think("q")
    assert [(wait.kind, wait.seconds) for wait in told] == [("limit", 3.0), ("limit", 2.0)]
    assert log.kinds == ["wait", "wait", "sent", "done"]
    await client.think("q")
    assert len(shares.taken) == 3, "a replay takes no share"


async def test_bar_15_a_429_pauses_every_request_of_the_model_and_of_no_other() -> None:
    time, shares = FakeTime(), Shares()
    session = time.session(rates=RateGate(shares, clock=time))
    slow = BackendError("rate", "slow", status=429, retry_after=5.0)
    backend = ScriptedBackend([slow, "other", "ok"])
    client = LLMClient("", "", "m", backend=backend, session=session)
    first = asyncio.create_task(client.think("1"))
    await first
    assert time.slept == [5.0]
    assert shares.paused == [("m", 5.0)]
    gate = RateGate(clock=time)
    await gate.pause("m", 5.0)
    assert await gate.take(request(model="n")) == 0.0
    assert await gate.take(request()) == 5.0
    time.now += 5.0
    assert await gate.take(request()) == 0.0


async def test_bar_15_a_pause_longer_than_any_wait_may_be_ends_the_run_unsent() -> None:
    time, log = FakeTime(), MemoryCallLog()
    session = time.session(rates=RateGate(Shares(9_000.0), clock=time))
    client = LLMClient("", "", "m", backend=ScriptedBackend(), call_log=log, session=session)
    with pytest.raises(ProviderError, match="limits the rate"):
        await client.think("q")
    assert log.notes == []


@pytest.mark.parametrize("seconds", [1e300, 1e308, float("inf")])
async def test_bar_15_a_pause_of_any_length_is_believed_for_a_day(
    tmp_path: Path, seconds: float
) -> None:
    time = FakeTime()
    store = RateStore(RateLimits(1), tmp_path / "rates.sqlite", time)
    await RateGate(store, clock=time).pause("m", seconds)
    assert store.take("m", 1) == pytest.approx(86_400.0)
    store.close()


async def test_a_run_that_is_stopped_does_not_wait_for_its_share() -> None:
    session = FakeTime().session(rates=RateGate(Shares(3.0)))
    session.outbox = StopAtWait(session)
    with pytest.raises(RunStoppedError):
        await LLMClient("", "", "m", backend=ScriptedBackend(), session=session).think("q")


async def test_the_stand_in_author_is_asked_without_limits() -> None:
    shares = Shares(9.0)
    for name in ("demo", "offline"):
        assert await RateGate(shares).take(request(model=name)) == 0.0
    assert shares.taken == []


def test_tokens_are_counted_at_four_bytes_with_the_wanted_reply() -> None:
    assert kilo_tokens(request()) == 3
    assert kilo_tokens(request(max_tokens=500)) == 1
    assert kilo_tokens(request("ü" * 4_000, max_tokens=8_000)) == 11


def test_an_account_is_a_model_a_key_and_a_server_and_tells_none_of_them() -> None:
    environ = {"OPENAI_API_KEY": KEY}
    name = account_name("openai/gpt-5.4", None, environ)
    others = {
        account_name("openai/gpt-5.4", None, {"OPENAI_API_KEY": "other"}),
        account_name("openai/gpt-5.4-mini", None, environ),
        account_name("openai/gpt-5.4", "http://127.0.0.1:1/v1", environ),
    }
    assert len(others | {name}) == 4
    assert name == account_name("openai/gpt-5.4", None, dict(environ))
    assert name.isalnum()
    assert KEY[3:] not in name


def test_without_a_limit_nothing_is_loaded_and_no_file_is_made() -> None:
    assert rate_gate(None, None, str).shared is None
    program = (
        "import sys; import libriscribe2.llm.limits.rates as r;"
        "r.rate_gate(None, None, str); print('pyrate_limiter' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
