"""What all shapes of a book share."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError


def _stripped(text: str) -> str:
    """Text without white space around it."""
    stripped = text.strip()
    if not stripped:
        raise PydanticCustomError("blank", "Field cannot be empty or whitespace only")
    return stripped


Text = Annotated[str, Field(min_length=1), AfterValidator(_stripped)]
"""Text that says something: stripped, and refused when nothing is left."""


def _as_list(value: Any) -> Any:
    """A comma-separated string as a list; None as an empty one; blanks and repeats dropped."""
    if value is None:
        return []
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list) or not all(isinstance(item, str | None) for item in value):
        return value
    stripped = (item.strip() for item in value if item is not None)
    return list(dict.fromkeys(item for item in stripped if item))


TextList = Annotated[list[str], BeforeValidator(_as_list)]
"""A list of short texts; also reads `"a, b"`, drops blanks and repeats."""


def listed(said: Any, words: tuple[str, ...], otherwise: str) -> str:
    """A word of a closed list, however it is spelt; `otherwise` where it is none of them."""
    word = said.casefold().strip().replace("_", " ") if isinstance(said, str) else ""
    return word if word in words else otherwise


class Shape(BaseModel):
    """Base of what a model answers; keys that nobody asked for are left out."""

    model_config = ConfigDict(extra="ignore")
