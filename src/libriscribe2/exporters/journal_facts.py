"""What a project's journal says of how the book came to be: when it began, who wrote what."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.journal import scan
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.records import Record

_CHANGES: Final = frozenset({"done", "write", "adopt", "reshaped"})
_LONG_AGO: Final = 946_684_800
"""The year 2000, for a project without a record; before 1980 a zip file has no date."""


@dataclass(frozen=True, slots=True)
class ModelShare:
    """What one model did in one stage.

    Attributes:
        stage: The stage, such as `chapters`.
        model: The model as LiteLLM spells it.
        replies: How many replies it gave.
        first: Day of the first one, such as `2026-11-22`.
        last: Day of the last one.
    """

    stage: str
    model: str
    replies: int
    first: str
    last: str


def journal_records(paths: ProjectPaths) -> tuple[Record, ...]:
    """The records of a project's journal, oldest first; none where there is no journal.

    Raises:
        StorageError: It cannot be read.
    """
    with storage_errors("read", paths.journal):
        data = paths.journal.read_bytes() if paths.journal.exists() else b""
    return scan(data).records


def identifier_of(records: Iterable[Record], otherwise: str) -> str:
    """A URN for the book, made from the beginning of its journal.

    Args:
        records: The journal, oldest first.
        otherwise: What stands for the book where there is no journal.
    """
    first = next(iter(records), None)
    start = otherwise if first is None else f"{first.get('at')} {first.get('id')}"
    return uuid5(NAMESPACE_URL, f"libriscribe2:{start}").urn


def last_change(records: Iterable[Record]) -> int:
    """When a record last told of a change of the book, in seconds since 1970."""
    days = (str(record.get("at")) for record in records if record.get("t") in _CHANGES)
    return max((_seconds(day) for day in days), default=_LONG_AGO)


def shares(records: Iterable[Record]) -> list[ModelShare]:
    """Who answered what, in the order in which the stages began."""
    steps: dict[str, str] = {}
    found: dict[tuple[str, str], ModelShare] = {}
    for record in records:
        if record.get("t") == "sent":
            steps[record["k"]] = record["step"]
        elif record.get("t") == "done" and record["k"] in steps:
            stage = steps[record["k"]].partition("/")[0]
            model, day = str(record["completion"].get("model")), str(record.get("at"))[:10]
            before = found.get((stage, model), ModelShare(stage, model, 0, day, day))
            count = before.replies + 1
            found[stage, model] = ModelShare(stage, model, count, before.first, day)
    return list(found.values())


def _seconds(moment: str) -> int:
    try:
        return max(_LONG_AGO, int(datetime.fromisoformat(moment).timestamp()))
    except ValueError:
        return _LONG_AGO
