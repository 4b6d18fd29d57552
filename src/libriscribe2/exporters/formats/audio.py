"""A script for an audiobook: a file of SSML for each chapter, for people and for voices.

Who speaks a quotation is read off the punctuation: a clause beside it that has a person of the book
and at most one other word, such as `said Hester`. All others are the narrator's.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import ParseError, fromstring

from markdown_it.token import Token
from typing_extensions import override

from libriscribe2.exporters.book_markdown import book_parser
from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.export_checks import check_paragraphs, harmless
from libriscribe2.exporters.formats.html import write_chapters

_SPACE: Final = "http://www.w3.org/2001/10/synthesis"
_PAUSES: Final = {"h": "1500ms", "scene": "2s", "line": "300ms"}

_TAGS: Final = {
    "em_open": '<emphasis level="moderate">',
    "strong_open": '<emphasis level="strong">',
    **dict.fromkeys(("em_close", "strong_close"), "</emphasis>"),
    "ruby_close": "</sub>",
    "softbreak": " ",
    "hardbreak": f'<break time="{_PAUSES["line"]}"/>',
}


class AudioExporter(Exporter):
    """Paragraphs, pauses, emphasis and voices; names as the author says them; no notes."""

    name = "audio"
    suffix = "-audio.zip"
    also_called = ("ssml", "audiobook")
    place = 92

    @override
    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the archive; see `Exporter.export`."""
        check_paragraphs(book)
        cast = _Cast.of(book.people)
        scripts = [_script(book, part.text, cast) for part in book.parts]
        told = {"cast.tsv": cast.listed(book.pronunciations)}
        return write_chapters(folder / f"book{self.suffix}", book, scripts, ".ssml", told)


EXPORTERS: Final[tuple[Exporter, ...]] = (AudioExporter(),)


def _script(book: ExportBook, text: str, cast: "_Cast") -> str:
    """A chapter as SSML 1.1."""
    env: dict[str, Any] = {"notes": {}, "used": []}
    spoken = _Names(book.pronunciations)
    body = "\n".join(_paragraphs(book_parser().parse(text, env), spoken, cast))
    tag = escape(book.language.tag)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<speak version="1.1" xmlns="{_SPACE}" xml:lang="{tag}">\n{body}\n</speak>\n'
    )


def _paragraphs(tokens: list[Token], spoken: "_Names", cast: "_Cast") -> Iterator[str]:
    heading = False
    for token in tokens:
        if token.type == "heading_open":
            heading = True
        elif token.type == "hr":
            yield _pause("scene")
        elif token.type == "inline":
            words = _voiced([*_pieces(token.children or [])], spoken, cast).strip()
            if words:
                yield f"<p>{words}</p>"
                yield from [_pause("h")] if heading else []
            heading = False


def _pieces(tokens: list[Token]) -> Iterator[tuple[str, bool]]:
    """Text, and the marks between: each with whether it is text."""
    for one in tokens:
        if one.type in ("text", "code_inline"):
            yield harmless(one.content), True
        elif one.type == "ruby_open":
            yield f'<sub alias="{one.meta["said"]}">', False
        else:
            yield _TAGS.get(one.type, ""), one.type == "softbreak"


def _voiced(pieces: Sequence[tuple[str, bool]], spoken: "_Names", cast: "_Cast") -> str:
    """A paragraph as SSML, each quotation with the voice of who speaks it."""
    plain = "".join(text for text, is_text in pieces if is_text)
    voices = {(first, last): name for first, last, name in cast.speeches(plain)}
    edges = sorted({0, len(plain), *(at for span in voices for at in span)})
    spans = [*pairwise(edges)]
    written = [_between(pieces, first, last, spoken) for first, last in spans]
    if not all(map(_is_whole, written)):  # emphasis runs into a quotation
        return _between(pieces, 0, len(plain), spoken)
    return "".join(
        f'<voice name="{escape(_voice(voices[span]))}" required="name" '
        f'onvoicefailure="keepexisting">{body}</voice>'
        if span in voices
        else body
        for span, body in zip(spans, written, strict=True)
    )


def _is_whole(body: str) -> bool:
    """Whether each mark in a piece of a paragraph is closed there."""
    try:
        fromstring(f"<p>{body}</p>")
    except ParseError:
        return False
    return True


def _between(pieces: Sequence[tuple[str, bool]], first: int, last: int, spoken: "_Names") -> str:
    """What stands between two places of a paragraph; a mark at an edge goes with what it marks."""
    found, at, said = [], 0, spoken.said
    for number, (text, is_text) in enumerate(pieces):
        if is_text:
            found.append(said(text[max(0, first - at) : max(0, last - at)]))
            at += len(text)
            continue
        is_end = at == last and not any(one for one, is_words in pieces[number:] if is_words)
        if first < at < last or at == (last if text.startswith("</") else first) or is_end:
            found.append(text)
        # What is said in place of characters is said already.
        said = partial(escape, quote=False) if text.startswith("<sub") else spoken.said
    return "".join(found)


