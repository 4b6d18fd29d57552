"""Sentences of a book of facts beside the notes that they cite: what code alone can tell."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final, Literal

import regex

from libriscribe2.checks.function_words import STOPWORDS
from libriscribe2.checks.text import NUMBER_WORDS, ChapterText, Paragraph, words
from libriscribe2.models.citations import MARK, ids_in, mark_of
from libriscribe2.models.notes import Note
from libriscribe2.research.passages import fold, paragraphs, sentences
from libriscribe2.research.quotes import find_in_source, line_of_quote
from libriscribe2.research.support import SMALL, numbers_in, plain_number

_NAME: Final = regex.compile(
    r"\p{Lu}[\p{L}\p{M}'\u2019\-]+(?:\s+(?:(?:of|de|van|von|the|la|le)\s+)?\p{Lu}[\p{L}\p{M}'\u2019\-]+)*"
)
_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_CALENDAR: Final = frozenset(
    {
        *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
        *(
            "october",
            "november",
            "december",
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
        ),
        *("saturday", "sunday"),
    }
)


def unknown_names(chapter: str, known: Collection[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The sentences of a chapter with names that nothing supports, in order, and these names.

    Args:
        chapter: The chapter as Markdown.
        known: The words of the notes and of the book's own names (`folded_words`).
    """
    for paragraph in paragraphs(chapter):
        for sentence in sentences(MARK.sub("", paragraph)):
            names = tuple(dict.fromkeys(names_in(sentence, known)))
            if names:
                yield " ".join(sentence.split()), names


def names_in(sentence: str, known: Collection[str]) -> Iterator[str]:
    """Capitalised words that are not known; the first word of a sentence or of a speech is no name.

    This is a list to look through, not a verdict: what a sentence says is not understood.
    """
    for match in _NAME.finditer(sentence):
        words = match.group().split()
        before = sentence[: match.start()].rstrip(" \t*_\"'\u201c\u2018(")
        if not before or before[-1] in ".!?:\u2026\u2014|":
            words = words[1:]
        missing = [word for word in words if not _is_known(word, known)]
        if missing:
            yield " ".join(words)


def _is_known(word: str, known: Collection[str]) -> bool:
    parts = folded_words(word)
    ignored = {"i", "s", "of", "de", "van", "von", "the", "la", "le"}
    return all(part in known or part in _CALENDAR or part in ignored for part in parts)


def folded_words(text: str) -> set[str]:
    """The words of a text without the differences of case and typography (`fold`)."""
    return set(_WORD.findall(fold(text).replace("'s", "")))


CITED: Final = "cited"
UNCITED: Final = "uncited"
UNKNOWN: Final = "unknown"
NAMED: Final = "named"
QUOTED: Final = "quoted"

_FENCE: Final = "```"
_CODE: Final = re.compile(r"`[^`\n]*`")
_CLOCK: Final = re.compile(r"\b\d{1,2}:\d{2}(?::\d{2})?\b")
"""A time of day, as examples have it."""

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
_MEASURES: Final = (_MINUTE, _HOUR, _DAY, 24, 24 * 60, 7, 7 * 24, 7 * _DAY)
"""How many of one measure of time make another."""

FEWEST_QUOTED: Final = 5
"""Words in quotation marks below which they may be a term."""

_KNOWN_BY: Final = 60
_QUOTED: Final = re.compile(
    r"[\"\u201c\u201e\u00ab]([^\"\u201c\u201d\u201e\u00ab\u00bb]+)[\"\u201d\u201c\u00bb]"
)
_INSERTED: Final = re.compile(r"\[[^\]]*\]")
_DECIMAL: Final = re.compile(r"\d+(?:\.\d+)?")
_UNIT: Final = re.compile(r"\d[\d.,]*\s*[^\W\d_]+")
_ENDED: Final = re.compile(r"[.!?\u2026][\"'\u201d\u2019)*_]*\s?(?:\[@n-[^\]\n]*\]\s?)+(?=\s|\S)")
"""The end of a sentence whose marks stand behind it."""

_ROW: Final = re.compile(r"^[^\S\n]*(?:\||[-*+\u2022][^\S\n]|[0-9]{1,3}[.)][^\S\n])", re.MULTILINE)
"""Where a row of a table or an item of a list begins."""


