"""A PostgreSQL server of its own for the tests: on loopback, in a temporary folder."""

import os
import shutil
import socket
import subprocess
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

_DEBIAN: Final = Path("/usr/lib/postgresql")
_LONGEST_SECONDS: Final = 60
_SETTINGS: Final = (
    "listen_addresses=127.0.0.1",
    "fsync=off",
    "full_page_writes=off",
    "max_connections=100",
    "shared_buffers=32MB",
)
PASSWORD: Final = "s3cret-word"
USER: Final = "writer"


def programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`; Debian keeps them off the path."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    newest = sorted(_DEBIAN.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return newest[-1].parent if newest else None


class Cluster:
    """A server that can be stopped, killed and started again.

    Args:
        programs: The folder of its programs.
        folder: An empty folder of the user that runs it.
        settings: Settings beside those that make it fast.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, programs: Path, folder: Path, settings: Sequence[str] = ()) -> None:
        self._programs = programs
        self._folder = folder
        self._data = folder / "data"
        self._settings = (*_SETTINGS, *settings)
        self.port = _free_port()

    def make(self) -> None:
        """Make its files."""
        secret = self._folder / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        secret.chmod(0o644)
        options = ("-U", USER, "-A", "scram-sha-256", "--pwfile", str(secret), "-E", "UTF8")
        self._run("initdb", "-D", str(self._data), "--no-sync", "--locale=C", *options)
        with (self._data / "pg_hba.conf").open("a", encoding="utf-8") as rules:
            rules.write("host all all samenet scram-sha-256\n")

    def start(self) -> None:
        """Start it and wait until it answers."""
        settings = [f"port={self.port}", f"unix_socket_directories={self._folder}", *self._settings]
        options = " ".join(f"-c {setting}" for setting in settings)
        log = str(self._folder / "log")
        self._run("pg_ctl", "-D", str(self._data), "-w", "-l", log, "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it; `immediate` is what a crash does."""
        self._run("pg_ctl", "-D", str(self._data), "-m", mode, "-w", "stop")

    def dsn(self, database: str, port: int | None = None) -> str:
        """The address of a database, or of one behind another port."""
        return f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{port or self.port}/{database}"

    def new_database(self) -> str:
        """The address of a new and empty database."""
        import psycopg  # noqa: PLC0415 - the other tests of its folders run without it

        name = f"b{uuid.uuid4().hex[:12]}"
        sql = psycopg.sql
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        return self.dsn(name)

    def _run(self, program: str, *arguments: str) -> None:
        command: Sequence[str] = (str(self._programs / program), *arguments)
        if os.geteuid() == 0:  # the server refuses root
            command = ("runuser", "-u", "postgres", "--", *command)
        ran = subprocess.run(
            command,
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            timeout=_LONGEST_SECONDS,
            check=False,
        )
        assert ran.returncode == 0, f"{program} ended with code {ran.returncode}"


@contextmanager
def running_cluster(*settings: str) -> Iterator[Cluster]:
    """A server while the block runs; without its programs the tests are skipped.

    Args:
        *settings: Such as `fsync=on`, beside those that make it fast.
    """
    found = programs()
    if found is None:
        told = "PostgreSQL is not installed (Debian: apt-get install postgresql)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(told)
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        cluster = Cluster(found, folder, settings)
        cluster.make()
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A server for all tests of a process."""
    with running_cluster() as found:
        yield found


@pytest.fixture
def dsn(cluster: Cluster) -> str:
    """The address of a new and empty database."""
    return cluster.new_database()


class Wire:
    """A way to the server that can be cut: a proxy on loopback.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, target: int) -> None:
        self._target = target
        self._whole = threading.Event()
        self._whole.set()
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._over, self._down = threading.Event(), threading.Event()
        self._ends: list[socket.socket] = []
        self._pumps: list[threading.Thread] = []
        self._taker = threading.Thread(target=self._accept, daemon=True)
        self._taker.start()

    def cut(self) -> None:
        """Let nothing through, and keep every connection open."""
        self._whole.clear()

    def down(self) -> None:
        """Break every connection, and take none."""
        self._down.set()
        self._whole.set()
        for end in list(self._ends):
            _hang_up(end)

    def mend(self) -> None:
        """Let everything through, also what has waited."""
        self._down.clear()
        self._whole.set()

    def close(self) -> None:
        """Take no further connection, and end those that there are."""
        self.mend()
        self._over.set()
        socket.create_connection(("127.0.0.1", self.port)).close()  # wakes who waits for one
        self._taker.join()
        self._server.close()
        for end in self._ends:
            _hang_up(end)
        for pump in self._pumps:
            pump.join()
        for end in self._ends:
            end.close()

    def _accept(self) -> None:
        while True:
            near, _ = self._server.accept()
            self._ends.append(near)
            if self._over.is_set():
                return
            if self._down.is_set():
                _hang_up(near)
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                _hang_up(near)
                continue
            self._ends.append(far)
            for one, other in ((near, far), (far, near)):
                pump = threading.Thread(target=self._pump, args=(one, other), daemon=True)
                self._pumps.append(pump)
                pump.start()

    def _pump(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65_536):
                self._whole.wait()
                other.sendall(data)
        _hang_up(one)
        _hang_up(other)


def _hang_up(end: socket.socket) -> None:
    """End a connection that may have ended already."""
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
