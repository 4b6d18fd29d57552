"""No test reaches a live model, the user's files or another test's environment."""

import gc
import hashlib
import logging
import os
import re
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from libriscribe2.llm.providers import PROVIDERS

_door_is_shut = True

# A shell that starts the suite in the background has it ignore Ctrl-C, and programs inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Where a property does not say how many examples it needs: the whole suite has two minutes. No
# time is asserted: the machine may be busy.
_usual = settings.get_profile(settings.get_current_profile_name())
settings.register_profile(
    "quick",
    _usual,
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("quick")

_FOREIGN_PREFIXES = ("LIBRISCRIBE2_", "OPENAI_", "GOMIND_", "OTEL_")
_FOREIGN = {name for provider in PROVIDERS for name in (*provider.keys, *provider.also)} | {
    *("LLM_TIMEOUT", "PROJECTS_DIR", "NO_COLOR", "FORCE_COLOR", "COLUMNS")
}

_HOMES = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")


_LIBRARIES = {
    **{name: name for name in ("PIL", "fontTools", "grimp", "pdfua", "pexpect", "pikepdf")},
    **{name: name for name in ("mcp", "opentelemetry", "playwright", "psycopg", "typst")},
    "bench.house": "grimp",
    "libriscribe2.batch.postgres": "psycopg",
    "tests.support.collector": "opentelemetry",
    "tests.support.machines": "psycopg",
    "tests.support.terminal": "pexpect",
}
"""What tests import, and the library of an extra or of the group `dev` that it needs."""

_MISSING = [name for name, library in _LIBRARIES.items() if find_spec(library) is None]
_NEEDS_MORE = re.compile(rf"(?m)^(?:from|import) (?:{'|'.join(map(re.escape, _MISSING))})\b")


def pytest_report_header() -> str:
    """What is not installed, and so left out."""
    return f"tests left out, for want of: {', '.join(_MISSING) or 'nothing'}"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out a file of tests, or a folder by its `conftest.py`, that needs what is missing."""
    path = collection_path / "conftest.py" if collection_path.is_dir() else collection_path
    if not _MISSING or path.suffix != ".py" or not path.is_file():
        return None
    return True if _NEEDS_MORE.search(path.read_text(encoding="utf-8")) else None


_MEMORY = Path("/dev/shm")
_ROOM = 4 * 2**30
"""Bytes; a run leaves some 500 MB at a time, and others may run beside it."""


def pytest_configure() -> None:
    """Temporary folders lie in memory where it has room: the tests write 100,000 small files."""
    if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


class LiveDoorError(RuntimeError):
    """A test tried to leave the machine."""


def _guard(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse every connection that is not to this machine."""
    if event != "socket.connect" or not _door_is_shut:
        return
    connection, address = arguments
    if connection.family not in (socket.AF_INET, socket.AF_INET6):
        return
    if not ip_address(address[0].partition("%")[0]).is_loopback:
        raise LiveDoorError(f"a test tried to reach {address[0]}")


sys.addaudithook(_guard)


def pytest_sessionstart() -> None:
    """What is imported and collected now lives to the end: no search for garbage has to see it."""
    gc.disable()


def pytest_collection_finish() -> None:
    """From here on garbage is searched for, among what comes after, and less often."""
    gc.freeze()
    gc.set_threshold(100_000, 10, 10)
    gc.enable()


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with nothing in it."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def _own_log_level() -> None:
    """Each test begins with the log as a fresh process has it, whatever ran before."""
    logger = logging.getLogger("libriscribe2")
    logger.propagate = True
    logger.setLevel(logging.NOTSET)


@pytest.fixture(autouse=True)
def _own_environment(empty_home: Path, request: pytest.FixtureRequest) -> None:
    """No key, no setting and no user folder of the machine reaches a test.

    What the machine has seen of a project in one test is not known in the next one either: books
    that are copied from desk to desk have one id.
    """
    for name in [one for one in os.environ if one in _FOREIGN or one.startswith(_FOREIGN_PREFIXES)]:
        del os.environ[name]
    os.environ |= dict.fromkeys(_HOMES, str(empty_home))
    place = hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:16]
    os.environ["XDG_STATE_HOME"] = str(empty_home / place)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Only a test that is marked `live` may leave the machine."""
    global _door_is_shut
    _door_is_shut = item.get_closest_marker("live") is None
    try:
        return (yield)
    finally:
        _door_is_shut = True
