"""In which order the chapters are drafted, and from which others each one may be written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from libriscribe2.models.kind import Kind
from libriscribe2.models.moves import ChapterRole

Drafting = Literal["sequential", "redblack", "parallel"]
"""How the chapters are drafted.

`sequential` writes one after the other, each from the text before it. `redblack` writes the odd
chapters first, all at once and from their plans, then the even ones, which see both neighbours
as they were written. `parallel` writes all chapters at once from their plans, and then the
scene that opens each chapter from the text on both sides of it.
"""

FEW_AT_ONCE: Final = 4
"""Up to so many calls at once chapters are drafted in sequence, where the author does not say.

With more of them the calls would mostly wait for each other. It is the default of the setting, so
that whoever changes nothing gets the order in which each chapter is written from all before it.
"""


def fitting(kind: Kind, at_once: int) -> Drafting:
    """How the chapters of a book are drafted where the author does not say.

    Args:
        kind: Whether it is a story.
        at_once: How many calls may be under way at once.
    """
    if at_once <= FEW_AT_ONCE:
        return "sequential"
    return "redblack" if kind == "fiction" else "parallel"


@dataclass(frozen=True, slots=True)
class DraftOrder:
    """The order of a book's chapters.

    Attributes:
        mode: How they are drafted.
        chapters: How many there are.
        last: Those that are written when all others are there, from what they really say: the
            introduction and the conclusion of a book of facts.
    """

    mode: Drafting = "sequential"
    chapters: int = 0
    last: tuple[int, ...] = ()

    @classmethod
    def planned(cls, mode: Drafting, kind: Kind, roles: Sequence[ChapterRole]) -> "DraftOrder":
        """The order of a book's chapters by what its plan says that they are.

        Only the first chapter can be an introduction, only the last one a conclusion, and there
        has to be another chapter between or beside them.

        Args:
            mode: How they are drafted.
            kind: Whether it is a story; a story has neither.
            roles: What each chapter is.
        """
        count = len(roles)
        framing = [1] if roles[:1] == ["introduction"] else []
        framing += [count] if roles[-1:] == ["conclusion"] else []
        frames = kind != "fiction" and len(framing) < count
        return cls(mode, count, tuple(framing) if frames else ())

    def known(self, number: int) -> tuple[int, ...]:
        """Chapters whose finished text chapter `number` may be written from, ascending.

        None of them is ever written from chapter `number`, so nothing waits in a circle.
        """
        if number in self.last:
            return self._others(range(1, self.chapters + 1))
        if self.mode == "sequential":
            return self._others(range(1, number))
        if self.mode == "redblack" and number % 2 == 0:
            return self._others(range(1, self.chapters + 1, 2))
        return ()

    def drafts(self, number: int) -> tuple[int, ...]:
        """Chapters of whose drafts chapter `number` is made, its own last.

        Where all are drafted at once its opening is written from the draft before it, unless
        that chapter is written last. None where it is written in one go.
        """
        if self.mode != "parallel" or number in self.last:
            return ()
        return self._others(range(max(1, number - 1), number + 1))

    def recorded(self, number: int) -> tuple[int, ...]:
        """Chapters whose facts and events chapter `number` is shown.

        In sequence the chapter just before is left out: its end and its summary are shown, and
        its facts are read while the next one is drafted.
        """
        return tuple(n for n in self.known(number) if n != number - 1 or self.mode != "sequential")

    def before(self, number: int) -> int | None:
        """The chapter before, where its text may be used."""
        return self._neighbour(number, -1)

    def after(self, number: int) -> int | None:
        """The chapter after, where its text may be used."""
        return self._neighbour(number, 1)

    def _others(self, numbers: range) -> tuple[int, ...]:
        """The chapters that are not written last."""
        return tuple(n for n in numbers if n not in self.last) if self.last else tuple(numbers)

    def _neighbour(self, number: int, step: int) -> int | None:
        return number + step if number + step in self.known(number) else None
