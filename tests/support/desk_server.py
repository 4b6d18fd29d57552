"""A desk in a process of its own, as an author starts it."""

import atexit
import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlencode, urlsplit

from tests.support.bars import Nursery
from tests.support.review_server import Answer

WORDS: Final = ("desk", "--no-open")


@dataclass(frozen=True)
class DeskServer:
    """A running desk."""

    address: str
    port: int
    folder: Path
    pid: int

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return self.address.partition("#")[2]

    def ask(
        self, path: str, method: str = "GET", form: Mapping[str, str] | None = None, **headers: str
    ) -> Answer:
        """Ask with the token, unless `X_Token` says otherwise; "" leaves a header out."""
        body = urlencode(form or {})
        given = {"Host": f"127.0.0.1:{self.port}", "X_Token": self.token, **headers}
        if method == "POST":
            given |= {
                "Content_Length": str(len(body)),
                "Content_Type": "application/x-www-form-urlencoded",
            }
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host=True)
        for name, value in given.items():
            if value:
                connection.putheader(name.replace("_", "-"), value)
        connection.endheaders(body.encode() if method == "POST" else None)
        try:
            reply = connection.getresponse()
            text = reply.read().decode("utf-8", "replace")
        finally:
            connection.close()
        return Answer(reply.status, text, {k.lower(): v for k, v in reply.getheaders()})


def csrf_of(desk: DeskServer) -> str:
    """The word that every change of a desk has to bring."""
    found = re.search(r'name="csrf" content="([^"]+)"', desk.ask("/").body)
    assert found is not None
    return found[1]


def environment(folder: Path) -> dict[str, str]:
    """The variables of a program that has no key, and keeps what it remembers in a folder."""
    known = ("PATH", "HOME", "LANG", "TMPDIR")
    own = {name: os.environ[name] for name in known if name in os.environ}
    state = str(folder / "state")
    own |= {"XDG_STATE_HOME": state, "XDG_CONFIG_HOME": state, "XDG_CACHE_HOME": state}
    return {**own, "PYTHONPATH": os.pathsep.join(sys.path)}


@contextmanager
def desk_server(folder: Path, **environ: str) -> Iterator[DeskServer]:
    """A desk for the books in a folder while the block runs, forked from a process with all imports."""
    process = _nursery().begin(folder, {**environment(folder), **environ}, *WORDS)
    try:
        yield _desk(process.first_line(), process.pid, folder)
    finally:
        process.signal(signal.SIGTERM)
        process.wait()


@contextmanager
def desk_apart(folder: Path) -> Iterator[DeskServer]:
    """The same, started anew."""
    process = subprocess.Popen(
        [sys.executable, "-m", "libriscribe2", *WORDS],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield _desk(process.stdout.readline().strip(), process.pid, folder)
    finally:
        process.terminate()
        process.communicate(timeout=20)


def _desk(address: str, pid: int, folder: Path) -> DeskServer:
    port = urlsplit(address).port
    assert port is not None, address
    return DeskServer(address, port, folder, pid)


@cache
def _nursery() -> Nursery:
    """Where the desks of this process of tests are forked; it ends with it."""
    folder = TemporaryDirectory()
    made = Nursery(Path(folder.name))
    atexit.register(folder.cleanup)
    atexit.register(made.close)
    return made
