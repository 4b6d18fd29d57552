"""`lookup_character` and `lookup_place` through the catalog."""

import asyncio
from typing import Any

import pytest
from pydantic import ValidationError
from tests.support.written_book import WrittenBook

from libriscribe2.errors import ProjectError
from libriscribe2.project.paths import CHARACTERS
from libriscribe2.research.catalog import all_tools
from libriscribe2.research.passages import close_names
from libriscribe2.research.tool import ToolContext
from libriscribe2.research.tool_error import ToolError


def call(written: WrittenBook, called: str, **arguments: Any) -> Any:
    tool = next(tool for tool in all_tools() if tool.name == called)

    async def run() -> Any:
        return await tool.run(ToolContext(written.book), tool.arguments.model_validate(arguments))

    return asyncio.run(run())


def failure(written: WrittenBook, called: str, **arguments: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        call(written, called, **arguments)
    return caught.value


@pytest.fixture
def cast(written: WrittenBook) -> WrittenBook:
    return written.people("Mara Voss", "Joanna Voss", "Anna", "Dr. Elias Stra\u00dfer")


@pytest.fixture
def world(written: WrittenBook) -> WrittenBook:
    return written.world(["The Lighthouse", "Salt Market"], ["The Salt", "Lighthouse Oath"])


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("Mara Voss", "Mara Voss"),
        ("  mara   VOSS ", "Mara Voss"),
        ("mara", "Mara Voss"),
        ("voss mara", "Mara Voss"),
        ("anna", "Anna"),
        ("joann", "Joanna Voss"),
        ("STRASSER", "Dr. Elias Stra\u00dfer"),
        ("dr elias", "Dr. Elias Stra\u00dfer"),
    ],
)
def test_a_character_is_found_by_name_or_part_of_it(
    cast: WrittenBook, wanted: str, name: str
) -> None:
    assert call(cast, "lookup_character", name=wanted)["name"] == name


def test_the_record_is_the_whole_character(cast: WrittenBook) -> None:
    record = call(cast, "lookup_character", name="Anna")
    assert (record["role"], record["age"], record["arc"]) == ("witness", "44", "")


def test_an_unknown_name_is_404_with_close_names(cast: WrittenBook) -> None:
    error = failure(cast, "lookup_character", name="Marla Vos")
    assert (error.status, error.code) == (404, "character_not_found")
    assert error.details["close"][0] == "Mara Voss"
    assert "Close names: Mara Voss" in error.message


def test_a_name_like_no_other_is_404_with_the_whole_cast(cast: WrittenBook) -> None:
    error = failure(cast, "lookup_character", name="Zzz")
    assert error.details["close"] == []
    assert error.details["known"] == ["Mara Voss", "Joanna Voss", "Anna", "Dr. Elias Stra\u00dfer"]
    assert "The book has Mara Voss, Joanna Voss, Anna," in error.message


def test_a_name_that_several_have_is_409_and_never_a_guess(cast: WrittenBook) -> None:
    error = failure(cast, "lookup_character", name="Voss")
    assert (error.status, error.code) == (409, "character_ambiguous")
    assert error.details["fitting"] == ["Mara Voss", "Joanna Voss"]


def test_a_book_without_characters_says_so(written: WrittenBook) -> None:
    error = failure(written, "lookup_character", name="Mara")
    assert error.status == 404
    assert error.message.endswith("The book has no character yet.")


def test_a_long_cast_is_cut_in_errors(written: WrittenBook) -> None:
    written.people(*(f"Person {number:03d}" for number in range(60)))
    error = failure(written, "lookup_character", name="Zzz")
    assert len(error.details["known"]) == 50
    assert error.message.endswith("Person 049, ....")


@pytest.mark.parametrize("name", ["", "   ", "x" * 201])
def test_a_name_that_says_nothing_is_refused_before_the_call(cast: WrittenBook, name: str) -> None:
    with pytest.raises(ValidationError):
        call(cast, "lookup_character", name=name)


def test_a_name_of_punctuation_fits_nobody(cast: WrittenBook) -> None:
    assert failure(cast, "lookup_character", name="?!").status == 404


def test_a_damaged_file_is_the_projects_fault(cast: WrittenBook) -> None:
    cast.write(CHARACTERS, '{"characters": [')
    with pytest.raises(ProjectError, match=r"characters\.json"):
        call(cast, "lookup_character", name="Anna")


def test_a_place_and_a_term_are_found_with_what_they_are(world: WrittenBook) -> None:
    place = {"name": "Salt Market", "description": "What Salt Market is.", "kind": "place"}
    assert call(world, "lookup_place", name="market") == place
    assert call(world, "lookup_place", name="oath")["kind"] == "term"


def test_the_kind_tells_a_place_from_a_term(world: WrittenBook) -> None:
    error = failure(world, "lookup_place", name="lighthouse")
    assert error.details["fitting"] == ["The Lighthouse", "Lighthouse Oath"]
    place = call(world, "lookup_place", name="lighthouse", kind="place")
    term = call(world, "lookup_place", name="lighthouse", kind="term")
    assert (place["name"], term["name"]) == ("The Lighthouse", "Lighthouse Oath")


def test_the_error_names_the_kind_that_was_asked_for(world: WrittenBook) -> None:
    assert failure(world, "lookup_place", name="zzz", kind="term").code == "term_not_found"
    assert failure(world, "lookup_place", name="zzz").code == "place_not_found"


def test_a_book_without_a_world_has_no_place(written: WrittenBook) -> None:
    assert failure(written, "lookup_place", name="Salt").details["known"] == []


def test_close_names_are_few_and_each_comes_once() -> None:
    names = ["Anna Anna", "Anne Anne", "Ann", "Hanna", "Annabel", "Bo"]
    close = close_names("Annaa", names)
    assert len(close) == 3
    assert len(set(close)) == 3
    assert "Bo" not in close
