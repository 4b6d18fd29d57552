"""How far a run is, on a terminal: a bar, the prose that comes, a line for each finished chapter."""

import json
import os
import re
import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from rich.text import Text

from libriscribe2.observe.events import Event
from libriscribe2.project.paths import CHAPTER_FILES, OUTLINE, chapter_file
from libriscribe2.prose import count_words
from libriscribe2.wording import clean, cost, counted, duration, one_line, stage_name

_PROSE_LINES: Final = 3
_NARROWEST_BAR: Final = 8
_WIDEST_BAR: Final = 40
_ECHO: Final = 6
"""Columns that stay free at the end of the last line, for the echo of Ctrl-C: it must not wrap."""
_FOLDED: Final = frozenset({"canon", "summaries"})
"""Stages that read a finished chapter: its own line stands for them."""

_SCENE: Final = re.compile(r"chapters/ch0*(\d+)/scene0*(\d+)")
_DOING: Final = (
    ("critique", "looking it through"),
    ("patches", "mending it"),
    ("keywords", "choosing keywords"),
)


def _none() -> int:
    return 0


@dataclass(frozen=True, slots=True)
class Scale:
    """What a whole book comes to, as far as it is known.

    Attributes:
        chapters: Says how many chapters the outline has; 0 before there is one.
        wanted: How many chapters are asked for, until the outline says.
        words: Words of the whole book; 0 is not known.
        usd: The high end of its estimate; None is not known.
        seconds: How long the models would take; None is not known.
        written: The words of each chapter that is there, by its file.
    """

    chapters: Callable[[], int] = _none
    wanted: int = 0
    words: int = 0
    usd: float | None = None
    seconds: float | None = None
    written: Mapping[str, int] = field(default_factory=dict)


