"""One scene: written, continued where it came too short, and without what was written before.

And the opening of a chapter that was drafted from its plan alone, written anew.
"""

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import regex

from libriscribe2.agents.agent_base import FEWEST_WORDS, Agent, Unit
from libriscribe2.checks.text import sentences
from libriscribe2.checks.text_lengths import Wanted
from libriscribe2.context.prompt_parts import block
from libriscribe2.context.scene_context import ChapterHead, SceneContext
from libriscribe2.context.story_so_far import text_before
from libriscribe2.errors import ContentFilteredError, MaxRetriesExceededError
from libriscribe2.project.paths import chapter_file, draft_file
from libriscribe2.prose import SPACE, count_words, divided, shorten, tail, trimmed, without_notes
from libriscribe2.telemetry import SCENE_CONTINUED

FEWEST_REPEATED: Final = 5
"""A text may well begin with a few words that the one before ends with."""

LEAST_SCENE: Final = 8
"""A part that is shorter than all others by this factor is a stub."""

_RULE: Final = re.compile(r"(?m)^[ \t]*(?:\*[ \t]*\*[ \t]*\*|-{3,}|_{3,})[ \t]*$")

MOST_TRIES: Final = 64
"""So many places where the beginning of a text may stand are looked at one by one."""

_SENTENCE_ENDS: Final = regex.compile(
    r"""[.!?\u2026:;\u3002\uff01\uff1f\u061f\u0964]["'\u2019\u201d\u00bb\u300d\u300f)\]*_]*\Z"""
    r"""|["\u201d\u00bb\u300d\u300f]\Z"""
)
_WORD: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{L}\p{M}\p{N}]+")
_LETTER: Final = regex.compile(r"[\p{L}\p{M}\p{N}]")


def without_repetition(text: str, before: str) -> str:
    """A text without what it repeats, character by character, of the end of the one before it.

    Args:
        text: The text.
        before: What stands before it.

    Returns:
        The rest of the text; the whole text where it begins with words of its own, with fewer
        than five words of the other one, or in the middle of a word.
    """
    own, end = text.lstrip(), before.rstrip()
    size = _overlap(own, end)
    said, rest = own[:size], own[size:]
    if len(_WORD.findall(said)) < FEWEST_REPEATED:
        return text
    if rest and _LETTER.match(said[-1]) and _LETTER.match(rest[0]):
        return text
    return rest.lstrip(SPACE)


def without_stub(text: str, scenes: int) -> tuple[str, str]:
    """The scenes that were asked for, and what stands beside them.

    Where one part more comes than was asked for, and its first or last part is next to nothing,
    that is no scene: the writer speaks to the reader of the reply.

    Args:
        text: The text of all scenes, with a rule or three asterisks between two.
        scenes: How many were asked for.
    """
    rules = list(_RULE.finditer(text))
    if len(rules) != scenes:
        return text, ""
    starts, ends = [0, *(one.end() for one in rules)], [*(one.start() for one in rules), len(text)]
    sizes = [count_words(text[start:end]) for start, end in zip(starts, ends, strict=True)]
    for at in (-1, 0):
        if sizes[at] * LEAST_SCENE <= sorted(sizes)[1]:
            kept = text[: ends[-2]] if at else text[starts[1] :]
            return trimmed(kept), text[starts[at] : ends[at]].strip()
    return text, ""


def joined(text: str, more: str) -> str:
    """Two pieces of prose as one: in a new paragraph, unless the first ends inside a sentence."""
    start, rest = text.rstrip(), trimmed(more)
    if not start or not rest:
        return start or rest
    gap = "\n\n" if _SENTENCE_ENDS.search(start) else " "
    return f"{start}{gap}{rest}"


def _overlap(text: str, before: str) -> int:
    """How many characters the longest beginning of a text has that ends the one before.

    0 for one of fewer characters than five words have.
    """
    seed, tries = text[:FEWEST_REPEATED], 0
    at = before.find(seed, max(0, len(before) - len(text)))
    while at >= 0 and seed:
        size = len(before) - at
        if before.endswith(text[:size]):
            return size
        tries += 1
        if tries > MOST_TRIES:
            return _overlap_by_borders(text, before)
        at = before.find(seed, at + 1)
    return 0


