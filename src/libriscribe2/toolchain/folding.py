"""Text made comparable: one form for all spellings that a reader takes for the same."""

import unicodedata
from typing import Final

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
