"""The reading of a chapter that was edited: what is no longer so, and what is new."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final

from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.checks.patching import changed_paragraphs
from libriscribe2.checks.text import sentences
from libriscribe2.models.excerpts import to_json
from libriscribe2.models.mending import ReadingChange
from libriscribe2.models.story_bible import (
    MOST_EVENTS,
    MOST_FACTS,
    StatedFact,
    StoryBibleFile,
    VerifiedFact,
)
from libriscribe2.prose import weigh, without_notes
from libriscribe2.research.quotes import line_of_quote

CHANGED_BUDGET: Final = 20_000
"""Most that the passages of an edit may take (`prose.weigh`); a text that differs more is read anew."""

_ALIKE: Final = 0.6


async def changed_reading(
    agent: Agent,
    unit: Unit,
    old: StoryBibleFile,
    passages: tuple[str, str],
    shown: Mapping[str, str],
) -> StoryBibleFile | None:
    """The reading of a chapter after an edit; None where too much of the text is another.

    Args:
        agent: Who asks.
        unit: Its work.
        old: The reading before the edit.
        passages: The text that was read, and the text as it is.
        shown: What the request shows besides.

    Raises:
        LibriScribeError: No usable reply came.
    """
    was, text = passages
    changed = changed_paragraphs(without_notes(was), without_notes(text))
    lines = [to_json({"old": before, "new": after}) for before, after in changed]
    if sum(map(weigh, lines)) > CHANGED_BUDGET:
        return None
    told = ReadingChange()
    if lines:
        said = {"reading": _lines(old), "changed": "\n".join(lines), **shown}
        told = await agent.ask(
            unit, ReadingChange, prompt="canon_change", part="change", limits=None, **said
        )
    gone = set(told.gone)
    kept = [one for at, one in enumerate(old.facts, start=1) if at not in gone]
    events = [one for at, one in enumerate(old.events, len(old.facts) + 1) if at not in gone]
    new = [after for _, after in changed]
    facts = verified([*_requoted(kept, text, new), *told.facts], text)
    stood = [one for one in (*events, *told.events) if line_of_quote(one.quote, text) is not None]
    return old.model_copy(
        update={
            "facts": facts[:MOST_FACTS],
            "events": stood[:MOST_EVENTS],
            "summary": told.summary.strip() or old.summary,
            "exit": told.exit if told.exit.people or told.exit.open else old.exit,
            "changes": [*old.changes, *told.changes],
        }
    )


def verified(facts: Iterable[StatedFact], text: str) -> list[VerifiedFact]:
    """The facts whose words stand in a text, each once, with the line where they do."""
    found = {
        (fact.entity, fact.attribute, fact.value): VerifiedFact(
            **(fact.model_dump() | {"line": line})
        )
        for fact in facts
        if (line := line_of_quote(fact.quote, text)) is not None
    }
    return list(found.values())


def _lines(reading: StoryBibleFile) -> str:
    """A reading as the request shows it, its statements numbered."""
    told = [{"summary": reading.summary}]
    facts = (one.model_dump(mode="json", exclude={"line", "time"}) for one in reading.facts)
    happened = (one.model_dump(mode="json", exclude={"time"}) for one in reading.events)
    numbered = ({"number": at, **one} for at, one in enumerate((*facts, *happened), start=1))
    return "\n".join(map(to_json, (*told, *numbered, reading.exit.model_dump(mode="json"))))


def _requoted(
    facts: Iterable[VerifiedFact], text: str, passages: Sequence[str]
) -> Iterable[StatedFact]:
    """Facts that still hold, with the sentence of today where their words were edited."""
    now = [one for passage in passages for one in sentences(passage)]
    for fact in facts:
        if line_of_quote(fact.quote, text) is not None:
            yield fact
        elif close := _sentence_like(fact.quote, now):
            yield fact.model_copy(update={"quote": close})


def _sentence_like(quote: str, now: Sequence[str]) -> str:
    """The sentence that has most of a quote's words; "" where none is like it."""
    size = len(quote.split())
    pieces = {
        " ".join(words[at : at + size])
        for words in (one.split() for one in now)
        for at in range(max(1, len(words) - size + 1))
    }
    return next(iter(get_close_matches(quote, sorted(pieces), n=1, cutoff=_ALIKE)), "")
