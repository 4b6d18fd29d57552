"""Programs of others, bounded in time: by the processor time that they take where that can be told.

On a machine that is busy with other things, the clock on the wall says little of a program.
"""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from libriscribe2.project.atomic import storage_errors

_PATIENCE: Final = 8
"""How many times as long as its processor time a program may take by the clock."""


class OutOfTimeError(Exception):
    """A program took too long and was stopped."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it takes longer than {seconds:.0f} seconds")


def run_bounded(
    command: Sequence[str],
    folder: Path,
    *,
    seconds: float,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end.

    Args:
        command: The program and its arguments.
        folder: Its working directory.
        seconds: Most processor time; by the clock where the system cannot limit that.
        env: Its environment; None is that of this process.
        stdin: What it reads.

    Raises:
        OutOfTimeError: It took longer.
        StorageError: It cannot be started.
    """
    pipe = subprocess.PIPE
    with (
        storage_errors("start", Path(command[0])),
        subprocess.Popen(
            command, cwd=folder, env=env, stdin=pipe, stdout=pipe, stderr=pipe
        ) as process,
    ):
        patience = seconds * _PATIENCE if _limit(process.pid, seconds) else seconds
        try:
            out, err = process.communicate(stdin, timeout=patience)
        except subprocess.TimeoutExpired as error:
            raise OutOfTimeError(seconds) from error
        finally:
            process.kill()  # does nothing to a program that has ended
    if sys.platform == "linux" and process.returncode == -_SIGXCPU:
        raise OutOfTimeError(seconds)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


if sys.platform == "linux":
    import math
    import resource
    import signal

    _SIGXCPU: Final = int(signal.SIGXCPU)

    def _limit(pid: int, seconds: float) -> bool:
        """Bound the processor time of a process; whether that was possible."""
        whole = max(1, math.ceil(seconds))
        try:
            resource.prlimit(pid, resource.RLIMIT_CPU, (whole, whole + 1))
        except (OSError, ValueError):  # it has ended already, or the system forbids it
            return False
        return True

else:

    def _limit(pid: int, seconds: float) -> bool:
        """Elsewhere only the clock counts."""
        del pid, seconds
        return False
