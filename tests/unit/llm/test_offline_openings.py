"""The offline author takes a chapter's opening up again."""

import pytest

from libriscribe2.agents.agent_opening import unfit
from libriscribe2.llm.backend import Request
from libriscribe2.llm.offline_author import answer
from libriscribe2.prompts.loader import load_prompt

FIRST = "Mara Voss was early."
REST = " The lamps were out.\n\nShe lit one, and then another."
BLOCKS = {
    "book": "\n\n<book>\nkind: {kind}\nlanguage: English\n</book>",
    "concept": '\n\n<concept>\n{"title": "The Log", "description": "A keeper finds a log."}\n</concept>',
    "style": "",
    "chapter": '\n\n<chapter>\n{"number": 2, "of": 3, "title": "Two"}\n</chapter>',
    "characters": '\n\n<characters>\n[{"name": "Mara Voss", "role": "keeper"}]\n</characters>',
    "places": "",
    "scene": '\n\n<scene>\n{"number": 1, "of": 2, "summary": "She lights a lamp."}\n</scene>',
}


def asked(kind: str, opening: str, before: str = "The sea was flat.") -> Request:
    """The request for an opening."""
    values = {**BLOCKS, "book": BLOCKS["book"].format(kind=kind)}
    messages = load_prompt("openings", kind=kind).render(
        **values, text_before=before, opening=opening, text_after="Jon came in.", words="20"
    )
    return Request(step="chapters/ch02/opening", model="offline", messages=messages)


@pytest.mark.parametrize("kind", ["fiction", "non-fiction"])
def test_QU_only_the_first_sentence_is_another_one(kind: str) -> None:
    opening = f"{FIRST}{REST}"
    new = answer(asked(kind, opening))
    assert new.endswith(REST)
    assert not new.startswith(FIRST)
    assert unfit(new, opening) == ""
    assert answer(asked(kind, opening)) == new


def test_QU_what_the_chapter_before_has_said_is_not_said_again() -> None:
    opening = f"{FIRST}{REST}"
    once = answer(asked("fiction", opening))
    said = once.removesuffix(REST)
    assert not answer(asked("fiction", opening, before=said)).startswith(said)


def test_QU_a_cited_sentence_stays() -> None:
    opening = f"It is so [@n-0123456789ab].{REST}"
    assert answer(asked("non-fiction", opening)) == opening
