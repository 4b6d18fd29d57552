"""The judge: bounded questions, and an error that says how to go on."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_desk import AgentDesk

from libriscribe2.agents.agent_continuity_evaluator import (
    MOST_QUESTIONS,
    ContinuityEvaluator,
    Evaluated,
    OpenQuestion,
)
from libriscribe2.checks.continuity.story_rules import place_of
from libriscribe2.checks.text import ChapterText
from libriscribe2.errors import LibriScribeError, MaxRetriesExceededError
from libriscribe2.models.story_bible import Attribute, Fact

CHAPTERS = tuple(
    ChapterText(n, f"chapters/{n:02d}.md", f"# T\n\nAda was the baker number {n} of the town.")
    for n in range(1, 4)
)


def fact(chapter: int, **more: Any) -> Fact:
    quote = f"Ada was the baker number {chapter}"
    told = {"value": f"baker {chapter}", "quote": quote, "chapter": chapter, **more}
    return Fact(entity="Ada", attribute=Attribute.JOB, **told)


def verdicts(*said: dict[str, Any]) -> str:
    return json.dumps({"verdicts": list(said)})


async def evaluated(folder: Path, questions: list[OpenQuestion], *script: str) -> Evaluated:
    desk = AgentDesk(folder)
    desk.planned(3)
    with desk.hired(ContinuityEvaluator, *script) as evaluator:
        assert isinstance(evaluator, ContinuityEvaluator)
        told = await evaluator.evaluate(questions, CHAPTERS)
    assert max(sum(len(str(m["content"])) for m in call.messages) for call in desk.calls) < 12_000
    return told


async def test_each_earlier_statement_gets_the_verdict_of_its_number(tmp_path: Path) -> None:
    long = {"value": "baker " * 500, "quote": "Ada was the baker number 1 " * 100}
    question = OpenQuestion(fact(3), (fact(1, **long), fact(2)))
    quotes = {"later_quote": fact(3).quote, "earlier_quote": fact(2).quote}
    reply = verdicts(
        {"number": 2, "verdict": "Contradiction", "reason": "Two trades.", **quotes},
        {"number": 1, "verdict": "development"},
    )
    told = await evaluated(tmp_path, [question], reply)
    assert dict(told.decisions) == {"development": 1, "contradiction": 1}
    (found,) = told.findings
    assert (found.severity, found.other) == ("error", place_of(question.earlier[1]))
    assert "Two trades." in found.why


async def test_quotes_of_another_chapter_prove_nothing(tmp_path: Path) -> None:
    swapped = {"later_quote": fact(2).quote, "earlier_quote": fact(3).quote}
    reply = verdicts({"number": 1, "verdict": "contradiction", **swapped})
    told = await evaluated(tmp_path, [OpenQuestion(fact(3), (fact(2),))], reply)
    assert [one.severity for one in told.findings] == ["warning"]


async def test_a_verdict_for_a_statement_that_was_not_shown_leaves_it_unclear(
    tmp_path: Path,
) -> None:
    reply = verdicts({"number": 7, "verdict": "development"})
    told = await evaluated(tmp_path, [OpenQuestion(fact(3), (fact(2),))], reply)
    assert dict(told.decisions) == {"unclear": 1}


async def test_a_check_asks_so_much_and_no_more(tmp_path: Path) -> None:
    questions = [OpenQuestion(fact(3, line=n), (fact(2),)) for n in range(1, MOST_QUESTIONS + 4)]
    reply = verdicts({"number": 1, "verdict": "figurative"})
    told = await evaluated(tmp_path, questions, *[reply] * MOST_QUESTIONS)
    assert (told.left_out, told.decisions["figurative"]) == (3, MOST_QUESTIONS)


async def test_replies_that_are_no_verdicts_say_how_to_go_on(tmp_path: Path) -> None:
    with pytest.raises(MaxRetriesExceededError) as caught:
        await evaluated(tmp_path, [OpenQuestion(fact(3), (fact(2),))], "no", "no", "no")
    assert "run the same command" in caught.value.fix


async def test_the_evaluator_makes_no_file(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path)
    with pytest.raises(LibriScribeError):
        await desk.run(ContinuityEvaluator)
