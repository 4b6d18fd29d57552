"""Quotes: whether they stand in a text, and where."""

import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO
from typing import Final

import regex

from libriscribe2.prose import weigh

SHORTEST_QUOTE: Final = 10
"""Characters of English that a quote needs to prove anything; an East Asian one counts as four."""

_UNSEEN: Final = "\\u00ad\\u200b\\u200c\\u200d\\u2060\\ufeff"
_SINGLE: Final = "\u2018\u2019\u201a\u201b\u2032\u02bc"
_DOUBLE: Final = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"
_DASHES: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_LIGATURES: Final = {
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}
_UNSPACED: Final = r"[\p{Han}\p{Hiragana}\p{Katakana}\u3000-\u303f\uff00-\uffef]"
_CHANGING: Final = regex.compile(
    rf"""(?x)
    (?P<joined> (?<=\p{{L}}) \u00ad [^\S\n]* \n \s* (?=\p{{L}}) | (?<={_UNSPACED}) [\s{_UNSEEN}]+ (?={_UNSPACED}) )
    | (?P<divided> (?<=\p{{Ll}}) [-\u2010] [^\S\n]* \n \s* (?=\p{{Ll}}) )
    | (?P<blank> [\s{_UNSEEN}]{{2,}} | [^\S\x20] | [{_UNSEEN}] )
    | (?P<single> [{_SINGLE}] )
    | (?P<double> [{_DOUBLE}] )
    | (?P<dash> [-{_DASHES}]{{2,}} | [{_DASHES}] )
    | (?P<ellipsis> \u2026 )
    | (?P<ligature> [{"".join(_LIGATURES)}] )
    | (?P<composed> \P{{M}} \p{{M}}+ )
    """
)
_HIDDEN: Final = regex.compile(rf"[{_UNSEEN}]")
_WITHOUT_SPACES: Final = regex.compile(_UNSPACED)
_DIVIDED: Final = regex.compile(r"[-\u2010][^\S\n]*\n")
_FIXED: Final = {"joined": "", "single": "'", "double": '"', "dash": "-", "ellipsis": "..."}
_THOUSANDS: Final = regex.compile(r"\d\s\d{3}(?!\d)")
_INSIDE_NUMBERS: Final = ".,:/\u2044\u2215"
_LONG_DASHES: Final = ("\u2014", "\u2015", "--")


@dataclass(frozen=True, slots=True)
class Found:
    """Where a quote stands.

    Attributes:
        start: Its first character in the text.
        end: The character after its last.
        exact: Whether the text has it character by character.
    """

    start: int
    end: int
    exact: bool


def find_quote(quote: str, text: str) -> Found | None:
    """The first of `places_of_quote`; None where there is none."""
    return next(places_of_quote(quote, text), None)


def places_of_quote(quote: str, text: str) -> Iterator[Found]:
    """The places of a text that hold a quote, in the order of the text.

    Typography, white space and hyphens at the end of a line may differ, nothing else. A quote that
    begins or ends inside a word or a number is not found: `3` is no quote of `3.5`, nor `toxic` one
    of `non-toxic`. Neither is one shorter than `SHORTEST_QUOTE`.
    """
    for joined in (False, True):
        wanted = _canonical(quote, joined).text.strip()
        if weigh(wanted) < SHORTEST_QUOTE:
            continue
        kept = _kept_canonical(text, joined)
        at, any_found = kept.text.find(wanted), False
        while at >= 0:
            start, end = kept.start(at), kept.end(at + len(wanted))
            if _is_cut_clean(text, start, end):
                yield Found(start, end, exact=text[start:end] == quote)
                any_found = True
            at = kept.text.find(wanted, at + 1)
        if any_found or not (_DIVIDED.search(quote) or _DIVIDED.search(text)):
            return


def stands_at(quote: str, text: str, start: int) -> bool:
    """Whether the text holds a quote, character by character, at a place where it may be one."""
    if weigh(quote.strip()) < SHORTEST_QUOTE or not text.startswith(quote, start):
        return False
    return _is_cut_clean(text, start, start + len(quote))


@dataclass(frozen=True, slots=True)
class _Canonical:
    """A text in its one form, with the way back.

    Attributes:
        text: The one form.
        places: Where each run starts in it.
        origins: Where each run starts in the original.
        lengths: How long each run is in the original; -1 where it is there character by character.
    """

    text: str
    places: "array[int]"
    origins: "array[int]"
    lengths: "array[int]"

    def start(self, place: int) -> int:
        """The original place of a character."""
        index = bisect_right(self.places, place) - 1
        plain = self.lengths[index] < 0
        return self.origins[index] + (place - self.places[index] if plain else 0)

    def end(self, place: int) -> int:
        """The original end of the character before `place`."""
        index = bisect_right(self.places, place - 1) - 1
        length = self.lengths[index]
        return self.origins[index] + (place - self.places[index] if length < 0 else length)


