"""Passages of texts that fit a question, and names looked up with their spellings."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import chain, pairwise
from typing import Final, Protocol, TypeVar

import regex

from libriscribe2.project.research_files import SavedText
from libriscribe2.prose import room
from libriscribe2.research.tool_error import ToolError

_UNSEEN: Final = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_MARKS: Final = {ord("\u2018"): "'", ord("\u2019"): "'", ord("\u02bc"): "'", ord("\u2010"): "-"}


def fold(text: str) -> str:
    """Text without the differences of case, composition, width, and typographic marks.

    Compatibility caseless matching of the Unicode Standard (section 3.13, D146); also, soft
    hyphens and joiners go, and curly apostrophes and the typographic hyphen become the plain ones.
    The length may change.
    """
    seen = unicodedata.normalize("NFD", text.translate(_UNSEEN)).casefold()
    folded = unicodedata.normalize("NFKC", seen).casefold()
    return unicodedata.normalize("NFKC", folded).translate(_MARKS)


_BLANK_LINE: Final = regex.compile(r"\n[^\S\n]*\n")
_HEADING: Final = regex.compile(r" {0,3}#{1,6}(?:\s|$)")
_LETTER: Final = r"[\p{L}\p{M}\p{N}]"
_SAYS_SOMETHING: Final = regex.compile(_LETTER)
_WORD: Final = regex.compile(rf"{_LETTER}+(?:['\-]{_LETTER}+)*")
_UNSPACED: Final = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
)
"""Letters of scripts that put no spaces between words."""

_ABBREVIATIONS: Final = "Mr|Mrs|Ms|Mx|Dr|Prof|St|Capt|Lt|Col|Gen|Sgt|Rev|Hon|Jr|Sr|vs|Mme|Mlle|Sra"
_SENTENCE_END: Final = regex.compile(
    rf"""(?x)
    (?<![.!?\u2026\u061f\u0964])[.!?\u2026\u061f\u0964]++   # the marks, from the first of a run
    (?<!\b(?:{_ABBREVIATIONS}|\p{{Lu}})\.)                  # but no title and no initial
    ["'\u201d\u2019\u00bb)\]*_]*+ \s++                      # what closes, and a space
    (?=["'\u201c\u2018\u00ab\u201e(\[*_\u00bf\u00a1\u2014-]*+[\p{{Lu}}\p{{Lt}}\p{{Lo}}\p{{N}}])
    | [\u3002\uff01\uff1f]++[\u201d\u2019\u300d\u300f\uff09]*+   # Chinese and Japanese
    """
)

Pattern = regex.Pattern[str]


def paragraphs(chapter: str) -> list[str]:
    """The paragraphs of a chapter in Markdown, each on one line.

    Headings, scene breaks and other lines without a letter are none, so they do not count.
    """
    blocks = (
        " ".join(" ".join(line for line in block.split("\n") if not _HEADING.match(line)).split())
        for block in _BLANK_LINE.split(chapter)
    )
    return [block for block in blocks if _SAYS_SOMETHING.search(block)]


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph, each with the space after it: joined they are the paragraph.

    After a title such as `Dr.` or an initial a sentence goes on; where in doubt it is not cut.
    """
    ends = [match.end() for match in _SENTENCE_END.finditer(paragraph)]
    cuts = [0, *(end for end in ends if end < len(paragraph)), len(paragraph)]
    return [paragraph[start:end] for start, end in pairwise(cuts)]


def word_patterns(query: str) -> list[Pattern]:
    """A pattern over folded text for every different word of a query; none where it has no word.

    A word is found as a whole word; in a script without spaces it is found anywhere.
    """
    words = dict.fromkeys(_WORD.findall(fold(query)))
    return [_word_pattern(word) for word in words]


def passages(paragraph: str, patterns: Collection[Pattern]) -> Iterator[str]:
    """Every shortest run of sentences that together hold all words, in order.

    Args:
        paragraph: One paragraph.
        patterns: The words (`word_patterns`), at least one.
    """
    whole = fold(paragraph)
    if not all(pattern.search(whole) for pattern in patterns):
        return
    parts = sentences(paragraph)
    folded = [fold(part) for part in parts]
    held = [[pattern for pattern in patterns if pattern.search(part)] for part in folded]
    for start, end in _shortest_runs(held, len(patterns)):
        yield "".join(parts[start : end + 1]).strip()


def _shortest_runs(held: Sequence[Sequence[Pattern]], wanted: int) -> Iterator[tuple[int, int]]:
    """First and last index of every run that holds `wanted` patterns and no shorter such run."""
    last_seen: dict[Pattern, int] = {}
    before = -1
    for end, patterns in enumerate(held):
        last_seen.update(dict.fromkeys(patterns, end))
        # The earliest of the latest places is the latest start from which nothing is missing.
        if len(last_seen) == wanted and (start := min(last_seen.values())) > before:
            yield start, end
            before = start


def _word_pattern(word: str) -> Pattern:
    if _UNSPACED.search(word):
        return regex.compile(regex.escape(word))
    return regex.compile(rf"(?<!{_LETTER}){regex.escape(word)}(?!{_LETTER})")


WINDOW: Final = 1_200
"""Characters of English that a passage has at most; see `prose.weigh`."""

_BREAK: Final = re.compile(r"(?=\n[^\S\n]*\n)")
_CUT: Final = re.compile(r"(?<=[.!?\u2026])\s|(?<=[\u3002\uff01\uff1f])|\s")

Window = tuple[int, int]
"""The first character of a passage and the one after its last."""


def windows(document: SavedText) -> Iterator[Window]:
    """Passages of whole paragraphs, none across the border of two sections.

    A paragraph that is longer than a passage is cut, at the end of a sentence where there is one.
    """
    text = document.text
    for start, end in _sections(document):
        begun = until = start
        for first, last in _paragraphs(text, start, end):
            if until > begun and _fits(text, begun, last) < last - begun:
                yield begun, until
                begun = first
            elif until == begun:
                begun = first
            while _fits(text, begun, last) < last - begun:
                cut = _cut(text, begun, last)
                yield begun, cut
                begun = cut
            until = last
        if until > begun:
            yield begun, until


def _sections(document: SavedText) -> Iterator[Window]:
    if not document.saved.sections:
        yield 0, len(document.text)
    for section in document.saved.sections:
        yield section.start, min(section.end, len(document.text))


def _paragraphs(text: str, start: int, end: int) -> Iterator[Window]:
    breaks = (match.start() for match in _BREAK.finditer(text, start, end))
    for until in chain(breaks, (end,)):
        if text[start:until].strip():
            yield start, until
        start = until + 1


def _fits(text: str, start: int, end: int) -> int:
    """How many characters fit a passage; a character counts one at least."""
    return room(text[start : min(end, start + WINDOW + 1)], WINDOW)


def _cut(text: str, start: int, end: int) -> int:
    """Where to cut a long paragraph: after a sentence in its second half, else after a word."""
    most = start + max(1, _fits(text, start, end))
    half = start + (most - start) // 2
    best = most
    for match in _CUT.finditer(text, half, most):
        best = match.end()
        # Sentences come before words, the last one first.
        if match.start() and text[match.start() - 1] in ".!?\u2026\u3002\uff01\uff1f":
            sentence = match.end()
            best = max(sentence, half + 1)
    return max(best, start + 1)


_NAME_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_MOST_CLOSE: Final = 3
_MOST_LISTED: Final = 50


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """What the book calls it."""
        ...


NamedT = TypeVar("NamedT", bound=Named)


def find_by_name(wanted: str, entries: Sequence[NamedT], noun: str) -> NamedT:
    """The entry that `wanted` means, whatever its case.

    A whole name outranks words of a name ("Voss" of "Mara Voss"), and these outrank a part of a
    word ("Vos").

    Args:
        wanted: A name, or part of one.
        entries: Where to look.
        noun: What the entries are, for the error: `character`.

    Raises:
        ToolError: 404 where nothing fits, with close names; 409 where several fit equally well,
            with their names.
    """
    for fitting in _by_rank(wanted, entries):
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            names = [entry.name for entry in fitting]
            raise ToolError(
                409,
                f"{noun}_ambiguous",
                f"{wanted!r} fits {len(names)} entries: {_listed(names)}. Use the whole name.",
                {"wanted": wanted, "fitting": names[:_MOST_LISTED]},
            )
    raise _not_found(wanted, [entry.name for entry in entries], noun)


def close_names(wanted: str, names: Iterable[str]) -> list[str]:
    """At most three names that look like `wanted` as a whole or in one word, the closest first."""
    keys: dict[str, str] = {}
    for name in names:
        for key in (_plain(name), *_words(name)):
            keys.setdefault(key, name)
    # Several keys may lead to one name, so more keys are asked for than names are wanted.
    close = get_close_matches(_plain(wanted), keys, n=3 * _MOST_CLOSE)
    return list(dict.fromkeys(keys[key] for key in close))[:_MOST_CLOSE]


def _by_rank(wanted: str, entries: Sequence[NamedT]) -> Iterator[list[NamedT]]:
    """The entries that fit, best kind of fit first."""
    plain, words = _plain(wanted), set(_words(wanted))
    yield [entry for entry in entries if _plain(entry.name) == plain]
    yield [entry for entry in entries if words and words <= set(_words(entry.name))]
    yield [entry for entry in entries if plain in _plain(entry.name)]


def _not_found(wanted: str, names: list[str], noun: str) -> ToolError:
    close = close_names(wanted, names)
    if close:
        hint = f"Close names: {_listed(close)}."
    else:
        hint = f"The book has {_listed(names)}." if names else f"The book has no {noun} yet."
    return ToolError(
        404,
        f"{noun}_not_found",
        f"No {noun} is called {wanted!r}. {hint}",
        {"wanted": wanted, "close": close, "known": names[:_MOST_LISTED]},
    )


def _listed(names: Sequence[str]) -> str:
    more = ", ..." if len(names) > _MOST_LISTED else ""
    return ", ".join(names[:_MOST_LISTED]) + more


def _plain(name: str) -> str:
    return " ".join(fold(name).split())


def _words(name: str) -> list[str]:
    return _NAME_WORD.findall(fold(name))
