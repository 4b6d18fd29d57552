"""Waiting requests sent as provider batches, and their replies fetched."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Final

from libriscribe2.batch.provider.spool import Kept, Spool
from libriscribe2.batch.provider.submitted import (
    PollingOptions,
    SubmittedBatch,
    UnderWay,
    close,
    content,
    file_of,
    found,
    new_batches,
    open_batches,
    ordinary,
    replies_in,
    save,
)
from libriscribe2.llm.backend import BackendError
from libriscribe2.llm.backends.provider_batches import ProviderBatches
from libriscribe2.llm.limits.retries import TRANSIENT_KINDS
from libriscribe2.wording import counted

_TICK_SECONDS: Final = 0.2
_LONGEST_HASTE: Final = 12
"""How many quiet times a call waits at most for others."""

_MOST_FAILURES: Final = 5
"""Failures that pass in a row, after which calls that never left are sent as ordinary ones.

After the end of a deadline, also those after which a batch is left to the next run.
"""

_DEADLINE: Final = "its deadline was reached"
_OTHER_ACCOUNT: Final = "its account is not the one of this run"


class Poller:
    """Keeps a spool; `Spool.kept` has to be held meanwhile.

    Args:
        spool: The spool.
        door_of: The way to the batch API of a model's account; None where there is none.
        habits: How it works.
    """

    def __init__(
        self,
        spool: Spool,
        door_of: Callable[[str, str], ProviderBatches | None],
        habits: PollingOptions | None = None,
    ) -> None:
        self._spool = spool
        self._door_of = door_of
        self._habits = habits if habits is not None else PollingOptions()
        self._under = [UnderWay(one, self._habits.poll) for one in open_batches(spool)]
        self._seen: dict[str, tuple[Kept, float]] = {}
        self._refused: dict[tuple[str, str], str] = {}
        if self._under:
            calls = sum(len(one.order.calls) for one in self._under)
            self._habits.tell(f"{counted(calls, 'call')} submitted earlier: waiting for them")

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
            return "no call is batched in this run"
        if self._is_over() or (due is not None and self._habits.clock() >= due):
            return _DEADLINE
        return self._refused.get((asked["model"], asked["account"]), "")

    def _order(self, account: tuple[str, str], asked: Mapping[str, Kept]) -> None:
        if self._door_of(*account) is None:
            self._refuse(account, _OTHER_ACCOUNT, asked)
            return
        for order in new_batches(self._spool, asked):
            self._under.append(UnderWay(order, self._habits.poll))
            for ident in order.calls:
                del self._seen[ident]

    async def _go_on(self, one: UnderWay) -> None:
        """The next step of an order; a failure that passes has it tried again later."""
        order = one.order
        one.step(self._habits.now(), self._habits.poll, is_over=self._is_over())
        door = self._door_of(order.model, order.account)
        try:
            if door is None:
                raise BackendError("auth", _OTHER_ACCOUNT)
            await (self._look(one, door) if order.batch else self._submit(one, door))
            one.worked()
        except BackendError as error:
            self._failed(one, error)

    def _failed(self, one: UnderWay, error: BackendError) -> None:
        """A step of an order failed; what may have been paid is not given up for it."""
        order, now = one.order, self._habits.now()
        paid, passes = order.batch or order.submitted, error.kind in TRANSIENT_KINDS
        one.failed(now)
        many = one.late_failures if paid else one.failures
        if passes and many < _MOST_FAILURES and (paid or not one.is_late(now)):
            return
        if paid and error.kind != "not_found":
            self._set_aside(one, error)
            return
        if not (passes or paid):
            self._refuse((order.model, order.account), error.message, {})
        self._end(one, error.message)

    async def _submit(self, one: UnderWay, door: ProviderBatches) -> None:
        """Have an order answered that may not have been submitted yet."""
        order = one.order
        if order.submitted:
            order.batch = await found(order, door)
        if not order.batch and self._is_over():
            self._end(one, _DEADLINE)
            return
        if not order.batch:
            if not order.file:
                order.file = await door.upload(order.name, file_of(self._spool, order))
            await self._leave(order, door)
        save(self._spool, order)
        calls = counted(len(order.calls), "call")
        self._habits.tell(f"{calls} of {order.model} sent together as {order.batch}")

    async def _leave(self, order: SubmittedBatch, door: ProviderBatches) -> None:
        """Submit an order, with a note before that it may have been."""
        order.submitted = True
        save(self._spool, order)
        try:
            order.batch = await door.submit(order.name, order.file)
        except BackendError as error:
            order.submitted = error.kind in TRANSIENT_KINDS  # else it was refused for certain
            raise

    async def _look(self, one: UnderWay, door: ProviderBatches) -> None:
        """See whether a batch has ended, and fetch its answers."""
        order = one.order
        if one.gives_up is not None and not order.cancelled:
            await self._cancel(order, door)
        progress = await door.look(order.batch)
        if not one.is_done(progress, self._habits.now()):
            return
        for file in progress.files:
            await asyncio.to_thread(self._answer, one, await content(file, door))
        told = f"{len(one.answered):,} of {counted(len(order.calls), 'call')} answered"
        self._habits.tell(f"{order.batch}: {progress.status}, {told} {progress.why}".rstrip())
        self._end(one, f"the provider's batch is {progress.status}")

    async def _cancel(self, order: SubmittedBatch, door: ProviderBatches) -> None:
        """Have nothing more of a batch answered; one that has ended already is only looked at.

        Where the failure passes, the next look tries it again: to cancel twice does no harm.
        """
        try:
            await door.cancel(order.batch)
        except BackendError as error:
            self._habits.tell(f"{order.batch} could not be cancelled: {error.message}")
            if error.kind in TRANSIENT_KINDS:
                return
        order.cancelled = True
        save(self._spool, order)

    def _answer(self, one: UnderWay, file: bytes) -> None:
        """Keep the replies in a file, which may take a moment."""
        replies = dict(replies_in(file, one.order))
        for ident in replies.keys() - one.answered:
            self._reply(ident, replies[ident])
            one.answered.add(ident)

    def _end(self, one: UnderWay, why: str) -> None:
        """An order is over: what has no reply is sent as ordinary calls."""
        self._leave_rest(one, why)
        close(self._spool, one.order)

    def _leave_rest(self, one: UnderWay, why: str) -> None:
        """Do no more for an order: what has no reply is sent as ordinary calls."""
        self._under.remove(one)
        for ident in one.order.calls:
            if ident not in one.answered:  # one that is answered may be read and gone
                self._reply(ident, ordinary(why))

    def _set_aside(self, one: UnderWay, error: BackendError) -> None:
        """Leave an order that may have been paid to the next run; its books go on without it."""
        self._refuse((one.order.model, one.order.account), error.message, {})
        self._leave_rest(one, error.message)

    def _refuse(self, account: tuple[str, str], why: str, asked: Mapping[str, Kept]) -> None:
        if account not in self._refused:
            self._refused[account] = why
            self._habits.tell(f"{account[0]}: no batch, so its calls are sent directly ({why})")
        for ident in asked:
            self._reply(ident, ordinary(why))

    def _reply(self, ident: str, reply: Kept) -> None:
        self._spool.answer(ident, reply)
        self._seen.pop(ident, None)


async def kept_meanwhile(
    spool: Spool, keeper_of: Callable[[], Poller], work: Callable[[], Awaitable[None]]
) -> None:
    """Do work while the spool is kept; where that fails, the work is ended.

    Args:
        spool: The spool.
        keeper_of: Makes its keeper, once nobody else keeps it.
        work: The work.

    Raises:
        ProjectInUseError: Another process keeps it.
        StorageError: It cannot be written or read.
    """
    with spool.kept():
        keeping = asyncio.ensure_future(keeper_of().run())
        working = asyncio.ensure_future(work())
        try:
            await asyncio.wait({keeping, working}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (working, keeping):
                await _ended(task)
        if not keeping.cancelled():
            keeping.result()  # it never ends but by a failure
        working.result()


async def _ended(task: "asyncio.Future[None]") -> None:
    """End a task; what it raises is told by whoever asks for its result."""
    task.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.wait({task})
