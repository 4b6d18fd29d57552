"""What a tool has to be, and how the catalog shows it."""

import pytest
from pydantic import BaseModel, Field, JsonValue, ValidationError

from libriscribe2.research.tool import Arguments, Tool, ToolContext, describe
from libriscribe2.research.tool_error import ToolError


class Place(BaseModel):
    """Where."""

    lat: float
    title: str = Field("", description="Its name")


class Weather(Arguments):
    """A docstring for programmers."""

    where: Place
    days: int = Field(1, ge=1, description="How many days")


class Nothing(Arguments):
    """No arguments."""


async def run(context: ToolContext, arguments: Arguments) -> JsonValue:
    del context
    return arguments.model_dump()


def test_PB_64_the_schema_gives_types_descriptions_and_required() -> None:
    shown = describe(Tool("weather", "Tells the weather.", Weather, run))
    assert (shown["name"], shown["description"]) == ("weather", "Tells the weather.")
    schema = shown["parameters"]
    assert schema["type"] == "object"
    assert schema["required"] == ["where"]
    assert schema["additionalProperties"] is False
    days = {"default": 1, "description": "How many days", "minimum": 1, "type": "integer"}
    assert schema["properties"]["days"] == days


def test_the_schema_speaks_of_arguments_and_not_of_our_classes() -> None:
    schema = describe(Tool("weather", "Tells the weather.", Weather, run))["parameters"]
    assert "title" not in schema
    assert "description" not in schema
    properties = schema["$defs"]["Place"]["properties"]
    assert properties["title"] == {"default": "", "description": "Its name", "type": "string"}
    assert "title" not in properties["lat"]


def test_a_tool_without_arguments_has_an_empty_schema() -> None:
    schema = describe(Tool("now", "Tells the time.", Nothing, run))["parameters"]
    assert (schema["properties"], schema["required"]) == ({}, [])


def test_an_argument_that_the_tool_does_not_have_is_refused() -> None:
    with pytest.raises(ValidationError, match="extra"):
        Nothing.model_validate({"nmae": "x"})


@pytest.mark.parametrize("name", ["", "Weather", "two words", "1st", "w\u00e4rme", "a" * 65])
def test_a_name_that_providers_refuse_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name"):
        Tool(name, "Tells the weather.", Nothing, run)


def test_a_tool_has_to_be_described() -> None:
    with pytest.raises(ValueError, match="weather has no description"):
        Tool("weather", " ", Nothing, run)


def test_an_error_is_plain_json_and_its_details_its_own() -> None:
    details = {"close": ["a"]}
    error = ToolError(404, "not_found", "Nothing is called 'x'.", details)
    details["close"] = []
    record = {"status": 404, "code": "not_found", "message": "Nothing is called 'x'."}
    assert error.as_record() == {**record, "details": {"close": ["a"]}}
    assert str(error) == "Nothing is called 'x'."


def test_an_error_without_details_has_none() -> None:
    assert ToolError(503, "away", "Away.").details == {}
