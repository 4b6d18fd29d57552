"""What a judge says of two passages."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from libriscribe2.models.base import Shape

Label = Literal["A", "B", "tie"]


def _label(said: Any) -> Any:
    """A label; anything else is no preference."""
    known = said.strip().strip(".").casefold() if isinstance(said, str) else ""
    return {"a": "A", "b": "B"}.get(known.removeprefix("passage").strip(), "tie")


class Answer(Shape):
    """The answer to one question."""

    question: int = Field(ge=1, description="Number of the question")
    better: Annotated[Label, BeforeValidator(_label)] = Field(
        description="The better passage; tie where neither is"
    )
    quote: str = Field("", description="Words of the better passage that show it, copied exactly")


class Answers(Shape):
    """An answer to every question."""

    answers: list[Answer] = Field(description="One for each question")
