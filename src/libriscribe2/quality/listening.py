"""Looking through a text while it still comes, so that nobody waits for it afterwards."""

import logging
from collections.abc import Callable
from typing import Final

from libriscribe2.telemetry import LOOK_AHEAD_FAILED

logger = logging.getLogger(__name__)

STEP: Final = 2_000
"""So many characters come between two looks."""

MOST: Final = 200_000
"""A longer text is none that was asked for."""

_GAP: Final = "\n\n"


def at_first(work: Callable[[], None]) -> Callable[[str], None]:
    """Hears a text, and does some work once, when it begins to come."""
    waiting = [work]

    def heard(piece: str) -> None:
        del piece
        if waiting:
            _succeeds(waiting.pop())

    return heard


def _succeeds(look: Callable[[], None]) -> bool:
    """Whether a look could be taken.

    A reply that is paid for must not be lost by a look at it. What is wrong is told by whoever
    works on the text in earnest, when the reply is kept.
    """
    try:
        look()
    except Exception as error:  # noqa: BLE001 - said above; the same work is done unguarded later
        logger.debug("%s: %s", LOOK_AHEAD_FAILED, type(error).__name__)
        return False
    return True


class Listener:
    """Shows a text that comes in pieces to somebody who remembers its paragraphs.

    Args:
        look: Is shown the text so far, to the end of a paragraph, when two thousand characters
            came since the text was last searched for one and there is more to see than before.
    """

    def __init__(self, look: Callable[[str], None]) -> None:
        self._look = look
        self._text = ""
        self._new: list[str] = []
        self._count = 0
        self._seen = 0
        self._is_done = False

    def __call__(self, piece: str) -> None:
        """Hear the next piece."""
        if self._is_done:
            return
        self._new.append(piece)
        self._count += len(piece)
        if self._count >= STEP:
            self._text += "".join(self._new)
            self._new.clear()
            self._count = 0
            self._is_done = len(self._text) > MOST or not self._shown()

    def _shown(self) -> bool:
        """Whether what is whole by now could be shown, as far as it is more than before."""
        whole = self._text.rfind(_GAP)
        if whole <= self._seen:
            return True
        self._seen = whole
        return _succeeds(lambda: self._look(self._text[:whole]))
