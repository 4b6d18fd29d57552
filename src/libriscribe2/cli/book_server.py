"""Processes of a batch's books, forked from one that has everything imported: Linux alone.

`python -P -m libriscribe2.cli.book_server [litellm] [database]` is what `batch/forking.py` starts,
with a socket of whole messages as its stdin. `{"book": N}` comes with three descriptors: the words
and variables of a command in a file, and where its stdout and stderr go. `{"book": N, "signal": S}`
sends a signal. It says `{"ready": true}` once, then `{"book": N, "code": C}` of each book that has
ended (negative for a signal), or `{"book": N, "errno": E}` where none could be begun. When nobody
holds the other end any more it ends its books and itself; when it dies, the system kills them.
"""

import asyncio
import ctypes
import gc
import json
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from tempfile import TemporaryDirectory
from typing import Any, Final, NoReturn

import httpx
from typer.main import get_command

from libriscribe2.batch.forking import LONGEST_MESSAGE
from libriscribe2.batch.processes import GRACE_SECONDS
from libriscribe2.cli import main as command_line
from libriscribe2.cli import root
from libriscribe2.errors import LibriScribeError
from libriscribe2.llm.backend import BackendError, Request
from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.litellm_library import SWITCHES, load_litellm
from libriscribe2.llm.providers import PROVIDERS
from libriscribe2.observe.run_files import log_nowhere

_THREADS_SECONDS: Final = 2.0
"""How long threads that have ended may take to be gone."""

_REHEARSAL: Final = (
    "create A-keeper-finds-a-logbook --mock -p x --chapters 2 --scenes-per-chapter 1 --words 400 "
    "--no-input",
    "resume x --no-input --json",
)
_MODELS: Final = (PROVIDERS[0].default_model or "", "openai/of-unknown-price")
_PR_SET_PDEATHSIG: Final = 1

_FOR_THE_BATCH: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Blocked here: it is the batch that ends, and then ends its books; they unblock them again."""

Command = Callable[..., Any]
Descriptors = Sequence[int]


def serve(command: Command, channel: socket.socket) -> None:
    """Fork a process for each order, until nobody gives any more and all books have ended."""
    books = _Books(command, channel)
    with suppress(OSError):  # nobody is there
        channel.send(json.dumps({"ready": True}).encode())
        while True:
            if books.wait(None):
                data, descriptors, _, _ = socket.recv_fds(channel, LONGEST_MESSAGE, 3)
                if not data:
                    break
                books.obey(json.loads(data), descriptors)
    books.end()


class _Books:
    """The processes that were forked and have not ended.

    Args:
        command: The root command, which they carry out.
        channel: Hears how they end.
    """

    def __init__(self, command: Command, channel: socket.socket) -> None:
        self._command = command
        self._channel = channel
        self._selector = DefaultSelector()
        self._selector.register(channel, EVENT_READ)
        self._running: dict[int, tuple[int, int]] = {}
        """By its number: the book's process, and a descriptor of it."""

        self._told: set[int] = set()

    def wait(self, seconds: float | None) -> bool:
        """Wait for an order or the end of a book, say how it ended; whether an order is there."""
        ready = [key for key, _ in self._selector.select(seconds)]
        for key in ready:
            if key.fileobj is not self._channel:
                self._reap(key.data)
        return any(key.fileobj is self._channel for key in ready)

    def obey(self, order: Mapping[str, Any], descriptors: Descriptors) -> None:
        """Begin a book, or send it a signal."""
        number = order["book"]
        if "signal" in order:
            self._send(number, order["signal"])
            return
        here = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            self._channel.send(json.dumps({"book": number, "errno": error.errno}).encode())
        else:
            if pid == 0:
                self._become(descriptors, here)
            watched = os.pidfd_open(pid)
            self._running[number] = (pid, watched)
            self._selector.register(watched, EVENT_READ, number)
        for descriptor in descriptors:
            os.close(descriptor)

    def end(self) -> None:
        """End the books that are left, first those that were not told to."""
        self._selector.unregister(self._channel)
        for number in self._running.keys() - self._told:
            self._send(number, signal.SIGTERM)
        until = time.monotonic() + GRACE_SECONDS
        while self._running and time.monotonic() < until:
            self.wait(max(0.0, until - time.monotonic()))
        # The system kills the others when this process ends.

    def _send(self, number: int, which: int) -> None:
        if number in self._running:  # else it has ended
            self._told.add(number)
            signal.pidfd_send_signal(self._running[number][1], which)

    def _reap(self, number: int) -> None:
        pid, watched = self._running.pop(number)
        self._selector.unregister(watched)
        os.close(watched)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        with suppress(OSError):  # nobody is there
            self._channel.send(json.dumps({"book": number, "code": code}).encode())

    def _become(self, descriptors: Descriptors, parent: int) -> NoReturn:
        """Be the process of a book, as if it had been started anew."""
        try:
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:  # it died before that
                os.kill(os.getpid(), signal.SIGKILL)
            os.setsid()
            self._selector.close()
            for _, watched in self._running.values():
                os.close(watched)
            self._channel.close()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _FOR_THE_BATCH)
            run(self._command, descriptors)
        except BaseException:  # noqa: BLE001 - the last boundary of this process
            traceback.print_exc()
        finally:
            os._exit(LibriScribeError.exit_code)