class RunView:
    """What a terminal shows of a run.

    Args:
        scale: What the whole book comes to.
    """

    def __init__(self, scale: Scale) -> None:
        self._scale = scale
        self._chapters = scale.chapters() or scale.wanted
        self._open: dict[str, Event] = {}
        self._written = dict(scale.written)
        self._made = 0
        self._calls = 0
        self._tokens = 0
        self._usd = 0.0
        self._unpriced = 0
        self._usd_of = defaultdict[int | None, float](float)
        self._skipped: Counter[str] = Counter()
        self._waiting = ""
        self._step = ""
        self._arriving = ""

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
        self._fold(event)
        if event.event == "stage.end":
            if event.stage not in _FOLDED:
                yield self._finished(event)
        elif event.event == "stage.failed" and line:
            yield Text(line, style="red")
        elif line and event.event != "llm.wait":
            yield Text(line)

    def piece(self, step: str, text: str) -> None:
        """Take a piece of prose; of several texts that are written at once the first is followed."""
        if self._step in ("", step):
            self._step = step
            self._arriving += text

    def lines(self, seconds: float, width: int) -> list[Text]:
        """The live lines, `seconds` after the start, on a terminal of so many columns."""
        prose = one_line(clean(self._arriving[-_PROSE_LINES * width :]).replace("\n", " "))
        found = [Text(part, style="italic dim") for part in _wrapped(prose, width)]
        head = " \u00b7 ".join(filter(None, (*self._at_work(), self._doing())))
        if head:
            found.append(Text(head, style="bold", no_wrap=True, overflow="ellipsis"))
        if self._waiting:
            found.append(Text(self._waiting, style="yellow", no_wrap=True, overflow="ellipsis"))
        return [*found, self._bar(seconds, width)]

    def _fold(self, event: Event) -> None:
        """Take what an event changes."""
        if event.event == "llm.wait":
            self._waiting = f"waiting {duration(event.seconds)}: {event.reason or event.message}"
            self._waiting = one_line(self._waiting)
            self._step = self._arriving = ""
            return
        if event.event == "stage.start":
            self._open[event.unit] = event
            self._written.pop(event.unit, None)
        elif event.event in {"stage.end", "stage.failed"}:
            self._open.pop(event.unit, None)
            self._waiting = self._step = self._arriving = ""
            if event.event == "stage.end" and fnmatchcase(event.unit, CHAPTER_FILES):
                self._written[event.unit] = event.words
                self._made += event.words
            if event.unit == OUTLINE:
                self._chapters = self._scale.chapters() or self._chapters
        elif event.event == "llm.call":
            self._count(event)

    def _count(self, event: Event) -> None:
        """One request more; an unknown price is counted as unknown, not as 0."""
        self._calls += event.calls
        self._tokens += event.tokens.input + event.tokens.output
        self._usd += event.cost_usd or 0.0
        self._usd_of[event.chapter] += event.cost_usd or 0.0
        self._unpriced += event.calls if event.cost_usd is None else 0
        self._waiting = ""
        if event.unit == self._step:
            self._put_down()

    def _put_down(self) -> None:
        """A text has come whole: its words count until the chapter is made of them."""
        scene = _SCENE.fullmatch(self._step)
        if scene is not None:
            name = chapter_file(int(scene[1]))
            self._written[name] = self._written.get(name, 0) + count_words(self._arriving)
        self._step = self._arriving = ""

    def _finished(self, event: Event) -> Text:
        """The line of something that was made."""
        name = stage_name(event.stage).replace("_", " ")
        if event.stage == "chapters":
            whole = f" of {self._chapters}" if self._chapters else ""
            name, paid = f"chapter {event.chapter}{whole}", self._usd_of[event.chapter]
        else:
            paid = 0.0
            name = name if event.chapter is None else f"{name}, chapter {event.chapter}"
        words = counted(event.words, "word") if event.words else ""
        took = (words, duration(event.seconds), cost(paid) if paid else "")
        remark = f"; {event.message}" if event.message else ""
        told = f"{name[:1].upper()}{name[1:]}: {', '.join(filter(None, took))}{remark}"
        return Text.assemble(("\u2713 ", "green"), one_line(told))

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

    def _at_work(self) -> Iterator[str]:
        """What is being made, such as `Chapter 3 of 12` or `Chapters 3, 5 of 12`."""
        of_book = [one for one in self._open.values() if one.stage not in _FOLDED] or [
            *self._open.values()
        ]
        for stage in dict.fromkeys(one.stage for one in of_book):
            starts = (one for one in of_book if one.stage == stage)
            numbers = sorted(one.chapter for one in starts if one.chapter is not None)
            name = stage_name(stage).replace("_", " ")
            if numbers:
                chapters = "chapter" if len(numbers) == 1 else "chapters"
                name = chapters if stage == "chapters" else f"{name}, {chapters}"
            shown = " ".join(filter(None, (name, ", ".join(map(str, numbers)))))
            whole = f" of {self._chapters}" if numbers and self._chapters else ""
            yield one_line(f"{shown[:1].upper()}{shown[1:]}{whole}")

    def _doing(self) -> str:
        """What is being done with it, by the text that comes."""
        scene = _SCENE.fullmatch(self._step)
        if scene is not None:
            return f"scene {scene[2]}"
        return next((said for mark, said in _DOING if mark in self._step), "")

    def _bar(self, seconds: float, width: int) -> Text:
        """The bar with words, cost and time left."""
        coming = count_words(self._arriving) if _SCENE.fullmatch(self._step) else 0
        words = sum(self._written.values()) + coming
        whole, usd = max(self._scale.words, words), self._price()
        said = (
            f"{words:,} of {whole:,} words" if self._scale.words else counted(words, "word"),
            counted(self._calls, "call"),
            f"{usd} of ~{cost(self._scale.usd)}" if self._scale.usd and self._calls else usd,
            self._left(seconds, words) or duration(seconds),
        )
        told = " \u00b7 ".join(said)
        room = min(width - len(told) - _ECHO, _WIDEST_BAR)
        if not whole or room < _NARROWEST_BAR:
            return Text(told, style="dim", no_wrap=True, overflow="ellipsis")
        done = round(room * words / whole)
        bar = ("\u2501" * done, "green"), ("\u2501" * (room - done), "bright_black")
        return Text.assemble(*bar, (f" {told}", "dim"), no_wrap=True, overflow="ellipsis")

    def _price(self) -> str:
        """What the calls cost, and what nobody knows of it."""
        if not self._unpriced:
            return cost(self._usd)
        if self._unpriced == self._calls:
            return cost(None)
        return f"at least {cost(self._usd)}, {counted(self._unpriced, 'call')} unpriced"

    def _left(self, seconds: float, words: int) -> str:
        """How long it will still take: by the pace so far, before the first chapter by the estimate."""
        missing = self._scale.words - words
        if missing <= 0 or not self._scale.words:
            return ""
        if self._made:
            left = seconds * missing / self._made
        elif self._scale.seconds:
            left = self._scale.seconds - seconds
        else:
            return ""
        return f"about {duration(max(left, 1.0))} left"


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
