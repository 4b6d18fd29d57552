"""`revision.judge`: a judge who passed its exam has the last word on a revised chapter."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk

from libriscribe2.checks.calibration import by_people
from libriscribe2.llm.backend import Request

SIZE = ("--chapters", "2", "--scenes-per-chapter", "1", "--words", "1400")
MENDED = {
    "01": "The lamp room kept its own counsel about all of it until the morning came.",
    "02": "Nobody on the stairs would say whose boots had left the salt upon the treads.",
}
"""What stands in each chapter after its revision."""

Choice = Callable[[str, str], str]
"""What a judge says of the passages A and B: `A`, `B` or `tie`."""


class RevisedBook:
    """An author whose chapters are patched in one place each, and a judge of them.

    Args:
        prefers: What the judge says of a revised passage beside its draft.
        exam: What it says in its exam; None has it prefer the sound passage.
        garbled: Steps whose reply is no answer.
    """

    def __init__(self, prefers: Choice, exam: Choice | None = None, garbled: str = "") -> None:
        self._prefers = prefers
        self._exam = exam
        self._garbled = garbled
        self.drafts: list[str] = []

    def reply(self, request: Request) -> str | None:
        shown = "\n".join(str(message["content"]) for message in request.messages)
        stage, _, kind = request.step.rpartition("/")
        if self._garbled and request.step.startswith(self._garbled):
            return "I would rather not."
        if request.step.startswith("judge/"):
            return self._verdict(request.step, shown)
        if not stage.startswith(("chapters/", "drafts/")):
            return None
        if kind == "critique1":
            return self._critique(between(shown, "text"))
        if kind == "patches1":
            issue = json.loads(between(shown, "issues").split("\n")[0])
            patch = {"issue": 1, "find": issue["quote"], "replace": MENDED[stage[-2:]]}
            return json.dumps({"patches": [patch]})
        return json.dumps({"issues": []}) if kind.startswith("critique") else None

    def _critique(self, text: str) -> str:
        self.drafts.append(text)
        paragraphs = [one for one in text.split("\n\n")[2:] if one.count(". ") >= 1]
        quote = max(paragraphs, key=len).split(". ")[0] + "."
        issue = {"kind": "stock", "severity": "warning", "quote": quote, "why": "W", "fix": "F"}
        return json.dumps({"issues": [issue]})

    def _verdict(self, step: str, shown: str) -> str:
        a, b = between(shown, "passage_a"), between(shown, "passage_b")
        sound = self._prefer_sound if self._exam is None else self._exam
        label = (sound if step.startswith("judge/exam") else self._prefers)(a, b)
        quote = {"A": a, "B": b, "tie": ""}[label][:60].rsplit(" ", 1)[0]
        told = [{"question": n, "better": label, "quote": quote} for n in range(1, 7)]
        return json.dumps({"answers": told})

    def _prefer_sound(self, a: str, b: str) -> str:
        whole = "\n".join([*self.drafts, *(pair.ours for pair in by_people())])
        sound = [name for name, text in (("A", a), ("B", b)) if text in whole]
        return max(sound, key=lambda name: len(a if name == "A" else b))


def between(shown: str, tag: str) -> str:
    found = re.search(rf"<{tag}>\n(.*?)\n</{tag}>", shown, re.DOTALL)
    assert found is not None, tag
    return found[1]


def mended(*texts: str) -> bool:
    """Whether every text is a revised one."""
    return all(any(said in text for said in MENDED.values()) for text in texts)


def the_draft(a: str, _b: str) -> str:
    return "B" if mended(a) else "A"


def the_revised(a: str, _b: str) -> str:
    return "A" if mended(a) else "B"


def the_first(_a: str, _b: str) -> str:
    return "A"


def neither(_a: str, _b: str) -> str:
    return "tie"


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with a plan; no test changes it."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.create("--until", "scenes", size=SIZE)
    return desk


@pytest.fixture
def unjudged(planned: Desk, tmp_path: Path) -> Desk:
    """The same plan, to be written from."""
    return planned.copied_to(tmp_path / "desk")


@pytest.fixture
def judging(unjudged: Desk) -> Desk:
    """The same, with a judge."""
    unjudged.environment["LIBRISCRIBE2_REVISION__EVALUATOR"] = "true"
    return unjudged


def remarks(desk: Desk) -> list[str]:
    """What is told at the end of each chapter."""
    lines = desk.project().text(".libriscribe/events.jsonl").splitlines()
    events: list[dict[str, Any]] = [json.loads(line) for line in lines]
    ends = [one for one in events if (one["event"], one["stage"]) == ("stage.end", "chapters")]
    return [one["message"] for one in ends]


def made(desk: Desk, book: RevisedBook) -> Author:
    """Have the chapters written."""
    author = Author(reply=book.reply)
    desk.run("resume", "book", "--mock", backend=author)
    return author


def test_QU_a_chapter_to_which_the_judge_prefers_its_draft_is_the_draft(judging: Desk) -> None:
    book = RevisedBook(the_draft)
    made(judging, book)
    chapters = judging.project().chapters()
    texts = [text.strip().partition("\n\n")[2] for text in chapters]  # without the heading
    assert texts == [text.strip() for text in book.drafts]
    told = "1 of 1 suggested edits applied; the evaluator prefers the draft in 1 of 1 changed passage, so the draft is kept"
    assert remarks(judging) == [told, told]
    dumps = [one for one in judging.project().dumps() if one["agent_name"] == "PassageJudge"]
    assert {one["step"] for one in dumps if "exam" not in one["step"]} == {
        f"judge/ch0{n}/passage-1/{side}-first" for n in (1, 2) for side in ("ours", "theirs")
    }


@pytest.mark.parametrize("prefers", [the_revised, neither, the_first])
def test_QU_a_win_a_tie_and_answers_that_follow_the_order_keep_the_revised_chapter(
    judging: Desk, prefers: Choice
) -> None:
    made(judging, RevisedBook(prefers))
    assert mended(*judging.project().chapters())
    assert all("does not prefer the draft" in told for told in remarks(judging))


def test_QU_a_judge_who_fails_its_exam_is_not_heard(judging: Desk) -> None:
    author = made(judging, RevisedBook(the_draft, exam=the_first))
    assert mended(*judging.project().chapters())
    assert all("did not pass its calibration (0% right)" in told for told in remarks(judging))
    assert not [step for step in author.steps if step.startswith("judge/ch")]
    asked = [step for step in author.steps if step.startswith("judge/exam")]
    assert len(asked) == len(set(asked)) <= 36


@pytest.mark.parametrize("garbled", ["judge/exam", "judge/ch"])
def test_QU_a_verdict_that_cannot_be_had_costs_no_chapter(judging: Desk, garbled: str) -> None:
    made(judging, RevisedBook(the_draft, garbled=garbled))
    assert mended(*judging.project().chapters())
    assert all("no usable reply of the evaluator" in told for told in remarks(judging))


def test_QU_without_the_setting_nobody_judges(unjudged: Desk) -> None:
    author = made(unjudged, RevisedBook(the_draft))
    assert mended(*unjudged.project().chapters())
    assert not [step for step in author.steps if step.startswith("judge")]
    assert not unjudged.project().records("exam")


def test_QU_a_chapter_without_patches_is_not_judged(judging: Desk) -> None:
    book = RevisedBook(the_draft)

    def finds_nothing(request: Request) -> str | None:
        found = book.reply(request)
        return json.dumps({"issues": []}) if "chapters" in request.step and found else found

    author = Author(reply=finds_nothing)
    judging.run("resume", "book", "--mock", backend=author)
    assert not [step for step in author.steps if step.startswith("judge")]


def test_QU_an_exam_is_taken_once_for_a_book_and_model(judging: Desk) -> None:
    book = RevisedBook(the_draft)
    made(judging, book)
    project = judging.project()
    assert len(project.records("exam")) == 1

    def otherwise(request: Request) -> str | None:
        found = book.reply(request)
        return found and found.replace(MENDED["02"], MENDED["01"])

    again = Author(reply=otherwise)
    judging.run("redo", "book", "chapters", "--chapter", "2", "--mock", backend=again)
    judged = [step for step in again.steps if step.startswith("judge")]
    assert sorted(judged) == [f"judge/ch02/passage-1/{side}-first" for side in ("ours", "theirs")]
    assert len(project.records("exam")) == 1


def test_QU_a_run_that_breaks_off_in_the_exam_goes_on_for_what_is_left(
    judging: Desk, tmp_path: Path
) -> None:
    whole = judging.copied_to(tmp_path / "whole")
    whole.environment |= judging.environment
    book = RevisedBook(the_draft)
    steps = made(whole, book).steps
    cut = steps.index(next(step for step in steps if step.startswith("judge/exam"))) + 5
    first = Author(reply=book.reply, fails_at=range(cut, 10_000))
    judging.run("resume", "book", "--mock", backend=first, expect=None)
    second = Author(reply=book.reply)
    judging.run("resume", "book", "--mock", backend=second)
    assert judging.project().chapters() == whole.project().chapters()
    paid = [*first.steps[: cut - 1], *second.steps]
    assert sorted(paid) == sorted(steps)


def test_QU_chapters_that_are_written_at_once_share_one_exam(desk: Desk) -> None:
    desk.environment["LIBRISCRIBE2_REVISION__EVALUATOR"] = "true"
    author = Author(reply=RevisedBook(neither).reply)
    desk.create("--drafting", "parallel", size=SIZE, backend=author)
    asked = [step for step in author.steps if step.startswith("judge/exam")]
    assert asked
    assert len(asked) == len(set(asked))
    assert len(desk.project().records("exam")) == 1
    assert {step[:10] for step in author.steps if step.startswith("judge/ch")} == {
        "judge/ch01",
        "judge/ch02",
    }


def test_bar_14_a_judged_book_comes_out_of_its_journal(desk: Desk) -> None:
    desk.environment["LIBRISCRIBE2_REVISION__EVALUATOR"] = "true"
    desk.create(size=SIZE, backend=Author(reply=RevisedBook(the_draft).reply))
    del desk.environment["LIBRISCRIBE2_REVISION__EVALUATOR"]
    files = desk.run("replay", "book", "--json").value["files"]
    assert {one["likeness"] for one in files} == {"same"}


def test_QU_a_judge_without_a_key_is_told_before_anything_is_paid_for(judging: Desk) -> None:
    judging.environment["LIBRISCRIBE2_MODELS__JUDGE"] = "openai/gpt-5-mini"
    author = Author()
    assert "OPENAI_API_KEY" in judging.run("resume", "book", backend=author, expect=4).err
    command = ("create", "A keeper.", "-m", "demo", "-p", "other", *SIZE)
    assert "OPENAI_API_KEY" in judging.run(*command, backend=author, expect=4).err
    assert not (judging.folder / "projects" / "other").exists()
    assert not author.asked


def test_QU_an_estimate_counts_the_judge(unjudged: Desk) -> None:
    command = ("resume", "book", "--mock", "--dry-run", "--json")
    without = unjudged.run(*command, backend=Author(reply=RevisedBook(neither).reply)).value
    unjudged.environment["LIBRISCRIBE2_REVISION__EVALUATOR"] = "true"
    told = unjudged.run(*command, backend=Author(reply=RevisedBook(neither).reply)).value
    (judge,) = (one for one in told["stages"] if one["stage"] == "judge")
    made(unjudged, book := RevisedBook(neither))
    assert book.drafts
    asked = [one for one in unjudged.project().dumps() if one["stage"] == "judge"]
    assert judge["calls"] == len(asked)
    assert without["total"]["calls"] == told["total"]["calls"] - judge["calls"]
    assert without["times"]["seconds"]["sequential"] < told["times"]["seconds"]["sequential"]
