"""One scene: written, continued where it came too short, and without what was written before."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from libriscribe2.agents.agent_base import FEWEST_WORDS, Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.errors import ContentFilteredError, MaxRetriesExceededError
from libriscribe2.models.excerpts import shown_blocks
from libriscribe2.prose import count_words, tail
from libriscribe2.quality.joining import joined, without_repetition
from libriscribe2.quality.lengths import Wanted
from libriscribe2.telemetry import SCENE_CONTINUED

logger = logging.getLogger(__name__)

SHOWN_BUDGET: Final = 16_000
WRITTEN_BUDGET: Final = 6_000
"""Most characters of the text so far that the request to go on shows."""

CONTINUE: Final = "continue"


@dataclass(frozen=True, slots=True)
class SceneCall:
    """What is asked for a scene.

    Attributes:
        values: The values of the prompt, without `words`.
        wanted: How long the scene is to be.
        before: The text that it goes on from.
        shown: Blocks for the request to go on, by name; the scene's plan should be among them.
        part: Name of the question within the unit, such as `scene01`.
        prompt: The prompt; the agent's own where none is named.
    """

    values: Mapping[str, str]
    wanted: Wanted
    before: str = ""
    shown: Mapping[str, str] | None = None
    part: str = ""
    prompt: str = ""


async def write_scene(agent: Agent, unit: Unit, call: SceneCall) -> str:
    """Ask for a scene, and once more for the rest where less than three quarters came.

    What the reply repeats of the text before, character by character, is cut off. A text that is
    too long is kept. What happened is noted in the agent's remark.

    Raises:
        MaxRetriesExceededError: No text came. Where only the rest did not come, the scene is
            returned as it is.
    """
    reply = await agent.write_prose(
        unit, call.values, words=call.wanted.asked, prompt=call.prompt, part=call.part
    )
    text = _new(agent, reply.strip(), call.before, call.part, least=FEWEST_WORDS)
    count = count_words(text)
    if not call.wanted.is_short(count):
        return text
    words = call.wanted.missing(count)
    more = await _more(agent, unit, call, text, words)
    logger.info("%s: %s/%s: %d words", SCENE_CONTINUED, unit.step, call.part, count_words(more))
    return joined(text, _new(agent, more, text, call.part, least=0))


async def _more(agent: Agent, unit: Unit, call: SceneCall, text: str, words: int) -> str:
    """The text that comes next; "" where none can be had."""
    values = {
        "shown": shown_blocks(call.shown or {}, SHOWN_BUDGET),
        "written": tail(joined(call.before, text), WRITTEN_BUDGET),
    }
    part = f"{call.part}-{CONTINUE}" if call.part else CONTINUE
    try:
        return await agent.write_prose(unit, values, words=words, prompt=CONTINUE, part=part)
    except (MaxRetriesExceededError, ContentFilteredError):
        _tell(agent, f"{call.part or 'the text'} stays short: no more text came")
        return ""


def _new(agent: Agent, text: str, before: str, part: str, *, least: int) -> str:
    """A reply without what it repeats of the text before, where at least so many words are left."""
    rest = without_repetition(text, before)
    if rest == text or count_words(rest) < least:
        return text
    cut = count_words(text) - count_words(rest)
    _tell(agent, f"{part or 'the text'} began with {cut} words of the text before, cut off")
    return rest


def _tell(agent: Agent, said: str) -> None:
    """Add to what the author should know."""
    agent.made_from.remark = "; ".join(filter(None, (agent.made_from.remark, said)))
