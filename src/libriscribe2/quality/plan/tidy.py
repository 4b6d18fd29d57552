"""P21: signs of a plan that is tidier than stories by people are."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from libriscribe2.quality.plan.plan import OUTLINE, REMEMBERED, Plan, PlanFinding
from libriscribe2.quality.plan.times import leaves_time

FEWEST_CHAPTERS: Final = 6
FEWEST_SIGNS: Final = 2
FEWEST_LESSONS: Final = 2

_LESSON: Final = re.compile(
    r"\b(?:learns?|realises?|realizes?|understands?|discovers?) (?:that|how) "
    r"(?:true|real|love|trust|forgiveness|family|friendship|courage|home|hope|healing|power)\b"
    r"|\b(?:the lesson|the meaning of|the true (?:value|power) of|comes? to terms with)\b",
    re.IGNORECASE,
)


def tidiness(plan: Plan) -> Iterator[PlanFinding]:
    """P21: two signs or more, in a book of six chapters or more."""
    told = [] if plan.last < FEWEST_CHAPTERS else [*_signs(plan)]
    if len(told) >= FEWEST_SIGNS:
        yield PlanFinding(
            "P21",
            "note",
            OUTLINE,
            f"The plan is tidy: {'; '.join(told)}.",
            "Leave something open, let a thread end early or badly, or break the order once.",
        )


def _signs(plan: Plan) -> Iterator[str]:
    """What is tidy, as far as the plan says it."""
    views = {chapter.pov.strip().casefold() for chapter in plan.chapters}
    dated = all(chapter.story_time.strip() for chapter in plan.chapters)
    straight = dated and not any(map(leaves_time, plan.chapters))
    if straight and len(views) == 1 and "" not in views:
        yield "one viewpoint and one straight line of time in all chapters"
    if len(plan.threads) == 1:
        yield "there is one thread and no other beside it"
    payoffs = [thread.payoff for thread in plan.threads]
    if len(payoffs) > 1 and set(payoffs) == {plan.last}:
        yield "every thread is paid off in the last chapter"
    said = (f"{one.summary} {one.exit_state} {one.purpose}" for one in plan.chapters)
    lessons = sum(map(_teaches, said)) if plan.english else 0
    if lessons >= FEWEST_LESSONS:
        yield f"{lessons} chapters say what they teach"


@lru_cache(maxsize=REMEMBERED)
def _teaches(text: str) -> bool:
    """Whether a text says what is learnt."""
    return _LESSON.search(text) is not None
