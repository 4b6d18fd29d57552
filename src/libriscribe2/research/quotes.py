"""Quotes: whether they stand in a text, and where."""

import unicodedata
from array import array
from bisect import bisect_right
from collections import Counter
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
_LOOSE: Final = regex.compile(
    rf"""(?xm)
    (?P<mark> \[\^?\d{{1,3}}\] | \]\([^)\s]*\) | ~~ | ^[^\S\n]*[#>]+ )
    | (?P<gap> [\s{_UNSEEN}*_`|\[\]\\"{_DOUBLE}]+ )
    | (?P<hyphen> [-{_DASHES}]+ (?!\s*\d) )
    | (?P<single> [{_SINGLE}] )
    | (?P<dash> [-{_DASHES}]+ )
    | (?P<ellipsis> \u2026 )
    | (?P<ligature> [{"".join(_LIGATURES)}] )
    | (?P<composed> \P{{M}} \p{{M}}+ )
    | (?P<glued> (?<=\p{{L}}) \d{{1,2}} (?![\p{{L}}\p{{N}}]) )
    """
)
_GLUED: Final = regex.compile(r"(?<![\p{L}\p{N}])\p{L}+(\d{1,2})(?![\p{L}\p{N}])")
_NUMBERED_LINE: Final = regex.compile(r"(?m)^[^\S\n]*[\[(^]?(\d{1,2})[\])^.:]*[^\S\n]+\S")
_OMISSION: Final = regex.compile(r"\s*(?:\[\s*)?(?:\u2026|\.{3,}|(?:\. ){2,}\.)(?:\s*\])?\s*")
_FARTHEST: Final = 600
"""Characters of a source that the `...` of a quote may stand for."""

_CLOSING: Final = ".,;:"
_HIDDEN: Final = regex.compile(rf"[{_UNSEEN}]")
_WITHOUT_SPACES: Final = regex.compile(_UNSPACED)
_DIVIDED: Final = regex.compile(r"[-\u2010][^\S\n]*\n")
_FIXED: Final = {"joined": "", "single": "'", "double": '"', "dash": "-", "ellipsis": "..."}
_THOUSANDS: Final = regex.compile(r"\d\s\d{3}(?!\d)")
_DIVIDED_STAYS: Final = "divided"
_JOINED: Final = "joined"
_LOOSELY: Final = "loosely"
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
    for form in (_DIVIDED_STAYS, _JOINED):
        wanted = _canonical(quote, form).text.strip()
        if weigh(wanted) < SHORTEST_QUOTE:
            continue
        kept = _kept_canonical(text, form)
        any_found = False
        for at in _places(wanted, kept.text):
            start, end = kept.start(at), kept.end(at + len(wanted))
            if _is_cut_clean(text, start, end):
                yield Found(start, end, exact=text[start:end] == quote)
                any_found = True
        if any_found or not (_DIVIDED.search(quote) or _DIVIDED.search(text)):
            return


def find_in_source(quote: str, text: str) -> Found | None:
    """Where a source has the words of a quote, as a model copies them; None where it has not.

    As `find_quote`. Besides, the case of the first letter may differ, as may Markdown marks,
    footnote marks, double quotation marks, hyphens between words and blanks that stand between no
    two digits; and `...` may stand for what was left out. Every letter, digit and sign stays.
    """
    found = find_quote(quote, text)
    if found is not None:
        return found
    pieces = [one for one in _OMISSION.split(quote) if one.strip(_CLOSING).strip()]
    first: Found | None = None
    last: Found | None = None
    for piece in pieces:
        after = last.end if last is not None else 0
        last = _loosely(piece, text, after)
        if last is None or (first is not None and last.start - after > _FARTHEST):
            return None
        first = first or last
    if first is None or last is None:
        return None
    return Found(first.start, last.end, exact=False)


def _loosely(piece: str, text: str, after: int) -> Found | None:
    """The first place behind another that has the words of a piece of a quote."""
    wanted = _canonical(piece, _LOOSELY).text.strip(_CLOSING)
    if not wanted or weigh(piece.strip()) < SHORTEST_QUOTE:
        return None
    kept = _kept_canonical(text, _LOOSELY)
    cases = {wanted, wanted[0].swapcase() + wanted[1:]}
    for place in sorted(at for one in cases for at in _places(one, kept.text)):
        start, end = kept.start(place), kept.end(place + len(wanted))
        next_one = kept.start(place + len(wanted)) if place + len(wanted) < len(kept.text) else end
        if text[end:next_one][:1].isdigit():  # the mark of a footnote
            end = next_one
        if start >= after and _is_cut_clean(text, start, end):
            return Found(start, end, exact=False)
    return None


def _places(wanted: str, text: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


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
@lru_cache(maxsize=6)
def _kept_canonical(text: str, how: str) -> _Canonical:
    """As `_canonical`; several quotes are looked for in one text after another."""
    return _canonical(text, how)


def _canonical(text: str, how: str) -> _Canonical:
    """The one form of a text.

    Args:
        text: The text.
        how: Whether a hyphen at the end of a line goes, or only the line break after it, or all
            that copying may change.
    """
    loose = how == _LOOSELY
    footnotes = _footnotes(text) if loose else frozenset[int]()
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

    for match in (_LOOSE if loose else _CHANGING).finditer(text):
        start, end = match.span()
        if match.lastgroup == "glued" and start not in footnotes:
            continue
        put(text[done:start], done)
        replaced = _loosened(match) if loose else _replacement(match, joined=how == _JOINED)
        put(replaced, start, end - start)
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


def _loosened(match: "regex.Match[str]") -> str:
    """What a run of the text becomes where letters, digits and signs alone count."""
    kind, run = str(match.lastgroup), match.group()
    if kind == "gap":
        before, after = (
            match.string[match.start() - 1 : match.start()],
            match.string[match.end() : match.end() + 1],
        )
        return " " if before.isdigit() and after.isdigit() else ""
    if kind in ("mark", "hyphen", "glued"):
        return ""
    if kind == "ligature":
        return _LIGATURES[run]
    return unicodedata.normalize("NFC", run) if kind == "composed" else _FIXED[kind]


def _footnotes(text: str) -> frozenset[int]:
    """Where digits behind a word are the mark of a footnote.

    The word has them only here, and a line begins with that number.
    """
    lines = set(_NUMBERED_LINE.findall(text))
    glued = list(_GLUED.finditer(text)) if lines else []
    times = Counter(match.group() for match in glued)
    return frozenset(
        match.start(1) for match in glued if match[1] in lines and times[match.group()] == 1
    )


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
