"""The report of a book, measured once for each state of its files."""

from threading import Lock
from typing import Any, Final

from libriscribe2.errors import LibriScribeError
from libriscribe2.pipeline.report import BookReport, report_of
from libriscribe2.project.paths import CANON_FILES, CHAPTER_FILES, SERIES
from libriscribe2.review.snapshot import Snapshot

_READ: Final = ("*.json", "research/*.json", CHAPTER_FILES, CANON_FILES, f"{SERIES}/*.json")
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
