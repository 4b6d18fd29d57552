"""Which functions run while a block does: the proof that a command takes the way through them."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any


@contextmanager
def entered(*functions: Callable[..., Any]) -> Iterator[dict[str, set[str]]]:
    """The modules on the stack when each function is called, by the function's name.

    Args:
        *functions: Functions written in Python; an alias is the same function.
    """
    wanted: dict[CodeType, str] = {one.__code__: one.__name__ for one in functions}
    found: dict[str, set[str]] = {}

    def note(frame: FrameType, event: str, _argument: object) -> None:
        name = wanted.get(frame.f_code) if event == "call" else None
        if name is not None:
            found.setdefault(name, set()).update(_modules(frame))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _modules(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        yield str(frame.f_globals.get("__name__", ""))
        frame = frame.f_back
