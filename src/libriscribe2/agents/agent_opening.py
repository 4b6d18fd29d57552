"""The opening of a chapter that was drafted from its plan alone: written anew between its neighbours.

Where all chapters are drafted at once, none has seen the end of the one before. Its opening is
therefore written again when both are there. An opening never reaches into what the next chapter is
shown, so all openings are written at once, and each from text that stays.
"""

from collections.abc import Mapping
from typing import Final

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.errors import ContentFilteredError, MaxRetriesExceededError
from libriscribe2.project.paths import chapter_file, draft_file
from libriscribe2.prose import count_words, shorten, tail, without_notes
from libriscribe2.quality.openings import opened, unfit

PROMPT: Final = "openings"

# Characters of each part of the prompt (`text_budget`).
BEFORE_BUDGET: Final = 3_800
AFTER_BUDGET: Final = 2_400


async def with_opening(agent: Agent, unit: Unit, shown: Mapping[str, str]) -> str:
    """A chapter's draft, with its opening written from the end of the chapter before.

    A chapter for which no opening came that can be used is its draft; the agent's remark says
    why: the draft was paid for and is whole.

    Args:
        agent: Who asks.
        unit: The chapter; there has to be one before it, with a draft of its own.
        shown: Values of the prompt that say what the book and the chapter are about.
    """
    number = unit.chapter or 1
    draft = agent.book.text(draft_file(number))
    parts = opened(draft)
    if not parts.opening:
        return draft
    values = {
        **shown,
        "text_before": tail(_end_of(agent, number - 1), BEFORE_BUDGET),
        "opening": parts.opening,
        "text_after": shorten(parts.rest.strip(), AFTER_BUDGET),
    }
    new, wrong = await _asked(agent, unit, values, parts.opening)
    if wrong:
        agent.made_from.remark = f"the opening stays as it was drafted: {wrong}"
        return draft
    return f"{parts.heading}{new}{parts.rest}"


async def _asked(
    agent: Agent, unit: Unit, values: Mapping[str, str], opening: str
) -> tuple[str, str]:
    """A new opening, and what is wrong with it; "" for nothing."""
    words = max(1, count_words(opening))
    try:
        reply = await agent.write_prose(unit, values, words=words, prompt=PROMPT, part="opening")
    except (MaxRetriesExceededError, ContentFilteredError):
        return "", "no other one came"
    new = reply.strip()
    return new, unfit(new, opening)


def _end_of(agent: Agent, number: int) -> str:
    """The part of a chapter that stays when its own opening is written; the author's text is whole."""
    if agent.book.is_edited(chapter_file(number)):
        return without_notes(agent.book.text(chapter_file(number))).strip()
    return opened(agent.book.text(draft_file(number))).rest.strip()