def _pause(kind: str) -> str:
    return f'<break time="{_PAUSES[kind]}"/>'


class _Names:
    """How names are said.

    Args:
        known: The sounds of names, in the International Phonetic Alphabet.
    """

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = known
        longest = sorted(known, key=len, reverse=True)
        self._pattern = (
            re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b") if known else None
        )

    def said(self, text: str) -> str:
        """A text in which each name has its sound."""
        if self._pattern is None:
            return escape(text, quote=False)
        pieces, at = [], 0
        for found in self._pattern.finditer(text):
            sound = escape(self._known[found[0]])
            name = escape(found[0], quote=False)
            pieces.append(escape(text[at : found.start()], quote=False))
            pieces.append(f'<phoneme alphabet="ipa" ph="{sound}">{name}</phoneme>')
            at = found.end()
        return "".join([*pieces, escape(text[at:], quote=False)])


_QUOTES: Final = re.compile(
    "[“„][^“”„]{1,4000}[”“]|«[^«»]{1,4000}»|»[^«»]{1,4000}«|「[^「」]{1,4000}」|『[^『』]{1,4000}』"
    r"|(?<!\w)‘[^‘]{1,4000}?’(?!\w)"
)
_NARRATOR: Final = "narrator"


def _voice(person: str) -> str:
    """A person as the name of a voice, of which SSML wants no blanks."""
    return "-".join(person.split())


@dataclass(slots=True)
class _Cast:
    """Who speaks, and how often.

    Attributes:
        names: People by what a text calls them.
        counts: Speeches by person; those of nobody known are the narrator's.
    """

    names: Mapping[str, str]
    counts: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, people: Sequence[str]) -> "_Cast":
        """The people, by their names and the parts of these that nobody else has."""
        parts = Counter(part for one in people for part in {*one.split()})
        own = {part: one for one in people for part in one.split() if parts[part] == 1}
        known = {name: one for name, one in own.items() if name[:1].isupper() and len(name) > 1}
        return cls({**known, **{one: one for one in people}})

    def speeches(self, text: str) -> list[tuple[int, int, str]]:
        """The quotations of a paragraph that somebody known speaks: where, and who.

        What nobody is said to speak is spoken by whoever speaks in the same paragraph, if only one
        does.
        """
        found = [(one.start(), one.end()) for one in _QUOTES.finditer(text)]
        edges = [0, *(end for _, end in found)]
        starts = [*(start for start, _ in found[1:]), len(text)]
        named = [
            self._speaker(text[before:start], text[start:end], text[end:after])
            for before, (start, end), after in zip(edges, found, starts, strict=False)
        ]
        known = {*filter(None, named)}
        only = known.pop() if len(known) == 1 else ""
        spoken = [
            (start, end, name or only)
            for (start, end), name in zip(found, named, strict=True)
            if name or (only and name is not None)
        ]
        self.counts.update(name for _, _, name in spoken)
        self.counts[_NARRATOR] += len(found) - len(spoken)
        return spoken

    def _speaker(self, before: str, quote: str, after: str) -> str | None:
        """Who speaks by the clause behind a quotation, or the one before.

        Returns:
            The person; "" where no clause says anything, None where one names nobody known.
        """
        if not self.names:
            return ""
        called = "|".join(map(re.escape, sorted(self.names, key=len, reverse=True)))
        end, rest = quote[-2:-1], after.lstrip()
        goes_on = end == "," or rest.startswith(",") or (end in "?!…—–" and rest[:1].islower())
        behind = re.match(rf",?\s*(?:\w+\s+)?({called})\b(?!['’-]\w| and )", after)
        if goes_on and behind is not None:
            return self.names[behind[1]]
        ahead = re.search(rf"(?:^|[.!?…”»]\s+)({called})(?:\s+\w+)?[,:]\s*$", before)
        return self.names[ahead[1]] if ahead is not None else None if goes_on else ""

    def listed(self, sounds: Mapping[str, str]) -> str:
        """The voices as a table: person, how the name is said, how many speeches."""
        rows = [("voice", "person", "sound", "speeches")]
        rows.append((_NARRATOR, "", "", str(self.counts[_NARRATOR])))
        rows += [
            (_voice(name), name, sounds.get(name, ""), str(count))
            for name, count in self.counts.most_common()
            if name != _NARRATOR
        ]
        return "".join("\t".join(row) + "\n" for row in rows)
