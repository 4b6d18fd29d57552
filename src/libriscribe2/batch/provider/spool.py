"""The spool: a folder in which the calls of all books wait for whoever sends them together.

waiting/ID.json     a request; its book's process writes it, and writes it again if it is killed
orders/NAME.jsonl   the file that goes to the provider, whole before anything leaves
orders/NAME.json    what is known of it: whose calls they are, the ids that the provider gave
replies/ID.json     what came of a request; there until the book's journal has it
lock                held by whoever keeps the spool
"""

import hashlib
import json
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from libriscribe2.batch.folders import BatchPaths, batch_of, held
from libriscribe2.errors import ProjectError
from libriscribe2.llm.backend import Backend
from libriscribe2.llm.backends.provider_batches import BatchLines, SpooledBackend, identity
from libriscribe2.llm.backends.routed import RoutedBackend
from libriscribe2.llm.call_records import CallRecord, CallReport, Outbox
from libriscribe2.llm.limits.rates import account_name
from libriscribe2.project.atomic import PRIVATE, atomic_write, make_folder, storage_errors
from libriscribe2.project.lock import is_locked
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.replies.cleanup import safe_json_loads

_BOOK_DIGITS: Final = 16
"""How many of the 64 hex digits of a call's name tell its book."""

Kept = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Spool:
    """A spool as its keeper and its books see it.

    Attributes:
        root: Its folder.
    """

    root: Path

    @property
    def waiting(self) -> Path:
        """Where requests wait."""
        return self.root / "waiting"

    @property
    def orders(self) -> Path:
        """Where what was submitted is."""
        return self.root / "orders"

    @property
    def replies(self) -> Path:
        """Where what came of requests is."""
        return self.root / "replies"

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Be the one who keeps it while the block runs; its folders are there then.

        What a run before left is thrown away where it was not paid for: requests that wait (their
        books ask again) and replies that only say that a call is sent at once.

        Raises:
            ProjectInUseError: Another process keeps it.
            StorageError: It cannot be written.
        """
        path = self.root / "lock"
        with storage_errors("lock", path):
            for folder in (self.waiting, self.orders, self.replies):
                make_folder(folder)
        what = f"The calls in {self.root} are being sent by another process"
        with held(path, what, "Wait until it is done, or stop it."):
            self._clear()
            yield

    def _clear(self) -> None:
        for ident in self.idents(self.waiting):
            self.drop(self.waiting, ident)
        for ident in self.idents(self.replies):
            if _is_unpaid(self.read(self.replies, ident)):
                self.drop(self.replies, ident)

    def is_kept(self) -> bool:
        """Whether somebody keeps it.

        Raises:
            StorageError: Nobody can say.
        """
        with storage_errors("lock", self.root):
            return is_locked(self.root / "lock")

    def is_used(self) -> bool:
        """Whether a run before left something in it that was paid for or may be."""
        return any(self.idents(self.orders)) or any(self.idents(self.replies))

    def idents(self, folder: Path) -> list[str]:
        """The names of the records in one of its folders.

        Raises:
            StorageError: It cannot be read.
        """
        with storage_errors("read", folder):
            found = folder.glob("*.json") if folder.is_dir() else ()
            return sorted(path.stem for path in found if not path.name.startswith("."))

    def read(self, folder: Path, ident: str) -> Kept | None:
        """A record; None where there is none that can be read.

        Raises:
            StorageError: The file is there and the disk does not give it.
        """
        path = folder / f"{ident}.json"
        with storage_errors("read", path):
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                return None
        record = safe_json_loads(data)
        return record if isinstance(record, dict) else None

    def write(self, folder: Path, ident: str, record: Kept, *, durable: bool = True) -> None:
        """Keep a record, whole.

        Raises:
            StorageError: It cannot be written.
        """
        path = folder / f"{ident}.json"
        with storage_errors("write", path):
            data = json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")
            atomic_write(path, data, mode=PRIVATE, durable=durable)

    def answer(self, ident: str, reply: Kept) -> None:
        """Keep what came of a request; one that was answered is not sent again after all.

        Raises:
            StorageError: It cannot be written.
        """
        # In this order: its book may have read the reply and ask anew a moment later.
        self.drop(self.waiting, ident)
        if not (_is_unpaid(reply) and "status" in (self.read(self.replies, ident) or {})):
            self.write(self.replies, ident, reply)

    def drop(self, folder: Path, ident: str) -> None:
        """Throw a record away, if it is there.

        Raises:
            StorageError: It cannot be removed.
        """
        path = folder / f"{ident}.json"
        with storage_errors("remove", path):
            path.unlink(missing_ok=True)


class BookSpool:
    """One book's side of a spool.

    Args:
        spool: The spool.
        book: The name of the book: two books may ask the same, and each gets its own reply.
    """

    def __init__(self, spool: Spool, book: str) -> None:
        self._spool = spool
        self._book = book

    def put(self, ident: str, asked: Kept) -> None:
        """Let a request wait, unless its reply is there.

        Raises:
            StorageError: It cannot be written.
        """
        if self.reply(ident) is None:
            record = {"v": 1, "book": self._book, **asked}
            # Who is killed asks again, so it need not survive a power failure.
            self._spool.write(self._spool.waiting, self._name(ident), record, durable=False)
            if self.reply(ident) is not None:  # it came meanwhile
                self.withdraw(ident)

    def withdraw(self, ident: str) -> None:
        """Have a request wait no longer: nobody wants its reply, or has it.

        Raises:
            StorageError: It cannot be removed.
        """
        self._spool.drop(self._spool.waiting, self._name(ident))

    def reply(self, ident: str) -> Kept | None:
        """What came of a request, or None as yet.

        Raises:
            StorageError: It cannot be read.
        """
        return self._spool.read(self._spool.replies, self._name(ident))

    def forget(self, ident: str) -> None:
        """Throw a reply away: it is kept elsewhere, or wanted no more.

        Raises:
            StorageError: It cannot be removed.
        """
        self._spool.drop(self._spool.replies, self._name(ident))

    def attended(self) -> bool:
        """Whether somebody keeps the spool."""
        return self._spool.is_kept()

    def is_used(self) -> bool:
        """Whether calls of the book were paid for, or may be, and are not in its journal yet.

        Raises:
            StorageError: It cannot be read.
        """
        spool, mine = self._spool, _digits_of(self._book)
        replies = (ident for ident in spool.idents(spool.replies) if ident.startswith(mine))
        if any("status" in (spool.read(spool.replies, ident) or {}) for ident in replies):
            return True
        orders = (spool.read(spool.orders, name) or {} for name in spool.idents(spool.orders))
        return any(call.startswith(mine) for one in orders for call in one.get("calls", ()))

    def _name(self, ident: str) -> str:
        whole = hashlib.sha256(f"{self._book}\n{ident}".encode()).hexdigest()
        return _digits_of(self._book) + whole[_BOOK_DIGITS:]


def _digits_of(book: str) -> str:
    """What the names of all calls of a book begin with."""
    return hashlib.sha256(book.encode()).hexdigest()[:_BOOK_DIGITS]


def _is_unpaid(reply: Kept | None) -> bool:
    return reply is not None and "ordinary" in reply


class BookCalls:
    """Leaves a book's calls to a spool (`app.SharedCalls`).

    Args:
        spool: Where they wait for others.
    """

    def __init__(self, spool: BookSpool) -> None:
        self._spool = spool

    def backend(
        self,
        inner: RoutedBackend,
        url_of: Callable[[str], str | None],
        wait: Callable[[float], Awaitable[None]],
    ) -> Backend:
        """Who answers: the batch of a model's provider, where it has one."""
        return SpooledBackend(
            inner,
            lambda model: BatchLines(inner.online(model)),
            self._spool,
            lambda model: account_name(model, url_of(model), os.environ),
            wait,
        )

    def outbox(self, inner: Outbox) -> Outbox:
        """An outbox that forgets the spool's record of each call that is answered."""
        return _Forgetting(inner, self._spool)


