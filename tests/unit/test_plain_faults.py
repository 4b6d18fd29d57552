"""What Pydantic finds wrong, in a user's words."""

from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from libriscribe2.models.base import Text
from libriscribe2.wording import plain_fault


class Inner(BaseModel):
    """A shape with a shape in it."""

    name: str


@pytest.mark.parametrize(
    ("wanted", "value", "told"),
    [
        (Text, "", "it is empty"),
        (Text, " \n", "it is empty"),
        (str, 5, "it has to be a text in quotes"),
        (Text, "caf\udce9", "it holds bytes that are not UTF-8"),
        (Path, 5, "it has to be a path in quotes"),
        (list[str], 5, "it has to be a list in square brackets"),
        (tuple[str, ...], 5, "it has to be a list in square brackets"),
        (dict[str, str], [], "it has to be a table of keys and values"),
        (Inner, [], "it has to be a table of keys and values"),
        (Annotated[float, Field(ge=0)], -1, "it has to be 0 or more"),
        (Annotated[float, Field(le=0.5)], 1, "it has to be 0.5 or less"),
        (Annotated[int, Field(le=5_000_000)], 9_000_000, "it has to be 5,000,000 or less"),
    ],
)
def test_a_fault_is_told_in_plain_words(wanted: Any, value: object, told: str) -> None:
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(wanted).validate_python(value)
    assert plain_fault(raised.value.errors(include_url=False)[0]) == told
