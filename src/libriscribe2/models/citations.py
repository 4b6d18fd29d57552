"""The marks of notes in prose: `[@n-0123456789ab]` becomes a number and a reference."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from libriscribe2.models.notes import Note, Source

HEADING: Final = "References"

MARK: Final = re.compile(
    r"(?<![ \t])[ \t]*(?:\[(?:@n-[^\]\n]{0,400}|n-[0-9a-f]{12})\][ \t]*)+(?<![ \t])"
)
"""One or more marks in a row, with the blanks before them."""

_DEEPEST: Final = 4
_BEGIN: Final = re.compile(r"\[@?(?=n-)")
_ID: Final = re.compile(r"n-[0-9a-f]{12}(?![0-9a-f])")
_ONE: Final = re.compile(r"\[([^\]\n]*)\]")
_MARKED: Final = re.compile(r"\[(?:@n-[^\]\n]{0,400}|n-[0-9a-z]{11,13})\]")
_SAID: Final = re.compile(r"\bn-[0-9A-Za-z]{11,13}\b")
_OBEYED: Final = re.compile(r"([\\`*_\[\]<>#&~|^$])")
_CLEAN_URL: Final = re.compile(r"https?://[^\s<>\\]+")


def mark_of(note: Note) -> str:
    """The mark by which prose cites a note."""
    return f"[@{note.id}]"


def facts(notes: Iterable[Note]) -> list[Note]:
    """The notes that a text may state."""
    return [note for note in notes if note.is_fact]


def known_id(said: str, ids: Collection[str]) -> str:
    """The id of a note that one means who writes it, be it with one wrong character.

    Args:
        said: What is written.
        ids: The ids that there are.

    Returns:
        The id; "" where no id, or more than one, is so near.
    """
    if said in ids:
        return said
    near = [one for one in ids if _is_one_off(said, one)]
    return near[0] if len(near) == 1 else ""


def _is_one_off(one: str, other: str) -> bool:
    """Whether two texts differ by one character, changed, missing or added."""
    short, long = sorted((one, other), key=len)
    if len(short) == len(long):
        return sum(a != b for a, b in zip(short, long, strict=True)) == 1
    cuts = (long[:at] + long[at + 1 :] for at in range(len(long)))
    return len(long) - len(short) == 1 and short in cuts


def with_known_ids(text: str, ids: Collection[str]) -> str:
    """A text whose marks name notes that there are, as far as one wrong character goes."""
    return _MARKED.sub(lambda mark: ids_known(mark.group(), ids), text)


def ids_known(text: str, ids: Collection[str]) -> str:
    """A text in which every id of a note is one that there is, as far as one wrong character goes."""
    return _SAID.sub(lambda found: known_id(found.group(), ids) or found.group(), text)


def ids_in(text: str) -> list[str]:
    """The ids of notes that a text names, in order."""
    return _ID.findall(text)


@dataclass(frozen=True, slots=True)
class BadMark:
    """A mark in prose behind which there is no note that may be used.

    Attributes:
        text: Number of the text, from 0.
        mark: The mark as it stands.
        reason: Why it cannot be used.
    """

    text: int
    mark: str
    reason: str


@dataclass(frozen=True, slots=True)
class Cited:
    """Texts whose marks have become numbers.

    Attributes:
        texts: The texts; a mark that cannot be used is gone.
        references: The numbered list as Markdown; "" where nothing is cited.
        used: The ids of the cited notes.
        bad: The marks that cannot be used.
    """

    texts: tuple[str, ...]
    references: str = ""
    used: frozenset[str] = frozenset()
    bad: tuple[BadMark, ...] = ()


def cited(texts: Iterable[str], notes: Iterable[Note], sources: Iterable[Source]) -> Cited:
    """Number the marks of texts in the order in which they come.

    One place of one source has one number, however many notes rest on it.

    Args:
        texts: The chapters, in order.
        notes: The notes of the book.
        sources: The sources of the notes.
    """
    work = _Numbering({note.id: note for note in notes})
    done = tuple(work.text(number, text) for number, text in enumerate(texts))
    lines = _references(work.numbers, {source.id: source for source in sources})
    return Cited(done, "\n".join(lines), frozenset(work.used), tuple(work.bad))


@dataclass
class _Numbering:
    """The numbers so far."""

    notes: dict[str, Note]
    numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    bad: list[BadMark] = field(default_factory=list)

    def text(self, number: int, text: str) -> str:
        """A text with numbers for its marks."""
        if "[@n-" not in text and "[n-" not in text:
            return text
        # What stood around a mark that goes may have become one.
        for _ in range(_DEEPEST):
            if MARK.search(text) is None:
                return text
            text = MARK.sub(lambda found: self._run(number, found), text)
        return _BEGIN.sub("", text)

    def _run(self, number: int, found: "re.Match[str]") -> str:
        """The numbers of marks in a row: `[1, 3]`; nothing where none can be used."""
        run = found.group()
        known = [one for mark in _ONE.findall(run) for one in self._numbers(number, mark)]
        if not known:
            return ""
        shown = ", ".join(map(str, sorted(set(known))))
        # Before a bracket or a colon, Markdown would take the number for a link.
        follows = found.string[found.end() : found.end() + 1] in {"(", "[", ":"}
        blanks = run[: len(run) - len(run.lstrip())]
        return f"{blanks}\\[{shown}\\]" if follows else f"{blanks}[{shown}]"

    def _numbers(self, number: int, mark: str) -> list[int]:
        ids = _ID.findall(mark)
        if not ids:
            self.bad.append(BadMark(number, f"[{mark}]", "it names no note"))
        return [found for one in ids if (found := self._number(number, one))]

    def _number(self, number: int, identifier: str) -> int:
        """The number of a note's place; 0 where the note cannot be used."""
        note = self.notes.get(identifier)
        if note is None or not note.is_fact:
            reason = "there is no such note" if note is None else "the note is no verified fact"
            self.bad.append(BadMark(number, f"[@{identifier}]", reason))
            return 0
        self.used.add(identifier)
        return self.numbers.setdefault((note.source, note.locator), len(self.numbers) + 1)


def _references(numbers: dict[tuple[str, str], int], sources: dict[str, Source]) -> list[str]:
    """The lines of the list, in the order of the numbers."""
    return [
        f"{number}. {_reference(sources.get(source), source, locator)}"
        for (source, locator), number in numbers.items()
    ]


def _reference(source: Source | None, identifier: str, locator: str) -> str:
    if source is None:
        return _sentence((identifier, _plain(locator)))
    locator = "" if locator == source.title else locator
    if source.kind == "web":
        place = f"<{source.place}>" if _CLEAN_URL.fullmatch(source.place) else _plain(source.place)
        read = f"retrieved {source.retrieved}" if source.retrieved else ""
        return _sentence((_plain(source.title), _plain(locator), place, read))
    place = "" if source.place == source.title else _plain(source.place)
    return _sentence((_plain(source.title), _plain(locator), place))


def _sentence(parts: Sequence[str]) -> str:
    return ", ".join(part for part in parts if part) + "."


def _plain(text: str) -> str:
    """A text in one line that means just its characters in Markdown."""
    return _OBEYED.sub(r"\\\1", " ".join(text.split()))
