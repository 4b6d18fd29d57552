"""The laws of context: what the prompt of a scene has to hold, judged by the prompt itself.

Every law is a function from what a recorded scene was shown, and the book around it, to findings.
None asks how a context is made, and none judges by a list of words: a text is cut where its source
goes on, a sentence ends where the sentence of its source ends, a name is what the cast, the plan
or the capitals of the text say it is.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import regex
from tests.support.context_changes import Change, Told, unmet_changes

from libriscribe2.checks.text import sentences, words
from libriscribe2.context.prompt_parts import ShownPart
from libriscribe2.prose import weigh

LAWS: Final[Mapping[str, str]] = {
    "L1": "a part that is called whole is whole",
    "L2": "no sentence is cut, unless the cut is marked",
    "L3": "nothing that bears on the scene is shortened or left out while there is room",
    "L4": "the first scene of a chapter knows the last words of the chapter before",
    "L5": "everybody whom the finished scene names or lets speak has a card",
    "L6": "no value is given that has changed, and every change is there that the scene needs",
}

SHORTEST: Final = 30
"""Fewer characters than these may stand in two texts by chance."""

LAST_WORDS: Final = 40
CARDS: Final = "characters"
KNOWN_BY: Final = ("cast", "facts", "state")
"""The part with a card of each person of the scene, and those with a line of others."""

MARKS: Final = ("\u2026", "...", "[")
"""How a text that is shortened may say so, right behind its last word."""

_SEPARATOR: Final = "\x00"
_BLOCK: Final = re.compile(r"<(?P<name>[a-z_]+)>\n(?P<body>.*?)\n</(?P=name)>", re.DOTALL)
_AFTER: Final = re.compile(r"\s*(?:\x00|\Z|[(\[\u2026]|\.\.\.)")
"""What stands behind a text in a prompt: the end of its line or field, or a remark."""

_SUBJECT: Final = re.compile(r"- ([^:,]+)[:,] ")
"""Of whom or what a line of a list tells."""

_BESIDE: Final = " / "
_LABEL: Final = ": "
"""What parts the texts of one line, and what stands behind a line's first words."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A law that a context breaks.

    Attributes:
        law: Which one.
        chapter: The scene's chapter, from 1.
        scene: The scene, from 1.
        about: What is wrong, in words that stay the same while it is.
        evidence: The words that show it.
    """

    law: str
    chapter: int
    scene: int
    about: str
    evidence: str = ""

    @property
    def line(self) -> str:
        """The finding in a list of known failures."""
        return f"ch{self.chapter}.s{self.scene} {self.law} {self.about}"


@dataclass(frozen=True, slots=True)
class Source:
    """A text that a context may show.

    Attributes:
        label: Where it stands, such as `outline.json chapters 3 exit_state`.
        text: All of it.
        piece: What it is of that, where its pieces are told together.
        quote: Words of the book that say the same.
    """

    label: str
    text: str
    piece: str = ""
    quote: str = ""

    @property
    def line(self) -> str:
        """The text in one line."""
        return one_line(self.text)


@dataclass(frozen=True)
class RecordedScene:
    """A scene, and what was shown to the model that wrote it.

    Attributes:
        chapter: Its chapter, from 1.
        number: The scene, from 1.
        budget: Most that all parts might take together.
        parts: The parts as the program reports them.
        prompt: All messages of the request.
        text: The scene in the finished book.
        bears: What bears on it, the most important first; pieces of one text stand together.
        sources: Texts that are told as one line.
        lists: Lists that are told item by item, by where they stand.
        prose: Text of the book that was there, paragraph by paragraph.
        values: What is recorded of it in words that may be the book's own.
        before: The end of the chapter before; "" for all but the first scene of a chapter.
        people: The people that the book knows by name.
        present: Those whom the plan of the scene lists.
        brought_in: Those whom the scene itself brings in: nothing before it knows them.
    """

    chapter: int
    number: int
    budget: int
    parts: tuple[ShownPart, ...]
    prompt: str
    text: str = ""
    bears: tuple[Source, ...] = ()
    sources: tuple[Source, ...] = ()
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)
    prose: tuple[str, ...] = ()
    values: frozenset[str] = frozenset()
    before: str = ""
    people: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    brought_in: tuple[str, ...] = ()

    @cached_property
    def blocks(self) -> Mapping[str, str]:
        """The parts of the prompt by their tags, and under "" what stands outside of them."""
        found = {"": _BLOCK.sub("", self.prompt)}
        for one in _BLOCK.finditer(self.prompt):
            found[one["name"]] = "\n".join(filter(None, (found.get(one["name"]), one["body"])))
        return found

    @cached_property
    def told(self) -> Mapping[str, tuple[Told, ...]]:
        """The lines and fields of each part."""
        return {name: tuple(_told(body)) for name, body in self.blocks.items()}

    @cached_property
    def units(self) -> Mapping[str, tuple[str, ...]]:
        """Their texts, each in one line."""
        return {name: tuple(one.text for one in told) for name, told in self.told.items()}

    @cached_property
    def everything(self) -> str:
        """All lines and fields of the prompt."""
        return _SEPARATOR.join(unit for units in self.units.values() for unit in units)

    @property
    def room(self) -> int:
        """What the budget has left."""
        return self.budget - sum(part.size for part in self.parts)

    def found(self, law: str, about: str, evidence: str = "") -> Finding:
        """A finding about this scene."""
        return Finding(law, self.chapter, self.number, about, one_line(evidence))


@dataclass(frozen=True, slots=True)
class Cut:
    """A text that a part shows the beginning or a piece of.

    Attributes:
        part: The part.
        label: What is cut.
        shown: What stands before the cut.
        rest: What stands behind it; one of both is not shown.
        is_sound: Whether the cut is between two sentences, or marked.
    """

    part: str
    label: str
    shown: str
    rest: str
    is_sound: bool = False

    @property
    def evidence(self) -> str:
        """Where it is cut."""
        return f"…{self.shown[-60:]} ¦ {self.rest[:40]}…"


def one_line(text: str) -> str:
    """A text in one line."""
    return " ".join(text.split())


def findings(scene: RecordedScene, changes: Sequence[Change] = ()) -> list[Finding]:
    """All that a context breaks, law by law."""
    cuts = [*_shortened(scene), *_cut_prose(scene)]
    found = [*called_whole(scene, cuts), *cut_sentences(scene, cuts), *left_out(scene)]
    found += [*without_the_end(scene), *without_card(scene), *out_of_date(scene, changes)]
    return list({one.line: one for one in found}.values())


def called_whole(scene: RecordedScene, cuts: Iterable[Cut]) -> Iterator[Finding]:
    """L1."""
    whole = {part.name for part in scene.parts if part.fit == "whole"}
    for cut in cuts:
        if cut.part in whole:
            yield scene.found("L1", f"{cut.part}: {cut.label}", cut.evidence)
    for name in sorted(whole & scene.blocks.keys()):
        for label, shown, of in _short_lists(scene.blocks[name], scene.lists):
            yield scene.found("L1", f"{name}: {label}", f"{shown} of {of} items")


def cut_sentences(scene: RecordedScene, cuts: Iterable[Cut]) -> Iterator[Finding]:
    """L2."""
    for cut in cuts:
        if not cut.is_sound:
            yield scene.found("L2", f"{cut.part}: {cut.label}", cut.evidence)


def left_out(scene: RecordedScene) -> Iterator[Finding]:
    """L3: what is missing and would have fitted, the most important first."""
    room, missing = scene.room, dict[tuple[str, str], list[tuple[Source, int]]]()
    for source in scene.bears:
        shown = _shown(source, scene.everything)
        lacks = weigh(source.line[shown:])
        if lacks and lacks <= room:
            room -= lacks
            how = "shortened" if shown else "left out"
            missing.setdefault((how, source.label), []).append((source, shown))
    for (how, label), texts in missing.items():
        source, shown = texts[0]
        pieces = ", ".join(one.piece for one, _ in texts if one.piece)
        about = f"{how}: {label}" + (f": {pieces}" if pieces else "")
        yield scene.found("L3", about, f"room for {scene.room:,}; lacks: {source.line[shown:]}")


def without_the_end(scene: RecordedScene) -> Iterator[Finding]:
    """L4."""
    last = words(scene.before)[-LAST_WORDS:]
    if last and " ".join(last) not in " ".join(words(scene.prompt)):
        yield scene.found("L4", "the end of the chapter before", " ".join(last))


def without_card(scene: RecordedScene) -> Iterator[Finding]:
    """L5: who speaks or is present needs a card, who is only named a line that tells of them."""
    said = {name: _meant(name, scene.people) or [name] for name in speakers_of(scene.text)}
    speakers = {name for meant in said.values() for name in meant}
    cards = {one.subject for one in scene.told.get(CARDS, ())}
    told = [one for part in KNOWN_BY for one in scene.told.get(part, ())]
    lines = {one.subject for one in told}
    for name in sorted({*named_in(scene.text, scene.people), *speakers}):
        if name in scene.brought_in and name not in scene.present:
            continue
        acts = name in speakers or name in scene.present
        known = cards if acts else cards | lines
        is_told = not acts and any(name in one.text for one in told)
        if not is_told and not any(
            _is_one(name, one) or _is_one(one, name) for one in known if one
        ):
            yield scene.found("L5", name, "speaks or is present" if acts else "is named")


def out_of_date(scene: RecordedScene, changes: Sequence[Change]) -> Iterator[Finding]:
    """L6."""
    for about, evidence in unmet_changes((scene.chapter, scene.number), scene.told, changes):
        yield scene.found("L6", about, evidence)


def _shown(source: Source, within: str) -> int:
    """How many characters of a text are shown; one that the book itself says is shown by that."""
    said = one_line(source.quote)
    return len(source.line) if said and said in within else shown_of(source.line, within)


def shown_of(line: str, within: str) -> int:
    """How many characters of a text are shown: all, its beginning up to where it is cut, or none.

    Args:
        line: The text in one line.
        within: Lines and fields.
    """
    if len(line) <= SHORTEST:
        stands = re.search(rf"(?<!\w){re.escape(line)}(?!\w)", within)
        return len(line) if stands else 0
    if line in within:
        return len(line)
    if line[:SHORTEST] not in within:
        return 0
    low, high = SHORTEST, len(line)
    while low < high - 1:
        middle = (low + high) // 2
        low, high = (middle, high) if line[:middle] in within else (low, middle)
    shown = line[:low].rstrip()
    ends = (found.end() for found in re.finditer(re.escape(shown), within))
    return len(shown) if any(_AFTER.match(within, end) for end in ends) else 0


def _told(body: str) -> Iterator[Told]:
    """The lines of a block, or the fields of what it holds as JSON."""
    for line in filter(None, map(one_line, body.split("\n"))):
        value = _json(line)
        if value is None:
            subject = _SUBJECT.match(line)
            yield Told(subject[1] if subject else "", line)
        else:
            yield from _fields(value, "")


def _json(line: str) -> Any:
    """The value of a line of JSON, else None."""
    try:
        return json.loads(line) if line.startswith(("{", "[")) else None
    except ValueError:
        return None


def _fields(value: Any, subject: str) -> Iterator[Told]:
    """Every text of a value, with the name of the entry that it belongs to."""
    if isinstance(value, Mapping):
        subject = str(value.get("name", subject))
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _fields(one, subject)
    elif value not in (None, ""):
        yield Told(subject, one_line(str(value)))


def _shortened(scene: RecordedScene) -> Iterator[Cut]:
    """The texts of which a part shows the beginning."""
    wholes = {source.line for source in scene.sources}
    long = [(source, line) for source in scene.sources if len(line := source.line) > SHORTEST]
    for name, units in scene.units.items():
        within = _SEPARATOR.join(units)
        for source, line in long:
            shown = shown_of(line, within)
            if not 0 < shown < len(line) or line[:shown] in wholes:
                continue
            is_sound = shown in _ends(line) or is_marked(line[:shown], within)
            yield Cut(name, source.label, line[:shown], line[shown:], is_sound=is_sound)


def is_marked(shown: str, within: str) -> bool:
    """Whether a text that is shortened says so, right behind its last word."""
    return any(f"{shown}{gap}{mark}" in within for gap in ("", " ") for mark in MARKS)


def _cut_prose(scene: RecordedScene) -> Iterator[Cut]:
    """The pieces of paragraphs that a part shows, whole lines or what stands in a line of a list."""
    within = _SEPARATOR + _SEPARATOR.join(scene.prose) + _SEPARATOR
    for name, units in scene.units.items():
        for unit in units:
            lines = [unit] if unit in within else unit.split(_BESIDE)
            for line in lines:
                found = (one for one in (line, line.partition(_LABEL)[2]) if len(one) >= SHORTEST)
                own = (one for one in found if one not in scene.values)
                at = next(((one, p) for one in own if (p := within.find(one)) >= 0), None)
                if at is not None:
                    yield from _edges(name, *at, within)


def _edges(part: str, shown: str, start: int, within: str) -> Iterator[Cut]:
    """Where a piece of prose begins or ends inside a paragraph."""
    first = within.rfind(_SEPARATOR, 0, start) + 1
    paragraph = within[first : within.index(_SEPARATOR, start)]
    begin, end = start - first, start - first + len(shown)
    ends = _ends(paragraph)
    if len(paragraph[:begin].rstrip()) not in ends:
        yield Cut(part, "the beginning of a paragraph", paragraph[:begin], shown)
    if end not in ends:
        yield Cut(part, "the end of a paragraph", shown, paragraph[end:])


def _ends(line: str) -> frozenset[int]:
    """Where the sentences of a line end."""
    ends, at = {0}, 0
    for one in sentences(line):
        at = line.find(one, at) + len(one)
        ends.add(at)
    return frozenset(ends | {len(line)})


def _short_lists(body: str, lists: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, int, int]]:
    """The lists of which a block of JSON shows only the first items."""
    shown = [tuple(map(one_line, one)) for one in _lists(_json(one_line(body)))]
    wholes = {tuple(items) for items in lists.values()}
    for own in shown:
        for label, items in lists.items():
            if own not in wholes and tuple(items[: len(own)]) == own:
                yield label, len(own), len(items)


def _lists(value: Any) -> Iterator[list[str]]:
    """Every list of texts in a value."""
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        yield value
    inside = value.values() if isinstance(value, Mapping) else value
    for one in inside if isinstance(value, Mapping | list) else ():
        yield from _lists(one)


_POSSESSIVE: Final = re.compile(r"['’]s\b")
_NAME: Final = r"\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)*"
_SAID: Final = r"""(?:[,?!\u2014.…]["”»“’]|["”»“’],)"""
_SPOKEN: Final = regex.compile(
    rf"""{_SAID}\s+\p{{Ll}}+\s+(?P<after>{_NAME})"""  # “No,” said Ada
    rf"""|(?:,["”»’]|["”»“’],)\s+(?P<before>{_NAME})\s+\p{{Ll}}"""  # “No,” Ada said
    rf"""|(?:^|[.!?…]\s)(?P<first>{_NAME})\s+\p{{Ll}}+[,:]\s+["“»„‘]""",  # Ada said, “No
    regex.MULTILINE,
)


