"""Sentences of a book of facts beside the notes that they cite: what code alone can tell."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from libriscribe2.checks.prose_claims import folded_words, names_in
from libriscribe2.checks.text import STOPWORDS, ChapterText, Paragraph, words
from libriscribe2.models.citations import MARK, ids_in, mark_of
from libriscribe2.models.notes import Note
from libriscribe2.research.passages import sentences
from libriscribe2.research.quotes import line_of_quote
from libriscribe2.research.support import SMALL, numbers_in, plain_number

CITED: Final = "cited"
UNCITED: Final = "uncited"
UNKNOWN: Final = "unknown"
NAMED: Final = "named"

_FENCE: Final = "```"
_CODE: Final = re.compile(r"`[^`\n]*`")
_CLOCK: Final = re.compile(r"\b\d{1,2}:\d{2}(?::\d{2})?\b")
"""A time of day, as examples have it."""

_UNIT: Final = re.compile(r"\d[\d.,]*\s*[^\W\d_]+")
_ENDED: Final = re.compile(r"[.!?\u2026][\"'\u201d\u2019)*_]*\s?(?:\[@n-[^\]\n]*\]\s?)+(?=\s|\S)")
"""The end of a sentence whose marks stand behind it."""


@dataclass(frozen=True, slots=True)
class CitedFault:
    """A sentence whose numbers its notes do not have.

    Attributes:
        kind: `cited`: no note that its paragraph cites has a number of it; `uncited`: it has a
            number, cites nothing, and no note cited so far has it; `unknown`: its mark leads to
            no note; `named`: it cites something, and no note cited so far has a name of it.
        sentence: The sentence as it stands.
        line: Its line in the chapter, from 1.
        what: The numbers, the names, or the marks.
        notes: Notes of the book that have one of the numbers, the likeliest first.
    """

    kind: Literal["cited", "uncited", "unknown", "named"]
    sentence: str
    line: int
    what: tuple[str, ...]
    notes: tuple[Note, ...] = ()

    @property
    def why(self) -> str:
        """What is wrong, in words."""
        said = ", ".join(self.what)
        if self.kind == UNKNOWN:
            return f"there is no usable note behind {said}"
        if self.kind in (CITED, NAMED):
            return f"the notes that it cites do not have {said}"
        return f"{said} stands here without a mark"

    @property
    def fix(self) -> str:
        """What would mend it, in words."""
        have = "; ".join(f"{mark_of(note)}: {note.claim}" for note in self.notes[:_MOST_NOTES])
        if have:
            return f"Where it is said of the same thing, cite {have} Else say it without that."
        return "Say what the notes say, or say it without that."


_MOST_NOTES: Final = 2


def cited_faults(
    chapter: ChapterText,
    notes: Mapping[str, Note],
    earlier: Iterable[str] = (),
    names: Iterable[str] | None = None,
) -> Iterator[CitedFault]:
    """The sentences of a chapter whose marks or numbers its notes do not bear out, in order.

    Args:
        chapter: The chapter.
        notes: The notes that may be cited, by id.
        earlier: Texts of the chapters before: a number that they cite a note for needs no other.
        names: Names of the book's own, which need no note; None where names are not looked at, as
            in languages in which a capital letter tells no name.
    """
    before = [notes[one] for text in earlier for one in ids_in(text) if one in notes]
    named = {plain_number(n) for name in names or () for n in numbers_in(name)}
    is_code, told = False, _numbers_of(before) | named
    said = None if names is None else folded_words("\n".join((*names, *map(_text, before))))
    for paragraph in chapter.paragraphs:
        fences = paragraph.text.count(_FENCE)
        if not is_code and not fences:
            own = [notes[one] for one in ids_in(paragraph.text) if one in notes]
            told |= _numbers_of(own)
            yield from _of_paragraph(paragraph, notes, told, named)
            if said is not None and own:
                said |= folded_words("\n".join(map(_text, own)))
                yield from _named(paragraph, notes, said)
        is_code ^= fences % 2 == 1


def _named(paragraph: Paragraph, notes: Mapping[str, Note], said: set[str]) -> Iterator[CitedFault]:
    """Sentences with a mark and a name that neither the book nor a note cited so far has."""
    for sentence in sentences_with_marks(paragraph.text):
        if any(one in notes for one in ids_in(sentence)):
            plain = _UNIT.sub(" ", _CODE.sub("", MARK.sub("", sentence)))
            names = tuple(dict.fromkeys(names_in(plain, said)))
            if names:
                words_of = {one: folded_words(one) for one in names}
                have = tuple(
                    note
                    for note in notes.values()
                    if any(own <= folded_words(_text(note)) for own in words_of.values())
                )
                yield CitedFault("named", sentence, paragraph.line, names, have)


def _text(note: Note) -> str:
    return f"{note.claim} {note.quote}"


def _of_paragraph(
    paragraph: Paragraph, notes: Mapping[str, Note], told: set[str], named: set[str]
) -> Iterator[CitedFault]:
    """The faults of a paragraph.

    `told` are the numbers of all notes cited as far as it goes, `named` those of the book's own
    names and of its sources.
    """
    beside = named | _numbers_of(notes[one] for one in ids_in(paragraph.text) if one in notes)
    for sentence in sentences_with_marks(paragraph.text):
        ids = ids_in(sentence)
        bad = tuple(f"[@{one}]" for one in ids if one not in notes)
        if bad:
            yield CitedFault("unknown", sentence, paragraph.line, bad)
        said = numbers_in(_CLOCK.sub("", _CODE.sub("", MARK.sub("", sentence))))
        usable = [one for one in ids if one in notes]
        known = beside if usable else told
        missing = [one for one in said if not _is_small(one) and plain_number(one) not in known]
        if missing:
            own = _content(sentence)
            have = sorted(
                (note for note in notes.values() if _has(note, missing)),
                key=lambda note: -len(own & _content(_text(note))),
            )
            what = tuple(dict.fromkeys(missing))
            yield CitedFault(
                "cited" if ids else "uncited", sentence, paragraph.line, what, tuple(have)
            )


def sentences_with_marks(paragraph: str) -> list[str]:
    """The sentences of a paragraph, each with the marks right behind it."""
    found = list[str]()
    for one in sentences(paragraph):
        ends = [0, *(match.end() for match in _ENDED.finditer(one)), len(one)]
        found += [one[start:end].strip() for start, end in pairwise(ends)]
    return [one for one in found if one]


def sentence_with(quote: str, text: str) -> str:
    """The sentence of a text that holds a quote, with its marks; the quote where none does."""
    paragraphs = ChapterText(0, "", text).paragraphs
    told = (one for paragraph in paragraphs for one in sentences_with_marks(paragraph.text))
    return next((one for one in told if line_of_quote(quote, one) is not None), quote)


def _content(text: str) -> set[str]:
    """The words of a text that say what it is about."""
    return {word for word in words(text) if word not in STOPWORDS}


def _numbers_of(notes: Iterable[Note]) -> set[str]:
    """The numbers that some notes have."""
    return {plain_number(n) for note in notes for n in numbers_in(_text(note))}


def _has(note: Note, numbers: Iterable[str]) -> bool:
    return not _numbers_of([note]).isdisjoint(map(plain_number, numbers))


def _is_small(number: str) -> bool:
    """Whether a number is a count of daily life."""
    plain = plain_number(number)
    return plain.isdecimal() and int(plain[:9]) <= SMALL
