"""The keeper of a spool: sends what waits as batches of the provider, and brings the replies back.

Every step is on the disk before the next one, so that a keeper that is killed loses nothing: the
one after it finds the order, and by the order the provider's file and batch.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from libriscribe2.batch.provider.answers import ordinary, replies_in
from libriscribe2.batch.provider.habits import Door, Habits
from libriscribe2.batch.provider.orders import (
    Order,
    close,
    file_of,
    new_orders,
    open_orders,
    save,
)
from libriscribe2.batch.provider.spool import Kept, Spool
from libriscribe2.llm.backend import BackendError
from libriscribe2.llm.resilience import TRANSIENT_KINDS
from libriscribe2.utils.quantities import counted

_TICK_SECONDS: Final = 0.2
_GROWTH: Final = 1.5
_LONGEST_GROWTH: Final = 30
"""How many times the first pause between two looks the longest one is."""

_LONGEST_HASTE: Final = 12
"""How many quiet times a call waits at most for others."""

_CANCEL_SECONDS: Final = 900.0
"""How long a batch may take to be cancelled; a provider says ten minutes."""

_MOST_FAILURES: Final = 5
"""Failures that pass in a row, after which calls that never left are sent as ordinary ones."""


_DEADLINE: Final = "its deadline was reached"
_OTHER_ACCOUNT: Final = "its account is not the one of this run"


@dataclass(slots=True)
class _Under:
    """An order under way.

    Attributes:
        order: The order.
        pause: How long it is left alone after the next look.
        next: When that is.
        gives_up: When it is over, whatever its provider says; None while its deadline is to come.
        failures: Failures that pass since the last step that did not fail.
    """

    order: Order
    pause: float
    next: float = 0.0
    gives_up: float | None = None
    failures: int = 0


class Keeper:
    """Keeps a spool; `Spool.kept` has to be held meanwhile.

    Args:
        spool: The spool.
        door_of: The way to the batch API of a model's account; None where there is none.
        habits: How it works.
    """

    def __init__(
        self,
        spool: Spool,
        door_of: Callable[[str, str], Door | None],
        habits: Habits | None = None,
    ) -> None:
        self._spool = spool
        self._door_of = door_of
        self._habits = habits if habits is not None else Habits()
        self._under = [_Under(one, self._habits.poll) for one in open_orders(spool)]
        self._seen: dict[str, tuple[Kept, float]] = {}
        self._refused: dict[tuple[str, str], str] = {}
        if self._under:
            calls = sum(len(one.order.calls) for one in self._under)
            self._habits.tell(f"{counted(calls, 'call')} submitted before: waited for")

    async def run(self) -> None:
        """Send and fetch until it is cancelled.

        Raises:
            StorageError: The spool cannot be written or read.
        """
        while True:
            await self.turn()
            await self._habits.sleep(_TICK_SECONDS)

    async def turn(self) -> None:
        """One look at everything.

        Raises:
            StorageError: The spool cannot be written or read.
        """
        self._take()
        for one in list(self._under):
            if one.next <= self._habits.now() or (self._is_over() and one.gives_up is None):
                await self._go_on(one)

    def _is_over(self) -> bool:
        until = self._habits.until
        return until is not None and self._habits.clock() >= until

    def _take(self) -> None:
        """Make orders of the calls that wait for long enough."""
        self._notice()
        now = self._habits.now()
        groups: dict[tuple[str, str], dict[str, Kept]] = {}
        for ident, (asked, _) in self._seen.items():
            groups.setdefault((asked["model"], asked["account"]), {})[ident] = asked
        for account, asked in groups.items():
            times = [self._seen[ident][1] for ident in asked]
            quiet = self._habits.quiet
            if now - max(times) >= quiet or now - min(times) >= _LONGEST_HASTE * quiet:
                self._order(account, asked)

    def _notice(self) -> None:
        """See which calls wait, and which of them are not for a batch."""
        ordered = {call for one in self._under for call in one.order.calls}
        waiting = set(self._spool.idents(self._spool.waiting)) - ordered
        self._seen = {ident: one for ident, one in self._seen.items() if ident in waiting}
        for ident in sorted(waiting - self._seen.keys()):
            asked = self._spool.read(self._spool.waiting, ident)
            if asked is not None:
                self._seen[ident] = (asked, self._habits.now())
        for ident, (asked, _) in list(self._seen.items()):
            why = self._why_ordinary(asked)
            if why:
                self._reply(ident, ordinary(why))

    def _why_ordinary(self, asked: Kept) -> str:
        """Why a call is not for a batch; empty where it is."""
        due = self._habits.due.get(asked["book"])
        if not self._habits.takes:
            return "no call is sent with others in this run"
        if self._is_over() or (due is not None and self._habits.clock() >= due):
            return _DEADLINE
        return self._refused.get((asked["model"], asked["account"]), "")

    def _order(self, account: tuple[str, str], asked: Mapping[str, Kept]) -> None:
        if self._door_of(*account) is None:
            self._refuse(account, _OTHER_ACCOUNT, asked)
            return
        for order in new_orders(self._spool, asked):
            self._under.append(_Under(order, self._habits.poll))
            for ident in order.calls:
                del self._seen[ident]

    async def _go_on(self, one: _Under) -> None:
        """The next step of an order; a failure that passes has it tried again later."""
        order, now = one.order, self._habits.now()
        one.next = now + one.pause
        one.pause = min(one.pause * _GROWTH, self._habits.poll * _LONGEST_GROWTH)
        if self._is_over() and one.gives_up is None:
            one.gives_up = now + _CANCEL_SECONDS
        door = self._door_of(order.model, order.account)
        try:
            if door is None:
                raise BackendError("auth", _OTHER_ACCOUNT)
            await (self._look(one, door) if order.batch else self._submit(order, door))
            one.failures = 0
        except BackendError as error:
            one.failures += 1
            self._failed(one, error)

    def _failed(self, one: _Under, error: BackendError) -> None:
        """A step of an order failed; what may have been paid is not given up for it."""
        order, paid = one.order, one.order.batch or one.order.submitted
        passes = error.kind in TRANSIENT_KINDS
        if one.gives_up is not None and self._habits.now() >= one.gives_up:
            self._end(order, _DEADLINE)
        elif passes and (paid or one.failures < _MOST_FAILURES):
            return
        elif paid and error.kind != "not_found":
            self._set_aside(one, error)
        else:
            if not (passes or paid):
                self._refuse((order.model, order.account), error.message, {})
            self._end(order, error.message)

    async def _submit(self, order: Order, door: Door) -> None:
        """Have an order answered that may not have been submitted yet."""
        if order.submitted:
            order.batch = await _found(order, door)
        if not order.batch and self._is_over():
            self._end(order, _DEADLINE)
            return
        if not order.batch:
            if not order.file:
                order.file = await door.upload(order.name, file_of(self._spool, order))
            await self._leave(order, door)
        save(self._spool, order)
        calls = counted(len(order.calls), "call")
        self._habits.tell(f"{calls} of {order.model} sent together as {order.batch}")

    async def _leave(self, order: Order, door: Door) -> None:
        """Submit an order, with a note before that it may have been."""
        order.submitted = True
        save(self._spool, order)
        try:
            order.batch = await door.submit(order.name, order.file)
        except BackendError as error:
            order.submitted = error.kind in TRANSIENT_KINDS  # else it was refused for certain
            raise

    async def _look(self, one: _Under, door: Door) -> None:
        """See whether a batch has ended, and fetch its answers."""
        order = one.order
        if one.gives_up is not None and not order.cancelled:
            await self._cancel(one, door)
        progress = await door.look(order.batch)
        late = one.gives_up is not None and self._habits.now() >= one.gives_up
        if not progress.ended and not late:
            return
        answered: set[str] = set()
        for file in progress.files:
            answered |= await asyncio.to_thread(self._answer, order, await door.content(file))
        told = f"{len(answered):,} of {counted(len(order.calls), 'call')} answered"
        self._habits.tell(f"{order.batch}: {progress.status}, {told} {progress.why}".rstrip())
        self._end(order, f"the provider's batch is {progress.status}", answered)

    async def _cancel(self, one: _Under, door: Door) -> None:
        """Have nothing more of a batch answered; one that has ended already is only looked at."""
        one.order.cancelled = True
        save(self._spool, one.order)
        one.pause = self._habits.poll
        one.next = self._habits.now() + one.pause
        try:
            await door.cancel(one.order.batch)
        except BackendError as error:
            self._habits.tell(f"{one.order.batch} could not be cancelled: {error.message}")

    def _answer(self, order: Order, file: bytes) -> set[str]:
        """Keep the replies in a file, which may take a moment; the ids of their calls."""
        found = dict(replies_in(file, order))
        for ident, reply in found.items():
            self._reply(ident, reply)
        return set(found)

    def _end(self, order: Order, why: str, answered: set[str] | None = None) -> None:
        """An order is over: what has no reply is sent as ordinary calls."""
        for ident in order.calls:
            if ident not in (answered or ()):
                self._reply(ident, ordinary(why))
        close(self._spool, order)
        self._under = [one for one in self._under if one.order is not order]

    def _set_aside(self, one: _Under, error: BackendError) -> None:
        """Leave an order that may have been paid to the next run; its books go on without it."""
        self._refuse((one.order.model, one.order.account), error.message, {})
        self._under.remove(one)
        for ident in one.order.calls:
            self._reply(ident, ordinary(error.message))

    def _refuse(self, account: tuple[str, str], why: str, asked: Mapping[str, Kept]) -> None:
        if account not in self._refused:
            self._refused[account] = why
            self._habits.tell(f"{account[0]}: no batch, so its calls are sent at once ({why})")
        for ident in asked:
            self._reply(ident, ordinary(why))

    def _reply(self, ident: str, reply: Kept) -> None:
        # In this order: its book may have read the reply and ask anew a moment later.
        self._spool.drop(self._spool.waiting, ident)
        self._spool.write(self._spool.replies, ident, reply)
        self._seen.pop(ident, None)


async def _found(order: Order, door: Door) -> str:
    """The id of a batch that may have been submitted; empty where nobody knows one.

    Raises:
        BackendError: It cannot be known just now.
    """
    try:
        return await door.find(order.name, order.file) or ""
    except BackendError as error:
        if error.kind in TRANSIENT_KINDS:
            raise
        return ""  # a provider that lists no batches
