"""Character references of HTML, such as `&quot;` and `&#39;`, as the characters they stand for."""

import html
import re
from typing import Final

# More digits than Python reads as a number; no character has so many.
_NO_NUMBER: Final = re.compile(r"&(?=#[0-9]{4300})")


def with_characters(text: str) -> str:
    """The text with its character references decoded; one without an end of digits stays."""
    return html.unescape(_NO_NUMBER.sub("&amp;", text))
