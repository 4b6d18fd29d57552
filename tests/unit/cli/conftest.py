"""A terminal environment that is the same on every machine."""

import pytest

from libriscribe2.cli.process import Invocation


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(autouse=True)
def no_global_option() -> None:
    """What a command line before this test said (`--debug`) is forgotten."""
    Invocation().keep()
