"""A chapter beside the notes that it cites: what a judge of its citations is shown, and finds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from libriscribe2.context.notes import cited_notes
from libriscribe2.models.citations import facts, ids_in
from libriscribe2.models.excerpts import to_json
from libriscribe2.models.findings import Finding, Place
from libriscribe2.models.notes import Note, Source
from libriscribe2.models.reviews import MOST_CITATION_ISSUES, CitationCheck, CitationIssue
from libriscribe2.prose import lines_within, shorten, without_notes
from libriscribe2.research.quotes import line_of_quote

PROMPT: Final = "citations"
NOTES_BUDGET: Final = 24_000
TEXT_BUDGET: Final = 40_000
"""A chapter of more is judged as far as that goes."""


@dataclass(frozen=True, slots=True)
class CitedChapter:
    """A chapter with what it may cite.

    Attributes:
        number: Its number.
        title: Its title.
        text: Its text with marks.
        own: Ids of the notes that are at home in it.
        notes: The notes of the book.
        sources: Their sources.
    """

    number: int
    title: str
    text: str
    own: Sequence[str]
    notes: Sequence[Note]
    sources: Sequence[Source]

    def shown(self) -> dict[str, str]:
        """What the request shows beside the book."""
        cited = set(ids_in(self.text))
        known = {note.id for note in facts(self.notes)}
        unused = [one for one in dict.fromkeys(self.own) if one in known and one not in cited]
        lines = cited_notes(self.text, self.notes, self.sources, unused)
        return {
            "chapter": to_json({"number": self.number, "title": self.title}),
            "notes": "\n".join(lines_within(lines, NOTES_BUDGET)),
            "unused": ", ".join(unused) or "none",
            "text": shorten(without_notes(self.text), TEXT_BUDGET),
            "most": str(MOST_CITATION_ISSUES),
        }

    @property
    def has_notes(self) -> bool:
        """Whether there is anything to judge its text by."""
        known = {note.id for note in facts(self.notes)}
        return not known.isdisjoint([*ids_in(self.text), *self.own])


def findings_of(told: CitationCheck, text: str, ids: Mapping[str, Note]) -> list[Finding]:
    """What a judge finds whose quotes stand in the text, as findings with their fix."""
    return [
        Finding(
            "warning" if one.kind == "uncited" else "error",
            Place(line=line, quote=one.quote),
            one.why,
            _fix(one, ids),
            "citation",
        )
        for one in told.issues[:MOST_CITATION_ISSUES]
        if (line := line_of_quote(one.quote, text)) is not None
    ]


def _fix(one: CitationIssue, ids: Mapping[str, Note]) -> str:
    note = ids.get(one.note.strip("[]@ "))
    return f"{one.fix} The mark that belongs there: [@{note.id}]." if note else one.fix
