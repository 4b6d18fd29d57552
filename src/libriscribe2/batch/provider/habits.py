"""What the keeper of a spool works with: the way to a provider, and how often it looks."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic
from typing import Protocol

from libriscribe2.llm.litellm_batches import Progress
from libriscribe2.project.clock import Clock, utc_now


class Door(Protocol):
    """The batch API of one account."""

    async def upload(self, name: str, data: bytes) -> str:
        """Store an input file; its id."""
        ...

    async def submit(self, name: str, file: str) -> str:
        """Have it answered; the id of the batch."""
        ...

    async def find(self, name: str, file: str) -> str | None:
        """The id of a batch that may have been submitted."""
        ...

    async def look(self, batch: str) -> Progress:
        """How a batch stands."""
        ...

    async def cancel(self, batch: str) -> None:
        """Have nothing more of it answered."""
        ...

    async def content(self, file: str) -> bytes:
        """A file with answers."""
        ...


@dataclass(frozen=True)
class Habits:
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
