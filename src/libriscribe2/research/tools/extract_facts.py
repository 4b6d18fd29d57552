"""`extract_facts`: what a source says about a question, with the words that say it."""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Self

from pydantic import ConfigDict, Field, JsonValue, model_validator

from libriscribe2.models.base import Text
from libriscribe2.models.notes import Fact, Facts
from libriscribe2.project.research_files import SavedText
from libriscribe2.prose import shorten, weigh
from libriscribe2.research.passages import windows
from libriscribe2.research.quotes import find_in_source
from libriscribe2.research.sources import in_thread, open_source, ranked
from libriscribe2.research.support import source_line
from libriscribe2.research.tool import Arguments, Tool, ToolContext
from libriscribe2.research.tool_error import ToolError

PROMPT: Final = "extract_facts"
TEXT_BUDGET: Final = 32_000
"""Characters of English that a model is shown; see `prose.weigh`."""

_BETWEEN: Final = "\n\n"
_LEFT_OUT: Final = "\n\n[\u2026]\n\n"
_BLOCK_TAG: Final = re.compile(r"<(?=\s*/?\s*source_text)", re.IGNORECASE)


class ExtractFacts(Arguments):
    """Arguments of `extract_facts`."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["source"]}, {"required": ["text"]}]}
    )

    question: Text = Field(max_length=1000, description="What the facts should help to answer")
    source: str = Field(
        "", max_length=2000, description="Id of the source, name of the author's file, or address"
    )
    text: str = Field("", max_length=200_000, description="A text, where there is no source")
    max_facts: int = Field(8, ge=1, le=20, description="Most facts to return")

    @model_validator(mode="after")
    def _something_to_read(self) -> Self:
        if not (self.source.strip() or self.text.strip()):
            raise ValueError("either `source` or `text` is needed")
        return self


@dataclass(frozen=True, slots=True)
class _Material:
    """What is read.

    Attributes:
        shown: What the model sees.
        document: The source; None for a bare text.
    """

    shown: str
    document: SavedText | None


async def extract_facts(context: ToolContext, arguments: ExtractFacts) -> JsonValue:
    """Claims whose quotes stand in the text; those whose quotes do not are counted.

    Raises:
        ToolError: 404 where there is no such source, 413 or 415 where it cannot be read.
        LibriScribeError: The model gave no usable answer.
        StorageError: The disk refuses.
    """
    if context.ask is None:
        raise ToolError(501, "no_model", "This run has no model to ask.")
    material = await _material(context, arguments)
    answer = await context.ask(
        Facts,
        PROMPT,
        question=_BLOCK_TAG.sub("\u2039", arguments.question),
        source=_named(material.document),
        text=_BLOCK_TAG.sub("\u2039", material.shown),
        most=str(arguments.max_facts),
        longest_quote=str(context.longest_quote),
    )
    facts = await in_thread(_found, material, answer.facts[: arguments.max_facts])
    return {
        "facts": facts,
        "source": material.document.source.id if material.document is not None else "",
        "not_in_the_text": min(len(answer.facts), arguments.max_facts) - len(facts),
    }


def _named(document: SavedText | None) -> str:
    """The source as a block; "" for a bare text."""
    if document is None:
        return ""
    line = _BLOCK_TAG.sub("\u2039", source_line(document.source))
    return f"\n\n<source>\n{line}\n</source>"


async def _material(context: ToolContext, arguments: ExtractFacts) -> _Material:
    if not arguments.source.strip():
        return _Material(shorten(arguments.text, TEXT_BUDGET), None)
    document = await open_source(context, arguments.source.strip())
    return _Material(await in_thread(_relevant, document, arguments.question), document)


def _relevant(document: SavedText, question: str) -> str:
    """The passages that fit a question best, in the order of the text.

    A source that fits the budget is shown whole.
    """
    if weigh(document.text) <= TEXT_BUDGET:
        return document.text
    places = list(windows(document))
    passages = [document.text[start:end] for start, end in places]
    # What a section is called says what all of its passages are about.
    about = [
        f"{document.saved.locator(start)}\n{passage}"
        for (start, _), passage in zip(places, passages, strict=True)
    ]
    kept: list[int] = []
    left = TEXT_BUDGET
    for number in ranked(about, question):
        left -= weigh(passages[number]) + len(_LEFT_OUT)
        if left < 0:
            break
        kept.append(number)
    shown = "".join(
        f"{_BETWEEN if number == before + 1 else _LEFT_OUT}{passages[number]}"
        for before, number in pairwise([-1, *sorted(kept)])
    )
    return shown.lstrip("\n") if len(passages) - 1 in kept else f"{shown}{_LEFT_OUT}".strip("\n")


def _found(material: _Material, facts: list[Fact]) -> list[Any]:
    """The facts whose quotes stand in the text, with the place."""
    document = material.document
    text = document.text if document is not None else material.shown
    kept = []
    for fact in facts:
        found = find_in_source(fact.quote, text)
        if found is not None:
            locator = document.locator(found.start) if document is not None else ""
            kept.append({"claim": fact.claim, "quote": fact.quote, "locator": locator})
    return kept


TOOL: Final = Tool(
    name="extract_facts",
    description=(
        "Have a model take the facts from a source that help to answer a question. Returns "
        "`facts`: claim (one sentence), quote (verbatim), locator; source (its id, for "
        "`save_note`); and `not_in_the_text`: how many facts were dropped because their quote "
        "is not in the text."
    ),
    arguments=ExtractFacts,
    run=extract_facts,
    needs=("research", "ask"),
)
