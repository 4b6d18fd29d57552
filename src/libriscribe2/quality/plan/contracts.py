"""P12, P13 and P15: whether a scene plan is one that can be written from."""

from collections.abc import Iterator
from typing import Final

from libriscribe2.models.story import ScenePlan
from libriscribe2.quality.plan.known import is_known, nearest
from libriscribe2.quality.plan.plan import SCENES, Plan, PlanFinding

CONTRACT: Final = ("goal", "conflict", "outcome")
"""What makes a scene: somebody wants something, meets resistance, and something changes."""


def known_cast(plan: Plan) -> Iterator[PlanFinding]:
    """P12: scenes with nobody of the cast, or with a name of it misspelt."""
    if not plan.people:
        return
    for chapter, number, scene in plan.planned():
        unknown = [name for name in scene.characters if not is_known(name, plan.people)]
        for name in unknown:
            meant = nearest(name, plan.people)
            if meant is not None:
                yield PlanFinding(
                    "P12",
                    "error",
                    SCENES,
                    f"{name} is no name of the cast, and one letter from {meant}.",
                    f"Write {meant}, or add {name} to characters.json.",
                    chapter,
                    number,
                )
        if scene.characters and len(unknown) == len(scene.characters):
            listed = ", ".join(scene.characters)
            yield PlanFinding(
                "P12",
                "error",
                SCENES,
                f"Nobody of the cast is in the scene: it has {listed}.",
                "Name somebody of the cast who is there, as characters.json spells the name.",
                chapter,
                number,
            )


def known_places(plan: Plan) -> Iterator[PlanFinding]:
    """P13: places that the world does not have; one letter off is surely a slip."""
    if not plan.places:
        return
    for chapter, number, scene in plan.planned():
        if not scene.place.strip() or is_known(scene.place, plan.places):
            continue
        meant = nearest(scene.place, plan.places)
        yield PlanFinding(
            "P13",
            "warning" if meant is None else "error",
            SCENES,
            f"The world has no place {scene.place}."
            + (f" It is one letter from {meant}." if meant else ""),
            f"Write {meant}."
            if meant
            else f"Add {scene.place} to world.json, or use a place of it.",
            chapter,
            number,
        )


def whole_contracts(plan: Plan) -> Iterator[PlanFinding]:
    """P15: scenes of a story without goal, conflict or outcome."""
    for chapter, number, scene in plan.planned():
        missing = _missing(scene)
        if missing:
            yield PlanFinding(
                "P15",
                "warning",
                SCENES,
                f"The scene has no {' and no '.join(missing)}.",
                "Say who wants what, what stands against it, and what is different at the end.",
                chapter,
                number,
            )


def _missing(scene: ScenePlan) -> list[str]:
    return [name for name in CONTRACT if not getattr(scene, name).strip()]
