"""Excerpts of plans for prompts, and what the author gave that outranks a model."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any, Final, TypeVar

from pydantic import BaseModel, Field

from libriscribe2.models.base import Label, Names, Prose, Shape, many
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import Tension, kind_of, names_its_kind
from libriscribe2.models.story import (
    Character,
    CharactersFile,
    ConceptModel,
    Entry,
    OutlineChapter,
    OutlineFile,
    PlannedChapter,
    ScenePlan,
    SectionPlan,
    WorldFile,
)
from libriscribe2.models.story_bible import Thread
from libriscribe2.prose import lines_within, shorten, weigh

# Most that each block takes, in the measure of `prose.weigh`: whatever an author or a model
# writes into a field, a prompt stays under its limit.
PREMISE_BUDGET: Final = 3_000
LINE_BUDGET: Final = 200
RULE_BUDGET: Final = 600
CONCEPT_BUDGET: Final = 3_000
CHAPTER_BUDGET: Final = 1_600
SCENE_BUDGET: Final = 800
FIELD_BUDGET: Final = 500
LIST_BUDGET: Final = 24
IDS_BUDGET: Final = 12_000

_IDS: Final = frozenset({"plants", "payoffs", "reveals"})

_TOLD_IN_FULL: Final = frozenset({"summary", "goal", "conflict", "outcome", "place"})


def to_json(value: BaseModel | Mapping[str, Any] | Sequence[Any]) -> str:
    """A value as readable JSON in one line; empty fields of a model are left out."""
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    if isinstance(plain, Mapping):
        plain = {key: field for key, field in plain.items() if field not in ("", [], None)}
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


def premise_block(brief: Brief, budget: int = PREMISE_BUDGET) -> str:
    """The premise; a very long one is cut."""
    return shorten(brief.premise, budget)


def book_lines(brief: Brief) -> str:
    """The brief as `key: value` lines; a category that names the other kind is none."""
    is_other = names_its_kind(brief.category) and kind_of(brief.category) != brief.kind
    fields = {
        "title": brief.title,
        "kind": brief.kind,
        "category": "" if is_other else brief.category,
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


def rule_lines(world: WorldFile, *, terms: bool = False) -> list[str]:
    """The rules of a world, and its terms, a line each."""
    named = [f"- {one.name}: {one.description}" for one in world.terms] if terms else []
    return [*(f"- {shorten(rule, RULE_BUDGET)}" for rule in world.rules), *named]


def world_lines(world: WorldFile, budget: int) -> str:
    """What holds in the world beside its places: rules, overview, terms; the last go first."""
    rules = rule_lines(world)
    terms = rule_lines(world, terms=True)[len(rules) :]
    lines = [*(["Rules that hold without exception:", *rules] if rules else []), world.overview]
    lines += ["Terms:", *terms] if terms else []
    return "\n".join(lines_within(lines, budget))


def chapter_block(chapter: OutlineChapter, number: int, of: int) -> str:
    """A chapter of the outline as the prompts show it."""
    fields = chapter.model_dump(mode="json")
    told = {
        "title": shorten(fields.pop("title"), LINE_BUDGET),
        "summary": shorten(fields.pop("summary"), CHAPTER_BUDGET),
    }
    contract = {name: _brief(name, value) for name, value in fields.items()}
    return to_json({"number": number, "of": of, **told, **_without_zero(contract)})


def scene_block(plan: ScenePlan, number: int, of: int) -> str:
    """A scene's plan as the prompts show it."""
    return to_json(scene_record(plan, number, of))


def scene_record(plan: ScenePlan, number: int, of: int) -> dict[str, Any]:
    """The fields of a scene's plan that prompts show, shortened."""
    told: dict[str, Any] = {}
    for name, value in plan.model_dump(mode="json").items():
        if name in _TOLD_IN_FULL:
            told[name] = shorten(value, SCENE_BUDGET)
        else:
            told[name] = _brief(name, value)
    return {"number": number, "of": of, **_without_zero(told)}


