"""The stand-in author: a backend without a model, for demonstrations, forecasts and tests.

Every reply is a pure function of the request's messages, schema and generation, so that a book
comes out the same on every machine.
"""

import json
import re
from collections.abc import AsyncIterator, Sequence
from itertools import chain
from typing import Any, Final

from libriscribe2.llm.backend import Completion, Request, Usage
from libriscribe2.llm.backends.demo_values import (
    Asked,
    Dice,
    Prose,
    Table,
    Values,
    item_count,
    sentences,
)

_DEEP: Final = 8
"""Below this depth only what is required is filled, so that recursive schemas end."""


class Filler:
    """Makes a value that fits a schema, with what the values know: types, counts, references."""

    def __init__(self, schema: Table, values: Values) -> None:
        self._root = schema
        self._values = values

    def fill(self) -> Any:
        """A value for the whole schema."""
        return self._value(self._root, "", 0, self._values.book(), 0)

    def _value(self, schema: Any, key: str, depth: int, known: Any, index: int) -> Any:
        """A value for the field `key`, or the item at `index` of a list: what is known if it fits."""
        plain = self._resolved(schema)
        options = [plain["const"]] if "const" in plain else plain.get("enum")
        if options is not None:
            likely = [one for one in options if one != ""] or options
            return known if known in options else likely[index % len(likely)]
        kind = plain.get("type", "object" if "properties" in plain else "string")
        match kind if isinstance(kind, str) else kind[0]:
            case "object":
                return self._object(plain, depth, known if isinstance(known, dict) else {}, index)
            case "array":
                return self._array(plain, key, depth, known)
            case "integer" | "number":
                wanted = (
                    known
                    if isinstance(known, int)
                    else index + (key in {"number", "question", "beat"})
                )
                return min(max(wanted, plain.get("minimum", 0)), plain.get("maximum", 10**6))
            case "boolean":
                return bool(known)
            case "null":
                return None
            case _:
                text = known if isinstance(known, str) else self._values.text(key)
                return _text_within(plain, text)

    def _object(self, schema: Table, depth: int, known: Table, index: int) -> dict[str, Any]:
        required, parts = schema.get("required", ()), dict(schema.get("properties", {}))
        for name in required:
            parts.setdefault(name, schema.get("additionalProperties") or {})
        found = {}
        for name, part in parts.items():
            if name in required or depth < _DEEP:
                is_null = "anyOf" in part and name in known and known[name] is None
                value = self._value(part, name, depth + 1, known.get(name), index)
                found[name] = None if is_null else value
        return found

    def _array(self, schema: Table, key: str, depth: int, known: Any) -> list[Any]:
        low, high = int(schema.get("minItems", 0)), schema.get("maxItems")
        count, items = item_count(schema), self._resolved(schema.get("items", {}))
        rows = known if isinstance(known, list) else None
        if rows is None and "properties" in items:
            rows = self._values.rows(key, count)
        if rows is not None:
            count = max(low, len(rows[:high]))
        given = [*(rows or ()), *([None] * count)][: low if depth > _DEEP else count]
        return [self._value(items, key, depth + 1, one, at) for at, one in enumerate(given)]

    def _resolved(self, schema: Any) -> Table:
        """A schema without references, with one branch of its choices taken."""
        plain = dict(schema) if isinstance(schema, dict) else {}
        for _ in range(20):
            if "$ref" in plain:
                plain = {**self._target(str(plain.pop("$ref"))), **plain}
            elif choice := next((key for key in ("anyOf", "oneOf", "allOf") if key in plain), ""):
                options = [one for one in plain.pop(choice) if one != {"type": "null"}]
                plain = {**plain, **(options or [{"type": "null"}])[0]}
        return plain

    def _target(self, reference: str) -> Table:
        """What a `#/...` reference points to; an empty schema where it points outside."""
        part: Any = self._root
        for name in reference.removeprefix("#/").split("/"):
            part = part.get(name, {}) if isinstance(part, dict) else {}
        return part if isinstance(part, dict) else {}


def _text_within(schema: Table, text: str) -> str:
    """A text of the length that a schema wants."""
    low = int(schema.get("minLength", 0))
    high = int(schema.get("maxLength", max(low, len(text))))
    if len(text) > high:
        text = text[: high + 1].rpartition(" ")[0].rstrip(" ,;:") or text[:high]
    while len(text) < low:
        text = f"{text or 'It'} goes on."[:high]
    return text


_PIECES: Final = re.compile(r"\s*(?:\S+\s*){1,4}")
_FACT: Final = re.compile(r'(\[@n-[0-9a-f]{12}\]) (.+) \(quote: "')
_SECTIONS: Final = re.compile(r"into these sections: (\[[^.\n]+\])\.")
_ANSWER_WORDS: Final = 30
_MOST_FACTS: Final = 2
_MOST_FILES: Final = 5
_THOUGHT: Final = "The reply has to fit the schema. I keep the names that are given."