class _Forgetting:
    """Passes reports on; the journal has the reply by then, so no other record is wanted."""

    def __init__(self, inner: Outbox, spool: BookSpool) -> None:
        self._inner = inner
        self._spool = spool

    def put(self, item: CallReport) -> None:
        """Pass a report on."""
        if isinstance(item, CallRecord):
            self._spool.forget(identity(item.request))
        self._inner.put(item)


def calls_of(paths: ProjectPaths, spool: Path | None, batches: Path) -> BookCalls | None:
    """What sends the calls of a book; None for one whose calls are sent at once.

    Args:
        paths: The book.
        spool: Where its calls wait for others; None sends each at once.
        batches: The folder of all batches.

    Raises:
        ProjectError: Its batch submitted calls and does not run: asked here, they would be paid
            twice.
        StorageError: Nobody can say.
    """
    name = paths.root.name
    if spool is not None:
        return BookCalls(BookSpool(Spool(spool), name))
    batch = batch_of(paths)
    folder = BatchPaths(batches / batch).provider
    if batch and BookSpool(Spool(folder), name).is_used():
        raise ProjectError(
            f"Calls of {name!r} were sent together with others of its batch",
            why="sent again here, they would be paid for twice",
            fix=f"Continue with `libriscribe2 batch run --batch {batch}`, or discard them: "
            f"remove {folder}.",
        )
    return None