@dataclass(frozen=True, slots=True)
class CitedFault:
    """A sentence whose numbers its notes do not have.

    Attributes:
        kind: `cited`: no note that its paragraph cites has a number of it; `uncited`: it has a
            number, cites nothing, and no note cited so far has it; `unknown`: its mark leads to
            no note; `named`: it cites something, and no note of the sources cited so far has a name
            of it;
            `quoted`: no note of its paragraph has its words in quotation marks.
        sentence: The sentence as it stands.
        line: Its line in the chapter, from 1.
        what: The numbers, the names, the marks, or the words in quotation marks.
        notes: Notes of the book that have one of the numbers, the likeliest first; for words in
            quotation marks those that are cited.
    """

    kind: Literal["cited", "uncited", "unknown", "named", "quoted"]
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
        if self.kind == QUOTED:
            return f"the notes that it cites do not have the words {said}"
        if self.kind in (CITED, NAMED):
            return f"the notes that it cites do not have {said}"
        return f"{said} stands here without a mark"

    @property
    def fix(self) -> str:
        """What would mend it, in words."""
        if self.kind == QUOTED:
            have = "; ".join(f"{mark_of(one)}: {one.quote}" for one in self.notes[:_MOST_NOTES])
            return f"Take the words as they stand in {have}, or say it without quotation marks."
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
    sources: Mapping[str, str] | None = None,
) -> Iterator[CitedFault]:
    """The sentences of a chapter whose marks or numbers its notes do not bear out, in order.

    Args:
        chapter: The chapter.
        notes: The notes that may be cited, by id.
        earlier: Texts of the chapters before: a number that they cite a note for needs no other.
        names: Names of the book's own, which need no note; None where names are not looked at, as
            in languages in which a capital letter tells no name.
        sources: What each source calls itself, by its id.
    """
    reader = _Reader(notes, sources or {}, tuple(names or ()))
    for text in earlier:
        reader.take(reader.cited(text))
    is_code, paragraphs = False, list[Paragraph]()
    for paragraph in _rows(chapter):
        fences = paragraph.text.count(_FENCE)
        if not is_code and not fences:
            paragraphs.append(paragraph)
        is_code ^= fences % 2 == 1
    for at, paragraph in enumerate(paragraphs):
        own = reader.cited(paragraph.text)
        reader.take(own)
        # What leads in to a paragraph is covered by its marks.
        ahead = own or next(filter(None, (reader.cited(one.text) for one in paragraphs[at:])), [])
        yield from reader.numbers(paragraph, own, ahead)
        if own and names is not None:
            yield from reader.names(paragraph)
        if own:
            yield from reader.quotations(paragraph, own)


class _Reader:
    """Reads paragraphs in order beside what notes, sources and the book itself say.

    Args:
        notes: The notes that may be cited, by id.
        sources: What each source calls itself, by its id.
        names: Names of the book's own.
    """

    def __init__(
        self, notes: Mapping[str, Note], sources: Mapping[str, str], names: Sequence[str]
    ) -> None:
        self._notes = notes
        self._sources = sources
        self._own = _numbers(" ".join(names))
        self._titles = _numbers(" ".join(sources.values()))
        self._told = set[str]()
        self._of_source: dict[str, set[str]] = {one: folded_words(sources[one]) for one in sources}
        for note in notes.values():
            self._of_source.setdefault(note.source, set()).update(folded_words(_text(note)))
        self._said = folded_words("\n".join(names))

    def cited(self, text: str) -> list[Note]:
        """The notes that a text cites."""
        return [self._notes[one] for one in dict.fromkeys(ids_in(text)) if one in self._notes]

    def take(self, notes: Iterable[Note]) -> None:
        """Some notes are cited from here on."""
        for note in notes:
            self._told |= self._of([note])
            self._said |= self._of_source[note.source]

    def _of(self, notes: Iterable[Note]) -> set[str]:
        """The numbers of notes and of what their sources are called."""
        said = (f"{_text(note)} {self._sources.get(note.source, '')}" for note in notes)
        return _numbers(" ".join(said))

    def numbers(
        self, paragraph: Paragraph, own: Sequence[Note], ahead: Sequence[Note]
    ) -> Iterator[CitedFault]:
        """Sentences with a mark of no note, or with a number that follows from nothing cited.

        Args:
            paragraph: The paragraph.
            own: The notes that it cites.
            ahead: Those that it leads in to.
        """
        beside = self._own | self._of(own)
        anywhere = self._own | self._told | self._titles | self._of(ahead)
        for sentence in sentences_with_marks(paragraph.text):
            ids = ids_in(sentence)
            bad = tuple(f"[@{one}]" for one in ids if one not in self._notes)
            if bad:
                yield CitedFault("unknown", sentence, paragraph.line, bad)
            is_cited = any(one in self._notes for one in ids)
            known = beside if is_cited else anywhere
            plain = _CODE.sub("", MARK.sub("", sentence))
            said = numbers_in(_CLOCK.sub("", plain))
            missing = [one for one in said if not _is_small(one) and plain_number(one) not in known]
            if missing:
                given = amounts_in(plain, own if is_cited else own or ahead)
                missing = [one for one in missing if not is_derived(one, given)]
            if missing:
                what = tuple(dict.fromkeys(missing))
                kind: Literal["cited", "uncited"] = "cited" if ids else "uncited"
                have = self._with(missing, sentence)
                yield CitedFault(kind, sentence, paragraph.line, what, have)

    def _with(self, numbers: Sequence[str], sentence: str) -> tuple[Note, ...]:
        """The notes that have one of some numbers, those that say most of the sentence first."""
        about = _content(sentence)
        wanted = set(map(plain_number, numbers))
        have = (note for note in self._notes.values() if wanted & _numbers(_text(note)))
        return tuple(sorted(have, key=lambda note: -len(about & _content(_text(note)))))

    def names(self, paragraph: Paragraph) -> Iterator[CitedFault]:
        """Sentences with a mark and a name that neither the book nor a source cited so far has."""
        for sentence in sentences_with_marks(paragraph.text):
            if self.cited(sentence):
                plain = _UNIT.sub(" ", _CODE.sub("", MARK.sub("", sentence)))
                names = tuple(dict.fromkeys(names_in(plain, self._said)))
                if names:
                    words_of = [folded_words(one) for one in names]
                    have = tuple(
                        note
                        for note in self._notes.values()
                        if any(own <= folded_words(_text(note)) for own in words_of)
                    )
                    yield CitedFault("named", sentence, paragraph.line, names, have)

    def quotations(self, paragraph: Paragraph, own: Sequence[Note]) -> Iterator[CitedFault]:
        """Words in quotation marks that are not those of a note that the paragraph cites."""
        plain = MARK.sub("", paragraph.text)
        for found in _QUOTED.finditer(plain):
            words_in_marks = found[1].strip()
            if len(words_in_marks.split()) < FEWEST_QUOTED or words_in_marks in self._titled(own):
                continue
            if not any(_quotes(words_in_marks, note.quote) for note in own):
                sentence = sentence_with(words_in_marks[:_KNOWN_BY], paragraph.text)
                quoted = (f"\u201c{words_in_marks}\u201d",)
                yield CitedFault("quoted", sentence, paragraph.line, quoted, tuple(own))

    def _titled(self, own: Iterable[Note]) -> str:
        return " ".join(self._sources.get(note.source, "") for note in own)


