"""What the calls of a run report while they go on: plain records, put into an outbox.

Whoever runs the clients owns the outbox and decides what becomes of its records.
"""

from dataclasses import dataclass
from typing import Protocol

from libriscribe2.llm.options import CallRecord
from libriscribe2.llm.retries import Wait
from libriscribe2.project.dumps import DumpRecord


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a reply that arrived.

    Attributes:
        step: Path of the work that asked.
        text: The piece.
    """

    step: str
    text: str


@dataclass(frozen=True, slots=True)
class DumpWritten:
    """A dump that was written of an attempt.

    Attributes:
        record: What the dump holds.
        name: Name of its file.
    """

    record: DumpRecord
    name: str


CallReport = CallRecord | Wait | Piece | DumpWritten
"""An answered request (a replay, too), a wait before a request leaves, a piece, or a dump."""


class Outbox(Protocol):
    """Takes the reports of all clients of a run."""

    def put(self, item: CallReport, /) -> None:
        """Take a report; it must neither wait nor raise."""
        ...


class NoOutbox:
    """An outbox that nobody reads."""

    def put(self, item: CallReport, /) -> None:
        """Nothing is kept."""


class ListOutbox(list[CallReport]):
    """An outbox that keeps every report, oldest first."""

    def put(self, item: CallReport, /) -> None:
        """Keep the report."""
        self.append(item)
