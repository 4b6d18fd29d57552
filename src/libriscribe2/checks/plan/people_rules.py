"""P8, P9 and P12 to P15: the cast of a plan, where it is, and what its scenes are made of."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import regex

from libriscribe2.checks.plan.plan import PLAN_RULES, STORY, Plan, is_known, nearest, words_of
from libriscribe2.checks.plan.time_rules import leaves_time
from libriscribe2.checks.text_figures import ai_names
from libriscribe2.checks.text_names import confusable_names, used_names
from libriscribe2.models.findings import Finding, Place, Severity
from libriscribe2.models.story import ScenePlan
from libriscribe2.project.paths import CHARACTERS, OUTLINE, SCENES


@PLAN_RULES.rule("P8", "two names differ by one letter, or sound the same", kind=STORY)
def like_names(plan: Plan) -> Iterator[Finding]:
    """P8: two people of the cast whose names are easily taken for each other."""
    for one, other in confusable_names(plan.people):
        yield Finding(
            "error",
            Place(CHARACTERS, entity=other),
            f"{one} and {other} are easily confused.",
            f"Give {other} a name with a different first letter and sound.",
        )


@PLAN_RULES.rule("P9", "a name that models overuse", kind=STORY)
def worn_names(plan: Plan) -> Iterator[Finding]:
    """P9: names of the cast that stand in very many texts of models."""
    for name in ai_names(plan.people):
        yield Finding(
            "note",
            Place(CHARACTERS, entity=name),
            f"Models use the name {name} very often.",
            "Choose a less common name.",
        )


CONTRACT: Final = ("goal", "conflict", "outcome")
"""What makes a scene: somebody wants something, meets resistance, and something changes."""


@PLAN_RULES.rule("P12", "a scene has no character of the cast", kind=STORY)
def known_cast(plan: Plan) -> Iterator[Finding]:
    """P12: scenes with nobody of the cast, or with a name of it misspelt."""
    if not plan.people:
        return
    for chapter, number, scene in plan.planned():
        unknown = [name for name in scene.characters if not is_known(name, plan.people)]
        for name in unknown:
            meant = nearest(name, plan.people)
            if meant is not None:
                yield Finding(
                    "error",
                    Place(SCENES, chapter, number),
                    f"{name} is not in the cast; it differs by one letter from {meant}.",
                    f"Write {meant}, or add {name} to characters.json.",
                )
        if scene.characters and len(unknown) == len(scene.characters):
            listed = ", ".join(scene.characters)
            yield Finding(
                "error",
                Place(SCENES, chapter, number),
                f"No character of the cast is in the scene: it has {listed}.",
                "Name a character who is present, spelled as in characters.json.",
            )


@PLAN_RULES.rule("P13", "a scene is set in a place that the world does not have")
def known_places(plan: Plan) -> Iterator[Finding]:
    """P13: places that the world does not have; one letter off is surely a slip."""
    if not plan.places:
        return
    for chapter, number, scene in plan.planned():
        if not scene.place.strip() or is_known(scene.place, plan.places):
            continue
        meant = nearest(scene.place, plan.places)
        yield Finding(
            "warning" if meant is None else "error",
            Place(SCENES, chapter, number),
            f"The world has no place {scene.place}."
            + (f" It differs by one letter from {meant}." if meant else ""),
            f"Write {meant}."
            if meant
            else f"Add {scene.place} to world.json, or use a place of it.",
        )


@PLAN_RULES.rule("P15", "a scene is incomplete", kind=STORY)
def whole_contracts(plan: Plan) -> Iterator[Finding]:
    """P15: scenes of a story without goal, conflict or outcome."""
    for chapter, number, scene in plan.planned():
        missing = _missing(scene)
        if missing:
            yield Finding(
                "warning",
                Place(SCENES, chapter, number),
                f"The scene has no {' and no '.join(missing)}.",
                "State who wants what, what opposes it, and what has changed at the end.",
            )


def _missing(scene: ScenePlan) -> list[str]:
    return [name for name in CONTRACT if not getattr(scene, name).strip()]


_CLAUSE: Final = re.compile(r"[.;!?\n]+|, (?:and|while|but) ")
_MOVES_ON: Final = frozenset({"arrival", "time-skip"})
"""Openings that tell by themselves that somebody is elsewhere now."""


@PLAN_RULES.rule(
    "P14", "a chapter does not continue where the previous one left its characters", kind=STORY
)
def broken_states(plan: Plan) -> Iterator[Finding]:
    """P14: a person whom one chapter leaves at one place and the next finds at another.

    Only for people and places that the book knows, and where a part of the sentence names one
    place and no other.
    """
    if not plan.people or not plan.places:
        return
    for number in range(2, plan.last + 1):
        before, here = plan.chapters[number - 2], plan.chapters[number - 1]
        if here.opening_move in _MOVES_ON or _time_passes(before.story_time, here.story_time):
            continue
        left = whereabouts(before.exit_state, plan)
        found = whereabouts(here.entry_state, plan)
        for person in plan.people:
            if person in left and person in found and left[person] != found[person]:
                yield Finding(
                    "warning",
                    Place(OUTLINE, number),
                    f"Chapter {number - 1} leaves {person} at {left[person]}; chapter {number} "
                    f"finds {person} at {found[person]}.",
                    f"Make the entry_state of chapter {number} follow, or open it with arrival "
                    "or time-skip.",
                )


@PLAN_RULES.rule("P27", "a thing is not where the scene before left it", kind=STORY)
def moved_things(plan: Plan) -> Iterator[Finding]:
    """P27: a thing that one scene leaves with somebody, or somewhere, and the next finds elsewhere.

    Only for people and places that the book knows. Who is there has at hand what lies there, and
    may have taken it along; what somebody else has is told.
    """
    left: dict[frozenset[str], tuple[str, str]] = {}
    there: dict[frozenset[str], set[str]] = {}
    for chapter, number, scene in plan.planned():
        for thing in scene.things:
            key = words_of(thing.name)
            found, (was, where) = _holder(thing.before, plan), left.get(key, ("", ""))
            here = {_holder(name, plan) for name in (scene.place, *scene.characters)}
            lies = not {found, was} <= set(plan.people)
            at_hand = lies and ({found, was} <= here or {found, was} <= there.get(key, set()))
            if found and was and found != was and not at_hand:
                yield Finding(
                    "warning",
                    Place(SCENES, chapter, number),
                    f"{where} leaves {thing.name} with or at {was}; scene {number} of chapter "
                    f"{chapter} finds it with or at {found}.",
                    f"Let it begin with {was}, or tell how it got to {found}.",
                )
            now = _holder(thing.after, plan)
            left[key] = (now, f"Scene {number} of chapter {chapter}")
            there[key] = here


def _holder(name: str, plan: Plan) -> str:
    """The one person or place of the book that a name means; "" where that is not sure."""
    known = [one for one in (*plan.people, *plan.places) if is_known(name, [one])]
    return known[0] if len(known) == 1 else ""


def _time_passes(before: str, here: str) -> bool:
    """Whether the plan says that the next chapter happens at another time."""
    return bool(before and here) and before.casefold() != here.casefold()


def whereabouts(state: str, plan: Plan) -> Mapping[str, str]:
    """Who is where; who is at two places is nowhere for sure."""
    found: dict[str, set[str]] = {}
    for clause in _CLAUSE.split(state):
        words = frozenset(regex.findall(r"[\p{L}\p{N}]+", clause.casefold()))
        places = [place for place in plan.places if _is_whole(place, words)]
        if len(places) == 1:
            for person in plan.people:
                if _is_whole(person, words) or words & _given(person, plan.people):
                    found.setdefault(person, set()).update(places)
    return {person: places.pop() for person, places in found.items() if len(places) == 1}


def _is_whole(name: str, words: frozenset[str]) -> bool:
    """Whether all words of a name are said."""
    own = words_of(name)
    return bool(own) and own <= words


def _given(person: str, people: Sequence[str]) -> frozenset[str]:
    """The first word of a person's name, where nobody else has it in theirs."""
    first = frozenset(regex.findall(r"[\p{L}\p{N}]+", person.casefold())[:1])
    others = {word for other in people if other != person for word in words_of(other)}
    return first - others - {"the", "a", "an"}


