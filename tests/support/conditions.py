"""Under what conditions a process of the command line runs: its provider, its disk, its clock."""

import asyncio
import ctypes
import itertools
import os
import resource
import signal
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Final

from typing_extensions import override

from libriscribe2.llm.backend import Completion, Request
from libriscribe2.llm.backends.demo import DemoAuthor
from libriscribe2.project import texts

_POLL_SECONDS: Final = 0.005
_DAC_OVERRIDE_AND_SEARCH: Final = 0b110
_CAPABILITY_VERSION: Final = 0x20080522

_complete = DemoAuthor.complete


@dataclass(frozen=True)
class Conditions:
    """What a process meets; the defaults are those of a good day.

    Attributes:
        ledger: File to which the provider adds the key of every request that it answers; "" for
            none. It is the provider's own book: nothing that the program does can undo a line.
        pause: Seconds that the provider takes for each reply.
        silent_from: Number of the call, from 1, from which on no reply comes.
        deaf_from: The same, but the program hangs in the call and hears no cancellation.
        gate: File without which no reply comes; "" for none.
        dies_at: Number of the call, from 1, at which the process kills itself.
        room: Most bytes that any file may have; 0 for no limit.
        obeys_rights: Whether root, too, is refused what the rights of a file refuse.
        syncs: Whether fsync reaches the disk; a killed process does not need it.
        clock: Seconds that the wall clock is off from each call on, by the call's number from 0.
        stops: Whether the process stops itself (SIGSTOP) before it begins.
    """

    ledger: str = ""
    pause: float = 0.0
    silent_from: int | None = None
    deaf_from: int | None = None
    gate: str = ""
    dies_at: int | None = None
    room: int = 0
    obeys_rights: bool = False
    syncs: bool = False
    clock: tuple[tuple[int, float], ...] = ()
    stops: bool = False

    def take_effect(self) -> None:
        """Give this process its conditions; there is no way back."""
        provider = Provider(self)
        setattr(DemoAuthor, "complete", provider.complete)  # noqa: B010 - mypy refuses `=`
        setattr(DemoAuthor, "stream", provider.stream)  # noqa: B010 - mypy refuses `=`
        if not self.syncs:
            setattr(os, "fsync", _no_sync)  # noqa: B010 - mypy refuses `=`
        if self.room:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.room, resource.RLIM_INFINITY))
        if self.obeys_rights and os.geteuid() == 0:
            _obey_rights()
        if self.stops:
            os.kill(os.getpid(), signal.SIGSTOP)


class Provider:
    """Answers as the stand-in author does, under the conditions of the process."""

    def __init__(self, conditions: Conditions) -> None:
        self._is = conditions
        self._author = DemoAuthor()
        self._count = itertools.count(1)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._ledger = os.open(conditions.ledger, flags) if conditions.ledger else None
        self._set_clock(0)

    async def complete(self, request: Request) -> Completion:
        """Answer, and write down that it was answered."""
        call = next(self._count)
        self._set_clock(call)
        await self._wait(call)
        if call == self._is.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        completion = await _complete(self._author, request)
        if self._ledger is not None:
            # No other part of the program uses `writev`, so no injected fault hits this.
            os.writev(self._ledger, [f"{request.key()}\n".encode()])
        return completion

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """The same in one piece."""
        completion = await self.complete(request)
        yield completion.reply
        yield completion

    async def _wait(self, call: int) -> None:
        if self._is.deaf_from is not None and call >= self._is.deaf_from:
            threading.Event().wait()
        if self._is.silent_from is not None and call >= self._is.silent_from:
            await asyncio.Event().wait()
        if self._is.pause:
            await elapse(self._is.pause)
        while not self._is_open():
            await elapse(_POLL_SECONDS)

    def _is_open(self) -> bool:
        """Whether replies come."""
        return not self._is.gate or Path(self._is.gate).exists()

    def _set_clock(self, call: int) -> None:
        shifts = [seconds for first, seconds in self._is.clock if first <= call]
        if shifts:
            ShiftedClock.shift = timedelta(seconds=shifts[-1])
            setattr(texts, "datetime", ShiftedClock)  # noqa: B010 - mypy refuses `=`


class ShiftedClock(datetime):
    """A wall clock that is off."""

    shift = timedelta()

    @override
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        """The wrong time."""
        return datetime.now(tz) + cls.shift


async def elapse(seconds: float) -> None:
    """Let others work for a while."""
    try:
        await asyncio.wait_for(asyncio.Event().wait(), seconds)
    except TimeoutError:
        return


def _no_sync(descriptor: int) -> None:
    del descriptor


def _obey_rights() -> None:
    """Give up what lets root read and write everything (capabilities(7), capset(2))."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    data = (ctypes.c_uint32 * 6)()
    if libc.capget(header, data) != 0:
        raise OSError(ctypes.get_errno(), "capget")
    for part in range(3):
        data[part] &= ~_DAC_OVERRIDE_AND_SEARCH
    if libc.capset(header, data) != 0:
        raise OSError(ctypes.get_errno(), "capset")
