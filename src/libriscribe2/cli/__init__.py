"""The command line: the only place that prints and runs the event loop.

What has to hold here:

- A command is a plain function below `@command`; its module is imported when it runs.
- Model text reaches a terminal only through `Renderer`, as `rich.text.Text`; markup in it must not be
  obeyed.
- The process ends by `os._exit` (`process.py`), because taking LiteLLM down costs seconds: nothing
  may wait for `atexit`.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

from libriscribe2.cli.process import interrupted, leave, open_closed, typed_to_resume
from libriscribe2.errors import EXIT_INTERRUPTED


def main(command: Callable[..., Any] | None = None) -> None:
    """Run the command line, and end the process with its exit code.

    An error that nobody expected ends in one line, Ctrl-C before a command has begun without a
    traceback.

    Args:
        command: The root command, where it is built already.
    """
    try:
        from libriscribe2.cli import root  # noqa: PLC0415 -- Ctrl-C ends it quietly

        open_closed()
        try:
            code = (command or root.app)(standalone_mode=False)
        except Exception as error:  # noqa: BLE001 - the last boundary before the user
            code = root.exit_code_of(error)
        leave(code if isinstance(code, int) else 0)
    except KeyboardInterrupt:
        called = typed_to_resume(sys.argv[1:])
        if called:
            os.write(2, f"warning: {interrupted(called)}\n".encode(errors="replace"))
        os._exit(EXIT_INTERRUPTED)
