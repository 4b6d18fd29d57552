"""Runs commands in forked processes and measures each: seconds, CPU and the most memory.

`python -m tests.support.measured` reads one JSON object per line (`words`, `folder`,
`environment`, `longest`) and answers each with the fields of `Measured`. A process begins with
every import done, so that what is measured is the work.
"""

import ctypes
import gc
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

_LIBRARIES: Final = ("mammoth", "pypdf", "trafilatura", "lxml.html")
_CAPABILITIES: Final = 0x20080522
_MAY_READ_ALL: Final = 0b110
"""The two rights with which root reads what nobody may."""


@dataclass(frozen=True)
class Measured:
    """What came of a command.

    Attributes:
        code: Exit code; negative is a signal, None is out of time.
        out: Standard output.
        err: Standard error.
        seconds: Time by the clock.
        cpu: Seconds of CPU.
        memory: Most memory that it held, in bytes.
    """

    code: int | None
    out: str
    err: str
    seconds: float
    cpu: float
    memory: int


class Scales:
    """A process that forks commands and measures them, one after the other.

    Args:
        environment: Its variables.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.measured"],
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def run(
        self, words: Sequence[str], *, folder: Path, environment: Mapping[str, str], longest: int
    ) -> Measured:
        """Run a command line in a folder, `longest` seconds at most."""
        order = {"words": list(words), "folder": str(folder), "longest": longest}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        told = json.dumps(order | {"environment": dict(environment)})
        self._process.stdin.write(f"{told}\n")
        self._process.stdin.flush()
        return Measured(**json.loads(self._process.stdout.readline()))


def _serve() -> None:
    from tests.support.forked_cli import import_all  # noqa: PLC0415 - only in this process

    import_all()
    for name in _LIBRARIES:
        importlib.import_module(name)
    gc.freeze()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_measure(json.loads(line))) + "\n")
        sys.stdout.flush()


def _measure(order: Mapping[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.monotonic()
        pid = os.fork()
        if pid == 0:
            try:
                _become(order, out.fileno(), err.fileno())
            finally:
                os._exit(70)
        ends = os.pidfd_open(pid)
        in_time = bool(select.select([ends], [], [], order["longest"])[0])
        os.close(ends)
        if not in_time:
            os.kill(pid, signal.SIGKILL)
        _, status, used = os.wait4(pid, 0)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        return {
            "code": os.waitstatus_to_exitcode(status) if in_time else None,
            "out": texts[0],
            "err": texts[1],
            "seconds": time.monotonic() - begun,
            "cpu": used.ru_utime + used.ru_stime,
            "memory": used.ru_maxrss * 1024,
        }


def _become(order: Mapping[str, Any], out: int, err: int) -> None:
    from libriscribe2.cli import main  # noqa: PLC0415 - only in this process

    os.setsid()
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    _drop_rights()
    sys.argv = ["libriscribe2", *order["words"]]
    main()


def _drop_rights() -> None:
    """Files that nobody may read are such for root, too."""
    head = (ctypes.c_uint32 * 2)(_CAPABILITIES, 0)
    rights = (ctypes.c_uint32 * 6)()
    system = ctypes.CDLL(None)
    if system.capget(head, rights) == 0:
        rights[0] &= ~_MAY_READ_ALL
        rights[1] &= ~_MAY_READ_ALL
        system.capset(head, rights)


if __name__ == "__main__":
    _serve()