def _quotes(quoted: str, quote: str) -> bool:
    """Whether words are those of a note, but for what somebody put into them in brackets."""
    own = _INSERTED.sub(lambda one: one.group() if one.group() in quote else "...", quoted)
    return find_in_source(own, quote) is not None


def amounts_in(sentence: str, notes: Iterable[Note]) -> set[float]:
    """The amounts that notes tell in digits, and a sentence as times of day or in words."""
    clocks = [[int(part) for part in one.split(":")] for one in _CLOCK.findall(sentence)]
    seconds = {float(h * _HOUR + m * _MINUTE + sum(rest)) for h, m, *rest in clocks}
    in_words = {float(NUMBER_WORDS[word]) for word in words(sentence) if word in NUMBER_WORDS}
    told = (
        plain_number(one).replace(",", ".") for note in notes for one in numbers_in(_text(note))
    )
    digits = {float(one) for one in told if _DECIMAL.fullmatch(one)}
    return digits | seconds | in_words


def is_derived(number: str, given: Collection[float]) -> bool:
    """Whether a number is one of time's measures, or follows from amounts by plain arithmetic.

    Then it is one of them, the sum or the difference of two, or one in another measure of time.
    """
    plain = plain_number(number).replace(",", ".")
    if not _DECIMAL.fullmatch(plain):
        return False
    wanted = float(plain)
    large = [one for one in given if one > SMALL]
    return (
        wanted in _MEASURES
        or wanted in given
        or any(wanted in (one * by, one / by) for one in given for by in _MEASURES)
        or any(wanted in (a + b, abs(a - b)) for a, b in combinations(large, 2))
    )


def _rows(chapter: ChapterText) -> Iterator[Paragraph]:
    """The paragraphs of a chapter, but each row of a table and item of a list by itself."""
    for text, line in chapter.prose_blocks:
        cuts = sorted({0, *(match.start() for match in _ROW.finditer(text)), len(text)})
        for start, end in pairwise(cuts):
            row = " ".join(text[start:end].split())
            yield Paragraph(row, line + text.count("\n", 0, start))


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


def _text(note: Note) -> str:
    return f"{note.claim} {note.quote}"


def _numbers(text: str) -> set[str]:
    return {plain_number(one) for one in numbers_in(text)}


def _is_small(number: str) -> bool:
    """Whether a number is a count of daily life."""
    plain = plain_number(number)
    return plain.isdecimal() and int(plain[:9]) <= SMALL
