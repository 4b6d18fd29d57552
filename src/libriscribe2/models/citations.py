"""The marks of notes in prose: `[@n-0123456789ab]` becomes a number and a reference."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from libriscribe2.models.brief import CitationStyle
from libriscribe2.models.notes import Note, Source

if TYPE_CHECKING:
    from libriscribe2.models.references import References

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


def cited(
    texts: Iterable[str],
    notes: Iterable[Note],
    sources: Iterable[Source],
    *,
    style: CitationStyle = "numbers",
    english: bool = True,
    linked: bool = False,
) -> Cited:
    """Cite for the marks of texts, in the order in which they come.

    Numbered, one place of one source has one number, however many notes rest on it.

    Args:
        texts: The chapters, in order.
        notes: The notes of the book.
        sources: The sources of the notes.
        style: How references are written.
        english: Whether the book is in English.
        linked: Whether citation and reference lead to each other, by links to `cite:1` and
            `source:1`, of which the exporters make their own.
    """
    work = _Citing({note.id: note for note in notes}, style, linked)
    texts = tuple(texts)
    if not any("[@n-" in text or "[n-" in text for text in texts):
        return Cited(texts)
    work.known(sources, english=english)
    done = tuple(work.text(number, text) for number, text in enumerate(texts))
    return Cited(done, work.references(), frozenset(work.used), tuple(work.bad))


@dataclass
class _Citing:
    """What was cited so far."""

    notes: dict[str, Note]
    style: CitationStyle
    linked: bool
    numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    bad: list[BadMark] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    footnotes: list[str] = field(default_factory=list)
    written: "References" = field(init=False)

    def known(self, sources: Iterable[Source], *, english: bool) -> None:
        """Tell the sources; of one that nobody kept, only its id is known."""
        from libriscribe2.models.references import References  # noqa: PLC0415 - for books with notes

        kept = {source.id: source for source in sources}
        missing = {note.source for note in self.notes.values()} - kept.keys()
        gone = {
            one: Source(id=one, kind="file", title=one, place=one, sha256="0" * 64)
            for one in sorted(missing)
        }
        self.sources = kept | gone
        self.written = References(self.style, self.sources.values(), english=english)

    def text(self, number: int, text: str) -> str:
        """A text with citations for its marks, and its footnotes behind it."""
        if "[@n-" not in text and "[n-" not in text:
            return text
        before = len(self.footnotes)
        # What stood around a mark that goes may have become one.
        for _ in range(_DEEPEST):
            if MARK.search(text) is None:
                break
            text = MARK.sub(lambda found: self._run(number, found), text)
        else:
            text = _BEGIN.sub("", text)
        if new := self.footnotes[before:]:
            text = "\n\n".join((text.rstrip("\n"), *new)) + "\n"
        return text

    def _run(self, number: int, found: "re.Match[str]") -> str:
        """What stands for marks in a row: `[1, 3]`; nothing where none can be used."""
        run = found.group()
        cited = [one for mark in _ONE.findall(run) for one in self._notes(number, mark)]
        if not cited:
            return ""
        blanks = run[: len(run) - len(run.lstrip())]
        follows = found.string[found.end() : found.end() + 1]
        if self.style == "numbers":
            return blanks + self._numbered(cited, follows)
        if self.style in ("author-date", "apa"):
            return (blanks or " ") + self._dated(cited)
        self.footnotes.append(f"[^cite-{len(self.footnotes) + 1}]: {self._noted(cited)}")
        # Before a bracket, Markdown would take the mark for a link.
        return f"[^cite-{len(self.footnotes)}]" + ("\u2060" if follows in {"(", "["} else "")

    def _notes(self, number: int, mark: str) -> list[Note]:
        """The notes of a mark that may be used."""
        ids = _ID.findall(mark)
        if not ids:
            self.bad.append(BadMark(number, f"[{mark}]", "it names no note"))
        usable = []
        for one in ids:
            note = self.notes.get(one)
            if note is None or not note.is_fact:
                reason = "there is no such note" if note is None else "the note is not verified"
                self.bad.append(BadMark(number, f"[@{one}]", reason))
            else:
                self.used.add(one)
                usable.append(note)
        return usable

    def _number(self, source: str, place: str = "") -> int:
        return self.numbers.setdefault((source, place), len(self.numbers) + 1)

    def _link(self, label: str, number: int, kind: str = "cite") -> str:
        return f"[{label}]({kind}:{number})" if self.linked else label

    def _numbered(self, cited: Iterable[Note], follows: str) -> str:
        numbers = sorted({self._number(one.source, one.locator) for one in cited})
        shown = ", ".join(self._link(str(one), one) for one in numbers)
        # Before a bracket or a colon, Markdown would take the number for a link.
        return f"\\[{shown}\\]" if follows in {"(", "[", ":"} else f"[{shown}]"

    def _dated(self, cited: Iterable[Note]) -> str:
        places: dict[str, dict[str, None]] = {}
        for one in cited:
            places.setdefault(one.source, {})[one.locator] = None
        told = []
        for source, found in places.items():
            label, where = self.written.in_text(self.sources[source], list(found))
            linked = self._link(label, self._number(source))
            told.append(f"{linked}, {where}" if where else linked)
        return f"({'; '.join(told)})"

    def _noted(self, cited: Iterable[Note]) -> str:
        told = []
        for one in cited:
            again = (one.source, "") in self.numbers
            self._number(one.source)
            write = self.written.again if again else self.written.full
            quote = f" {self.written.quoted(one)}" if self.style == "quoted-notes" else ""
            told.append(write(self.sources[one.source], one.locator) + quote)
        return " ".join(dict.fromkeys(told))

    def references(self) -> str:
        """The list at the end as Markdown; "" where nothing is cited."""
        if self.style == "numbers":
            lines = [
                f"{self._link(str(number), number, 'source')}"
                f". {self.written.full(self.sources[source], place)}"
                for (source, place), number in self.numbers.items()
            ]
            return ("\n\n" if self.linked else "\n").join(lines)
        listed = sorted(self.numbers.items(), key=lambda one: self._order(one[0][0]))
        paragraphs = []
        for (source, _), number in listed:
            head, rest = self.written.entry(self.sources[source])
            in_text = self.style in ("author-date", "apa")
            paragraphs.append((self._link(head, number, "source") if in_text else head) + rest)
        return "\n\n".join(paragraphs)

    def _order(self, source: str) -> tuple[str, str, str]:
        return self.written.order(self.sources[source])
