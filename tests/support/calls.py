"""Calls in tests: a clock that only sleeping moves, and a call log in memory."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from libriscribe2.llm.attempt import Attempt
from libriscribe2.llm.backend import NoCallLog
from libriscribe2.llm.call_records import CallReport
from libriscribe2.llm.limits.rates import RateGate
from libriscribe2.llm.limits.retries import Circuits, RetryPolicy, Wait
from libriscribe2.llm.session import CallSession
from libriscribe2.project.records import DumpRecord


class FakeTime:
    """Seconds that pass only when somebody sleeps.

    Attributes:
        now: The present.
        slept: Every pause, in order.
    """

    def __init__(self) -> None:
        self.now = 1_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def session(self, *, attempts: int = 3, **fields: Any) -> CallSession:
        """A run whose waits, circuits and rates go by this clock."""
        parts: dict[str, Any] = {
            "retry": RetryPolicy(attempts=attempts),
            "sleep": self.sleep,
            "circuits": Circuits(clock=self),
            "rates": RateGate(clock=self),
        }
        return CallSession(**(parts | fields))


class MemoryCallLog(NoCallLog):
    """A call log that keeps everything in order.

    Attributes:
        notes: What was noted of which key.
        kept: The completions by key.
    """

    def __init__(self) -> None:
        self.notes: list[tuple[str, str]] = []
        self.kept: dict[str, Mapping[str, Any]] = {}

    @property
    def kinds(self) -> list[str]:
        """What was noted, without the keys."""
        return [kind for kind, _ in self.notes]

    def find(self, key: str, step: str) -> Any:
        return self.kept.get(key)

    def filtered(self, key: str) -> bool:
        return ("failed filtered", key) in self.notes

    def sent(self, key: str, *, step: str, model: str, est_usd: float | None = None) -> None:
        self.notes.append(("sent", key))

    def done(self, key: str, record: Mapping[str, Any]) -> None:
        self.notes.append(("done", key))
        self.kept[key] = record

    def failed(self, key: str, *, kind: str, status: int | None, usd: float = 0.0) -> None:
        self.notes.append((f"failed {kind}", key))


class AttemptList(list[Attempt]):
    """Keeps the attempts of a conversation."""

    def add(self, attempt: Attempt, /) -> None:
        self.append(attempt)


class WaitList(list[Wait]):
    """An outbox that keeps the waits only."""

    def put(self, item: CallReport, /) -> None:
        if isinstance(item, Wait):
            self.append(item)


class StopAtWait:
    """An outbox that stops the run at the first wait."""

    def __init__(self, session: CallSession) -> None:
        self._session = session

    def put(self, item: CallReport, /) -> None:
        if isinstance(item, Wait):
            self._session.stop()


def waits_of(session: CallSession) -> list[Wait]:
    """The waits that the session reports from now on."""
    session.outbox = waits = WaitList()
    return waits


class MemoryDumps:
    """Dumps that are kept in memory."""

    def __init__(self) -> None:
        self.records: list[DumpRecord] = []

    def has(self, key: str) -> bool:
        return any(one.key == key for one in self.records)

    def write(self, record: DumpRecord) -> Path:
        self.records.append(record)
        return Path(f"{len(self.records):04d}.json")