def speakers_of(text: str) -> list[str]:
    """The names that stand beside what is said, in order."""
    lower = frozenset(regex.findall(r"\b\p{Ll}[\p{L}'’]*", text))
    found = (next(filter(None, one.groups())) for one in _SPOKEN.finditer(text))
    return list(dict.fromkeys(name for name in found if name.split()[0].lower() not in lower))


_CAPITAL: Final = r"\p{Lu}[\p{L}’'-]*\p{L}"
_CAPITALS: Final = regex.compile(rf"({_CAPITAL})(?=(?: ({_CAPITAL}))?)")


def named_in(text: str, people: Sequence[str]) -> list[str]:
    """The people of whom a text has the whole name, or a part of it that nobody else has.

    A part before another name is a title, as in `Mr Ames` and `Mr Rudd`, and names nobody.
    """
    found = frozenset(_CAPITALS.findall(_POSSESSIVE.sub("", text)))
    return [
        name
        for name in people
        if name in text
        or any(
            one in _own_parts(name, people) and after in ("", *name.split()) for one, after in found
        )
    ]


def _meant(said: str, people: Sequence[str]) -> list[str]:
    """The person whom a name means; nobody where it fits several."""
    fits = [name for name in people if _is_one(said, name)]
    return fits if len(fits) == 1 else []


def _is_one(said: str, name: str) -> bool:
    """Whether a name is another, or a part of it."""
    return set(said.split()) <= set(name.split())


def _own_parts(name: str, people: Iterable[str]) -> frozenset[str]:
    """The capitalised words of a name that no other one has."""
    others = {word for other in people if other != name for word in other.split()}
    return frozenset(word for word in name.split() if word[:1].isupper()) - others
