"""What models answer, as Pydantic reads it."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from pydantic import ValidationError

from libriscribe2 import models
from libriscribe2.models.base import Shape
from libriscribe2.models.story import ConceptFile, ConceptModel, KeywordsModel, ScenesFile
from libriscribe2.replies.schema_fit import identifier_marks


@pytest.mark.parametrize("field", ["title", "logline", "description"])
def test_OV_21_every_field_of_a_concept_is_needed(field: str) -> None:
    whole = {"title": "T", "logline": "L", "description": "D"}
    with pytest.raises(ValidationError, match=field):
        ConceptModel.model_validate({key: text for key, text in whole.items() if key != field})
    with pytest.raises(ValidationError, match=field):
        ConceptModel.model_validate({**whole, field: ""})


def test_OV_22_white_space_is_stripped_and_alone_refused() -> None:
    assert ConceptModel(title="  T ", logline="L", description="D").title == "T"
    with pytest.raises(ValidationError, match="Field cannot be empty or whitespace only"):
        ConceptModel(title="   ", logline="L", description="D")


def test_OV_23_keywords_default_to_nothing() -> None:
    assert KeywordsModel().model_dump() == {
        "primary_keywords": [],
        "secondary_keywords": [],
        "genre_keywords": [],
    }


@pytest.mark.parametrize(
    ("given", "read"),
    [("a, b,, c", ["a", "b", "c"]), (None, []), ("", []), (["a", " ", "a", "b"], ["a", "b"])],
)
def test_OV_24_keywords_are_read_leniently(given: object, read: list[str]) -> None:
    assert KeywordsModel.model_validate({"primary_keywords": given}).primary_keywords == read


def test_OV_24_numbers_are_no_keywords() -> None:
    with pytest.raises(ValidationError):
        KeywordsModel.model_validate({"primary_keywords": [1]})
    with pytest.raises(ValidationError):
        KeywordsModel.model_validate({"primary_keywords": 7})


def test_OV_16_a_concept_file_holds_exactly_two_things() -> None:
    concept = {"title": "T", "logline": "L", "description": "D"}
    read = ConceptFile.model_validate({"concept": concept, "raw_content": "x", "timestamp": 1})
    assert list(read.model_dump()) == ["concept", "keywords"]


def test_chapters_of_scene_plans_are_numbered_without_gaps() -> None:
    def chapter(number: int) -> dict[str, object]:
        return {"chapter": number, "scenes": [{"summary": "s"}]}

    assert len(ScenesFile.model_validate({"chapters": [chapter(1), chapter(2)]}).chapters) == 2
    with pytest.raises(ValidationError, match="numbered"):
        ScenesFile.model_validate({"chapters": [chapter(1), chapter(3)]})


def test_every_text_of_every_shape_is_marked_as_prose_or_as_an_identifier() -> None:
    for module in iter_modules(models.__path__):
        import_module(f"{models.__name__}.{module.name}")
    for shape in shapes(Shape):
        marks = set(identifier_marks(shape.model_json_schema()))
        names = [name for name, _ in marks]
        assert len(names) == len(set(names)), f"{shape.__name__} has a field that is both"
        assert texts(shape.model_json_schema()) <= set(names), shape.__name__


def shapes(base: type[Shape]) -> Iterator[type[Shape]]:
    """Every shape below a base that stands in the room of shapes."""
    for shape in base.__subclasses__():
        if shape.__module__.startswith(models.__name__):
            yield shape
        yield from shapes(shape)


def texts(schema: Any, name: str = "") -> set[str]:
    """The fields of a schema that hold free text."""
    if isinstance(schema, list):
        return {one for part in schema for one in texts(part, name)}
    if not isinstance(schema, dict):
        return set()
    free = schema.get("type") == "string" and not schema.keys() & {"enum", "const", "pattern"}
    inner = (texts(part, name if key == "items" else key) for key, part in schema.items())
    return {name for _ in range(free)}.union(*inner)
