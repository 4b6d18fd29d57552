"""What a model says of statements that code cannot compare."""

from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field

from libriscribe2.models.base import Shape, listed

Verdict = Literal["contradiction", "development", "figurative", "unclear"]


def _verdict(said: Any) -> Any:
    """A verdict; any other word leaves it to the author."""
    return listed(said, get_args(Verdict), "unclear")


class PairVerdict(Shape):
    """What is said of one earlier statement beside the later one."""

    number: int = Field(ge=1, description="Number of the earlier statement")
    verdict: Annotated[Verdict, BeforeValidator(_verdict)] = Field(
        description="How the two stand to each other"
    )
    earlier_quote: str = Field("", description="The words of the earlier one, copied exactly")
    later_quote: str = Field("", description="The words of the later one, copied exactly")
    reason: str = Field("", description="Why, in one sentence")


class PairVerdicts(Shape):
    """A verdict for every earlier statement."""

    verdicts: list[PairVerdict] = Field(description="One for each earlier statement")
