"""The project's memory of calls: whatever was paid for is on the disk before anyone reads it."""

from collections.abc import Mapping
from typing import Any

from libriscribe2.errors import LibriScribeError, StorageError
from libriscribe2.project import records
from libriscribe2.project.journal import Journal
from libriscribe2.project.machine import MIN_FREE_BYTES, Machine
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.storage_errors import storage_errors


class JournalCallLog:
    """A call log on a project's journal; it fits the client's `CallLog` protocol."""

    def __init__(self, journal: Journal, manifest: Manifest, machine: Machine) -> None:
        self._journal = journal
        self._manifest = manifest
        self._machine = machine

    def generation(self, step: str) -> int:
        """How often the step, or one that holds it, was asked to be written again."""
        return self._manifest.generation(step)

    def find(self, key: str) -> Mapping[str, Any] | None:
        """The record of a finished call, or None."""
        return self._manifest.reply(key)

    def filtered(self, key: str) -> bool:
        """Whether a reply to the request was withheld for its content."""
        return self._manifest.filtered(key)

    def sent(self, key: str, *, step: str, model: str, est_usd: float | None = None) -> None:
        """Note that a request is about to leave, and the most that it may cost.

        Raises:
            StorageError: The reply would find no room, or the journal cannot be written. The
                request must not leave.
            ProjectInUseError: The lock was taken away; the request must not leave.
        """
        self._journal.check_held()
        self._check_room()
        self._add(records.sent(key, step=step, model=model, est_usd=est_usd))

    def done(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep a raw reply before anyone reads it.

        Raises:
            StorageError: The journal cannot be written. The message says where the reply is; the
                next `ProjectStore.open` takes it from there.
            LibriScribeError: The same, because its mirror does not take the reply.
        """
        line = records.done(key, record)
        try:
            self._add(line)
        except LibriScribeError as error:
            raise self._rescued(key, record, error) from error

    def failed(self, key: str, *, kind: str, status: int | None, usd: float = 0.0) -> None:
        """Note that a request brought no reply, and what it may have cost all the same.

        Raises:
            StorageError: The journal cannot be written.
        """
        self._add(records.fail(key, kind=kind, status=status, usd=usd))

    def adopt_rescued(self) -> int:
        """Take rescued replies of this project into the journal; return how many.

        Raises:
            StorageError: A rescued reply cannot be read, or the journal cannot be written.
        """
        rescue = self._machine.rescue
        adopted = 0
        with storage_errors("read", rescue.folder):
            for key, completion in rescue.find(tuple(self._manifest.open_calls)):
                self._add(records.done(key, completion))
                rescue.drop(key)
                adopted += 1
        return adopted

    def _add(self, record: records.Record) -> None:
        self._journal.append(record)
        self._manifest.fold(record)

    def _check_room(self) -> None:
        folder = self._journal.path.parent
        with storage_errors("measure the free room of", folder):
            free = self._machine.free_bytes(folder)
        if free < MIN_FREE_BYTES:
            raise StorageError(
                f"The disk of {folder} is almost full",
                why=f"{free // 2**20} MiB are free; a reply needs {MIN_FREE_BYTES // 2**20} MiB",
                fix="Free some disk space, then run the same command again.",
            )

    def _rescued(
        self, key: str, record: Mapping[str, Any], error: LibriScribeError
    ) -> LibriScribeError:
        kind = type(error)
        try:
            path = self._machine.rescue.save(key, record)
        except OSError as second:
            why = f"{error.why}; {self._machine.rescue.folder} takes nothing either: {second}"
            return kind("A reply came and could not be stored", why=why, fix=error.fix)
        return kind(
            "A reply came and could not be stored in the project",
            why=f"{error.why}; it is safe in {path}",
            fix=error.fix,
        )