def _brief(name: str, value: Any) -> Any:
    """A field of a plan that has to be short: a text, or a list; ids have room, not a number."""
    if isinstance(value, str):
        return shorten(value, FIELD_BUDGET)
    if not isinstance(value, list):
        return value
    if any(isinstance(one, dict) for one in value):
        return [
            {part: _brief(part, told) for part, told in one.items()} for one in value[:LIST_BUDGET]
        ]
    short = [shorten(one, FIELD_BUDGET) for one in value]
    return lines_within(short, IDS_BUDGET) if name in _IDS else short[:LIST_BUDGET]


def _without_zero(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a plan; a length of nothing means that none was given."""
    return {name: value for name, value in fields.items() if name != "target_words" or value}


def cards(entries: Iterable[BaseModel], fields: Sequence[str], budget: int) -> str:
    """Entries as a JSON list that keeps to a budget.

    Args:
        entries: What to list, the most important first.
        fields: Names of the fields to show, the most important first.
        budget: The last fields go first, those of the last entries before others, then entries.
    """
    rows = [entry.model_dump(mode="json") for entry in entries]
    while rows and weigh(text := _rows(rows, fields[:1])) > budget:
        rows = rows[: len(rows) * budget // (weigh(text) + budget // 8 + 1)]
    kept = [{fields[0]: row[fields[0]]} for row in rows]
    left = budget - weigh(_rows(kept, fields[:1]))
    for name, (row, own) in product(fields[1:], list(zip(rows, kept, strict=True))):
        size = weigh(_rows([{name: row[name]}], [name])) - 3 if row[name] else 0
        if size <= left:
            own[name], left = row[name], left - size
    return _rows(kept, fields)


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
    chosen = [{name: row[name] for name in fields if row.get(name)} for row in rows]
    return json.dumps(chosen, ensure_ascii=False, separators=(",", ":"))


NamedT = TypeVar("NamedT", Character, Entry)

GIVEN_CAST_BUDGET: Final = 6_000
WORLD_BUDGET: Final = 4_000
_FIELDS: Final = (
    *("name", "role", "appearance", "personality", "background", "relationships", "age"),
)


def given_cast(cast: Sequence[Character]) -> str:
    """The people of the book before as a block of a prompt; "" where there are none."""
    if not cast:
        return ""
    return given_text(
        cards(cast, _FIELDS, GIVEN_CAST_BUDGET),
        "These people come from the book before this one. Keep them, under these very names and "
        "as they are; say what they want now and what has become of them.",
    )


def given_world(world: WorldFile | None) -> str:
    """The world of the book before as a block of a prompt; "" where there is none."""
    if world is None:
        return ""
    entries = [*world.places, *world.terms]
    shown = cards(entries, ("name", "description"), WORLD_BUDGET)
    rules = to_json({"rules": world.rules[:24]}) if world.rules else ""
    return given_text(
        f"{shown}\n{rules}".strip(),
        "This world comes from the book before this one. Keep its names and its rules.",
    )


def with_given_cast(made: CharactersFile, given: Sequence[Character]) -> CharactersFile:
    """A cast in which everybody who was given is there under the same name.

    A short form of a given name means that person; who is missing joins as they were.
    """
    named = [_as_given(one, given) for one in made.characters]
    return CharactersFile(characters=each_once([*named, *given]))


def with_given_world(made: WorldFile, given: WorldFile | None) -> WorldFile:
    """A world that holds all that was given."""
    if given is None:
        return made
    return made.model_copy(
        update={
            "places": each_once([*made.places, *given.places]),
            "terms": each_once([*made.terms, *given.terms]),
            "rules": list(dict.fromkeys([*given.rules, *made.rules])),
        }
    )


def _as_given(person: Character, given: Sequence[Character]) -> Character:
    """A person under the given name that theirs is a part of, where only one is."""
    own = set(person.name.casefold().split())
    fits = [one.name for one in given if own <= set(one.name.casefold().split())]
    return person.model_copy(update={"name": fits[0]}) if len(fits) == 1 else person


def each_once(entries: Iterable[NamedT]) -> list[NamedT]:
    """The first of each name."""
    kept: dict[str, NamedT] = {}
    for one in entries:
        kept.setdefault(one.name.casefold(), one)
    return list(kept.values())


def given_text(text: str, what: str) -> str:
    """What a book was given, and what is to become of it, as a part of a prompt."""
    return f"\n\n<given>\n{text}\n</given>\n\n{what}"


MOST_CHAPTERS: Final = 24
"""Most chapters of an outline that are shown at once."""

_AROUND: Final = 2
_SUMMARY_BUDGET: Final = 400
_STATE_BUDGET: Final = 120
_IDS_BUDGET: Final = 4_000


class MendedChapter(Shape):
    """A chapter of an outline as it should be; what is empty stays as it is."""

    number: int = Field(ge=1, description="The chapter's number")
    summary: Prose = Field("", description="Only where it has to change")
    entry_state: Prose = ""
    exit_state: Prose = ""
    tension: Tension = None
    plants: Names = many("All ids that belong there")
    payoffs: Names = many("All ids that belong there")
    story_time: Label = ""


class MendedChapterOfFacts(Shape):
    """A chapter of a book of facts as it should be; what is empty stays as it is."""

    number: int = Field(ge=1, description="The chapter's number")
    summary: Prose = Field("", description="Only where it has to change")
    entry_state: Prose = ""
    exit_state: Prose = ""
    plants: Names = many("All ids and terms that belong there")
    payoffs: Names = many("All ids and terms that belong there")


class MendedOutlineOfFacts(Shape):
    """What changes in the outline of a book of facts."""

    chapters: list[MendedChapterOfFacts] = many("Only the chapters that change")


class MendedOutline(Shape):
    """What changes in an outline."""

    threads: list[Thread] = many("All threads as they should be; none if they stay")
    chapters: list[MendedChapter] = many("Only the chapters that change")

    def applied_to(self, outline: OutlineFile) -> OutlineFile:
        """The outline with what changes; a chapter that it does not have is left out."""
        chapters = list(outline.chapters)
        for one in self.chapters:
            if one.number <= len(chapters):
                chapters[one.number - 1] = _mended(chapters[one.number - 1], one)
        threads = self.threads or outline.threads
        return outline.model_copy(update={"chapters": chapters, "threads": threads})


def outline_lines(outline: OutlineFile, around: Iterable[int]) -> str:
    """The chapters of an outline that matter for some of them, one line of JSON each.

    Args:
        outline: The outline.
        around: Numbers of chapters; 0 stands for the whole book. The chapters beside them are
            shown too, at most `MOST_CHAPTERS` in all.
    """
    wanted = sorted(set(around))
    whole = len(outline.chapters) <= MOST_CHAPTERS or 0 in wanted
    near = {number + step for number in wanted for step in range(-_AROUND, _AROUND + 1)}
    numbers = [n for n in range(1, len(outline.chapters) + 1) if whole or n in near]
    return "\n".join(_line(outline.chapters[n - 1], n) for n in numbers[:MOST_CHAPTERS])


def _line(chapter: OutlineChapter, number: int) -> str:
    """What the rules over a plan look at in a chapter."""
    return to_json(
        {
            "number": number,
            "title": shorten(chapter.title, _STATE_BUDGET),
            "summary": shorten(chapter.summary, _SUMMARY_BUDGET),
            "entry_state": shorten(chapter.entry_state, _STATE_BUDGET),
            "exit_state": shorten(chapter.exit_state, _STATE_BUDGET),
            "tension": chapter.tension,
            "plants": _ids(chapter.plants),
            "payoffs": _ids(chapter.payoffs),
            "story_time": shorten(chapter.story_time, _STATE_BUDGET),
        }
    )


class MendedScene(ScenePlan):
    """A scene of a plan as it should be; what is empty stays as it is."""

    summary: Prose = Field("", description="Only where it has to change")
    chapter: int = Field(ge=1, description="The chapter's number")
    scene: int = Field(ge=1, description="The scene's number in the chapter")


class MendedSection(SectionPlan):
    """A section of a plan as it should be; what is empty stays as it is."""

    summary: Prose = Field("", description="Only where it has to change")
    chapter: int = Field(ge=1, description="The chapter's number")
    scene: int = Field(ge=1, description="The section's number in the chapter")


class MendedScenes(Shape):
    """What changes in the plans of some chapters."""

    scenes: list[MendedScene] = many("Only the scenes that change")

    def applied_to(self, plans: Mapping[int, PlannedChapter]) -> dict[int, PlannedChapter]:
        """The plans with what changes; a scene that they do not have is left out."""
        made = dict(plans)
        for one in self.scenes:
            plan = made.get(one.chapter)
            if plan is None or one.scene > len(plan.scenes):
                continue
            said = one.model_dump(exclude={"chapter", "scene"})
            told = {name: value for name, value in said.items() if value}
            scenes = list(plan.scenes)
            now = scenes[one.scene - 1].model_dump() | told
            scenes[one.scene - 1] = ScenePlan.model_validate(now)
            made[one.chapter] = plan.model_copy(update={"scenes": scenes})
        return made


class MendedSections(Shape):
    """What changes in the plans of some chapters of a book of facts."""

    scenes: list[MendedSection] = many("Only the sections that change")


def _ids(entries: Sequence[str]) -> list[str]:
    """What a chapter sets up or goes back to: each in short, and as many as its line has room for."""
    return lines_within((shorten(one, _STATE_BUDGET) for one in entries), _IDS_BUDGET)


def _mended(chapter: OutlineChapter, mend: MendedChapter) -> OutlineChapter:
    """A chapter with what changes; lists are taken as they are."""
    said = mend.model_dump(exclude={"number"})
    told = {name: value for name, value in said.items() if value not in ("", None)}
    if not mend.summary.strip():
        told.pop("summary", None)
    return chapter.model_copy(update=told)


def shown_blocks(shown: Mapping[str, str], budget: int) -> str:
    """What is to be shown, each under its name, as `<name>` blocks.

    Args:
        shown: Text by the block's name, the most important first. A text that is a block
            already is taken as it is; an empty one is left out.
        budget: Most that all blocks take (`prose.weigh`); one that does not fit is left out.
    """
    kept: list[str] = []
    for name, text in shown.items():
        body = text.strip()
        block = body if body.startswith(f"<{name}>") else f"<{name}>\n{body}\n</{name}>"
        weight = weigh(block) + 2
        if body and weight <= budget:
            kept.append(block)
            budget -= weight
    return "\n\n".join(kept)


NEIGHBOUR_BUDGET: Final = 700
OUTCOME_BUDGET: Final = 200
OUTCOMES_BUDGET: Final = 6_000
THINGS_BUDGET: Final = 2_000


def neighbours_block(
    outline: Sequence[OutlineChapter], group: Sequence[int], plans: Mapping[int, PlannedChapter]
) -> str:
    """The chapters beside a group; of one that is planned, the scene next to the group.

    Before them stands how the scenes so far end, the latest as far as there is room, and who has
    each thing that matters, or where it is.
    """
    so_far = [
        f"{n}.{at} {shorten(scene.outcome or scene.summary, OUTCOME_BUDGET)}"
        for n in sorted(plans)
        if n < group[0]
        for at, scene in enumerate(plans[n].scenes, start=1)
    ]
    latest = [*lines_within(so_far[::-1], OUTCOMES_BUDGET)][::-1]
    beside = {n for number in group for n in (number - 1, number + 1)} - {*group}
    held = {
        thing.name.casefold(): f"{thing.name}: {thing.after} ({n}.{at})"
        for n in sorted(plans)
        if n < group[0]
        for at, scene in enumerate(plans[n].scenes, start=1)
        for thing in scene.things
        if thing.after
    }
    told: list[dict[str, Any]] = [{"planned": latest}] if latest else []
    if held:
        told[0]["things"] = [*lines_within([*held.values()][::-1], THINGS_BUDGET)]
    for n in [n for n in sorted(beside) if 1 <= n <= len(outline)]:
        title, summary = outline[n - 1].title, outline[n - 1].summary
        shown = {"number": n, "title": title[:NEIGHBOUR_BUDGET]}
        told.append({**shown, "summary": shorten(summary, NEIGHBOUR_BUDGET)})
        scenes = plans[n].scenes if n in plans else ()
        if scenes and n + 1 in group:
            told[-1]["last_scene"] = scene_record(scenes[-1], len(scenes), len(scenes))
        if scenes and n - 1 in group:
            told[-1]["first_scene"] = scene_record(scenes[0], 1, len(scenes))
    return to_json(told)
