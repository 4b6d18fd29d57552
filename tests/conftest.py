"""No test reaches a live model, the user's files or another test's environment."""

import os
import socket
import sys
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from libriscribe2.llm.providers import PROVIDERS

_door_is_shut = True

# Where a property does not say how many examples it needs: the whole suite has two minutes.
_usual = settings.get_profile(settings.get_current_profile_name())
settings.register_profile("quick", _usual, max_examples=50)
settings.load_profile("quick")

_FOREIGN_PREFIXES = ("LIBRISCRIBE2_", "OPENAI_", "GOMIND_", "OTEL_")
_FOREIGN = {name for provider in PROVIDERS for name in (*provider.keys, *provider.also)} | {
    *("LLM_TIMEOUT", "PROJECTS_DIR", "NO_COLOR", "FORCE_COLOR", "COLUMNS")
}


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


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with nothing in it."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, empty_home: Path) -> None:
    """No key, no setting and no user folder of the machine reaches a test."""
    for name in _FOREIGN & os.environ.keys():
        monkeypatch.delenv(name)
    for name in [name for name in os.environ if name.startswith(_FOREIGN_PREFIXES)]:
        monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(empty_home))


@pytest.fixture(autouse=True)
def _open_door_for_live_tests(request: pytest.FixtureRequest) -> Iterator[None]:
    """Only a test that is marked `live` may leave the machine."""
    global _door_is_shut
    _door_is_shut = request.node.get_closest_marker("live") is None
    yield
    _door_is_shut = True


# Where a property does not say how many examples it needs: the whole suite has two minutes.
_usual = settings.get_profile(settings.get_current_profile_name())
settings.register_profile("quick", _usual, max_examples=50)
settings.load_profile("quick")
