"""Parts of a prompt, each within its own budget, trimmed by rank where all are too much."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from libriscribe2.models.canon import Fact
from libriscribe2.prose import weigh

NEVER: Final = 0
"""The rank of what is never trimmed."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A part within some budget.

    Attributes:
        text: What the prompt shows; "" for nothing.
        cut: Whether there is more than the budget lets in.
        facts: The facts of the canon that it shows.
        chapters: The chapters whose text, summary or record it is taken from.
    """

    text: str = ""
    cut: bool = False
    facts: tuple[Fact, ...] = ()
    chapters: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A part before it is known how much room there is.

    Attributes:
        name: The prompt's hole.
        budget: Most that it takes, in the measure of `text_budget`.
        rank: The lowest is trimmed first; `NEVER` is not.
        render: Makes it for a budget; within a budget of 0 it has to be empty.
    """

    name: str
    budget: int
    rank: int
    render: Callable[[int], Rendered]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A part as the prompt shows it.

    Attributes:
        part: The part.
        shown: What is shown of it.
        trimmed: Whether it had to give way to others.
    """

    part: Part
    shown: Rendered
    trimmed: bool = False


def fitted(parts: Sequence[Part], budget: int) -> list[Fitted]:
    """All parts, in their order, within a budget for all of them together.

    Each is made within its own budget. While they are too much together, the part with the
    lowest rank gives way, and the next one only when nothing is left of it.

    Args:
        parts: The parts; of two with one rank, the later one gives way first.
        budget: Most that they take together, unless those that are never trimmed take more.
    """
    made = [Fitted(part, part.render(part.budget)) for part in parts]
    over = sum(weigh(one.shown.text) for one in made) - budget
    places = [at for at, part in enumerate(parts) if part.rank != NEVER]
    for at in sorted(places, key=lambda at: (parts[at].rank, -at)):
        has = weigh(made[at].shown.text)
        if over <= 0:
            break
        if has:
            less = parts[at].render(max(0, has - over))
            made[at] = Fitted(parts[at], less, trimmed=True)
            over -= has - weigh(less.text)
    return made