def _overlap_by_borders(text: str, before: str) -> int:
    """The same in linear time, for texts that say one thing over and over.

    The borders of beginnings are counted as Knuth, Morris and Pratt do.
    """
    end = before[-len(text) :] if text else ""
    borders = [0] * len(text)
    size = 0
    for at in range(1, len(text)):
        while size and text[at] != text[size]:
            size = borders[size - 1]
        size += text[at] == text[size]
        borders[at] = size
    size = 0
    for at, letter in enumerate(end):
        while size and (size == len(text) or letter != text[size]):
            size = borders[size - 1]
        size += letter == text[size]
        if size == len(text) and at < len(end) - 1:
            size = borders[size - 1]
    return size


logger = logging.getLogger(__name__)

SHOWN: Final = ("style", "chapter", "characters", "places", "scene", "next")
"""What an author's own prompt to go on calls `shown`."""

CONTINUE: Final = "continue"


@dataclass(frozen=True, slots=True)
class SceneCall:
    """What is asked for a scene.

    Attributes:
        context: What the prompt shows, without `words`.
        wanted: How long the scene is to be.
        head: What all requests of the chapter show first.
        written: The scenes that are written.
        part: Name of the question within the unit, such as `scene01`.
        prompt: The prompt; the agent's own where none is named.
    """

    context: SceneContext
    wanted: Wanted
    head: ChapterHead
    written: Sequence[str] = ()
    part: str = ""
    prompt: str = ""


async def write_scene(agent: Agent, unit: Unit, call: SceneCall) -> str:
    """Ask for a scene, and once more for the rest where less than half came.

    What the reply repeats of the text before, character by character, is cut off. A text that is
    too long is kept. What happened is noted in the agent's remark, and what it was written from
    among what its chapter was made from.

    Raises:
        MaxRetriesExceededError: No text came. Where only the rest did not come, the scene is
            returned as it is.
    """
    values, first = call.context.values, len(agent.made_from.keys)
    reply = await agent.write_prose(
        unit, values, words=call.wanted.asked, prompt=call.prompt, part=call.part
    )
    manifest = call.context.manifest.model_copy(update={"key": agent.made_from.keys[first]})
    agent.made_from.manifests.append(manifest.model_dump(mode="json"))
    before = text_before(call.head.state, call.written)
    text = _new(agent, trimmed(reply), before, call.part, least=FEWEST_WORDS)
    count = count_words(text)
    if not call.wanted.is_short(count):
        return text
    also = {**values, **call.head.values([*call.written, text])}
    also |= {"shown": "".join(also[name] for name in SHOWN), "written": text}
    part = f"{call.part}-{CONTINUE}" if call.part else CONTINUE
    words, more = call.wanted.missing(count), ""
    try:
        more = await agent.write_prose(unit, {}, words=words, prompt=CONTINUE, part=part, also=also)
    except (MaxRetriesExceededError, ContentFilteredError):
        agent.remark(f"{call.part or 'the text'} is short: the model wrote no more")
    logger.info("%s: %s/%s: %d words", SCENE_CONTINUED, unit.step, call.part, count_words(more))
    return joined(text, _new(agent, more, text, call.part, least=0))


def _new(agent: Agent, text: str, before: str, part: str, *, least: int) -> str:
    """A reply without what it repeats of the text before, where at least so many words are left."""
    rest = without_repetition(text, before)
    if rest == text or count_words(rest) < least:
        return text
    cut = count_words(text) - count_words(rest)
    agent.remark(f"{part or 'the text'} began with {cut} words of the text before, cut off")
    return rest


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
            unit, values, words=words, prompt="openings", part="opening", also=also
        )
    except (MaxRetriesExceededError, ContentFilteredError):
        return "", "no new one came"
    new = trimmed(reply)
    return new, unfit(new, values["opening"])


def _end_of(agent: Agent, number: int) -> str:
    """The part of a chapter that stays when its own opening is written; the author's text is whole."""
    if agent.book.is_edited(chapter_file(number)):
        return without_notes(agent.book.text(chapter_file(number))).strip()
    return opened(agent.book.text(draft_file(number))).rest.strip()
