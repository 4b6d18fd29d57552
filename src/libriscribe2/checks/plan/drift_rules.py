"""P23 to P26: what is written beside what was planned for it."""

from collections.abc import Iterator
from typing import Final

import regex

from libriscribe2.checks.plan.people_rules import whereabouts
from libriscribe2.checks.plan.plan import PLAN_RULES, Plan, is_known, words_of
from libriscribe2.checks.plan.time_rules import leaves_time
from libriscribe2.checks.text_names import used_names
from libriscribe2.models.findings import Finding, Place, Severity
from libriscribe2.project.paths import OUTLINE, SCENES

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
