"""The circuit breaker as a state machine: no schedule of requests lets two probes out at once."""

import itertools
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    precondition,
    rule,
)

from libriscribe2.llm.limits.retries import CircuitBreaker

FAILURES = 3
REST = 30.0


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Traffic(RuleBasedStateMachine):
    """Many callers on one breaker; a plain model of what each may do stands beside it."""

    under_way = Bundle("under_way")

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.breaker = CircuitBreaker(FAILURES, REST, self.clock)
        self.probe: int | None = None
        self.claims: dict[int, int] = {}
        self.numbers = itertools.count()
        self.in_a_row = 0
        self.opened_at: float | None = None

    @rule(target=under_way)
    def leave(self) -> Any:
        """A caller leaves whenever it is allowed to."""
        if self.breaker.wait_seconds() > 0:
            assert self.opened_at is not None
            with pytest.raises(RuntimeError):
                self.breaker.enter()
            return multiple()
        number = next(self.numbers)
        if self.opened_at is not None:
            assert self.probe is None, "two probes at once"
            assert self.clock.now >= self.opened_at + REST
            self.probe = number
        self.claims[number] = self.breaker.enter()
        return number

    @rule(number=consumes(under_way))
    def succeed(self, number: int) -> None:
        if self._recent(number):
            self.in_a_row = 0
            self._settle(None)
        self.breaker.succeeded(self.claims[number])

    @rule(number=consumes(under_way))
    def fail(self, number: int) -> None:
        if self._recent(number):
            self.in_a_row += 1
            if number == self.probe or self.in_a_row >= FAILURES:
                self._settle(self.clock.now)
        self.breaker.failed(self.claims[number])

    @rule(number=consumes(under_way))
    def cancel(self, number: int) -> None:
        if number == self.probe:
            self.probe = None
        self.breaker.released(self.claims[number])

    @rule(seconds=st.sampled_from([0.5, 1.0, 10.0, REST]))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    @precondition(lambda self: self.opened_at is None)
    @invariant()
    def closed_lets_everybody_through(self) -> None:
        assert (self.breaker.state, self.breaker.wait_seconds()) == ("closed", 0.0)

    @precondition(lambda self: self.opened_at is not None)
    @invariant()
    def a_wait_is_short_and_ends(self) -> None:
        seconds = self.breaker.wait_seconds()
        assert 0 <= seconds <= REST
        assert self.opened_at is not None
        rests = self.clock.now < self.opened_at + REST
        assert (seconds > 0) == (rests or self.probe is not None)
        assert self.breaker.state == ("open" if rests else "half-open")

    def _recent(self, number: int) -> bool:
        """Whether a request left after the circuit last turned."""
        return number == self.probe or (self.opened_at is None and number in self._since_closed())

    def _since_closed(self) -> set[int]:
        return {one for one, claim in self.claims.items() if claim == self.breaker._era}

    def _settle(self, opened_at: float | None) -> None:
        self.probe = None
        self.opened_at = opened_at
        self.in_a_row = 0


TestTraffic = Traffic.TestCase
TestTraffic.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


def opened(clock: Clock) -> CircuitBreaker:
    breaker = CircuitBreaker(FAILURES, REST, clock)
    for _ in range(FAILURES):
        breaker.enter()
        breaker.failed()
    return breaker


def test_it_opens_after_the_failures_in_a_row_and_a_success_starts_the_count_again() -> None:
    breaker = CircuitBreaker(FAILURES, REST, Clock())
    for outcome in (breaker.failed, breaker.failed, breaker.succeeded, breaker.failed):
        breaker.enter()
        outcome()
    assert breaker.wait_seconds() == 0
    breaker.failed()
    breaker.failed()
    assert breaker.wait_seconds() == REST


def test_only_one_of_many_callers_becomes_the_probe() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += REST
    let_through = 0
    for _ in range(10):
        if breaker.wait_seconds() == 0:
            breaker.enter()
            let_through += 1
    assert let_through == 1
    assert 0 < breaker.wait_seconds() <= 1


def test_the_probe_decides_and_a_cancelled_one_decides_nothing() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += REST
    breaker.enter()
    breaker.released()
    assert breaker.wait_seconds() == 0
    breaker.enter()
    breaker.failed()
    assert breaker.wait_seconds() == REST
    clock.now += REST
    breaker.enter()
    breaker.succeeded()
    assert breaker.state == "closed"


def test_what_left_before_it_opened_neither_closes_it_nor_frees_a_second_probe() -> None:
    clock = Clock()
    breaker = CircuitBreaker(1, REST, clock)
    late = [breaker.enter(), breaker.enter()]
    breaker.failed(breaker.enter())
    breaker.succeeded(late[0])
    assert breaker.wait_seconds() == REST
    clock.now += REST
    breaker.enter()
    breaker.failed(late[1])
    assert breaker.state == "half-open"
    assert breaker.wait_seconds() > 0


@pytest.mark.parametrize("numbers", [(0, 1.0), (1, 0.0), (1, -1.0), (1, float("nan"))])
def test_bounds(numbers: tuple[int, float]) -> None:
    with pytest.raises(ValueError, match="rest_seconds"):
        CircuitBreaker(*numbers)
