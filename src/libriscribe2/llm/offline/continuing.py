"""Going on with a scene or section that came too short."""

import re
from collections.abc import Iterator
from typing import Final

from libriscribe2.llm.offline.draft import Writer, compose

_WRITTEN: Final = re.compile(r"<written>\n(.*?)\n</written>", re.DOTALL)


def text_to_continue(prompt: str) -> str:
    """The end of the text that a prompt wants to have continued; "" where it wants none."""
    found = _WRITTEN.search(prompt)
    return "" if found is None else found[1]


def continued(writer: Writer, words: int, written: str) -> str:
    """More of a text, without an opening of its own and without a sentence that is there."""
    return compose(_InTheMiddle(writer), words, known=(written,))


class _InTheMiddle:
    """A writer who does not begin anew."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self.shares = writer.shares

    def head(self) -> list[str]:
        """One sentence of narration."""
        return [self._writer.filler()]

    def body(self) -> Iterator[str]:
        """What the writer has to tell."""
        return self._writer.body()

    def tail(self) -> list[str]:
        """The writer's ending."""
        return self._writer.tail()

    def filler(self) -> str:
        """One more sentence."""
        return self._writer.filler()
