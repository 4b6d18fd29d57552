"""Calls on a simulated clock."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.forecast.model_time import Job, simulate
from libriscribe2.forecast.quote import USUAL_PACE, Pace

CHAPTERS = 30
SCENES = 3
SCENE, FACTS, CHECK, CRITIQUE, PATCHES, OPENING = 1400, 1200, 400, 600, 1500, 600
"""Tokens of the replies by quality.md 2.1 and 2.4."""


class Plan:
    """Jobs in the making."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def call(self, tokens: int, *after: int) -> int:
        """One more call; returns its place."""
        self.jobs.append(Job(USUAL_PACE.seconds(tokens), after))
        return len(self.jobs) - 1

    def scenes(self, *after: int) -> int:
        """The scenes of a chapter, one after the other; returns the last."""
        for _ in range(SCENES):
            after = (self.call(SCENE, *after),)
        return after[0]

    def looked_over(self, text: int) -> int:
        """Facts, check, critique and patches of a chapter; returns the facts."""
        facts = self.call(FACTS, text)
        self.call(PATCHES, self.call(CHECK, facts), self.call(CRITIQUE, text))
        return facts

    def minutes(self, at_once: int) -> float:
        return max(simulate(self.jobs, at_once)) / 60


def sequential() -> Plan:
    plan = Plan()
    before: tuple[int, ...] = ()
    for _ in range(CHAPTERS):
        before = (plan.scenes(*before),)
        plan.looked_over(before[0])
    return plan


def redblack() -> Plan:
    plan = Plan()
    odd = [plan.looked_over(plan.scenes()) for _ in range(CHAPTERS // 2)]
    for _ in range(CHAPTERS // 2):
        plan.looked_over(plan.scenes(*odd))
    return plan


def parallel() -> Plan:
    plan = Plan()
    texts = [plan.scenes() for _ in range(CHAPTERS)]
    for text in texts:
        plan.looked_over(text)
    for one, other in pairwise(texts):
        plan.call(OPENING, one, other)
    return plan


@pytest.mark.parametrize(
    ("plan", "at_once", "minutes"),
    [
        (sequential(), 8, 39.2),
        (sequential(), 16, 39.2),
        (redblack(), 8, 9.7),
        (redblack(), 16, 4.9),
        (redblack(), 30, 3.7),
        (parallel(), 8, 10.5),
        (parallel(), 16, 5.3),
        (parallel(), 30, 2.6),
    ],
)
def test_T12_the_simulated_clock_comes_to_the_arithmetic(
    plan: Plan, at_once: int, minutes: float
) -> None:
    assert plan.minutes(at_once) == pytest.approx(minutes, rel=0.09)


def test_T12_one_call_at_a_time_takes_as_long_in_every_order_but_for_the_openings() -> None:
    """The arithmetic says 39 minutes in sequence: it lets the checks run beside the drafts."""
    assert sequential().minutes(1) == pytest.approx(redblack().minutes(1))
    assert redblack().minutes(1) == pytest.approx(72.8, rel=0.01)
    assert parallel().minutes(1) == pytest.approx(78.6, rel=0.01)


def test_QU_a_call_takes_its_first_token_and_the_others() -> None:
    assert Pace(50, 3).seconds(200) == 7


def test_QU_what_waits_longest_goes_first() -> None:
    jobs = [Job(2), Job(3), Job(1), Job(1, (0,)), Job(1)]
    assert simulate(jobs, 2) == [2, 3, 3, 4, 4]


def test_QU_what_takes_no_time_needs_no_free_place() -> None:
    assert simulate([Job(2), Job(0), Job(0, (1,)), Job(1, (2,))], 1) == [2, 0, 0, 3]


@pytest.mark.parametrize(
    ("jobs", "at_once"), [([Job(1)], 0), ([Job(1, (1,)), Job(1, (0,))], 1), ([Job(0, (0,))], 1)]
)
def test_QU_what_can_never_end_is_refused(jobs: Sequence[Job], at_once: int) -> None:
    with pytest.raises(ValueError, match=r"at_once|each other"):
        simulate(jobs, at_once)


@st.composite
def some_jobs(draw: st.DrawFn) -> list[Job]:
    """Jobs that wait for earlier ones only."""
    count = draw(st.integers(1, 25))
    return [
        Job(
            draw(st.sampled_from([0.0, 0.5, 1.0, 3.0])),
            tuple(draw(st.lists(st.integers(0, n - 1), max_size=3))) if n else (),
        )
        for n in range(count)
    ]


@given(some_jobs(), st.integers(1, 30))
def test_QU_no_job_begins_too_early_and_no_place_is_used_twice(
    jobs: list[Job], at_once: int
) -> None:
    ends = simulate(jobs, at_once)
    begins = [end - job.seconds for end, job in zip(ends, jobs, strict=True)]
    assert all(begins[n] >= ends[other] for n, job in enumerate(jobs) for other in job.after)
    for moment in begins:
        spans = zip(begins, ends, strict=True)
        assert sum(begin <= moment < end for begin, end in spans) <= at_once


@given(some_jobs())
def test_QU_one_at_a_time_takes_the_sum_and_many_the_longest_chain(jobs: list[Job]) -> None:
    chain: list[float] = []
    for job in jobs:
        chain.append(job.seconds + max((chain[other] for other in job.after), default=0.0))
    assert max(simulate(jobs, len(jobs))) == max(chain)
    assert max(simulate(jobs, 1)) == sum(job.seconds for job in jobs)
