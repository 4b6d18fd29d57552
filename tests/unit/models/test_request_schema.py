"""Schemas as providers want them."""

import json

import pytest
from jsonschema import Draft202012Validator

from libriscribe2.models.base import request_schema
from libriscribe2.models.reviews import CritiqueOfFacts, ReadingChange
from libriscribe2.models.story import (
    ChapterSections,
    ConceptFile,
    OutlineChapter,
    OutlineFile,
    OutlineOfFacts,
)
from libriscribe2.models.story_bible import ExitState, StatedFact


def test_a_schema_stands_on_its_own_and_closes_its_objects() -> None:
    schema = request_schema(ConceptFile)
    text = json.dumps(schema)
    assert "$ref" not in text
    assert "$defs" not in text
    assert schema["required"] == ["concept", "keywords"]
    assert schema["properties"]["concept"]["additionalProperties"] is False
    assert schema["properties"]["concept"]["properties"]["title"]["minLength"] == 1


def test_a_field_says_what_it_wants_and_no_class_says_it_beside() -> None:
    schema = request_schema(ReadingChange)
    told = json.dumps(schema)
    assert "description" not in schema
    assert "empty where nothing changed in it" in schema["properties"]["exit"]["description"]
    assert not [one for one in (ReadingChange, ExitState, StatedFact) if str(one.__doc__) in told]


def test_only_a_book_of_facts_is_asked_which_chapters_frame_the_others() -> None:
    asked = {
        shape: request_schema(shape)["properties"]["chapters"]["items"]["properties"]
        for shape in (OutlineFile, OutlineOfFacts)
    }
    assert "role" not in asked[OutlineFile]
    assert asked[OutlineOfFacts].pop("role")["enum"] == ["", "introduction", "conclusion"]
    assert asked[OutlineOfFacts].keys() < asked[OutlineFile].keys()


def test_a_book_of_facts_is_asked_for_nothing_that_only_a_story_has() -> None:
    of_stories = {"pov", "tension", "story_time", "opening_move", "ending_move", "beats", "threads"}
    of_scenes = {"place", "conflict", "turn", "entry_state", "exit_state", "time"}
    outline = json.dumps(request_schema(OutlineOfFacts))
    sections = json.dumps(request_schema(ChapterSections))
    critique = json.dumps(request_schema(CritiqueOfFacts))
    assert not [one for one in of_stories if f'"{one}"' in outline]
    assert not [one for one in of_scenes if f'"{one}"' in sections]
    assert not [one for one in ("dialogue", "viewpoint", "beats") if f'"{one}"' in critique]


def test_a_role_is_kept_where_there_is_one_and_another_word_is_none() -> None:
    told = [{"title": "T", "summary": "S", "role": role} for role in ("Introduction", "preface")]
    outline = OutlineOfFacts.model_validate({"summary": "S", "chapters": told}).as_file()
    assert [one.get("role") for one in outline.model_dump()["chapters"]] == ["introduction", None]


def test_counts_stand_in_the_schema() -> None:
    schema = request_schema(OutlineFile, {"chapters": {"minItems": 8, "maxItems": 12}})
    validator = Draft202012Validator(schema)
    eight = OutlineFile(summary="S", chapters=[OutlineChapter(title="T", summary="S")] * 8)
    assert validator.is_valid(eight.model_dump())
    assert not validator.is_valid(eight.model_copy(update={"chapters": []}).model_dump())


def test_limits_reach_into_the_items_of_a_list() -> None:
    schema = request_schema(OutlineFile, {"chapters.title": {"maxLength": 9}})
    title = schema["properties"]["chapters"]["items"]["properties"]["title"]
    assert title["maxLength"] == 9


def test_a_limit_on_nothing_is_an_error() -> None:
    with pytest.raises(KeyError):
        request_schema(OutlineFile, {"chapterz": {"minItems": 1}})
