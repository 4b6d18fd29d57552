"""Books' processes that are forked from one with everything imported, so that they share memory.

That process runs no thread, does what every book does first, and replaces its variables by those of
the command after the fork. A book that is forked differs in nothing else from one started anew: its
words, standard streams, session, signals and exit code are the same.
"""

import asyncio
import json
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from libriscribe2.batch.processes import GRACE_SECONDS, LONGEST_LINE, Process, start_anew
from libriscribe2.project.atomic import storage_errors

LONGEST_MESSAGE: Final = 4096
_READY_SECONDS: Final = 120.0
"""How long the server may take to import everything."""

logger = logging.getLogger(__name__)


class BookServer:
    """Starts the processes of books by forking; a context manager that ends what is left of them.

    The process that they are forked from (`cli/book_server.py`) is started with the first book, and
    again where it has died: its books have died with it. Where it cannot be had, every book has a
    process that shares nothing.

    Args:
        ahead: What it imports beside the program: `litellm`, `database`.
    """

    def __init__(self, ahead: Sequence[str]) -> None:
        self._ahead = ahead
        self._server: asyncio.Future[_Server | None] | None = None

    async def start(self, words: Sequence[str], environment: Mapping[str, str]) -> Process:
        """Start a command of this program.

        Args:
            words: The words after `libriscribe2`.
            environment: All its variables.

        Raises:
            StorageError: It cannot be started.
        """
        if self._server is None or _is_lost(self._server):
            self._server = asyncio.ensure_future(_started(self._ahead, environment))
        # Other books need it even if this one is cancelled.
        server = await asyncio.shield(self._server)
        if server is None:
            return await start_anew(words, environment)
        return await server.fork(words, environment)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._server is None:
            return
        self._server.cancel()
        await asyncio.wait({self._server})
        server = None if self._server.cancelled() else self._server.result()
        if server is not None:
            await server.end()


def _is_lost(server: "asyncio.Future[_Server | None]") -> bool:
    """Whether a server was there and has died."""
    known = server.result() if server.done() else None
    return known is not None and known.lost.done()


async def _started(ahead: Sequence[str], environment: Mapping[str, str]) -> "_Server | None":
    """A server that is ready; None where none can be had, with one line in the log."""
    if sys.platform != "linux":  # the libraries of macOS do not bear a fork
        return None
    server, said = None, ""
    try:
        server = _Server(ahead, environment)
        said = await server.become_ready()
    except OSError as error:
        said = str(error)
    if not said:
        return server
    logger.warning("Books are started one by one and share no memory: %s", said)
    return None


