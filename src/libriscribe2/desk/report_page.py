"""The report of a book, measured once for each state of its files, and its coverage, with links into the text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, Final
from urllib.parse import quote

from libriscribe2.checks.report.book_report import BookReport, report_of
from libriscribe2.checks.report.coverage import Coverage, coverage_of
from libriscribe2.checks.report.metric import GROUPS, Metric
from libriscribe2.desk.drawn import line_anchor
from libriscribe2.desk.snapshot import Snapshot
from libriscribe2.errors import LibriScribeError
from libriscribe2.models.brief import Brief
from libriscribe2.models.citations import MARK
from libriscribe2.models.findings import Finding
from libriscribe2.project.paths import CHAPTER_FILES, SERIES, STORY_BIBLE_FILES

_READ: Final = ("*.json", "research/*.json", CHAPTER_FILES, STORY_BIBLE_FILES, f"{SERIES}/*.json")
"""The files that figures are made from; a few more do no harm."""


class ReportShelf:
    """Keeps the newest report: a long book takes more than a second to be measured.

    Several threads may ask at once; one of them measures, and the others wait for it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._state: Any = None
        self._found: BookReport | LibriScribeError | None = None

    def report(self, snapshot: Snapshot) -> BookReport | LibriScribeError | None:
        """The report of a book, or why there is none; None where its brief cannot be read."""
        if snapshot.brief is None:
            return None
        with self._lock:
            try:
                state = _state(snapshot)
                if self._found is None or state != self._state:
                    self._found = report_of(snapshot.brief, snapshot.view)
                    self._state = state
            except LibriScribeError as error:
                self._found = None
                return error
            return self._found


def _state(snapshot: Snapshot) -> tuple[Any, ...]:
    """What the figures depend on."""
    view = snapshot.view
    names = [name for pattern in _READ for name in view.names(pattern)]
    return snapshot.brief, [(name, view.sha(name)) for name in names], view.manifest.files


_CHAPTER: Final = re.compile(r"chapters/(\d+)\.md")


@dataclass(frozen=True, slots=True)
class PlaceLink:
    """A place in the book.

    Attributes:
        name: `chapters/03.md:41`.
        quote: The text there, or what is to be said of it.
        chapter: The chapter's key in addresses; "" where no page shows the file.
        anchor: The name of the place on that page.
    """

    name: str
    quote: str
    chapter: str
    anchor: str


@dataclass(frozen=True, slots=True)
class MetricRow:
    """A metric as the page shows it.

    Attributes:
        metric: The metric.
        slug: Its name for addresses.
        before: Its value in the earlier report; "" where it had none.
        places: Its worst places.
    """

    metric: Metric
    slug: str
    before: str
    places: tuple[PlaceLink, ...]


def report_page(snapshot: Snapshot, shelf: ReportShelf) -> dict[str, Any]:
    """The values of the page."""
    found = shelf.report(snapshot)
    values: dict[str, Any] = {"fault": None, "report": None, "earlier": bool(snapshot.earlier)}
    if found is None or snapshot.brief is None:
        fault = next(iter(snapshot.faults), None)
        told = None if fault is None else {"what": fault.why, "fix": fault.fix}
        return values | {"fault": told}
    if isinstance(found, LibriScribeError):
        return values | {"fault": found}
    links = _Links(snapshot)
    return values | {
        "report": found,
        "flagged": len(found.metrics.flagged()),
        "groups": _groups(found, links, snapshot.earlier),
        "findings": _findings(found, links),
        "left_out": _left_out(found, snapshot.brief),
    }


class _Links:
    """Finds the pages of places."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._texts = {entry.key: entry.text for entry in snapshot.chapters}

    def to(self, file: str, line: int, quote: str) -> PlaceLink:
        """The link to a place."""
        found = _CHAPTER.fullmatch(file)
        key = found[1] if found is not None and found[1] in self._texts else ""
        anchor = line_anchor(self._texts[key], line) if key else ""
        return PlaceLink(f"{file}:{line}", quote, key, anchor)


def _groups(
    found: BookReport, links: _Links, earlier: Mapping[str, float]
) -> list[tuple[str, list[MetricRow]]]:
    """The metrics by part of the report; a part without metrics is left out."""
    groups = ((name, found.metrics.group(name)) for name in GROUPS)
    return [
        (name, [_row(one, links, earlier) for one in metrics])
        for name, metrics in groups
        if metrics
    ]


def _row(metric: Metric, links: _Links, earlier: Mapping[str, float]) -> MetricRow:
    before = earlier.get(metric.name)
    return MetricRow(
        metric,
        re.sub(r"\W+", "-", metric.name).strip("-"),
        "" if before is None else metric.amount(before),
        tuple(links.to(one.file, one.line, one.quote) for one in metric.places),
    )


def _findings(found: BookReport, links: _Links) -> list[tuple[Finding, list[PlaceLink]]]:
    """What nobody lets stand, errors first, each with both of its sides."""
    told = [] if found.story is None else [*found.story.errors, *found.story.warnings]
    both = ((one, [one.where, *([one.other] if one.other is not None else [])]) for one in told)
    return [
        (one, [links.to(side.file, side.line, side.quote) for side in sides]) for one, sides in both
    ]


def _left_out(found: BookReport, brief: Brief) -> Sequence[str]:
    """What is not measured, and why."""
    told = []
    if found.metrics.chapters < found.planned:
        told.append(f"{found.metrics.chapters} of {found.planned} chapters are written.")
    if not found.metrics.group("ai sound"):
        told.append(
            f"Phrases typical of AI are counted in English only, not in "
            f"{brief.language}; the other metrics mean the same in every language."
        )
    return told


_WORDS_OF_A_LINK: Final = 8


def has_coverage(snapshot: Snapshot) -> bool:
    """Whether the book is one of facts."""
    return snapshot.brief is not None and snapshot.brief.kind != "fiction"


def coverage_page(snapshot: Snapshot) -> dict[str, Any]:
    """The values of the page."""
    found: Coverage | None = None
    fault = ""
    try:
        if snapshot.brief is not None:
            found = coverage_of(snapshot.brief, snapshot.view)
    except LibriScribeError as error:
        fault = error.what
    texts = {entry.key: entry.text for entry in snapshot.chapters}
    links = {"at_words": at_words, "at_mark": partial(at_mark, texts)}
    return {"coverage": found, "fault": fault, **links}


def at_words(sentence: str) -> str:
    """The part of an address by which a browser goes to some words of a page."""
    plain = MARK.split(sentence)[0].strip().strip('."*_') or sentence
    words = plain.split()[:_WORDS_OF_A_LINK]
    return f"#:~:text={quote(' '.join(words), safe='')}" if words else ""


def at_mark(texts: Mapping[str, str], chapter: int, note: str) -> str:
    """The part of an address that leads to the words before the mark of a note; "" without it."""
    before, found, _ = texts.get(f"{chapter:02d}", "").partition(f"@{note}")
    words = MARK.sub("", before.rpartition("[")[0]).split()[-_WORDS_OF_A_LINK:]
    return at_words(" ".join(words)) if found else ""