def run(command: Command, descriptors: Descriptors) -> None:
    """Carry out a command in a process that was just forked.

    Args:
        command: The root command.
        descriptors: Of a file with the command, of its stdout and of its stderr.
    """
    for standard, given in enumerate(descriptors):
        os.dup2(given, standard)
        os.close(given)
    with open(0, "rb", closefd=False) as file:
        order = json.load(file)
    _to_nowhere(0)
    os.environ.clear()
    os.environ.update(order["environment"])
    if load_litellm.cache_info().currsize:
        os.environ.update(SWITCHES)
    sys.argv = ["libriscribe2", *order["words"]]
    command_line(command)


def rehearse(command: Command, folder: int) -> None:
    """Write a little book in a folder that goes again.

    What that imports, compiles and builds does not have to be made by each book, nor does it take
    memory in each.

    Args:
        command: The root command.
        folder: A descriptor of the folder in which books are written.
    """
    environment = dict(os.environ)
    with TemporaryDirectory() as name:
        os.chdir(name)
        os.environ.clear()
        os.environ["HOME"] = name
        try:
            for words in _REHEARSAL:
                command(words.split(), standalone_mode=False)
        finally:
            os.environ.clear()
            os.environ.update(environment)
            os.fchdir(folder)
            log_nowhere()


async def ask_nobody() -> None:
    """Have LiteLLM ask once each way, and answer here: what it only does then, it does now."""
    litellm = load_litellm()
    litellm.aclient_session = httpx.AsyncClient(transport=httpx.MockTransport(_answer))
    backend = LiteLLMBackend("http://localhost/v1", "none")
    say: tuple[Mapping[str, Any], ...] = ({"role": "user", "content": "Write a word."},)
    schema = {"type": "object", "properties": {"word": {"type": "string"}}}
    try:
        for model in _MODELS * 2:
            request = Request("step", model, say, 0.7, 100, schema)
            await backend.complete(request)
            async for _piece in backend.stream(request):
                pass
    finally:
        await litellm.aclient_session.aclose()
        litellm.aclient_session = None
        await backend.aclose()


def _answer(request: httpx.Request) -> httpx.Response:
    """A reply of one word, whole or in pieces."""
    about = {"id": "x", "created": 1, "model": "x"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    message = {"role": "assistant", "content": '{"word": "x"}'}
    if not json.loads(request.content).get("stream"):
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        reply = {**about, "object": "chat.completion", "choices": choices, "usage": usage}
        return httpx.Response(200, json=reply)
    first = {"choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    lines = (
        json.dumps({**about, "object": "chat.completion.chunk", **piece})
        for piece in (first, last, {"choices": [], "usage": usage})
    )
    text = "".join(f"data: {line}\n\n" for line in (*lines, "[DONE]"))
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=text)


def _to_nowhere(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _check_alone() -> None:
    """Make sure that no thread runs: what one holds, a forked process would wait for in vain."""
    until = time.monotonic() + _THREADS_SECONDS
    while len(list(Path("/proc/self/task").iterdir())) > 1:
        if time.monotonic() > until:
            raise RuntimeError("threads run in the process that books are forked from")
        time.sleep(0.01)  # noqa: TID251 - until the system has let go of them


def main() -> None:
    """Get ready, and serve."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _FOR_THE_BATCH)
    channel = socket.socket(fileno=os.dup(0))
    _to_nowhere(0)
    folder = os.open(".", os.O_RDONLY)
    command = get_command(root.app)
    rehearse(command, folder)
    os.close(folder)
    if "database" in sys.argv:
        import_module("libriscribe2.commands.workers")
    if "litellm" in sys.argv:
        load_litellm()
        with suppress(BackendError):
            asyncio.run(ask_nobody())
    os.close(os.pidfd_open(os.getpid()))  # fails where the system has none
    _check_alone()
    gc.collect()
    gc.freeze()
    gc.collect()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    serve(command, channel)
    os._exit(0)


if __name__ == "__main__":
    main()
