"""A watch on the programs that a command starts and the addresses that it connects to."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

_CALLS: Final = "trace=execve,execveat,connect,sendto,sendmsg,sendmmsg"
_PROGRAM: Final = re.compile(r'execve(?:at)?\((?:\w+, )?"([^"]+)"')
_ADDRESS: Final = re.compile(r'sin6?_port=htons\((\d+)\).*?"([0-9a-f.:]+)"')


@cache
def can_watch() -> bool:
    """Whether `strace` is there and may look."""
    found = shutil.which("strace")
    return (
        found is not None
        and not subprocess.run([found, "-qq", "-o", "/dev/null", "true"]).returncode
    )


class Watch:
    """What commands do that are run under it.

    Args:
        trace: The file for what is seen.
    """

    def __init__(self, trace: Path) -> None:
        self._trace = trace

    @property
    def under(self) -> Sequence[str]:
        """The words before a command line; none where nobody can watch."""
        words = ("strace", "-f", "--seccomp-bpf", "-qq", "-A", "-e", _CALLS, "-o", str(self._trace))
        return words if can_watch() else ()

    def programs(self) -> set[str]:
        """The paths of the programs that were started, or tried."""
        return set(_PROGRAM.findall(self._text()))

    def addresses(self) -> set[tuple[str, int]]:
        """Every address and port of the internet protocols that was written to."""
        return {(address, int(port)) for port, address in _ADDRESS.findall(self._text())}

    def _text(self) -> str:
        return self._trace.read_text(encoding="utf-8") if self._trace.exists() else ""
