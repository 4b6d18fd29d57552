"""What the data blocks of the prompts hold: parts of the book as text of a bounded size."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel

from libriscribe2.models.brief import Brief
from libriscribe2.models.concept import ConceptModel
from libriscribe2.models.scenes import ScenePlan
from libriscribe2.models.story import Character, OutlineChapter
from libriscribe2.prose import shorten, weigh

# Most that each block takes, in the measure of `text_budget`: whatever an author or a model
# writes into a field, a prompt stays under its limit.
PREMISE_BUDGET: Final = 3_000
LINE_BUDGET: Final = 200
CONCEPT_BUDGET: Final = 3_000
CHAPTER_BUDGET: Final = 1_600
SCENE_BUDGET: Final = 800
FIELD_BUDGET: Final = 160
CAST_BUDGET: Final = 24
LIST_BUDGET: Final = 8

_TOLD_IN_FULL: Final = frozenset({"summary", "goal", "conflict", "outcome", "place"})


def to_json(value: BaseModel | Mapping[str, Any] | Sequence[Any]) -> str:
    """A value as readable JSON in one line; empty fields of a model are left out."""
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    if isinstance(plain, Mapping):
        plain = {key: field for key, field in plain.items() if field not in ("", [], None)}
    return json.dumps(plain, ensure_ascii=False)


def premise_block(brief: Brief, budget: int = PREMISE_BUDGET) -> str:
    """The premise; a very long one is cut."""
    return shorten(brief.premise, budget)


def book_lines(brief: Brief) -> str:
    """The brief as `key: value` lines."""
    fields = {
        "title": brief.title,
        "kind": brief.kind,
        "category": brief.category,
        "genre": brief.genre,
        "audience": brief.audience,
        "language": brief.language,
        "tone": brief.tone,
    }
    shown = {key: shorten(value, LINE_BUDGET) for key, value in fields.items()}
    return "\n".join(f"{key}: {value}" for key, value in shown.items() if value)


def concept_block(concept: ConceptModel) -> str:
    """The concept as the prompts show it."""
    fields = concept.model_dump()
    return to_json({name: shorten(text, CONCEPT_BUDGET) for name, text in fields.items()})


def chapter_block(chapter: OutlineChapter, number: int, of: int) -> str:
    """A chapter of the outline as the prompts show it."""
    fields = chapter.model_dump(mode="json")
    told = {
        "title": shorten(fields.pop("title"), LINE_BUDGET),
        "summary": shorten(fields.pop("summary"), CHAPTER_BUDGET),
    }
    contract = {name: _brief(value, LIST_BUDGET) for name, value in fields.items()}
    return to_json({"number": number, "of": of, **told, **_without_zero(contract)})


def scene_block(plan: ScenePlan, number: int, of: int) -> str:
    """A scene's plan as the prompts show it."""
    told: dict[str, Any] = {}
    for name, value in plan.model_dump(mode="json").items():
        if name in _TOLD_IN_FULL:
            told[name] = shorten(value, SCENE_BUDGET)
        else:
            told[name] = _brief(value, CAST_BUDGET if name == "characters" else LIST_BUDGET)
    return to_json({"number": number, "of": of, **_without_zero(told)})


def _brief(value: Any, most: int) -> Any:
    """A field of a plan that has to be short: a text, or a list of at most so many."""
    if isinstance(value, str):
        return shorten(value, FIELD_BUDGET)
    return (
        [shorten(one, FIELD_BUDGET) for one in value[:most]] if isinstance(value, list) else value
    )


def _without_zero(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a plan; a length of nothing means that none was given."""
    return {name: value for name, value in fields.items() if name != "target_words" or value}


def cards(entries: Iterable[BaseModel], fields: Sequence[str], budget: int) -> str:
    """Entries as a JSON list that keeps to a budget.

    Args:
        entries: What to list, the most important first.
        fields: Names of the fields to show, the most important first.
        budget: The last fields go first, then the last entries.
    """
    rows = [entry.model_dump(mode="json") for entry in entries]
    for shown in range(len(fields), 0, -1):
        text = _rows(rows, fields[:shown])
        if weigh(text) <= budget:
            return text
    while rows and weigh(text := _rows(rows, fields[:1])) > budget:
        rows = rows[: len(rows) * budget // (weigh(text) + budget // 8 + 1)]
    return _rows(rows, fields[:1])


def cast_of(plan: ScenePlan, cast: Sequence[Character]) -> list[Character]:
    """The characters that a scene's plan names, by their full name or by a part of it.

    A part that fits several people means none of them.
    """
    names = [set(name.casefold().split()) for name in plan.characters]
    by_name = {person.name: set(person.name.casefold().split()) for person in cast}
    meant = set()
    for words in names:
        fits = [name for name, own in by_name.items() if words == own] or [
            name for name, own in by_name.items() if words and words <= own
        ]
        meant.update(fits if len(fits) == 1 else [])
    return [person for person in cast if person.name in meant]


def _rows(rows: Iterable[Mapping[str, Any]], fields: Sequence[str]) -> str:
    """The chosen fields of each row, empty ones left out."""
    chosen = [{name: row[name] for name in fields if row[name]} for row in rows]
    return json.dumps(chosen, ensure_ascii=False)
