"""P11: the time of the story, chapter by chapter and scene by scene."""

from collections.abc import Iterable, Iterator

from libriscribe2.models.story import OutlineChapter
from libriscribe2.quality.plan.moments import Moment, is_marked, moment_of
from libriscribe2.quality.plan.plan import OUTLINE, SCENES, Plan, PlanFinding

Told = tuple[int, int, str]
"""Chapter, scene (0 for the whole chapter) and what the plan says of the time."""


def backward_chapters(plan: Plan) -> Iterator[PlanFinding]:
    """P11: a chapter before the time of the one before, without a word that says so."""
    told = (
        (number, 0, chapter.story_time)
        for number, chapter in plan.numbered()
        if not leaves_time(chapter)
    )
    yield from _backward(told, OUTLINE)


def backward_scenes(plan: Plan) -> Iterator[PlanFinding]:
    """P11: a scene before the time of the one before."""
    skipping = {number for number, chapter in plan.numbered() if leaves_time(chapter)}
    told = (
        (chapter, number, scene.time)
        for chapter, number, scene in plan.planned()
        if chapter not in skipping
        and not is_marked(scene.time, scene.mode, scene.transition_in, summary=scene.summary)
    )
    yield from _backward(told, SCENES)


def _backward(told: Iterable[Told], file: str) -> Iterator[PlanFinding]:
    """The places whose time surely lies before the last sure one."""
    last: tuple[Told, Moment] | None = None
    for one in told:
        moment = moment_of(one[2])
        if moment is None:
            continue
        if last is not None and moment.is_before(last[1]):
            before, here = last[0], one
            yield PlanFinding(
                "P11",
                "error",
                file,
                f"{_name(here).capitalize()} is set at {_quoted(here)}, before {_name(before)} "
                f"at {_quoted(before)}.",
                "Change the time, or say in it that it is a flashback.",
                here[0],
                here[1],
            )
        last = (one, moment)


def leaves_time(chapter: OutlineChapter) -> bool:
    """Whether a chapter says that it leaves the order of time."""
    said = (chapter.story_time, chapter.title, chapter.purpose)
    return chapter.opening_move == "time-skip" or is_marked(*said, summary=chapter.summary)


def _name(place: Told) -> str:
    return f"scene {place[1]} of chapter {place[0]}" if place[1] else f"chapter {place[0]}"


def _quoted(place: Told) -> str:
    return f"\u201c{place[2].strip()}\u201d"
