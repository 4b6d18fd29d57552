"""The end of the process."""

import os
import sys
from contextlib import suppress
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """End the process at once.

    What has to last is on the disk by now. The interpreter would spend seconds on taking down
    LiteLLM's modules, and would wait for threads that hang in a connection.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody listens any more
            stream.flush()
    os._exit(code)
