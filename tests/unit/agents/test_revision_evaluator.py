"""Which of several changed passages decide about a revised chapter."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.support.agent_desk import AgentDesk
from tests.unit.checks.prose import fresh
from typing_extensions import override

from libriscribe2.agents.agent_base import RevisionDecision
from libriscribe2.agents.agent_passage_evaluator import PassageEvaluator, RevisionEvaluator
from libriscribe2.checks.calibration import Calibration, PairDecision, Side
from libriscribe2.checks.passage_pairs import Pair
from libriscribe2.project.store import ProjectStore

PARTS = [f"{fresh(number, 60).capitalize()}." for number in range(20)]
DRAFT = "\n\n".join(["# The Lamp", *PARTS])
REVISED = "\n\n".join(
    ["# The Lamp", *(f"{text} More." if n in (3, 16) else text for n, text in enumerate(PARTS))]
)


class DecidedEvaluator(PassageEvaluator):
    """Answers as a test says, and notes what it was asked."""

    sides: Sequence[Side] = ()
    share = 1.0
    examined_on: Sequence[str] = ()
    exams = 0

    @override
    async def calibrate(self, passages: Sequence[str], names: Sequence[str]) -> Calibration:
        self.exams += 1
        self.examined_on = passages
        return Calibration({"padding": (round(10 * self.share), 10)}, flips=0.0)

    @override
    async def compare(self, pairs: Sequence[Pair]) -> list[PairDecision]:
        assert all("More." in pair.ours and "More." not in pair.theirs for pair in pairs)
        sides = zip(pairs, self.sides, strict=True)
        return [PairDecision(pair.name, (side,) * 6, 0, ("",) * 6) for pair, side in sides]


async def ruled(
    folder: Path, *sides: Side, share: float = 1.0, trusted: bool = False
) -> tuple[RevisionDecision, DecidedEvaluator]:
    """What is decided of the same chapter twice."""
    desk = AgentDesk(folder)
    desk.planned()
    with desk.hired(DecidedEvaluator) as judge:
        pass
    assert isinstance(judge, DecidedEvaluator)
    judge.sides, judge.share = sides, share
    with ProjectStore.open(desk.paths) as store:
        decides = RevisionEvaluator(lambda: judge, store, trusted=trusted)
        first = await decides.decide(1, DRAFT, REVISED)
        assert await decides.decide(2, DRAFT, REVISED) == first
        assert store.manifest.exam == (tuple(judge.examined_on), ("Mara Voss", "Jon Ide"))
    assert judge.exams == 1
    return first, judge


@pytest.mark.parametrize(
    ("sides", "keeps"),
    [
        (("ours", "theirs"), True),
        (("tie", "theirs"), False),
        (("theirs", "theirs"), False),
        (("tie", "ours"), True),
        (("tie", "tie"), True),
    ],
)
async def test_a_chapter_is_dropped_where_more_passages_lose_than_win(
    tmp_path: Path, sides: tuple[Side, Side], keeps: bool
) -> None:
    decision, _ = await ruled(tmp_path, *sides)
    assert decision.keeps == keeps


async def test_the_exam_is_on_passages_of_the_draft(tmp_path: Path) -> None:
    _, judge = await ruled(tmp_path, "tie", "tie")
    assert judge.examined_on
    assert all(passage in DRAFT for passage in judge.examined_on)


async def test_who_fails_is_heard_only_where_a_judge_is_trusted(tmp_path: Path) -> None:
    decision, _ = await ruled(tmp_path / "a", "theirs", "theirs", share=0.7)
    assert decision.keeps
    assert (
        "did not pass its calibration (70% right), only the automatic checks count"
        in decision.reason
    )
    decision, _ = await ruled(tmp_path / "b", "theirs", "theirs", share=0.7, trusted=True)
    assert not decision.keeps


async def test_a_chapter_too_short_to_be_judged_is_left_to_the_gates(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path)
    desk.planned()

    def hire() -> PassageEvaluator:
        raise AssertionError("nobody is to be asked")

    with desk.hired(DecidedEvaluator):
        pass
    with ProjectStore.open(desk.paths) as store:
        decision = await RevisionEvaluator(hire, store).decide(1, "# T\n\nOne.\n", "# T\n\nTwo.\n")
    assert decision == RevisionDecision(
        keeps=True, reason="too short to compare, only the automatic checks count"
    )
