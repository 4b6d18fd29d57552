"""Number types of the settings; a TOML `true` is not a number, though Python counts it as 1."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError


def _refuse_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise PydanticCustomError("not_a_number", "A number is wanted, not true or false")
    return value


NotBool = BeforeValidator(_refuse_bool)
"""Refuses `true` and `false` where a number is wanted."""

Seconds = Annotated[float, NotBool, Field(gt=0, allow_inf_nan=False)]
"""A positive, finite time in seconds."""

Count = Annotated[int, NotBool, Field(ge=1)]
"""A whole number from 1."""

CountFromZero = Annotated[int, NotBool, Field(ge=0)]
"""A whole number from 0."""

Usd = Annotated[float, NotBool, Field(ge=0, allow_inf_nan=False)]
"""An amount of US dollars; 0 is one."""
