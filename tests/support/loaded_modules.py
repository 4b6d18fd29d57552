"""What commands load: `python -m tests.support.loaded_modules '[["--help"], ...]'`.

One process runs one command after the other. On stdout comes a JSON list: for each command its
exit code and the modules that the process has loaded by its end.
"""

import json
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

from libriscribe2.cli import main


class _Left(BaseException):
    """A command has ended, with the exit code."""

    def __init__(self, code: int) -> None:
        self.code = code


def _leave(code: int) -> None:
    raise _Left(code)


def loaded_by(command: Sequence[str]) -> tuple[int, list[str]]:
    """Run a command; its exit code and the modules that are loaded now."""
    sys.argv = ["libriscribe2", *command]
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        try:
            main()
        except _Left as left:
            return left.code, list(sys.modules)
    raise AssertionError("a command always leaves")


if __name__ == "__main__":
    os._exit = _leave  # type: ignore[assignment]
    sys.stdout.write(json.dumps([loaded_by(one) for one in json.loads(sys.argv[1])]))
