"""The parts of a damaged text that are strict JSON as they stand, read at the decoder's speed."""

import re
from typing import Final

from libriscribe2.utils.repair.cursor import Cursor
from libriscribe2.utils.repair.frames import Frame
from libriscribe2.utils.repair.values import read_sound
from libriscribe2.utils.strict_json import StrictParse

# Each failed attempt costs the decoder a pass over the text before it; where most fail, no more.
_MAX_ATTEMPTS: Final = 200
_FIRST_ATTEMPTS: Final = 10
# A container that the decoder refuses for certain, because it begins with a single quote or a bare
# word, or because before its first bracket that closes a comma stands before one of these or before
# that bracket. What begins like a literal is left to the decoder.
_ODD: Final = "['A-HJ-MO-Z_a-eg-mo-su-z]"
_HOPELESS: Final = re.compile(
    rf"""\{{[ \t\n\r]*+(?=[^"}}\s])|\[[ \t\n\r]*+(?={_ODD})"""
    rf"""|[{{\[](?:[^"\]}},]{{1,99}}+|"[^"\\]{{0,999}}+"|,(?!\s*+(?:[}}\]]|{_ODD}))){{0,99}}+"""
    rf",\s*+(?=[}}\]]|{_ODD})"
)
# A short list of numbers, which is not worth the decoder's start.
_NUMBERS: Final = re.compile(r"\[[\d\s.,-]{0,200}+\]")


class SoundParts:
    """Which containers of one text are tried as strict JSON, and with what success."""

    def __init__(self, text: str, start: int, *, usable: bool) -> None:
        """Prepare for the containers inside the one at `start`; without `usable` none is tried."""
        self._text = text
        self._unsound = start + 1
        self._attempts = _FIRST_ATTEMPTS if usable else 0
        self._failed = 0

    def may_begin(self, at: int) -> bool:
        """Whether the container whose bracket stands at a place is worth an attempt."""
        if self._attempts == 0 or at < self._unsound or self._text[at] not in "{[":
            return False
        hopeless = _HOPELESS.match(self._text, at)
        if hopeless is None:
            return _NUMBERS.match(self._text, at) is None
        self._fail(hopeless.end())
        return False

    def read(self, cursor: Cursor, frame: Frame, depth: int) -> StrictParse | None:
        """Read the container at the cursor and pass it; None if it is damaged."""
        if not self.may_begin(cursor.at):
            return None
        parsed = read_sound(cursor, frame, depth)
        if parsed.end < 0:
            # A container that begins before the trouble and holds it fails at the same place.
            self._fail(parsed.position if parsed.kind == "syntax" else len(self._text))
            return None
        self._attempts = min(self._attempts + 1, _MAX_ATTEMPTS - self._failed)
        return parsed

    def _fail(self, position: int) -> None:
        self._attempts -= 1
        self._failed += 1
        self._unsound = position
