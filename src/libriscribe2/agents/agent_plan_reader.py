"""A reader of the whole plan: what two places of it prove to be a contradiction, and mends."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pydantic import BaseModel

from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.checks.plan.plan import plan_with
from libriscribe2.checks.plan.plan_report import as_list, plan_findings
from libriscribe2.context.prompt_parts import block
from libriscribe2.errors import MaxRetriesExceededError
from libriscribe2.models.excerpts import (
    MendedScenes,
    MendedSections,
    book_lines,
    scene_record,
    to_json,
    world_lines,
)
from libriscribe2.models.findings import Finding, Place
from libriscribe2.models.reviews import MOST_CONTRADICTIONS, PlanContradiction, PlanContradictions
from libriscribe2.models.story import OutlineFile, PlannedChapter, ScenePlan, WorldFile
from libriscribe2.project.paths import OUTLINE, SCENES, WORLD
from libriscribe2.prose import CUT, count_words, shorten, weigh
from libriscribe2.research.quotes import line_of_quote
from libriscribe2.telemetry import PLAN_NOT_MENDED

logger = logging.getLogger(__name__)

PLAN_BUDGET: Final = 30_000
"""Most that all scenes take in the one request (`prose.weigh`); long books show each in short."""

WORLD_BUDGET: Final = 5_000
HINTS_BUDGET: Final = 2_000
FEWEST_WORDS: Final = 4
_FIELDS: Final = (
    *("summary", "time", "place", "exit_state", "entry_state", "things", "characters", "reveals"),
    *("withholds", "goal", "outcome"),
)
"""What the reader sees of a scene, the most important first."""

_ROOMS: Final = (
    *(
        (800, 11),
        (600, 11),
        (500, 11),
        (400, 11),
        (320, 11),
        (240, 11),
        (160, 9),
        (110, 8),
        (80, 6),
        (60, 5),
        (60, 4),
        (40, 4),
    ),
    *((30, 3), (20, 1)),
)
"""Most of each field, and how many fields, the first at which the whole plan fits."""

_MENDED_BY: Final = (
    *("heading", "summary", "goal", "outcome", "characters", "place", "time", "reveals"),
    *("exit_state",),
)
"""What is shown of a scene that no quote proves to contradict another: what rules in code look at."""

_THINGS: Final = "P27"


async def contradictions(
    agent: Agent, unit: Unit, plans: Mapping[int, PlannedChapter]
) -> list[Finding]:
    """What one reading of the whole plan finds, as far as both places hold the words quoted.

    Args:
        agent: Who asks; its prompts hold `plan_review`.
        unit: The work.
        plans: The scenes of all chapters, by number.

    Returns:
        What is to be mended, each at the scene that is easiest to change; none where no usable
        reply came.
    """
    book, scenes = agent.book, dict(_scenes(plans))
    world = world_lines(book.load(WORLD, WorldFile), WORLD_BUDGET) if book.has(WORLD) else ""
    outline = book.load(OUTLINE, OutlineFile)
    if outline.truth:
        world += f"\n\nWhat really happened:\n{shorten(outline.truth, WORLD_BUDGET)}"
    plan = plan_with(agent.brief, book, outline, [plans[n] for n in sorted(plans)])
    hints = as_list((one for one in plan_findings(plan) if one.rule == _THINGS), HINTS_BUDGET)
    remark = "Code compared where the plan leaves and finds its things. It may be explained:"
    try:
        told = await agent.ask(
            unit,
            PlanContradictions,
            prompt="plan_review",
            part="review",
            book=book_lines(agent.brief),
            world=world,
            plan=_shown(scenes),
            hints=block("hints", hints, remark=remark) if hints else "",
            most=str(MOST_CONTRADICTIONS),
        )
    except MaxRetriesExceededError as error:
        logger.warning("%s: %s: %s", PLAN_NOT_MENDED, unit.at("review"), error.what)
        return []
    found = (_finding(one, scenes, world) for one in told.contradictions[:MOST_CONTRADICTIONS])
    return [one for one in found if one is not None]


def _scenes(plans: Mapping[int, PlannedChapter]) -> Iterator[tuple[tuple[int, int], ScenePlan]]:
    for number in sorted(plans):
        for at, scene in enumerate(plans[number].scenes, start=1):
            yield (number, at), scene


def _shown(scenes: Mapping[tuple[int, int], ScenePlan]) -> str:
    """A line for each scene, each field as long as lets the whole plan fit."""
    told = ""
    for room, fields in _ROOMS:
        lines = (to_json(_line(at, scene, room, fields)) for at, scene in scenes.items())
        told = "\n".join(lines)
        if weigh(told) <= PLAN_BUDGET:
            break
    return shorten(told, PLAN_BUDGET)


def _line(place: tuple[int, int], scene: ScenePlan, room: int, fields: int) -> dict[str, object]:
    """The fields of a scene by which it can contradict others."""
    shown = _FIELDS[:fields]
    told = scene.model_dump(mode="json", include=set(shown))
    numbered = {"scene": f"{place[0]}.{place[1]}"}
    return numbered | {name: _within(told[name], room) for name in shown}


def _within(value: object, room: int) -> object:
    """A field whose texts are of at most so many characters."""
    if isinstance(value, str):
        short = shorten(value, room)
        return short if short == value or short.endswith(CUT) else f"{short}{CUT}"
    if isinstance(value, dict):
        return {key: _within(one, room) for key, one in value.items()}
    return [_within(one, room) for one in value[:8]] if isinstance(value, list) else value


def _text(scene: ScenePlan) -> str:
    """All that the plan of a scene says, a line for each field."""
    told = scene.model_dump(mode="json")
    return "\n".join(one if isinstance(one, str) else to_json(one) for one in told.values() if one)


def _finding(
    one: PlanContradiction, scenes: Mapping[tuple[int, int], ScenePlan], world: str
) -> Finding | None:
    """A contradiction whose two quotes stand where it says."""
    here, there = (one.chapter, one.scene), (one.other_chapter, one.other_scene)
    texts = {place: _text(scene) for place, scene in scenes.items()} | {(0, 0): world}
    pairs = ((one.quote, here), (one.other_quote, there))
    # Two places of one scene may clash, too.
    apart = here != there or _are_apart(texts.get(here, ""), one.quote, one.other_quote)
    proven = apart and here in scenes and all(_holds(texts, *pair) for pair in pairs)
    if not proven:
        return None
    where = f"scene {there[1]} of chapter {there[0]}" if there in scenes else "a rule of the world"
    why = f"{one.why} Here: \u201c{one.quote}\u201d; {where}: \u201c{one.other_quote}\u201d."
    return Finding("error", Place(SCENES, *here, quote=one.quote), why, one.fix)


def _are_apart(text: str, *quotes: str) -> bool:
    """Whether two quotes of one text share no word of it."""
    (one, first), (other, _) = sorted((text.find(quote.strip()), quote.strip()) for quote in quotes)
    return one + len(first) <= other


def _holds(texts: Mapping[tuple[int, int], str], quote: str, place: tuple[int, int]) -> bool:
    long = count_words(quote) >= FEWEST_WORDS
    return long and line_of_quote(quote, texts.get(place, "")) is not None


def still_wrong(
    faults: Iterable[Finding], before: PlannedChapter, after: PlannedChapter
) -> list[Finding]:
    """The faults whose words a new plan of their chapter says as the old one did.

    The words themselves may stay where something beside them explains it now.
    """
    return [one for one in faults if _is_as_it_was(one.where, before, after)]


def _is_as_it_was(where: Place, before: PlannedChapter, after: PlannedChapter) -> bool:
    if not 1 <= where.scene <= min(len(before.scenes), len(after.scenes)):
        return before.scenes == after.scenes
    was, now = (each.scenes[where.scene - 1].model_dump() for each in (before, after))
    said = [name for name, value in was.items() if where.quote in str(value)] or list(was)
    return all(was[name] == now[name] for name in said)


def shown_to_mend(planned: PlannedChapter, clashes: Iterable[Finding]) -> str:
    """A plan as lines of JSON: the scenes that are proven to contradict others whole."""
    proven = {one.where.scene for one in clashes}
    lines = []
    for at, scene in enumerate(planned.scenes, start=1):
        told = scene_record(scene, at, len(planned.scenes))
        fields = told if at in proven else _MENDED_BY
        record = {"chapter": planned.chapter, "scene": at, "of": told["of"]}
        lines.append(to_json(record | {name: told[name] for name in fields if name in told}))
    return "\n".join(lines)


async def changed_plans(
    agent: Agent, unit: Unit, part: str, values: Mapping[str, str]
) -> MendedScenes:
    """What a model changes in plans; nothing where no usable reply came.

    Args:
        agent: Who asks; its prompts hold `scenes_mend`.
        unit: The work.
        part: Name of the question within it.
        values: What the prompt shows.
    """
    shape: type[BaseModel] = MendedScenes if agent.brief.kind == "fiction" else MendedSections
    try:
        told = await agent.ask_about(unit, shape, "scenes_mend", {}, values, part=part)
    except MaxRetriesExceededError as error:
        logger.warning("%s: %s: %s", PLAN_NOT_MENDED, unit.at(part), error.what)
        return MendedScenes()
    return MendedScenes.model_validate(told.model_dump())