class _Server:
    """The process that books are forked from.

    Args:
        ahead: What it imports beside the program.
        environment: Its variables.

    Attributes:
        lost: Done once it is gone.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(self, ahead: Sequence[str], environment: Mapping[str, str]) -> None:
        loop = asyncio.get_running_loop()
        self.lost: asyncio.Future[None] = loop.create_future()
        self._ready: asyncio.Future[None] = loop.create_future()
        self._numbers = count()
        self._books: dict[int, asyncio.Future[int]] = {}
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._talk, talk = os.pipe()
        with theirs, os.fdopen(talk, "wb") as file:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "libriscribe2.cli.book_server", *ahead],
                stdin=theirs.fileno(),
                stdout=file,  # a pipe, as for a book: Python treats files differently
                stderr=file,
                env=environment,
                start_new_session=True,
            )
        self._channel.settimeout(0)
        loop.add_reader(self._channel, self._hear)

    async def become_ready(self) -> str:
        """Wait until it has imported everything.

        Returns:
            Why that failed, after which it is gone; empty where all is well.
        """
        try:
            self._said = await _reader(self._talk)
            first = asyncio.FIRST_COMPLETED
            await asyncio.wait({self._ready, self.lost}, timeout=_READY_SECONDS, return_when=first)
        finally:
            if not self._ready.done():
                self._lose()
        if self._ready.done():
            return ""
        last = (await self._said.read()).decode("utf-8", "replace").strip().rpartition("\n")[2]
        return last or f"the process they are forked from ended with {self._process.returncode}"

    async def fork(self, words: Sequence[str], environment: Mapping[str, str]) -> "_Forked":
        """Have a command carried out by a process that is forked.

        Raises:
            StorageError: There is no room for what it takes.
        """
        said = json.dumps({"words": list(words), "environment": dict(environment)})
        number = next(self._numbers)
        given: list[int] = []
        with storage_errors("start", Path(sys.executable)):
            try:
                given.append(os.memfd_create("order"))
                os.write(given[0], said.encode())
                os.lseek(given[0], 0, os.SEEK_SET)
                out, err = [await _piped(given) for _ in range(2)]
                ended = self._books[number] = asyncio.get_running_loop().create_future()
                self._send({"book": number}, given)
            finally:
                for descriptor in given:
                    os.close(descriptor)
        return _Forked(self, number, ended, out, err)

    def send_signal(self, number: int, which: int) -> None:
        """Send a signal to a book; to one that has ended, nothing is sent."""
        self._send({"book": number, "signal": which})

    async def end(self) -> None:
        """End it, and first the books that are left."""
        if not self.lost.done():
            with suppress(OSError):  # it is gone this moment
                self._channel.shutdown(socket.SHUT_WR)
            await asyncio.wait({self.lost}, timeout=2 * GRACE_SECONDS)
            self._lose()
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await self._said.read()  # to its end, where the pipe is closed

    def _send(self, order: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
        """Give an order; where nobody takes it, the books are told to be killed."""
        if self.lost.done():
            self._give_up()
            return
        with suppress(BrokenPipeError, ConnectionResetError):  # `_hear` is told as well
            socket.send_fds(self._channel, [json.dumps(order).encode()], descriptors)

    def _hear(self) -> None:
        """Take in what it says."""
        data = b""
        with suppress(ConnectionResetError):
            data = self._channel.recv(LONGEST_MESSAGE)
        if not data:
            self._lose()
            return
        told = json.loads(data)
        if "ready" in told:
            self._ready.set_result(None)
            return
        ended = self._books.pop(told["book"])
        if ended.done():  # nobody waits for it
            return
        if "errno" in told:
            ended.set_exception(OSError(told["errno"], os.strerror(told["errno"])))
        else:
            ended.set_result(told["code"])

    def _lose(self) -> None:
        """It is gone, or is to go; its books go with it."""
        if self.lost.done():
            return
        asyncio.get_running_loop().remove_reader(self._channel)
        self._channel.close()
        self._process.kill()
        self._process.wait()
        if self._books:
            logger.warning("The process that books are forked from has died, and they with it")
        self.lost.set_result(None)
        self._give_up()

    def _give_up(self) -> None:
        """Say of the books that they were killed, which the system does."""
        for ended in self._books.values():
            if not ended.done():
                ended.set_result(-signal.SIGKILL)
        self._books.clear()


@dataclass(eq=False)
class _Forked:
    """A book's process.

    Args:
        server: From which it was forked.
        number: Its number there.
        ended: Its exit code, once it has ended.
        stdout: Its events.
        stderr: What it says.
    """

    _server: _Server
    _number: int
    _ended: "asyncio.Future[int]"
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader

    async def wait(self) -> int:
        """Its exit code, once it has ended; negative is the signal that killed it.

        Raises:
            StorageError: It could not be forked.
        """
        with storage_errors("start", Path(sys.executable)):
            return await self._ended

    def terminate(self) -> None:
        """Tell it to end."""
        self._server.send_signal(self._number, signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self._server.send_signal(self._number, signal.SIGKILL)


async def _piped(ends: list[int]) -> asyncio.StreamReader:
    """What can be read from a new pipe, whose other end is added to `ends`."""
    ours, theirs = os.pipe()
    ends.append(theirs)
    return await _reader(ours)


async def _reader(descriptor: int) -> asyncio.StreamReader:
    """What can be read from a pipe, which is closed at its end."""
    reader = asyncio.StreamReader(LONGEST_LINE)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", 0)
    )
    return reader
