"""Batches submitted to providers: noted before each step, polled, given up, replies filed."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from time import monotonic
from typing import Any, Final
from uuid import uuid4

from libriscribe2.batch.provider.spool import Kept, Spool
from libriscribe2.llm.backend import BackendError
from libriscribe2.llm.backends.provider_batches import ENDPOINT, Progress, ProviderBatches
from libriscribe2.project.atomic import PRIVATE, atomic_write, storage_errors
from libriscribe2.project.texts import Clock, utc_now
from libriscribe2.replies.cleanup import safe_json_loads

MOST_LINES: Final = 50_000
MOST_BYTES: Final = 100 * 2**20
"""Largest file of one batch; OpenAI takes 50,000 lines and 200 MB."""


@dataclass(slots=True)
class SubmittedBatch:
    """Calls that go to a provider together.

    Attributes:
        name: What it is called, here and in the batch's metadata.
        model: Whom the calls ask.
        account: A name for the account they ask.
        calls: The ids of the calls.
        file: The provider's id of the file; empty until it is stored there.
        batch: The provider's id of the batch; empty until it is known.
        submitted: Whether the batch may have been submitted.
        cancelled: Whether the provider was told to answer no more of it.
    """

    name: str
    model: str
    account: str
    calls: list[str] = field(default_factory=list)
    file: str = ""
    batch: str = ""
    submitted: bool = False
    cancelled: bool = False


def new_batches(
    spool: Spool, asked: Mapping[str, Kept], most: tuple[int, int] = (MOST_LINES, MOST_BYTES)
) -> Iterator[SubmittedBatch]:
    """Orders for calls of one account, stored with their files.

    Args:
        spool: Where.
        asked: The requests by id, all of one model and account.
        most: Lines and bytes of the largest file.

    Raises:
        StorageError: They cannot be stored.
    """
    lines = ((ident, _line(ident, one["body"])) for ident, one in asked.items())
    first = next(iter(asked.values()))
    for part in _parts(lines, *most):
        order = SubmittedBatch(
            uuid4().hex, first["model"], first["account"], [ident for ident, _ in part]
        )
        path = spool.orders / f"{order.name}.jsonl"
        with storage_errors("write", path):
            atomic_write(path, b"".join(line for _, line in part), mode=PRIVATE)
        save(spool, order)
        yield order


def file_of(spool: Spool, order: SubmittedBatch) -> bytes:
    """The file of an order.

    Raises:
        StorageError: It cannot be read.
    """
    path = spool.orders / f"{order.name}.jsonl"
    with storage_errors("read", path):
        return path.read_bytes()


def save(spool: Spool, order: SubmittedBatch) -> None:
    """Keep what is known of an order.

    Raises:
        StorageError: It cannot be stored.
    """
    spool.write(spool.orders, order.name, {"v": 1, **asdict(order)})


def close(spool: Spool, order: SubmittedBatch) -> None:
    """An order is over, and its replies are kept.

    Raises:
        StorageError: It cannot be removed.
    """
    spool.drop(spool.orders, order.name)
    with suppress(OSError):  # a file without its order is never looked at
        (spool.orders / f"{order.name}.jsonl").unlink()


def open_batches(spool: Spool) -> list[SubmittedBatch]:
    """The orders that are not over.

    Raises:
        StorageError: They cannot be read.
    """
    known = {one.name for one in fields(SubmittedBatch)}
    found = (spool.read(spool.orders, name) for name in spool.idents(spool.orders))
    return [
        SubmittedBatch(**{name: value for name, value in one.items() if name in known})
        for one in found
        if one is not None
    ]


def _line(ident: str, body: Any) -> bytes:
    line = {"custom_id": ident, "method": "POST", "url": ENDPOINT, "body": body}
    return json.dumps(line).encode() + b"\n"


def _parts(
    lines: Iterable[tuple[str, bytes]], most_lines: int, most_bytes: int
) -> Iterator[list[tuple[str, bytes]]]:
    """The lines in files that are not too large."""
    part: list[tuple[str, bytes]] = []
    size = 0
    for ident, line in lines:
        if part and (len(part) == most_lines or size + len(line) > most_bytes):
            yield part
            part, size = [], 0
        part.append((ident, line))
        size += len(line)
    if part:
        yield part


_NEVER_RUN: Final = frozenset({"batch_expired", "batch_cancelled"})


def ordinary(why: str) -> Kept:
    """The reply that has a call sent as an ordinary one."""
    return {"v": 1, "ordinary": why}


def replies_in(data: bytes, order: SubmittedBatch) -> Iterator[tuple[str, Kept]]:
    """The replies in a file of answers or failures, by the ids of their calls.

    A line that is none, or of a call that is not the order's, is left out: a call without a reply
    is sent as an ordinary one.
    """
    mine = set(order.calls)
    for line in filter(None, data.splitlines()):
        record = safe_json_loads(line)
        if isinstance(record, dict) and record.get("custom_id") in mine:
            reply = _reply(record)
            if reply is not None:
                yield str(record["custom_id"]), reply


def _reply(record: Mapping[str, Any]) -> Kept | None:
    """What a line says; None where the call was never run."""
    response, error = record.get("response"), record.get("error")
    if isinstance(response, dict) and isinstance(response.get("status_code"), int):
        return {"v": 1, "status": response["status_code"], "body": response.get("body")}
    if not isinstance(error, dict) or error.get("code") in _NEVER_RUN:
        return None
    return {"v": 1, "status": None, "body": {"error": error}}


@dataclass(frozen=True)
class PollingOptions:
    """How a keeper works.

    Attributes:
        takes: Whether calls that wait are sent together; else they are sent as ordinary ones, and
            only what was submitted before is waited for.
        quiet: Seconds without another call after which those that wait are sent.
        poll: Seconds before the first look at a batch; later ones are up to 30 times as long.
        until: When nothing is waited for any more; None is never.
        due: When a book is to be done: its calls are sent as ordinary ones from then on.
        tell: Hears what is going on.
        sleep: Waits.
        now: A clock in seconds that never goes back.
        clock: The time of day.
    """

    takes: bool = True
    quiet: float = 5.0
    poll: float = 10.0
    until: datetime | None = None
    due: Mapping[str, datetime] = field(default_factory=dict)
    tell: Callable[[str], None] = field(default=lambda _line: None)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep  # noqa: TID251 - the real clock
    now: Callable[[], float] = field(default=monotonic)
    clock: Clock = utc_now


_GROWTH: Final = 1.5
_LONGEST_GROWTH: Final = 30
"""How many times the first pause between two looks the longest one is."""

_CANCEL_SECONDS: Final = 900.0
"""How long a batch may take to be cancelled; a provider says ten minutes."""

_NONE_THERE: Final = frozenset({"not_found", "bad_request"})
"""Failures by which a provider says that it lists no batches."""

_MOST_UNSEEN: Final = 12
"""How often a batch that has ended is looked at for answers that are in no file yet."""


@dataclass(slots=True)
class UnderWay:
    """An order under way.

    Attributes:
        order: The order.
        pause: How long it is left alone after the next look.
        next: When that is.
        gives_up: When it is over, whatever its provider says; None while its deadline is to come.
        failures: Failures that pass since the last step that did not fail.
        late_failures: Those after `gives_up`.
        unseen: Looks after its end at which its answers were in no file yet.
        answered: The calls whose replies are kept.
    """

    order: SubmittedBatch
    pause: float
    next: float = 0.0
    gives_up: float | None = None
    failures: int = 0
    late_failures: int = 0
    unseen: int = 0
    answered: set[str] = field(default_factory=set)

    def step(self, now: float, poll: float, *, is_over: bool) -> None:
        """Another step begins: when the one after it is to come.

        Args:
            now: The time.
            poll: The first pause between two looks.
            is_over: Whether the run has reached its deadline.
        """
        if is_over and self.gives_up is None:
            self.gives_up, self.pause = now + _CANCEL_SECONDS, poll
        if self.is_late(now):
            self.pause = poll
        self.next = now + self.pause
        self.pause = min(self.pause * _GROWTH, poll * _LONGEST_GROWTH)

    def is_late(self, now: float) -> bool:
        """Whether nothing more is waited for."""
        return self.gives_up is not None and now >= self.gives_up

    def is_done(self, progress: Progress, now: float) -> bool:
        """Whether what there is of answers is to be fetched."""
        self.unseen += progress.ended and progress.unseen
        waits = progress.unseen and self.unseen < _MOST_UNSEEN
        return self.is_late(now) or (progress.ended and not waits)

    def failed(self, now: float) -> None:
        """Count a failure that passes."""
        self.failures += 1
        self.late_failures += self.is_late(now)

    def worked(self) -> None:
        """A step did not fail."""
        self.failures = self.late_failures = 0


async def found(order: SubmittedBatch, door: ProviderBatches) -> str:
    """The id of a batch that may have been submitted; empty where none was, or none is listed.

    Raises:
        BackendError: It cannot be known just now.
    """
    try:
        return await door.find(order.name, order.file) or ""
    except BackendError as error:
        if error.kind not in _NONE_THERE:
            raise
        return ""


async def content(file: str, door: ProviderBatches) -> bytes:
    """A file of answers; empty where the provider has none of it.

    Raises:
        BackendError: It could not be had.
    """
    try:
        return await door.content(file)
    except BackendError as error:
        if error.kind != "not_found":
            raise
        return b""