OF_TEXT: Final = frozenset({"P23", "P25", "P26"})
"""The rules that a chapter breaks, not its plan."""


MENTIONS: Final = 3
"""Who is named so often in a chapter has a part in it."""

FAR_OFF: Final = 0.25
_WORD: Final = regex.compile(r"[\p{L}\p{N}]+")
_NO_NAMES: Final = frozenset(
    {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
    | {"january", "february", "march", "april", "june", "july", "august", "september"}
    | {"october", "november", "december", "christmas", "easter", "god", "english"}
    | {"captain", "doctor", "father", "mother", "sister", "brother", "uncle", "aunt", "miss"}
    | {"mrs", "sir", "lady", "lord", "madam", "inspector", "sergeant", "professor", "yes"}
)


@PLAN_RULES.rule("P23", "a chapter features a character who is not in the plan")
def strangers(plan: Plan) -> Iterator[Finding]:
    """P23: names that stand often in a chapter and nowhere in the plan; of English books only."""
    if not plan.english:
        return
    known = _known_words(plan) | _NO_NAMES
    for chapter in plan.written.chapters:
        uses = used_names(chapter)
        unknown = {
            name: count
            for name, count in uses.items()
            if count >= MENTIONS and name.casefold() not in known
        }
        known |= {name.casefold() for name in unknown}
        if unknown:
            listed = ", ".join(f"{name} ({count} times)" for name, count in unknown.items())
            yield _parted(
                chapter.number, f"Chapter {chapter.number} names {listed}.", severity="note"
            )


@PLAN_RULES.rule("P24", "the plan uses a character who has died in the text")
def gone_on_with(plan: Plan) -> Iterator[Finding]:
    """P24: nobody who has died has a part in a later scene, unless it is a flashback."""
    found: set[tuple[str, int]] = set()
    for number, scene, planned in plan.planned():
        if number > plan.last or leaves_time(plan.chapters[number - 1]):
            continue
        for person, died in plan.written.dead.items():
            here = (person, number)
            if died < number and here not in found and is_known(person, planned.characters):
                found.add(here)
                yield Finding(
                    "warning",
                    Place(SCENES, number, scene),
                    f"{person} died in chapter {died} and appears in scene {scene} of "
                    f"chapter {number}.",
                    f"Remove {person} from it, or keep {person} alive in chapter {died}.",
                )


@PLAN_RULES.rule("P25", "a chapter leaves a character elsewhere than planned")
def elsewhere(plan: Plan) -> Iterator[Finding]:
    """P25: a chapter leaves people where its plan leaves them; for known people and places."""
    for number, exits in plan.written.left.items():
        planned = whereabouts(plan.chapters[number - 1].exit_state, plan)
        for one in exits.people:
            people = [name for name in planned if is_known(one.name, [name])]
            places = [place for place in plan.places if words_of(place) <= words_of(one.place)]
            if len(people) == len(places) == 1 and planned[people[0]] != places[0]:
                yield _parted(
                    number,
                    f"Chapter {number} leaves {people[0]} at {places[0]}; its plan has "
                    f"{people[0]} at {planned[people[0]]}.",
                )


@PLAN_RULES.rule("P26", "a chapter is a quarter longer or shorter than planned")
def far_off(plan: Plan) -> Iterator[Finding]:
    """P26: a chapter is a quarter longer or shorter than it was to be."""
    for chapter in plan.written.chapters:
        count, wanted = len(chapter.words), plan.written.words.get(chapter.number, 0.0)
        if wanted and abs(count / wanted - 1) > FAR_OFF:
            yield _parted(
                chapter.number,
                f"Chapter {chapter.number} has {count:,} words, {wanted:,.0f} were planned.",
                severity="note",
            )


def _parted(chapter: int, why: str, *, severity: Severity = "warning") -> Finding:
    return Finding(severity, Place(OUTLINE, chapter), why, "")


def _known_words(plan: Plan) -> set[str]:
    """Every word that the plan has, in lower case."""
    entries = [one.model_dump(mode="json") for one in (*plan.chapters, *plan.scenes)]
    texts = (*plan.people, *plan.places, *plan.terms, str(entries), plan.written.naming)
    return {word for text in texts for word in _WORD.findall(text.casefold())}
