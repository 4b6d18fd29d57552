"""Episodes: what can happen in a scene, and how to recognise one in a plan.

The offline author plans scenes from episodes and later writes them. Between the two lie files
that the author of the book may have changed, so the writer recognises an episode by its wording
and takes everything else as it stands.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from libriscribe2.llm.offline.phrases import sections

PHASES = ("begin", "rise", "middle", "fall", "crisis", "end")

_SLOT = re.compile(r"\{([^{}]+)\}")
_NAMED = frozenset({"A", "B", "thing", "thing2", "place"})


@dataclass(frozen=True, slots=True)
class Episode:
    """Something that happens, as templates.

    Attributes:
        phase: One of `PHASES`.
        title: The title of a chapter that begins with it.
        goal: An infinitive.
        conflict: A noun phrase.
        outcome: A noun phrase.
        summary: One or two sentences in the present tense.
        lines: Sentences for the text itself.
        talks: Exchanges of two people.
    """

    phase: str
    title: str
    goal: str
    conflict: str
    outcome: str
    summary: str
    lines: tuple[str, ...]
    talks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An episode that was recognised in a text.

    Attributes:
        episode: The episode.
        slots: What the text says for the slots `A`, `B`, `thing`, `thing2` and `place`.
        span: Where in the text it begins and ends.
    """

    episode: Episode
    slots: Mapping[str, str]
    span: tuple[int, int]


@cache
def episodes(file: str) -> tuple[Episode, ...]:
    """The episodes of `phrases/<file>.txt`, in order."""
    return tuple(_episode(phase, lines) for phase, lines in sections(file))


def in_phase(file: str, phase: str) -> tuple[Episode, ...]:
    """The episodes of one phase."""
    return tuple(episode for episode in episodes(file) if episode.phase == phase)


def phase_of(number: int, of: int) -> str:
    """The phase of chapter `number` (from 1) among `of` chapters.

    The first chapter begins and the last one ends; the others share the phases between.
    """
    if number <= 1:
        return "begin" if of > 1 else "middle"
    if number >= of:
        return "end"
    inner = PHASES[1:-1]
    return inner[min(len(inner) - 1, (number - 2) * len(inner) // max(1, of - 2))]


def recognise(file: str, text: str) -> list[Found]:
    """The episodes whose summaries stand in a text, in the order of the text."""
    hits = []
    lowered = text.lower()
    for episode in episodes(file):
        # The longest fixed part rules out nearly all, and far faster than the pattern does.
        likely = _anchor(episode.summary) in lowered
        match = _pattern(episode.summary).search(text) if likely else None
        if match is not None:
            slots = {name: value for name, value in match.groupdict().items() if value}
            hits.append(Found(episode, slots, match.span()))
    return sorted(hits, key=lambda found: found.span[0])


def fits(template: str, text: str) -> bool:
    """Whether a text can be an output of a template."""
    return _pattern(template).fullmatch(text) is not None


@cache
def _anchor(template: str) -> str:
    """The longest part of a template between slots, in lower case."""
    return max(_SLOT.sub("\x00", template).split("\x00"), key=len).lower()


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """A template as a pattern; the slots that matter are groups."""
    seen: set[str] = set()
    pieces = []
    position = 0
    for slot in _SLOT.finditer(template):
        pieces.append(re.escape(template[position : slot.start()]))
        name = slot[1]
        if name in _NAMED and name not in seen:
            seen.add(name)
            pieces.append(f"(?P<{name}>[^.?!]{{1,80}}?)")
        else:
            pieces.append("[^.?!]{1,80}?")
        position = slot.end()
    pieces.append(re.escape(template[position:]))
    return re.compile("".join(pieces), re.IGNORECASE)


def _episode(phase: str, lines: Sequence[str]) -> Episode:
    fields: dict[str, list[str]] = {}
    for line in lines:
        key, _, value = line.partition(": ")
        fields.setdefault(key, []).append(value)
    return Episode(
        phase,
        fields["title"][0],
        fields["goal"][0],
        fields["conflict"][0],
        fields["outcome"][0],
        fields["summary"][0],
        tuple(fields["line"]),
        tuple(fields.get("talk", ())),
    )
