"""A command on a terminal of its own, as somebody sits before it."""

import io
import sys
from contextlib import suppress

import pexpect
from tests.support.desk import Desk


def on_terminal(desk: Desk, *arguments: str, **env: str) -> "pexpect.spawn[str]":
    """A command on a terminal of its own."""
    return pexpect.spawn(
        sys.executable,
        ["-m", "libriscribe2", *arguments],
        cwd=str(desk.folder),
        env=desk.whole_environment({"TERM": "xterm-256color"} | env),
        encoding="utf-8",
        timeout=30,
        dimensions=(40, 120),
    )


def everything(child: "pexpect.spawn[str]") -> str:
    """All that a command shows until it ends."""
    log = io.StringIO()
    child.logfile_read = log
    with suppress(pexpect.EOF):
        child.expect(pexpect.EOF)
    child.close()
    return log.getvalue()
