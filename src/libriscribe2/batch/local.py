"""A batch in a folder of this machine: no server."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from filelock import FileLock, Timeout
from typing_extensions import override

from libriscribe2.batch.log import BatchLog
from libriscribe2.batch.paths import BatchPaths
from libriscribe2.batch.queue import BookQueue
from libriscribe2.batch.work import BookWriter, Terms, Work
from libriscribe2.errors import ProjectInUseError
from libriscribe2.project.atomic import make_folder
from libriscribe2.project.clock import Clock, utc_now
from libriscribe2.project.lock import holder_of, is_locked, sign
from libriscribe2.project.storage_errors import storage_errors

_PATIENCE: Final = 0.5


class LocalQueue(BookQueue):
    """A batch in a folder of this machine.

    Args:
        paths: The batch; its folder need not be there yet.
        clock: The time of day, for the log.
    """

    def __init__(self, paths: BatchPaths, *, clock: Clock = utc_now) -> None:
        super().__init__(paths.name, BatchLog(paths, clock=clock))
        self.paths = paths

    @override
    async def work(self, writer: BookWriter, terms: Terms) -> None:
        """Run books until nothing waits any more, or the batch is paused.

        Raises:
            ProjectInUseError: Another process runs the books of this batch.
            StorageError: The log cannot be written.
        """
        with self._running():
            self.go(terms)
            await Work(self.status, self.note, writer, terms).run()

    @override
    def is_running(self) -> bool:
        """Whether a process runs the books of this batch just now."""
        if not self.paths.runner.exists():
            return False
        with storage_errors("lock", self.paths.runner):
            return is_locked(self.paths.runner)

    @override
    def close(self) -> None:
        """Nothing is held between two calls."""

    @contextmanager
    def _running(self) -> Iterator[None]:
        """Be the one process that runs the books."""
        lock = FileLock(self.paths.runner, timeout=_PATIENCE, thread_local=False)
        with storage_errors("lock", self.paths.runner):
            make_folder(self.paths.root)
            try:
                lock.acquire()
            except Timeout as error:
                raise _in_use(self.paths) from error
        sign(self.paths.runner)
        try:
            yield
        finally:
            lock.release()


def _in_use(paths: BatchPaths) -> ProjectInUseError:
    return ProjectInUseError(
        f"The books of {paths.root} are being written by another process",
        why=holder_of(paths.runner),
        fix="Wait until it is done, or end it with `libriscribe2 batch pause`.",
    )
