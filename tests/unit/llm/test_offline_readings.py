"""What the offline author finds in texts that are shown: only what stands there."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.llm.backend import Request
from libriscribe2.llm.offline_author import answer
from libriscribe2.models.base import request_schema
from libriscribe2.models.story import BookNotes, ChapterNotes
from libriscribe2.models.style import ToldStyle
from libriscribe2.research.quotes import line_of_quote
from libriscribe2.utils.json_utils import JSONProcessor

TEXT = (
    "\u201cYou are late,\u201d she said to Jon Ide. It rained \u2014 hard.\n\n"
    "On the quay Jon Ide waited; nobody came, and nothing moved in the whole of the grey town below."
)


def reply(shape: Any, user: str) -> Any:
    schema = request_schema(shape)
    asked = f"{user}\n\n<json_schema>{json.dumps(schema)}</json_schema>"
    request = Request(
        model="offline", messages=({"role": "user", "content": asked},), schema=schema, step="s"
    )
    return shape.model_validate(JSONProcessor.extract_json_from_llm_response(answer(request)))


def test_every_rule_of_a_voice_has_its_words_in_the_samples() -> None:
    told = reply(ToldStyle, f"<samples>\nPassage 1:\n{TEXT}\n</samples>")
    assert {one.aspect for one in told.rules} >= {"dialogue", "punctuation", "sentences"}
    assert all(line_of_quote(one.quote, TEXT) for one in told.rules)


@given(st.text(max_size=80))
def test_any_samples_get_an_answer(text: str) -> None:
    shown = text.replace("<", "").replace(">", "")
    assert reply(ToldStyle, f"<samples>\nPassage 1:\n{shown}\n</samples>").rules


def test_a_chapter_is_told_in_its_own_words() -> None:
    told = reply(ChapterNotes, f"<text>\n# Heading\n\n{TEXT}\n</text>")
    assert [one.name for one in told.people] == ["Jon Ide"]
    assert told.pov == "Jon Ide"
    assert told.opening_move == "dialogue"
    assert told.exit_state in TEXT
    assert "Heading" not in told.summary


def test_a_book_is_told_from_the_notes_of_its_chapters() -> None:
    people = json.dumps([{"name": "Jon Ide", "chapters": 2, "about": "He waits."}])
    blocks = f"<summaries>\n1. A: Jon waits.\n2. B: He goes.\n</summaries><people>{people}</people>"
    told = reply(BookNotes, blocks)
    assert told.premise == "Jon waits."
    assert told.summary == "Jon waits. He goes."
    assert [(one.name, one.role) for one in told.characters] == [("Jon Ide", "protagonist")]
