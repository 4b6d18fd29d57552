"""Ctrl-C: the work is cancelled, the user is told how to go on, and the exit code is 130."""

import asyncio
import os
import signal
import subprocess
import sys
import threading

import pytest
import typer

from libriscribe2.cli.process import run_async

BUSY = """
import os, signal, sys, time
from libriscribe2.cli.process import run_async

async def work():
    os.kill(os.getpid(), signal.{signal})
    {todo}

run_async(work(), lambda: print("go on", flush=True))
"""


async def forever() -> None:
    await asyncio.Event().wait()


async def signalled(number: signal.Signals) -> None:
    os.kill(os.getpid(), number)
    await forever()


def test_XC_08_work_that_ends_gives_its_value() -> None:
    async def work() -> int:
        return 7

    told: list[str] = []
    assert run_async(work(), lambda: told.append("told")) == 7
    assert told == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_XC_08_a_signal_cancels_the_work_and_ends_with_130(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading.Timer, "start", lambda _timer: None)
    told: list[str] = []
    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    with pytest.raises(typer.Exit) as caught:
        run_async(signalled(number), lambda: told.append("told"))
    assert caught.value.exit_code == 130
    assert told == ["told"]
    assert [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)] == before


def test_XC_08_a_failure_of_the_work_passes_through() -> None:
    async def work() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_async(work(), lambda: None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "todo"),
    [
        ("SIGINT", "while True: pass"),
        ("SIGTERM", "time.sleep(60)"),
        ("SIGINT", "os.kill(os.getpid(), signal.SIGINT); time.sleep(60)"),
    ],
)
def test_XC_08_work_that_does_not_end_is_ended(number: str, todo: str) -> None:
    """Code that never gives the loop a turn, and a user who types Ctrl-C twice."""
    script = BUSY.format(signal=number, todo=todo)
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False
    )
    assert (ended.returncode, ended.stdout) == (130, "go on\n")
    assert ended.stderr == ""