class DemoAuthor:
    """A `Backend` that needs no model, no key and no network."""

    async def complete(self, request: Request) -> Completion:
        """Answer a request; the same request always gets the same answer."""
        reply = answer(request)
        told = sum(len(str(message.get("content") or "").split()) for message in request.messages)
        return Completion(
            reply=reply,
            reasoning=None if Dice(reply, "reasoning").below(10) else _THOUGHT,
            # About four tokens for three English words.
            usage=Usage(told * 4 // 3, len(reply.split()) * 4 // 3, known=True),
            cost_usd=0.0,
            model=request.model,
        )

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """Answer a request a few words at a time; the pieces join to the reply."""
        completion = await self.complete(request)
        for piece in _PIECES.findall(completion.reply):
            yield piece
        yield completion


def answer(request: Request) -> str:
    """The text of the reply to a request."""
    asked = Asked(request)
    if asked.schema is None and (found := _SECTIONS.search(asked.question)):
        first, *others = found[1].split(", ")
        said = Prose(Dice(asked.seed), asked.cast()).text(_ANSWER_WORDS)
        return "\n\n".join([f"{first}\n{said}", *(f"{one}\n-" for one in others)])
    if asked.schema is None:
        return _text(asked)
    if "<tools>" in asked.question and "step_id" in asked.question:
        value: Any = _plan(asked.block("request"), asked.block("tools"))
    elif "provide_parameters" in asked.question:
        data = [asked.table("data")]
        value = {name: _under(name.casefold(), data) for name in asked.schema.get("properties", {})}
    else:
        value = Filler(asked.schema, Values(asked)).fill()
    return wrapped(value, Dice(asked.seed, "wrapping"))


def _text(asked: Asked) -> str:
    """A scene or section, more of one, another opening, or a record of a text."""
    scene, chapter = asked.table("scene"), asked.table("chapter")
    listed = [*(scene.get("characters") or []), chapter.get("pov")]
    people = [one for one in listed if isinstance(one, str) and one]
    prose = Prose(Dice(asked.seed), people or (asked.cast() if asked.fiction else ()))
    opening = asked.block("opening")
    if opening:
        first = sentences(opening)[0]
        is_free = opening.startswith(first) and not set(first) & {"[", "\u201c"}
        return prose.sentence(len(first.split())) + opening[len(first) :] if is_free else opening
    if asked.block("text") and not scene:
        said = " ".join([str(chapter.get("summary") or ""), *asked.quotes]).split()
        return " ".join([*said[: asked.words - 3], prose.text(max(3, asked.words - len(said)))])
    if asked.block("written"):
        return prose.text(asked.words)
    facts, before = _FACT.findall(asked.block("notes")), asked.block("text_before")
    new = [f"{said.rstrip('. ')} {mark}." for mark, said in facts if mark not in before]
    return prose.text(asked.words, str(scene.get("summary") or ""), new[:_MOST_FACTS])


def wrapped(value: Any, dice: Dice) -> str:
    """A JSON value as models send it: three times in four bare, else with something around it."""
    bare = json.dumps(value, ensure_ascii=False, indent=None if dice.below(2) else 2)
    if dice.below(4):
        return bare
    fenced = f"```json\n{bare}\n```"
    forms = (
        fenced,
        f"```\n{bare}\n```",
        f"Sure. This follows the schema:\n\n{fenced}",
        f"Here is the JSON that you asked for:\n\n{bare}",
        f"{fenced}\n\nLet me know if you would like anything changed.",
        f"<think>\n{_THOUGHT}\n</think>\n\n{bare}",
        f"{bare[:-1].rstrip()},\n{bare[-1]}" if re.search(r"[^\[{\s]\s*[\]}]\Z", bare) else bare,
    )
    return dice.pick(forms)


def _under(name: str, level: Sequence[Any]) -> Any:
    """The first value under a name, the outermost first; None where there is none."""
    while level:
        held = [pair for one in level if isinstance(one, dict) for pair in one.items()]
        for key, value in held:
            if key.casefold() == name:
                return value
        level = [*(v for _, v in held), *chain(*(one for one in level if isinstance(one, list)))]
    return None


def _plan(request: str, tools: str) -> dict[str, Any]:
    """A search; then every place is opened, its facts are taken, and these are saved."""
    asked, _, listed = request.partition("own files")
    asked = asked.replace("{{", "{ {")  # no reference to a result
    questions = re.findall(r"(?m)^\d+\. (.+)$", asked)[:6] or [asked]
    found = re.findall(r"(?m)^- (.+)$", listed)[:_MOST_FILES]
    places = [("read_source", {"source": one}) for one in found if '"read_source"' in tools]
    is_web = not places and '"fetch_page"' in tools
    if is_web:
        urls = (f"{{{{step-1.response.results[{at}].url}}}}" for at in range(2))
        places = [("fetch_page", {"url": url}) for url in urls]
    query = {"query": " ".join(questions[0].split())[:200]}
    steps = [_step(1, "web_search" if is_web else "search_sources", query)]
    for place, (tool, where) in enumerate(places):
        own = {"question": (" ".join(questions[place :: len(places)]) or questions[0])[:900]}
        at = 3 * place + 2
        steps += [_step(at, tool, where, 1 if is_web else 0)]
        steps += [_step(at + 1, "extract_facts", own, at), _step(at + 2, "save_note", {}, at + 1)]
    return {"plan_id": "look-up", "steps": steps}


def _step(number: int, tool: str, parameters: dict[str, str], after: int = 0) -> dict[str, Any]:
    """A step of a plan, which needs the one with the number `after`; 0 for none."""
    return {
        "step_id": f"step-{number}",
        "agent_name": tool,
        "instruction": f"Use {tool} for the next part of the answer.",
        "depends_on": [f"step-{after}"] if after else [],
        "metadata": {"parameters": parameters},
    }