# 2 s for 1 MB of text, and a source has dozens of quotes.
@lru_cache(maxsize=4)
def _kept_canonical(text: str, joined: bool) -> _Canonical:  # noqa: FBT001 - a key of the cache
    """As `_canonical`; several quotes are looked for in one text after another."""
    return _canonical(text, joined)


def _canonical(text: str, joined: bool) -> _Canonical:  # noqa: FBT001 - see above
    """The one form of a text.

    Args:
        text: The text.
        joined: Whether a hyphen at the end of a line goes, or only the line break after it.
    """
    # A page may consist of nothing but marks: numbers stand in arrays, or the memory would not do.
    form = StringIO()
    places, origins, lengths = array("q"), array("q"), array("q")
    done = 0

    def put(piece: str, origin: int, length: int = -1) -> None:
        if piece:
            places.append(form.tell())
            origins.append(origin)
            lengths.append(length)
            form.write(piece)

    for match in _CHANGING.finditer(text):
        start, end = match.span()
        put(text[done:start], done)
        put(_replacement(match, joined=joined), start, end - start)
        done = end
    put(text[done:], done)
    return _Canonical(form.getvalue(), places, origins, lengths)


def _replacement(match: "regex.Match[str]", *, joined: bool) -> str:
    """What a run of the text becomes."""
    kind, run = str(match.lastgroup), match.group()
    if kind == "divided":
        return "" if joined else "-"
    if kind == "blank":
        return " " if any(character.isspace() for character in run) else ""
    if kind == "ligature":
        return _LIGATURES[run]
    return unicodedata.normalize("NFC", run) if kind == "composed" else _FIXED[kind]


def _is_cut_clean(text: str, start: int, end: int) -> bool:
    """Whether neither end of a passage is inside a word or a number."""
    before, after = text[max(0, start - 3) : start], text[end : end + 3]
    first, last = text[start], text[end - 1]
    if _continues(first, before[::-1]) or _continues(last, after):
        return False
    return not (_divides_number(text, start) or _divides_number(text, end))


def _divides_number(text: str, place: int) -> bool:
    """Whether a place is inside a number whose thousands are set apart by spaces: `10 000`."""
    around = text[max(0, place - 4) : place + 5]
    cut = place - max(0, place - 4)
    return any(m.start() < cut < m.end() for m in _THOUSANDS.finditer(around, overlapped=True))


def _continues(edge: str, outside: str) -> bool:
    """Whether a word or number goes on beyond its edge.

    Args:
        edge: The outermost character of the passage.
        outside: The next characters, from the passage outwards.
    """
    outside = _HIDDEN.sub("", outside)
    if not outside or not _is_word(edge) or _is_unspaced(edge):
        return False
    near, far = outside[0], outside[1:2]
    if _is_word(near):
        return not _is_unspaced(near)
    if near in _INSIDE_NUMBERS:
        return edge.isdigit() and far.isdigit()
    if outside.startswith(_LONG_DASHES):
        return False
    return near in f"-'{_SINGLE}{_DASHES}" and (_is_word(far) or _is_sign(edge, far))


def _is_sign(edge: str, far: str) -> bool:
    """Whether a dash before a digit is a minus sign: it stands at the beginning of a word."""
    return edge.isdigit() and (not far or far.isspace() or far in "([")


def _is_word(character: str) -> bool:
    return bool(character) and (character.isalnum() or unicodedata.category(character)[0] == "M")


def _is_unspaced(character: str) -> bool:
    return _WITHOUT_SPACES.match(character) is not None


_EMPHASIS: Final = "*_"
_UNSEEN_MARKS: Final = str.maketrans(dict.fromkeys(_EMPHASIS, "\u200b"))
"""Emphasis as marks that are not seen, so that every place in a text stays the same."""


def line_of_quote(quote: str, text: str) -> int | None:
    """The line of a text, from 1, on which a quote begins; None where the text does not hold it.

    As `find_quote`, and besides the marks of emphasis may differ: a model copies `her own lamp`
    from `her *own* lamp`.
    """
    start = _near(quote, text)
    if start is None:
        start = _start(quote, _unmarked(text))
    return None if start is None else text.count("\n", 0, start) + 1


def _near(quote: str, text: str) -> int | None:
    """Where a quote begins that was copied as it stands: only its own lines are looked at."""
    at = text.find(quote)
    if at < 0:
        return None
    around = text[max(0, at - 1) : at] + text[at + len(quote) : at + len(quote) + 1]
    if not any(mark in around for mark in _EMPHASIS) and stands_at(quote, text, at):
        return at
    first, last = text.rfind("\n", 0, at) + 1, text.find("\n", at + len(quote))
    start = _start(quote, text[first : last if last >= 0 else len(text)].translate(_UNSEEN_MARKS))
    return None if start is None else first + start


def _start(quote: str, unmarked: str) -> int | None:
    """Where a quote begins in a text without visible emphasis."""
    found = find_quote(quote.translate(_UNSEEN_MARKS), unmarked)
    return None if found is None else found.start


def _unmarked(text: str) -> str:
    """A text without visible emphasis; several quotes are looked for in one after another."""
    return text.translate(_UNSEEN_MARKS)
