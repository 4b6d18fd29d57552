"""Rate limits that all processes of a machine share: pyrate-limiter over SQLite.

The file stands in the user's state folder and holds nothing worth keeping: moments of requests
under hashed account names. A file that cannot be used is put aside for a new one; where no file
can be had at all, the limits hold for this process alone. Moments are read from the machine's
monotonic clock, which all its processes share and which no change of the time of day moves.
"""

import logging
import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from math import ceil
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final, cast

from filelock import FileLock, Timeout
from pyrate_limiter import Rate, RateItem, SQLiteBucket

from libriscribe2.project.paths import user_state

logger = logging.getLogger(__name__)

WINDOW_MS: Final = 62_000
"""A minute, and two seconds by which one request may be longer on its way than another."""

_LOCK_SECONDS: Final = 5.0
_CLOSING_SECONDS: Final = 0.5
_IN_MEMORY: Final = ":memory:"
_LOSSES: Final = (sqlite3.Error, OSError, Timeout)


def default_file() -> Path:
    """The file in which the processes of this machine share their rates."""
    return user_state("rates.sqlite")


@dataclass(frozen=True, slots=True)
class RateLimits:
    """What may be sent per interval; None is no limit.

    Attributes:
        requests: Requests of one account.
        kilo_tokens: Thousands of tokens of one account.
        interval_ms: The interval in milliseconds.
    """

    requests: int | None = None
    kilo_tokens: int | None = None
    interval_ms: int = WINDOW_MS


@dataclass
class _Account:
    """The buckets of an account, with what limits each."""

    requests: SQLiteBucket | None
    kilo_tokens: SQLiteBucket | None


@dataclass
class RateStore:
    """Takes requests' shares; every method may block for some milliseconds.

    Attributes:
        limits: What may be sent.
        file: The SQLite file; its folder is made where it is missing.
        clock: Seconds on the machine's monotonic clock.
    """

    limits: RateLimits
    file: Path = field(default_factory=default_file)
    clock: Callable[[], float] = monotonic
    _place: str = field(init=False)
    _accounts: dict[str, _Account] = field(default_factory=dict)
    _pauses: sqlite3.Connection | None = None
    _opened: tuple[int, int] | None = None
    _numbers: "count[int]" = field(default_factory=count)
    _turn: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self._place = str(self.file)

    def take(self, account: str, kilo_tokens: int) -> float:
        """Take a share of both limits, or of neither.

        Returns:
            0.0, or the seconds after which it is worth asking again.
        """
        return self._safely(lambda: self._take(account, kilo_tokens))

    def pause(self, account: str, seconds: float) -> None:
        """Let nobody ask for so long."""
        self._safely(lambda: self._pause(account, seconds))

    def close(self) -> None:
        """Close the file, unless a request that nobody waits for any more does not come away."""
        if self._turn.acquire(timeout=_CLOSING_SECONDS):
            try:
                self._close()
            finally:
                self._turn.release()

    def _close(self) -> None:
        for one in self._accounts.values():
            for bucket in (one.requests, one.kilo_tokens):
                if bucket is not None:
                    bucket.conn.close()
        self._accounts.clear()
        if self._pauses is not None:
            self._pauses.close()
            self._pauses = None

    def _safely(self, work: Callable[[], float]) -> float:
        """Do the work; a damaged file is replaced, one that cannot be had is done without."""
        with self._turn:
            try:
                return self._locked(work)
            except _LOSSES as error:
                self._begin_anew(error, "for this process alone")
                self._place = _IN_MEMORY
            return self._locked(work)

    def _locked(self, work: Callable[[], float]) -> float:
        """Do the work while no other process does any."""
        if self._place == _IN_MEMORY:
            return work()
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self.file}.lock", timeout=_LOCK_SECONDS):
            if self._pauses is not None and self._identity() not in {None, self._opened}:
                self._close()  # another process found the file damaged and began a new one
            try:
                return work()
            except sqlite3.DatabaseError as error:
                if type(error) is not sqlite3.DatabaseError:
                    raise
                self._begin_anew(error, "in a new file")
                self.file.replace(self.file.with_suffix(".damaged"))
            return work()

    def _begin_anew(self, error: Exception, how: str) -> None:
        """Let go of the file, and say so."""
        self._close()
        logger.warning("%s cannot be used (%s); rate limits start over %s.", self.file, error, how)

    def _identity(self) -> tuple[int, int] | None:
        """Which file has the name now; None where none has, or only this process knows it."""
        try:
            found = self.file.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _take(self, account: str, kilo_tokens: int) -> float:
        now = self._now()
        waits = self._paused(account, now)
        if waits > 0:
            return waits / 1000
        name = f"{os.getpid()}-{next(self._numbers)}"
        buckets = self._buckets(account)
        taken: list[SQLiteBucket] = []
        for bucket, weight in ((buckets.requests, 1), (buckets.kilo_tokens, kilo_tokens)):
            if bucket is None:
                continue
            bucket.leak(now)
            item = RateItem(name, now, weight=min(weight, bucket.rates[0].limit))
            if not bucket.put(item):
                for other in taken:
                    _give_back(other, name)
                return max(1, cast("int", bucket.waiting(item))) / 1000
            taken.append(bucket)
        return 0.0

    def _pause(self, account: str, seconds: float) -> float:
        now = self._now()
        until = max(now + self._paused(account, now), ceil((self.clock() + seconds) * 1000))
        connection = self._pause_table()
        connection.execute("REPLACE INTO pauses VALUES (?, ?, ?)", (account, now, until))
        connection.commit()
        return 0.0

    def _paused(self, account: str, now: int) -> int:
        """Milliseconds for which the account is paused.

        A pause that was told in the future was told before the machine was started anew.
        """
        asked = "SELECT until_ms FROM pauses WHERE account = ? AND told_ms <= ?"
        row = self._pause_table().execute(asked, (account, now)).fetchone()
        return max(0, int(row[0]) - now) if row is not None else 0

    def _pause_table(self) -> sqlite3.Connection:
        """The table of pauses, made where it is missing."""
        if self._pauses is None:
            connection = self._pauses = sqlite3.connect(self._place, check_same_thread=False)
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS pauses"
                " (account TEXT PRIMARY KEY, told_ms INTEGER, until_ms INTEGER)"
            )
            connection.commit()
            self._opened = self._identity()
        return self._pauses

    def _buckets(self, account: str) -> _Account:
        """The buckets of an account."""
        if account not in self._accounts:
            limits = self.limits
            self._accounts[account] = _Account(
                self._bucket(f"requests_{account}", limits.requests),
                self._bucket(f"tokens_{account}", limits.kilo_tokens),
            )
        return self._accounts[account]

    def _bucket(self, table: str, limit: int | None) -> SQLiteBucket | None:
        """A table of moments; those of the future are from before the machine was started anew."""
        if limit is None:
            return None
        rate = Rate(limit, self.limits.interval_ms)
        bucket = SQLiteBucket.init_from_file([rate], table=table, db_path=self._place)
        bucket.conn.execute("PRAGMA synchronous = OFF")
        bucket.conn.execute(f"DELETE FROM '{table}' WHERE item_timestamp > ?", (self._now(),))  # noqa: S608 - our own table name
        bucket.conn.commit()
        return bucket

    def _now(self) -> int:
        return int(self.clock() * 1000)


def _give_back(bucket: SQLiteBucket, name: str) -> None:
    """Take a request's share out of a bucket again."""
    bucket.conn.execute(f"DELETE FROM '{bucket.table}' WHERE name = ?", (name,))  # noqa: S608 - our own table name
    bucket.conn.commit()
