"""The terminal as a place to paste: the user's clipboard, and texts longer than a line may be."""

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from libriscribe2.exporters.pandoc import environment
from libriscribe2.wording import clean

_PROGRAMS: Final = (
    ("pbcopy", "", ()),
    ("clip.exe", "", ()),
    ("wl-copy", "WAYLAND_DISPLAY", ("--type", "text/plain;charset=utf-8")),
    ("xclip", "DISPLAY", ("-selection", "clipboard")),
    ("xsel", "DISPLAY", ("--clipboard", "--input")),
)
"""Programs that fill the clipboard, the variable without which each is of no use, its arguments."""

_DESKTOP: Final = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR")
_PATIENCE: Final = 5.0
_MOST_BY_TERMINAL: Final = 74_000
"""Most bytes that terminals take for their clipboard (OSC 52), before they are encoded."""

_START, _END, _EOT = b"\x1b[200~", b"\x1b[201~", b"\x04"
_DOT: Final = b"\n.\n"
_ECHOED: Final = 3
"""Most bytes that are shown as typed; a paste is only counted."""


def copied(text: str) -> str:
    """Put a text into the clipboard; how, or "" where there is none.

    Over SSH and in a terminal alone the terminal itself is asked, which never says what it did.
    """
    for program, variable, arguments in _PROGRAMS:
        found = shutil.which(program)
        if not found or not Path(found).is_absolute() or (variable and variable not in os.environ):
            continue
        coded = text.encode("utf-16-le" if program == "clip.exe" else "utf-8", "replace")
        env = environment(*_DESKTOP, LC_CTYPE="UTF-8")
        try:
            done = subprocess.run(
                (found, *arguments),
                input=coded,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=env,
                timeout=_PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            return program
    data = text.encode("utf-8", "replace")
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return ""
    if len(data) > _MOST_BY_TERMINAL:
        return ""
    sys.stderr.write(f"\x1b]52;c;{base64.b64encode(data).decode()}\x07")
    sys.stderr.flush()
    return "terminal"


def pasted(keys: str) -> str:
    """What is pasted into the terminal, up to Enter after the paste, Ctrl-D or a line with a dot.

    A line may be longer than what a terminal collects of one, so it is read as it comes. Only
    what is typed by hand is shown.

    Args:
        keys: Letters each of which, alone on the first line, ends the reading too.

    Raises:
        KeyboardInterrupt: Ctrl-C; nothing is kept.
    """
    alone = {f"{key}\n".encode() for key in keys}
    buffer = b""
    with _as_it_comes() as descriptor:
        while data := os.read(descriptor, 65_536):
            buffer += data
            if len(buffer) <= _ECHOED:
                sys.stderr.write(clean(data.decode("utf-8", "replace")).rstrip("\n"))
            else:
                ends = "Enter" if _END in buffer else "Ctrl-D"
                sys.stderr.write(f"\r{len(buffer.split()):,} words; {ends} takes them. ")
            sys.stderr.flush()
            typed = buffer in alone or buffer.endswith((_DOT, _END + b"\n"))
            if typed or _EOT in buffer:
                break
    text = buffer.partition(_EOT)[0].replace(_START, b"").replace(_END, b"")
    return text.removesuffix(_DOT).decode("utf-8", "replace")


@contextmanager
def _as_it_comes() -> Iterator[int]:
    """Standard input byte by byte and unseen, with pastes marked as such, while the block runs."""
    descriptor = sys.stdin.fileno()
    if sys.platform == "win32":
        yield descriptor
        return
    import termios  # noqa: PLC0415 - Windows has none

    before = termios.tcgetattr(descriptor)
    mode = [*before[:3], before[3] & ~(termios.ICANON | termios.ECHO), *before[4:]]
    termios.tcsetattr(descriptor, termios.TCSADRAIN, mode)
    sys.stderr.write("\x1b[?2004h")
    sys.stderr.flush()
    try:
        yield descriptor
    finally:
        sys.stderr.write("\x1b[?2004l\n")
        sys.stderr.flush()
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
