"""The offline author: a backend without a model, for demonstrations and for tests.

It fills JSON Schemas and composes prose about the premise from a stock of phrases. Every reply is
a pure function of the request's messages, schema and generation: no clock, no locale, no random
state, so that a book comes out the same on every machine.
"""

import json
import re
from collections.abc import AsyncIterator
from typing import Any, Final

from libriscribe2.llm.backend import Completion, Request, Usage
from libriscribe2.llm.offline.canon_notes import (
    canon_notes,
    judges_pairs,
    no_verdicts,
    states_canon,
)
from libriscribe2.llm.offline.chains import chain_answer
from libriscribe2.llm.offline.continuing import continued, text_to_continue
from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.draft import Writer, compose
from libriscribe2.llm.offline.english import count_words
from libriscribe2.llm.offline.essay import EssayWriter
from libriscribe2.llm.offline.filler import Filler
from libriscribe2.llm.offline.material import Material, read_material
from libriscribe2.llm.offline.notes import NoteWriter
from libriscribe2.llm.offline.openings import reopened
from libriscribe2.llm.offline.reading_notes import (
    book_reading,
    chapter_reading,
    reads_book,
    reads_chapter,
)
from libriscribe2.llm.offline.revising import criticises, critique, mends, patches
from libriscribe2.llm.offline.scene import SceneWriter
from libriscribe2.llm.offline.spot import Spot
from libriscribe2.llm.offline.story import Story, read_story
from libriscribe2.llm.offline.style_notes import states_style, style_notes
from libriscribe2.llm.offline.values import Values
from libriscribe2.llm.offline.wrapping import as_json

MODEL: Final = "offline"
"""The name under which the offline author answers."""

DEFAULT_WORDS: Final = 120
"""Length of a prose reply where the prompt asks for none."""

_PIECES = re.compile(r"\s*(?:\S+\s*){1,4}")
_NOTE = re.compile(
    r"\b(summar\w*|critici[sz]e|critique|review|feedback|weakness\w*)\b", re.IGNORECASE
)
_TITLE = re.compile(r"\btitles?\b", re.IGNORECASE)
_THOUGHT = (
    "The schema is clear. I keep to the names that are given and fill the rest from the premise."
)


class OfflineAuthor:
    """A `Backend` that needs no model, no key and no network."""

    async def complete(self, request: Request) -> Completion:
        """Answer a request; the same request always gets the same answer."""
        reply = answer(request)
        asked = sum(count_words(str(message.get("content") or "")) for message in request.messages)
        return Completion(
            reply=reply,
            reasoning=_THOUGHT if _dice(request, "reasoning").chance(10) else None,
            finish_reason="stop",
            usage=Usage(_tokens(asked), _tokens(count_words(reply)), known=True),
            cost_usd=0.0,
            model=MODEL,
        )

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """Answer a request a few words at a time; the pieces join to the reply."""
        completion = await self.complete(request)
        for piece in _PIECES.findall(completion.reply):
            yield piece
        yield completion


def answer(request: Request) -> str:
    """The text of the reply to a request."""
    material = read_material(request)
    story = read_story(material)
    dice = _dice(request, "reply")
    chained = chain_answer(request)
    if chained is not None:
        return as_json(chained, _dice(request, "wrapping"))
    if material.schema is not None:
        value = _value(story, material, dice, request)
        return as_json(value, _dice(request, "wrapping"))
    if material.sections:
        return _sections(story, material, dice)
    if material.words is None and _TITLE.search(material.instruction):
        return Values(story, material, dice).text(Spot("title"))
    writer = _writer(story, material, dice)
    if material.opening:
        return reopened(writer, material.opening, (material.text_before, material.text_after))
    words = DEFAULT_WORDS if material.words is None else material.words
    written = text_to_continue(_prompt(request))
    if written:
        return continued(writer, words, written)
    return compose(writer, words, known=(material.text_before,))


def _writer(story: Story, material: Material, dice: Dice) -> Writer:
    """Who writes what the instruction asks for."""
    asked = _NOTE.search(material.instruction)
    if asked is not None and not material.scene:
        bank = "remark" if asked[1].lower().startswith("summar") else "critique"
        return NoteWriter(story, material, dice, bank)
    return (
        SceneWriter(story, material, dice) if story.fiction else EssayWriter(story, material, dice)
    )


def _sections(story: Story, material: Material, dice: Dice) -> str:
    """A reply under the `[Name]` headings that the instruction lists."""
    names = material.sections
    words = max(20, (material.words or DEFAULT_WORDS) // len(names))
    said: list[str] = []
    for _ in names:
        said.append(compose(NoteWriter(story, material, dice, "critique"), words, known=said))
    return "\n\n".join(f"[{name}]\n{text}" for name, text in zip(names, said, strict=True))


def _value(story: Story, material: Material, dice: Dice, request: Request) -> Any:
    """The value of a structured reply."""
    schema = material.schema or {}
    if states_canon(schema):
        return canon_notes(story, material, _prompt(request))
    if reads_chapter(schema):
        return chapter_reading(material)
    if reads_book(schema):
        return book_reading(material, _prompt(request))
    if states_style(schema):
        return style_notes(_prompt(request))
    if criticises(schema):
        return critique(material.text)
    if mends(schema):
        return patches(_prompt(request), _writer(story, material, dice).filler)
    if judges_pairs(schema):
        return no_verdicts(material)
    return Filler(schema, Values(story, material, dice), dice).fill()


def _prompt(request: Request) -> str:
    """What the user's turns say."""
    turns = (message for message in request.messages if message.get("role") == "user")
    return "\n".join(str(message.get("content") or "") for message in turns)


def _dice(request: Request, use: str) -> Dice:
    """Chance that depends on what is asked, and not on who asks or when."""
    messages = [[m.get("role"), m.get("content")] for m in request.messages]
    asked = json.dumps([messages, request.schema], sort_keys=True, ensure_ascii=False)
    return Dice(asked, request.generation, use)


def _tokens(words: int) -> int:
    """Tokens of so many English words: about four for three."""
    return words * 4 // 3
