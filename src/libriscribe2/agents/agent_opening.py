"""The opening of a chapter that was drafted from its plan alone, written anew."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.checks.text import sentences
from libriscribe2.context.prompt_parts import block
from libriscribe2.errors import ContentFilteredError, MaxRetriesExceededError
from libriscribe2.project.paths import chapter_file, draft_file
from libriscribe2.prose import count_words, divided, shorten, tail, without_notes

MOST_WORDS: Final = 250
"""Most words of an opening: a page, on which a chapter takes up from the one before."""

SHORTEST: Final = 0.4
LONGEST: Final = 2.5
"""How much shorter or longer a new opening may be than the one that it replaces."""

_BREAK: Final = re.compile(r"(?:[*][ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}")
_GAP: Final = re.compile(r"\n[ \t]*\n\s*")
_MARKED: Final = re.compile(r"\bn-[0-9a-f]{12}\b")


@dataclass(frozen=True, slots=True)
class Opened:
    """A chapter in three; one after the other they are its text.

    Attributes:
        heading: The line with its title, and the blank lines after it.
        opening: Whole paragraphs, or sentences, of its first scene; "" where it cannot be divided.
        rest: All that comes after, with the blanks before it; never blank after an opening.
    """

    heading: str
    opening: str
    rest: str


def opened(text: str) -> Opened:
    """A chapter's text with its opening apart."""
    start = len(divided(text)[0]) or len(text) - len(text.lstrip())
    body = text[start:]
    end = max(_ends(body), default=0)
    return Opened(text[:start], body[:end], body[end:])


def unfit(new: str, old: str) -> str:
    """What keeps a new opening from taking the place of the old one, in words; "" if nothing."""
    if any(line.startswith("#") or _BREAK.fullmatch(line.strip()) for line in new.splitlines()):
        return "the new one has a heading or a scene break"
    if sorted(set(_MARKED.findall(new))) != sorted(set(_MARKED.findall(old))):
        return "the new one does not cite the same notes"
    share = count_words(new) / max(1, count_words(old))
    if not SHORTEST <= share <= LONGEST:
        return f"the new one has {share:.1f} times its words"
    return ""


def _ends(body: str) -> Iterator[int]:
    """Where an opening may end: after a paragraph, else after a sentence of the first one."""
    if _starts_with_break(body):
        return
    paragraphs = [gap.start() for gap in _GAP.finditer(body) if body[gap.end() :].strip()]
    breaks = [gap.end() for gap in _GAP.finditer(body) if _starts_with_break(body[gap.end() :])]
    first_scene = min(breaks, default=len(body))
    fits = [end for end in paragraphs if end < first_scene and _is_short(body[:end])]
    yield from fits
    if not fits:
        yield from (end for end in _sentence_ends(body) if _is_short(body[:end]))


def _sentence_ends(body: str) -> Iterator[int]:
    """The ends of the first paragraph's sentences, without the last of a text."""
    paragraph = _GAP.split(body, maxsplit=1)[0]
    at = 0
    for sentence in sentences(paragraph):
        at = paragraph.index(sentence, at) + len(sentence)
        if body[at:].strip():
            yield at


def _starts_with_break(text: str) -> bool:
    """Whether the first line stands for the gap between two scenes."""
    return _BREAK.fullmatch(text.partition("\n")[0].strip()) is not None


def _is_short(text: str) -> bool:
    return count_words(text) <= MOST_WORDS


PROMPT: Final = "openings"

# Characters of each part of the prompt (`prose.weigh`).
BEFORE_BUDGET: Final = 3_800
AFTER_BUDGET: Final = 2_400


async def with_opening(agent: Agent, unit: Unit, shown: Mapping[str, str]) -> str:
    """A chapter's draft, with its opening written from the end of the chapter before.

    A chapter for which no opening came that can be used is its draft; the agent's remark says
    why: the draft was paid for and is whole.

    Args:
        agent: Who asks.
        unit: The chapter; there has to be one before it, with a draft of its own.
        shown: What all requests of the chapter show first, and the plan of its first scene.
    """
    number = unit.chapter or 1
    draft = agent.book.text(draft_file(number))
    parts = opened(draft)
    if not parts.opening:
        return draft
    own = {"opening": parts.opening, "text_after": shorten(parts.rest.strip(), AFTER_BUDGET)}
    before = tail(_end_of(agent, number - 1), BEFORE_BUDGET)
    also = {**shown, "text_before": block("text_before", before)}
    new, wrong = await _asked(agent, unit, own, {n: also[n] for n in also if n not in own})
    if wrong:
        agent.made_from.remark = f"the drafted opening was kept: {wrong}"
        return draft
    return f"{parts.heading}{new}{parts.rest}"


async def _asked(
    agent: Agent, unit: Unit, values: Mapping[str, str], also: Mapping[str, str]
) -> tuple[str, str]:
    """A new opening, and what is wrong with it; "" for nothing."""
    words = max(1, count_words(values["opening"]))
    try:
        reply = await agent.write_prose(
            unit, values, words=words, prompt=PROMPT, part="opening", also=also
        )
    except (MaxRetriesExceededError, ContentFilteredError):
        return "", "no new one came"
    new = reply.strip()
    return new, unfit(new, values["opening"])


def _end_of(agent: Agent, number: int) -> str:
    """The part of a chapter that stays when its own opening is written; the author's text is whole."""
    if agent.book.is_edited(chapter_file(number)):
        return without_notes(agent.book.text(chapter_file(number))).strip()
    return opened(agent.book.text(draft_file(number))).rest.strip()
