import json
from typing import Annotated, Any, cast

import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    create_model,
    field_validator,
    model_validator,
)

from libriscribe2.replies.parsers import pydantic_parser


class Person(BaseModel):
    name: str
    age: int = Field(ge=0)


class Cast(BaseModel):
    title: str
    people: list[Person] = Field(min_length=1)
    note: str = ""

    @field_validator("title")
    @classmethod
    def not_untitled(cls, value: str) -> str:
        if value == "Untitled":
            raise ValueError("a real title is wanted")
        return value


GOOD = '{"title": "*Salt*", "people": [{"name": "Ada", "age": 4}], "note": "she *ran*"}'


def test_TR_15_success_carries_the_validated_instance_and_the_report() -> None:
    result = pydantic_parser(Cast)(GOOD)
    assert result["status"] == "success"
    data = result["data"]
    assert isinstance(data, Cast)
    assert data.people == [Person(name="Ada", age=4)]
    assert (data.title, data.note) == ("Salt", "she *ran*")
    assert result["report"].ok


def test_MS_21_emphasis_is_stripped_in_prose_only_where_asked() -> None:
    data = pydantic_parser(Cast, emphasis_fields={"note"})(GOOD)["data"]
    assert (data.title, data.note) == ("Salt", "she ran")


def test_MS_02_fence_and_prose_around_are_no_matter() -> None:
    result = pydantic_parser(Cast)(f"Here you are:\n\n```json\n{GOOD}\n```\nEnjoy!")
    assert result["status"] == "success"


def test_TR_11_field_error_names_path_found_and_wanted() -> None:
    result = pydantic_parser(Cast)(GOOD.replace("*Salt*", "Untitled"))
    assert result["status"] == "error"
    assert "title: Value error, a real title is wanted (it was 'Untitled')" in result["feedback"]
    assert "whole JSON" in result["feedback"]


def test_TR_11_long_input_is_quoted_in_part() -> None:
    class Short(BaseModel):
        text: str

        @field_validator("text")
        @classmethod
        def short(cls, value: str) -> str:
            if len(value) > 9:
                raise ValueError("too long")
            return value

    feedback = pydantic_parser(Short)('{"text": "' + "x" * 500 + '"}')["feedback"]
    assert "xxx...)" in feedback
    assert len(feedback) < 400


def _refuse(value: str) -> str:
    raise ValueError("not this one")


def test_TR_11_at_most_twelve_errors_are_told() -> None:
    names = [f"field{number}" for number in range(15)]
    fields: dict[str, Any] = {
        name: (Annotated[str, AfterValidator(_refuse)], ...) for name in names
    }
    many = create_model("Many", **fields)
    feedback = pydantic_parser(many)(json.dumps(dict.fromkeys(names, "x")))["feedback"]
    assert feedback.count("not this one") == 12
    assert "- and 3 more\n" in feedback


def test_TR_11_error_of_the_whole_object_is_told() -> None:
    class Pair(BaseModel):
        low: int
        high: int

        @model_validator(mode="after")
        def ordered(self) -> "Pair":
            if self.low > self.high:
                raise ValueError("low must not exceed high")
            return self

    feedback = pydantic_parser(Pair)('{"low": 3, "high": 2}')["feedback"]
    assert "- the whole value: Value error, low must not exceed high" in feedback


def test_TR_11_a_field_may_turn_out_to_be_missing_in_validation() -> None:
    class Either(BaseModel):
        kind: str
        inner: dict[str, Any] = Field(default_factory=dict)

        @field_validator("inner")
        @classmethod
        def complete(cls, value: dict[str, Any]) -> dict[str, Any]:
            Person.model_validate(value)
            return value

    feedback = pydantic_parser(Either)('{"kind": "x", "inner": {"name": "Ada"}}')["feedback"]
    assert "age: Field required (it is missing)" in feedback


@pytest.mark.parametrize("reply", ["", "  \n", cast("str", None)])
def test_TR_19_blank_reply_is_refused(reply: str) -> None:
    assert pydantic_parser(Cast)(reply)["feedback"] == "Empty response. Please provide output."


@pytest.mark.parametrize(
    "reply", ["No JSON here.", '{"title": "Salt", "people": [{"name": "A', GOOD[:-20]]
)
def test_TR_13_refusal_asks_for_the_whole_json(reply: str) -> None:
    result = pydantic_parser(Cast)(reply)
    assert result["status"] == "error"
    assert "whole JSON" in result["feedback"]
    assert not result["report"].ok


def test_PR_strict_takes_no_repaired_json() -> None:
    damaged = GOOD.replace('"}', '",}', 1)
    assert pydantic_parser(Cast)(damaged)["status"] == "success"
    assert pydantic_parser(Cast, strict=True)(damaged)["status"] == "error"
