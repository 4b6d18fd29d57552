"""How far a run is, on a terminal: a bar, the prose that comes, a line for each finished chapter."""

import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from rich.text import Text

from libriscribe2.commands.run_progress import FOLDED, Progress, Scale
from libriscribe2.observe.events import Event
from libriscribe2.wording import clean, counted, one_line

_PROSE_LINES: Final = 3
_NARROWEST_BAR: Final = 8
_WIDEST_BAR: Final = 40
_ECHO: Final = 6
"""Columns that stay free at the end of the last line, for the echo of Ctrl-C: it must not wrap."""


class RunView:
    """What a terminal shows of a run.

    Args:
        scale: What the whole book comes to.
    """

    def __init__(self, scale: Scale) -> None:
        self._progress = Progress(scale)
        self._skipped: Counter[str] = Counter()

    def receive(self, event: Event, line: str | None) -> Iterator[Text]:
        """Take an event; what stays on the screen because of it.

        Args:
            event: What happened.
            line: How a log tells it; None where it does not.
        """
        if event.event in {"stage.start", "run.end", "run.failed", "run.interrupted"}:
            yield from self._told_skips()
        if event.event == "stage.skipped":
            self._skipped[event.reason] += 1
            return
        self._progress.fold(event)
        if event.event == "stage.end":
            if event.stage not in FOLDED:
                yield Text.assemble(("\u2713 ", "green"), self._progress.finished(event))
        elif event.event == "stage.failed" and line:
            yield Text(line, style="red")
        elif line and event.event != "llm.wait":
            yield Text(line)

    def piece(self, step: str, text: str) -> None:
        """Take a piece of prose."""
        self._progress.piece(step, text)

    def lines(self, seconds: float, width: int) -> list[Text]:
        """The live lines, `seconds` after the start, on a terminal of so many columns."""
        prose = one_line(clean(self._progress.arriving[-_PROSE_LINES * width :]).replace("\n", " "))
        found = [Text(part, style="italic dim") for part in _wrapped(prose, width)]
        head = " \u00b7 ".join(filter(None, (*self._progress.at_work(), self._progress.doing())))
        if head:
            found.append(Text(head, style="bold", no_wrap=True, overflow="ellipsis"))
        if self._progress.waiting:
            found.append(
                Text(self._progress.waiting, style="yellow", no_wrap=True, overflow="ellipsis")
            )
        return [*found, self._bar(seconds, width)]

    def _told_skips(self) -> Iterator[Text]:
        """One line for everything that was there already."""
        told = [f"{counted(n, 'part')} {reason}" for reason, n in self._by_kind().items()]
        self._skipped.clear()
        if told:
            yield Text(f"\u00b7 {one_line(', '.join(told))}", style="dim")

    def _by_kind(self) -> Counter[str]:
        """How many parts were skipped, by the reason without its details."""
        kinds: Counter[str] = Counter()
        for reason, count in self._skipped.items():
            kinds[reason.partition(":")[0]] += count
        return kinds

    def _bar(self, seconds: float, width: int) -> Text:
        """The bar with words, cost and time left."""
        figures = self._progress.figures(seconds)
        told = " \u00b7 ".join(figures.told)
        room = min(width - len(told) - _ECHO, _WIDEST_BAR)
        if not figures.whole or room < _NARROWEST_BAR:
            return Text(told, style="dim", no_wrap=True, overflow="ellipsis")
        done = round(room * figures.words / figures.whole)
        bar = ("\u2501" * done, "green"), ("\u2501" * (room - done), "bright_black")
        return Text.assemble(*bar, (f" {told}", "dim"), no_wrap=True, overflow="ellipsis")


def _wrapped(text: str, width: int) -> list[str]:
    """The end of a text in lines of the terminal's width."""
    lines, line = list[str](), ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line][-_PROSE_LINES:] if line else []


_NEEDED: Final = (
    "PATH",
    "HOME",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
)


def notify(title: str, text: str) -> None:
    """Tell the user on the desktop, where the system has a way to."""
    shown, said = one_line(clean(title)), one_line(clean(text))
    script = f"display notification {json.dumps(said)} with title {json.dumps(shown)}"
    ways = {"notify-send": ("--", shown, said), "osascript": ("-e", script)}
    program = next(filter(shutil.which, ways), None)
    if program is None:
        return
    known = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            [program, *ways[program]], env=known, timeout=5, check=False, capture_output=True
        )
