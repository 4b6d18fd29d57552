"""System calls of a process, watched and made to fail or kill with strace."""

import re
import shutil
import signal
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.support.bars import Trial
from tests.support.desk import Ran

NAMES: Final = ("openat", "write", "fsync", "rename", "ftruncate", "unlink", "mkdir")
_LINE: Final = re.compile(r"\d+ +(\w+)\((.*)")


@dataclass(frozen=True)
class Moment:
    """One system call of a run.

    Attributes:
        name: The call.
        number: Which of its name it is, from 1.
        told: How strace shows it.
    """

    name: str
    number: int
    told: str

    def inject(self, what: str) -> str:
        """The option that lets something happen at this call, such as `signal=KILL`."""
        return f"inject={self.name}:{what}:when={self.number}"


def why_not() -> str:
    """Why system calls cannot be watched here; "" where they can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    tried = subprocess.run(
        ("strace", "-qq", "-e", "trace=none", "true"), capture_output=True, check=False
    )
    return "strace may not watch processes here" if tried.returncode else ""


def under_strace(trial: Trial, arguments: tuple[str, ...], *options: str, **conditions: Any) -> Ran:
    """Run a command of a trial under strace, from its first line on."""
    running = trial.start(*arguments, stops=True, syncs=True, **conditions)
    flags = [flag for option in options for flag in ("-e", option)]
    watcher = subprocess.Popen(
        ["strace", "-f", *flags, "-y", "-o", str(_trace(trial)), "-p", str(running.pid)],
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert watcher.stderr is not None
    attached = watcher.stderr.readline()
    assert "attached" in attached, attached
    running.signal(signal.SIGCONT)
    ran = running.wait()
    watcher.communicate()
    return ran


def moments(trial: Trial, *arguments: str) -> list[Moment]:
    """The calls of a whole run that have to do with its project, in order."""
    assert under_strace(trial, arguments, f"trace={','.join(NAMES)}").code == 0
    count: Counter[str] = Counter()
    found = []
    for line in _trace(trial).read_text(encoding="utf-8", errors="replace").splitlines():
        call = _LINE.match(line)
        if call is not None:
            count[call[1]] += 1
            if "projects/book" in call[2] or "debug/book" in call[2]:
                found.append(Moment(call[1], count[call[1]], call[2]))
    return found


def _trace(trial: Trial) -> Path:
    return trial.ledger.with_suffix(".trace")
