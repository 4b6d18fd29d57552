"""The coverage of a book of facts: what became of its questions, sources and notes."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from libriscribe2.checks.report.coverage import Coverage, coverage_of
from libriscribe2.desk.snapshot import Snapshot
from libriscribe2.errors import LibriScribeError
from libriscribe2.models.citations import MARK

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
