"""What a chapter states, read from the very text that the prompt shows; and no verdicts."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from libriscribe2.llm.offline.english import sentences
from libriscribe2.llm.offline.material import Material, number_of, text_of
from libriscribe2.llm.offline.people import Person
from libriscribe2.llm.offline.story import Story

_KNOWN: Final = frozenset({"facts", "events", "exit", "threads"})
_HEADING: Final = re.compile(r"(?m)^\s*(?:#.*|[*\s]+)$")
_SPEECH: Final = re.compile(r"[\"“”]")
_HANDS: Final = re.compile(r"\b(?:held|carried|took|lifted|kept) (?:the|an?|his|her) (\w{3,})")
_ARTICLE: Final = re.compile(r"(?i)^the ")
_LONGEST_QUOTE: Final = 18
_LONGEST_ACT: Final = 7
_FEWEST_WORDS: Final = 4
_UNKNOWN_TIME: Final = {"day": None, "part": ""}


def states_canon(schema: Mapping[str, Any]) -> bool:
    """Whether a schema asks for what a chapter states, with quotes."""
    return _KNOWN.issuperset(_part(schema, "properties")) and {
        *("entity", "attribute", "quote")
    } <= item_of(schema, "facts")


def _part(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A part of a schema where it is an object; a schema may also be a bare `true`."""
    found = schema.get(key)
    return found if isinstance(found, dict) else {}


def canon_notes(story: Story, material: Material, prompt: str) -> dict[str, Any]:
    """Facts of the shown text, each with words that stand in it, in the shape of the schema.

    Args:
        story: The book.
        material: The prompt's blocks.
        prompt: The whole prompt, for the blocks that only this reply reads.
    """
    schema = material.schema or {}
    told = [one for one in sentences(_HEADING.sub("", material.text)) if _is_plain(one)]
    most = schema["properties"]["facts"].get("maxItems", 40)
    notes: dict[str, Any] = {
        "facts": [*_facts(story, material, told)][:most],
        "events": [{"what": one, "quote": _quote(one), "time": _UNKNOWN_TIME} for one in told[-1:]],
        "exit": {"people": _present(story, told), "open": []},
        "threads": [*_thread_hits(prompt, number_of(material.chapter, "number", 1), told)],
    }
    return {name: notes[name] for name in schema["properties"]}


def item_of(schema: Mapping[str, Any], name: str) -> set[str]:
    """The properties of the objects in a list of a schema; none where it has no such list."""
    part = schema
    for key in ("properties", name, "items", "properties"):
        part = _part(part, key)
    return set(part)


def judges_pairs(schema: Mapping[str, Any]) -> bool:
    """Whether a schema asks for verdicts on pairs of statements."""
    return {"number", "verdict", "reason"} <= item_of(schema, "verdicts")


def no_verdicts(material: Material) -> dict[str, Any]:
    """The only honest verdict of an author that understands nothing: every pair is unclear."""
    count = (material.schema or {})["properties"]["verdicts"].get("minItems", 1)
    return {
        "verdicts": [
            {
                "number": number,
                "verdict": "unclear",
                "earlier_quote": "",
                "later_quote": "",
                "reason": "The offline author judges nothing.",
            }
            for number in range(1, count + 1)
        ]
    }


def _facts(story: Story, material: Material, told: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What the first fitting sentence says of each person: deed, place, thing."""
    places = [_ARTICLE.sub("", text_of(card, "name")) for card in material.places]
    for person in story.cast:
        own = [one for one in told if _named(person, one)]
        for one in own[:1]:
            yield _fact(person.name, "acts", _deed(person, one), one)
        for one in own:
            where = next((place for place in places if _is_at(place, one)), None)
            if where is not None:
                yield _fact(person.name, "location", f"the {where}", one)
                break
        for one in own:
            held = _HANDS.search(one)
            if held is not None:
                yield _fact(person.name, "possession", f"has: {held[1]}", one)
                break


def _fact(entity: str, attribute: str, value: str, sentence: str) -> dict[str, Any]:
    return {
        "entity": entity,
        "attribute": attribute,
        "value": value,
        "quote": _quote(sentence),
        "scene": 1,
        "time": _UNKNOWN_TIME,
        "stance": "asserted",
    }


def _deed(person: Person, sentence: str) -> str:
    """What a sentence says after a name."""
    after = sentence.partition(person.short)[2].lstrip()
    after = after.removeprefix(person.name.partition(" ")[2])
    return " ".join(after.split()[:_LONGEST_ACT]).strip(" .,;:!?") or "is there"


def _present(story: Story, told: Sequence[str]) -> list[dict[str, str]]:
    """Who is named in the last lines."""
    end = " ".join(told[-6:])
    return [
        {"name": person.name, "place": "", "state": ""}
        for person in story.cast
        if _named(person, end)
    ]


def _thread_hits(prompt: str, number: int, told: Sequence[str]) -> Iterator[dict[str, str]]:
    """The threads whose plan names this chapter."""
    block = re.search(r"<threads>(.*?)</threads>", prompt, re.DOTALL)
    for line in block[1].splitlines() if block is not None and told else ():
        thread = _object(line)
        if thread.get("setup") == number:
            yield {"thread": str(thread.get("id")), "move": "set up", "quote": _quote(told[0])}
        if thread.get("payoff") == number:
            yield {"thread": str(thread.get("id")), "move": "paid off", "quote": _quote(told[-1])}


def _object(line: str) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _is_plain(sentence: str) -> bool:
    """Whether a sentence is narration, and long enough to be quoted."""
    return _SPEECH.search(sentence) is None and len(sentence.split()) >= _FEWEST_WORDS


def _is_at(place: str, sentence: str) -> bool:
    """Whether a sentence says that somebody is at a place."""
    there = rf"\b(?:in|at|on|into|to) (?:the )?{re.escape(place)}\b"
    return re.search(there, sentence, re.IGNORECASE) is not None


def _named(person: Person, text: str) -> bool:
    return re.search(rf"\b{re.escape(person.short)}\b", text) is not None


def _quote(sentence: str) -> str:
    """The first words of a sentence as they stand."""
    ends = [found.end() for found in re.finditer(r"\S+", sentence)]
    return sentence[: ends[min(_LONGEST_QUOTE, len(ends)) - 1]]
