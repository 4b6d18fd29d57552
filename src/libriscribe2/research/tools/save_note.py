"""`save_note`: a fact with its quote, which code looks up in the source."""

import hashlib
from typing import Any, Final, Self

from pydantic import ConfigDict, Field, JsonValue, model_validator

from libriscribe2.models.base import Text
from libriscribe2.models.notes import LONGEST_QUOTE, Fact, Note
from libriscribe2.project.research_files import SavedText
from libriscribe2.research.quotes import find_in_source
from libriscribe2.research.sources import in_thread, open_source
from libriscribe2.research.support import quote_length_fault
from libriscribe2.research.tool import Arguments, Tool, ToolContext

NOT_FOUND: Final = "the quote is not in the saved text of the source"
TEXT_CHANGED: Final = "the saved text of the source was changed after it was read"


class SaveNote(Arguments):
    """Arguments of `save_note`."""

    model_config = ConfigDict(
        json_schema_extra={"dependentRequired": {"claim": ["quote"], "quote": ["claim"]}}
    )

    source: Text = Field(
        max_length=2000, description="Id of the source, name of the author's file, or address"
    )
    claim: str = Field("", max_length=2000, description="The fact, in one sentence")
    quote: str = Field(
        "", max_length=5000, description="The words of the source that state it, verbatim"
    )
    locator: str = Field(
        "", max_length=300, description="Where the quote stands, such as `page 12`; may be empty"
    )
    facts: list[Fact] = Field(
        default_factory=list,
        max_length=50,
        description="Several facts at once, as `extract_facts` returns them",
    )

    @model_validator(mode="after")
    def _something_to_save(self) -> Self:
        if bool(self.claim.strip()) != bool(self.quote.strip()):
            raise ValueError("`claim` and `quote` go together")
        return self


async def save_note(context: ToolContext, arguments: SaveNote) -> JsonValue:
    """The notes, each verified or with the reason why it is not.

    An empty list of facts makes no note: a source may have nothing to say.

    Raises:
        ToolError: 404 where there is no such source, 413 or 415 where it cannot be read.
        StorageError: The disk refuses.
    """
    document = await open_source(context, arguments.source)
    facts = list(arguments.facts)
    if arguments.claim.strip():
        facts.insert(0, Fact(claim=arguments.claim, quote=arguments.quote))
    notes = await in_thread(_notes, document, facts, arguments.locator, context)
    unique = {note.id: note for note in notes}
    kept: list[Any] = [note.model_dump(mode="json") for note in unique.values()]
    return {
        "notes": kept,
        "saved": len(kept),
        "verified": sum(note.verified for note in unique.values()),
    }


def note_of(
    document: SavedText,
    fact: Fact,
    *,
    locator: str = "",
    step: str = "",
    longest: int = LONGEST_QUOTE,
) -> Note:
    """A note; its quote is looked up in the saved text, and its place is the place found there.

    Args:
        document: The source.
        fact: Claim and quote.
        locator: Where the quote is said to stand; counts only where it is not found.
        step: The step that takes the note.
        longest: Most words of a quote.
    """
    found = find_in_source(fact.quote, document.text) if document.whole else None
    reason = "" if found else (NOT_FOUND if document.whole else TEXT_CHANGED)
    unfit = quote_length_fault(fact.quote, longest) if found else ""
    return Note(
        id=_note_id(fact, document.source.id),
        claim=fact.claim,
        quote=fact.quote,
        source=document.source.id,
        locator=document.locator(found.start) if found else locator,
        date=document.source.retrieved,
        verified=found is not None,
        supported="no" if unfit else "",
        reason=unfit or reason,
        step=step,
    )


def _notes(
    document: SavedText, facts: list[Fact], locator: str, context: ToolContext
) -> list[Note]:
    step, longest = context.step, context.longest_quote
    return [note_of(document, one, locator=locator, step=step, longest=longest) for one in facts]


def _note_id(fact: Fact, source: str) -> str:
    words = f"{source}\n{fact.claim}\n{fact.quote}"
    return f"n-{hashlib.sha256(words.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


TOOL: Final = Tool(
    name="save_note",
    description=(
        "Save facts as notes for the book: one with claim and quote, or several with facts. The "
        "quote has to stand in the source word for word; otherwise the note is kept as unverified "
        "and not used as a fact. Returns `notes` (id, claim, quote, source, locator, date, "
        "verified, reason), `saved` and `verified` (how many)."
    ),
    arguments=SaveNote,
    run=save_note,
    needs=("research",),
)
