"""P22 to P26: what is written beside what was planned for it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import regex

from libriscribe2.models.canon import ExitState
from libriscribe2.quality.bands import BANDS
from libriscribe2.quality.likeness import beat_coverage, stem_weights
from libriscribe2.quality.names import used_names
from libriscribe2.quality.plan.known import is_known, words_of
from libriscribe2.quality.plan.plan import OUTLINE, SCENES, Plan, PlanFinding, Weight
from libriscribe2.quality.plan.states import whereabouts
from libriscribe2.quality.plan.times import leaves_time
from libriscribe2.quality.text import ChapterText

MENTIONS: Final = 3
"""Who is named so often in a chapter has a part in it."""

FAR_OFF: Final = 0.25
_SHOWN: Final = 120
_WORD: Final = regex.compile(r"[\p{L}\p{N}]+")
_NO_NAMES: Final = frozenset(
    {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
    | {"january", "february", "march", "april", "june", "july", "august", "september"}
    | {"october", "november", "december", "christmas", "easter", "god", "english"}
    | {"captain", "doctor", "father", "mother", "sister", "brother", "uncle", "aunt", "miss"}
    | {"mrs", "sir", "lady", "lord", "madam", "inspector", "sergeant", "professor", "yes"}
)


@dataclass(frozen=True)
class Written:
    """What there is of a book beside its plan.

    Attributes:
        chapters: The chapters that are written.
        words: Wanted words of each chapter, by number.
        dead: Who has died by the text, with the chapter that says so.
        left: How chapters leave their people, by number.
        told: What else the author and the plan have said, such as the premise.
    """

    chapters: Sequence[ChapterText]
    words: Mapping[int, float] = field(default_factory=dict)
    dead: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[int, ExitState] = field(default_factory=dict)
    told: str = ""

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """How much each stem of the text tells."""
        return stem_weights([one.words for one in self.chapters])


Rule = Callable[[Plan, Written], Iterator[PlanFinding]]


def divergences(plan: Plan, written: Written) -> Iterator[PlanFinding]:
    """Where a plan and the chapters that were written from it have parted."""
    for rule in (missed_beats, strangers, gone_on_with, elsewhere, far_off):
        yield from rule(plan, written)


def missed_beats(plan: Plan, written: Written) -> Iterator[PlanFinding]:
    """P22: what has to happen in a chapter has to leave its words there."""
    scenes = {one.chapter: [scene.summary for scene in one.scenes] for one in plan.scenes}
    for chapter in written.chapters:
        beats = plan.chapters[chapter.number - 1].beats or scenes.get(chapter.number, [])
        shares = [(beat_coverage(beat, chapter.words, written.weights), beat) for beat in beats]
        missed = [one for one in shares if BANDS["beats found"].level(one[0]) != "ok"]
        if missed:
            share, beat = min(missed)
            yield _finding(
                "P22",
                chapter.number,
                f"Chapter {chapter.number} lacks {len(missed)} of its {len(beats)} beats; it has "
                f"{share:.0%} of the words of \u201c{_clipped(beat)}\u201d.",
            )


def strangers(plan: Plan, written: Written) -> Iterator[PlanFinding]:
    """P23: names that stand often in a chapter and nowhere in the plan; of English books only."""
    if not plan.english:
        return
    known = _known(plan, written) | _NO_NAMES
    for chapter in written.chapters:
        uses = used_names(chapter)
        unknown = {
            name: count
            for name, count in uses.items()
            if count >= MENTIONS and name.casefold() not in known
        }
        known |= {name.casefold() for name in unknown}
        if unknown:
            listed = ", ".join(f"{name} ({count} times)" for name, count in unknown.items())
            yield _finding(
                "P23", chapter.number, f"Chapter {chapter.number} names {listed}.", weight="note"
            )


def gone_on_with(plan: Plan, written: Written) -> Iterator[PlanFinding]:
    """P24: nobody who has died has a part in a later scene, unless it is a flashback."""
    found: set[tuple[str, int]] = set()
    for number, scene, planned in plan.planned():
        if number > plan.last or leaves_time(plan.chapters[number - 1]):
            continue
        for person, died in written.dead.items():
            here = (person, number)
            if died < number and here not in found and is_known(person, planned.characters):
                found.add(here)
                yield PlanFinding(
                    "P24",
                    "warning",
                    SCENES,
                    f"{person} has died in chapter {died} and has a part in scene {scene} of "
                    f"chapter {number}.",
                    f"Take {person} out of it, or let chapter {died} keep {person} alive.",
                    number,
                    scene,
                )


def elsewhere(plan: Plan, written: Written) -> Iterator[PlanFinding]:
    """P25: a chapter leaves people where its plan leaves them; for known people and places."""
    for number, exits in written.left.items():
        planned = whereabouts(plan.chapters[number - 1].exit_state, plan)
        for one in exits.people:
            people = [name for name in planned if is_known(one.name, [name])]
            places = [place for place in plan.places if words_of(place) <= words_of(one.place)]
            if len(people) == len(places) == 1 and planned[people[0]] != places[0]:
                yield _finding(
                    "P25",
                    number,
                    f"Chapter {number} leaves {people[0]} at {places[0]}; its plan has "
                    f"{people[0]} at {planned[people[0]]}.",
                )


def far_off(plan: Plan, written: Written) -> Iterator[PlanFinding]:
    """P26: a chapter is a quarter longer or shorter than it was to be."""
    del plan
    for chapter in written.chapters:
        count, wanted = len(chapter.words), written.words.get(chapter.number, 0.0)
        if wanted and abs(count / wanted - 1) > FAR_OFF:
            yield _finding(
                "P26",
                chapter.number,
                f"Chapter {chapter.number} has {count:,} words, {wanted:,.0f} were planned.",
                weight="note",
            )


def _finding(rule: str, chapter: int, message: str, *, weight: Weight = "warning") -> PlanFinding:
    return PlanFinding(rule, weight, OUTLINE, message, "", chapter)


def _known(plan: Plan, written: Written) -> set[str]:
    """Every word that the plan has, in lower case."""
    entries = [one.model_dump(mode="json") for one in (*plan.chapters, *plan.scenes)]
    told = (*plan.people, *plan.places, *plan.terms, str(entries), written.told)
    return {word for text in told for word in _WORD.findall(text.casefold())}


def _clipped(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN].rstrip()}\u2026"
