"""Notes to the program that an author puts into a text as comments, such as what to let stand.

A note is an HTML comment that begins with the program's name: `<!-- libriscribe2: allow R1 -->`.
Readers never see one: manuscript, exports and prompts are made without them.
"""

import re
from functools import lru_cache
from typing import Final

# Every repetition gives nothing back, so that no text takes more than linear time.
NOTE: Final = re.compile(r"<!--\s*+libriscribe2\s*+:(?P<said>(?:(?!-->|<!--).)*+)-->", re.DOTALL)
"""One note; `said` is what it says."""

_ONE: Final = NOTE.pattern.replace("?P<said>", "?:")
_LINES: Final = re.compile(rf"^[^\S\n]*+(?:{_ONE}[^\S\n]*+)++(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_INSIDE: Final = re.compile(rf"(?<![^\S\n])[^\S\n]*+{_ONE}", re.DOTALL)
_BLANKS: Final = re.compile(r"\n{3,}")


@lru_cache(maxsize=1_024)
def without_notes(text: str) -> str:
    """A text as readers see it: lines that hold notes only are gone, as are notes in others."""
    if NOTE.search(text) is None:
        return text
    return _BLANKS.sub("\n\n", _INSIDE.sub("", _LINES.sub("", text))).lstrip("\n")
