"""A parser that is written down and read back reads the same."""

import pytest
from pydantic import BaseModel

from libriscribe2.models.story import ConceptModel, OutlineChapter, OutlineFile
from libriscribe2.replies.contract import failure, plain_value, success
from libriscribe2.replies.parsers import ReplyReader

OUTLINE = '{"summary": "s", "chapters": [{"title": "**One**", "summary": "An *x*."}]}'


@pytest.mark.parametrize("reply", [OUTLINE, OUTLINE + ",", "no JSON", '{"summary": "s"}'])
def test_xc_06_a_reader_reads_the_same_after_it_was_written_down(reply: str) -> None:
    reader = ReplyReader.for_shape(OutlineFile, {"chapters": {"minItems": 1}})
    again = ReplyReader.from_record(reader.said)
    assert again is not None
    assert again(reply) == reader(reply)


def test_xc_06_limits_and_emphasis_are_part_of_it() -> None:
    reader = ReplyReader.for_shape(OutlineFile, {"chapters": {"minItems": 2}})
    again = ReplyReader.from_record(reader.said)
    assert again is not None
    assert "wanted at least 2" in again(OUTLINE)["feedback"]
    loose = ReplyReader.for_shape(OutlineFile, {})
    value = plain_value(loose(OUTLINE))
    assert value["chapters"] == [OutlineChapter(title="One", summary="An *x*.").model_dump()]


def test_xc_06_prose_has_its_shortest_length() -> None:
    again = ReplyReader.from_record(ReplyReader.for_prose(5).said)
    assert again is not None
    assert again("Only four words here.")["status"] == "error"
    assert plain_value(again("There are five words here.")) == "There are five words here."


@pytest.mark.parametrize(
    "name", ["os:system", "os:path.join", "antigravity:fly", "", "builtins:int"]
)
def test_only_shapes_that_are_loaded_are_found(name: str) -> None:
    assert ReplyReader.from_record({"shape": name}) is None


def test_a_clean_value_is_plain_json() -> None:
    class Inner(BaseModel):
        number: int

    assert plain_value(success(Inner(number=1))) == {"number": 1}
    assert plain_value({"status": "success", "sections": {"[A]": "x"}}) == {"[A]": "x"}
    assert plain_value(failure("no")) is None
    concept = ConceptModel(title="T", logline="L", description="D")
    assert plain_value(success(concept)) == {"title": "T", "logline": "L", "description": "D"}


@pytest.mark.parametrize("module", ["libriscribe2.models.concept", "libriscribe2.models.gone"])
def test_a_shape_is_found_by_its_name_where_its_module_has_moved(module: str) -> None:
    reader = ReplyReader.from_record({"shape": f"{module}:ConceptModel"})
    assert reader is not None
    assert reader.said["shape"] == "libriscribe2.models.story:ConceptModel"


def test_a_name_from_elsewhere_means_no_shape_of_this_program() -> None:
    assert ReplyReader.from_record({"shape": "other.models:ConceptModel"}) is None
