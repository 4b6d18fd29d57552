"""How far a run is: what its events and the prose that comes add up to, for whoever shows it."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from libriscribe2.errors import ProjectError, StorageError
from libriscribe2.forecast.quote import Quote, read_quote
from libriscribe2.models.brief import Brief
from libriscribe2.observe.events import Event
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import CHAPTER_FILES, OUTLINE, ProjectPaths, chapter_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.prose import count_words, prose_words
from libriscribe2.wording import cost, counted, duration, one_line, stage_name

FOLDED: Final = frozenset({"canon", "summaries"})
"""Stages that read a finished chapter: its own line stands for them."""

_SCENE: Final = re.compile(r"chapters/ch0*(\d+)/scene0*(\d+)")
_DOING: Final = (
    ("critique", "looking it through"),
    ("patches", "mending it"),
    ("keywords", "choosing keywords"),
)


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

    chapters: Callable[[], int] = lambda: 0
    wanted: int = 0
    words: int = 0
    usd: float | None = None
    seconds: float | None = None
    written: Mapping[str, int] = field(default_factory=dict)


def scale_of(view: ProjectView, brief: Brief) -> Scale:
    """What a whole book comes to.

    Args:
        view: The project; it is read again when the outline is there.
        brief: What its author asks for.
    """
    quote, texts = _last_quote(view.paths), view.names(CHAPTER_FILES)
    times = quote.times.seconds if quote is not None and quote.times is not None else {}
    return Scale(
        chapters=Book(view).chapters,
        wanted=brief.chapter_range().middle(),
        words=brief.words or brief.size.words,
        usd=quote.total.high_usd if quote is not None else None,
        seconds=times.get(brief.drafting),
        written={name: prose_words(view.read_text(name)) for name in texts},
    )


def _last_quote(paths: ProjectPaths) -> Quote | None:
    """The last estimate; one that cannot be read is told at the end."""
    try:
        return read_quote(paths)
    except (ProjectError, StorageError):
        return None


@dataclass(frozen=True, slots=True)
class Figures:
    """How far a book is.

    Attributes:
        words: Words that are there, with those that are just coming.
        whole: Words of the whole book; 0 is not known.
        told: The same with calls, cost and time, each as a person reads it.
    """

    words: int
    whole: int
    told: tuple[str, ...]


class Progress:
    """Adds up what happens in a run.

    Args:
        scale: What the whole book comes to.

    Attributes:
        waiting: What the run waits for, in words; "" while it works.
        arriving: The text that is just coming.
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
        self.waiting = ""
        self.arriving = ""
        self._step = ""

    def piece(self, step: str, text: str) -> None:
        """Take a piece of prose; of several texts that are written at once the first is followed."""
        if self._step in ("", step):
            self._step = step
            self.arriving += text

    def fold(self, event: Event) -> None:
        """Take what an event changes."""
        if event.event == "llm.wait":
            self.waiting = f"waiting {duration(event.seconds)}: {event.reason or event.message}"
            self.waiting = one_line(self.waiting)
            self._step = self.arriving = ""
            return
        if event.event == "stage.start":
            self._open[event.unit] = event
            self._written.pop(event.unit, None)
        elif event.event in {"stage.end", "stage.failed"}:
            self._open.pop(event.unit, None)
            self.waiting = self._step = self.arriving = ""
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
        self.waiting = ""
        if event.unit == self._step:
            self._put_down()

    def _put_down(self) -> None:
        """A text has come whole: its words count until the chapter is made of them."""
        scene = _SCENE.fullmatch(self._step)
        if scene is not None:
            name = chapter_file(int(scene[1]))
            self._written[name] = self._written.get(name, 0) + count_words(self.arriving)
        self._step = self.arriving = ""

    def finished(self, event: Event) -> str:
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
        return one_line(told)

    def at_work(self) -> Iterator[str]:
        """What is being made, such as `Chapter 3 of 12` or `Chapters 3, 5 of 12`."""
        of_book = [one for one in self._open.values() if one.stage not in FOLDED] or [
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

    def doing(self) -> str:
        """What is being done with it, by the text that comes."""
        scene = _SCENE.fullmatch(self._step)
        if scene is not None:
            return f"scene {scene[2]}"
        return next((said for mark, said in _DOING if mark in self._step), "")

    def figures(self, seconds: float) -> Figures:
        """Words, calls, cost and time left, `seconds` after the start."""
        coming = count_words(self.arriving) if _SCENE.fullmatch(self._step) else 0
        words = sum(self._written.values()) + coming
        whole, usd = max(self._scale.words, words), self._price()
        said = (
            f"{words:,} of {whole:,} words" if self._scale.words else counted(words, "word"),
            counted(self._calls, "call"),
            f"{usd} of ~{cost(self._scale.usd)}" if self._scale.usd and self._calls else usd,
            self._left(seconds, words) or duration(seconds),
        )
        return Figures(words, whole, said)

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
