"""An order under way: when it is looked at, what of it is answered, and what its provider has."""

from dataclasses import dataclass, field
from typing import Final

from libriscribe2.batch.provider.habits import Door
from libriscribe2.batch.provider.orders import Order
from libriscribe2.llm.backend import BackendError
from libriscribe2.llm.litellm_batches import Progress

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

    order: Order
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


async def found(order: Order, door: Door) -> str:
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


async def content(file: str, door: Door) -> bytes:
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
