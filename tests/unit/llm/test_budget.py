"""The budget: what is held back, what it is settled at, and what is refused."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from libriscribe2.errors import BudgetError
from libriscribe2.llm.backend import BackendError, Completion, Request, Usage
from libriscribe2.llm.limits.budget import (
    DEFAULT_OUTPUT_TOKENS,
    FREE,
    Budget,
    Caps,
    Price,
    Reservation,
    Spent,
)

DEAR = Price(0.001, 0.01, 0.002, 0.02, output_tokens=100)
"""Per token; a reply of 100 tokens costs 2 dollars at worst."""

ENDLESS = Price(0.0, 0.001, 0.0, 0.001)
ASK = Request("s", "m", ({"role": "user", "content": "x" * 40},))
BYTES = len('[[{"role": "user", "content": ""}], null, []]') + 40
WORST = BYTES * 0.002 + 2.0


def budget(
    usd: float | None = None,
    *,
    price: Price | None = DEAR,
    before: Spent | None = None,
    **caps: Any,
) -> Budget:
    return Budget(
        Caps(usd, **caps), before=before, price_of=lambda _model: price, project="my-book"
    )


async def settle(
    held: Budget, end: Callable[[Reservation], object], request: Request = ASK
) -> Reservation:
    """One request that leaves and ends."""
    async with held.reserve(request) as reservation:
        reservation.leave()
        end(reservation)
    return reservation


def nothing(_hold: Reservation) -> None:
    """No outcome."""


async def test_bar_23_the_worst_price_is_held_back() -> None:
    reservation = await settle(budget(), nothing)
    assert reservation.usd == pytest.approx(WORST)
    assert reservation.request is ASK


async def test_bar_23_the_requests_own_limit_counts_before_the_models() -> None:
    short = Request("s", "m", ASK.messages, max_tokens=10)
    reservation = await settle(budget(9), nothing, short)
    assert reservation.usd == pytest.approx(WORST - 90 * 0.02)
    assert reservation.request.max_tokens == 10


async def test_bar_23_schema_and_tools_are_part_of_the_prompt() -> None:
    more = Request("s", "m", ASK.messages, schema={"type": "object"}, tools=({"name": "t"},))
    assert (await settle(budget(), nothing, more)).usd > WORST


@pytest.mark.parametrize(
    ("completion", "cost"),
    [
        (Completion("x", cost_usd=0.5), 0.5),
        (Completion("x", cost_usd=0.0), 0.0),
        (Completion("x", usage=Usage(10, 20)), 0.21),
    ],
)
async def test_bar_23_a_reply_settles_the_hold_at_its_price(
    completion: Completion, cost: float
) -> None:
    held = budget(WORST + cost)
    assert (
        await settle(held, lambda reservation: reservation.answered(completion))
    ).cost == pytest.approx(cost)
    await settle(held, nothing)
    with pytest.raises(BudgetError):
        await settle(held, nothing)


@pytest.mark.parametrize(
    ("error", "paid"),
    [
        (BackendError("timeout", ""), True),
        (BackendError("cut", ""), True),
        (BackendError("malformed", ""), True),
        (BackendError("connection", ""), True),
        (BackendError("connection", "", unsent=True), False),
        (BackendError("timeout", "", unsent=True), False),
        (BackendError("server", "", status=504), True),
        (BackendError("server", "", status=503), False),
        (BackendError("rate", "", status=429), False),
        (BackendError("auth", "", status=401), False),
        (BackendError("filtered", "", status=400), False),
    ],
)
async def test_bar_23_a_failure_counts_in_full_where_it_may_have_been_paid(
    error: BackendError, *, paid: bool
) -> None:
    reservation = await settle(budget(), lambda reservation: reservation.failed(error))
    assert reservation.cost == (reservation.usd if paid else 0.0)


async def test_bar_23_a_call_without_an_outcome_counts_in_full() -> None:
    held = budget(2 * WORST)
    await settle(held, nothing)
    await settle(held, nothing)
    with pytest.raises(BudgetError):
        await settle(held, nothing)


async def test_bar_23_a_call_that_never_left_counts_nothing() -> None:
    held = budget(WORST)
    for _ in range(3):
        async with held.reserve(ASK):
            pass
    await settle(held, nothing)


async def test_bar_23_the_refusal_says_what_is_spent_what_comes_and_how_to_go_on() -> None:
    with pytest.raises(BudgetError) as caught:
        await settle(budget(2.5, before=Spent(usd=1.25)), nothing)
    error = caught.value
    assert error.exit_code == 8
    assert error.what == "The next call could exceed the budget of $2.50"
    assert "$1.25 is spent" in error.why
    assert f"'m' could cost up to ${WORST:.2f}" in error.why
    assert "unknown" not in error.why
    assert error.fix == "continue with `libriscribe2 resume my-book --max-cost 5`"


async def test_bar_23_the_command_that_is_named_is_enough() -> None:
    with pytest.raises(BudgetError) as caught:
        await settle(budget(0.01), nothing)
    raised = float(caught.value.fix.rstrip("`").rpartition(" ")[2])
    await settle(budget(raised), nothing)


async def test_bar_23_an_unknown_price_is_counted_by_the_stated_rule() -> None:
    with pytest.raises(BudgetError) as caught:
        await settle(budget(0.2, price=None), nothing)
    assert "its price is unknown and counts as $30 per million tokens" in caught.value.why
    assert "budget.unknown_usd_per_million" in caught.value.why
    held = budget(0.2, price=None, unknown_usd_per_million=1.0)
    reservation = await settle(
        held, lambda reservation: reservation.answered(Completion("x", usage=Usage(100, 100)))
    )
    assert reservation.usd == pytest.approx((BYTES + DEFAULT_OUTPUT_TOKENS) * 1e-6)
    assert reservation.cost == pytest.approx(200e-6)


async def test_bar_23_a_model_without_a_limit_gets_one_where_money_is_capped() -> None:
    reservation = await settle(budget(100, price=ENDLESS), nothing)
    assert reservation.request.max_tokens == DEFAULT_OUTPUT_TOKENS
    assert reservation.usd == pytest.approx(DEFAULT_OUTPUT_TOKENS * 0.001)
    free = await settle(budget(100, price=FREE), nothing)
    uncapped = await settle(budget(price=ENDLESS), nothing)
    assert free.request.max_tokens is uncapped.request.max_tokens is None


async def test_bar_23_the_last_of_the_money_buys_shorter_replies() -> None:
    price = Price(0.0, 0.001, 0.0, 0.001, output_tokens=10 * DEFAULT_OUTPUT_TOKENS)
    held = budget(DEFAULT_OUTPUT_TOKENS * 0.0105, price=price)
    whole = await settle(
        held, lambda reservation: reservation.answered(Completion("x", cost_usd=5.0))
    )
    assert whole.request.max_tokens is None
    shorter = await settle(held, nothing)
    assert shorter.request.max_tokens == DEFAULT_OUTPUT_TOKENS
    assert shorter.usd == pytest.approx(DEFAULT_OUTPUT_TOKENS * 0.001)


async def test_bar_23_a_call_waits_for_what_others_hold() -> None:
    held = budget(1.5 * WORST)
    order: list[str] = []
    first_left, first_may_end = asyncio.Event(), asyncio.Event()

    async def first() -> None:
        async with held.reserve(ASK) as reservation:
            reservation.leave()
            first_left.set()
            await first_may_end.wait()
            order.append("first")
            reservation.answered(Completion("x", cost_usd=0.1))

    async def second() -> None:
        await first_left.wait()
        first_may_end.set()
        async with held.reserve(ASK):
            order.append("second")

    await asyncio.gather(first(), second())
    assert order == ["first", "second"]


async def test_bar_23_a_call_that_waited_in_vain_is_refused() -> None:
    held = budget(1.5 * WORST)
    left = asyncio.Event()

    async def lost() -> None:
        async with held.reserve(ASK) as reservation:
            reservation.leave()
            left.set()
            await asyncio.sleep(0)  # noqa: TID251 - the other gets its turn

    async def refused() -> None:
        await left.wait()
        with pytest.raises(BudgetError):
            await settle(held, nothing)

    await asyncio.gather(lost(), refused())


async def test_bar_23_calls_are_capped_over_the_life_of_the_project() -> None:
    held = budget(calls=5, before=Spent(calls=3))
    await settle(held, lambda reservation: reservation.failed(BackendError("rate", "")))
    await settle(held, lambda reservation: reservation.answered(Completion("x", cost_usd=0.0)))
    with pytest.raises(BudgetError) as caught:
        await settle(held, nothing)
    assert caught.value.what == "The budget of 5 calls is used up"
    assert caught.value.fix == "continue with `libriscribe2 resume my-book --max-calls 10`"


async def test_bar_23_a_call_that_never_left_is_none_of_the_calls() -> None:
    held = budget(calls=1)
    for _ in range(3):
        async with held.reserve(ASK):
            pass
    await settle(held, nothing)
    with pytest.raises(BudgetError, match="1 calls is used up"):
        await settle(held, nothing)


async def test_bar_23_minutes_are_those_of_the_run() -> None:
    time = [100.0]
    held = Budget(Caps(minutes=1.5), now=lambda: time[0])
    time[0] += 89.0
    await settle(held, nothing)
    time[0] += 1.0
    with pytest.raises(BudgetError) as caught:
        await settle(held, nothing)
    assert caught.value.what == "The run's 1.5 minutes are over"
    assert caught.value.fix == "continue with `libriscribe2 resume`"


async def test_bar_23_a_cap_of_0_lets_only_free_calls_through() -> None:
    await settle(budget(0, price=FREE), nothing)
    with pytest.raises(BudgetError):
        await settle(budget(0), nothing)
    with pytest.raises(BudgetError):
        await settle(budget(calls=0, price=FREE), nothing)


async def test_bar_23_what_earlier_runs_were_not_told_is_priced_by_model() -> None:
    prices = {"m": DEAR, "known": Price(1.0, 2.0, 1.0, 2.0)}
    before = Spent(usd=1.0, unpriced={"known": (1, 2), "unknown": (1_000_000, 0)})
    spent = 1.0 + 5.0 + 30.0
    held = Budget(Caps(spent + WORST), before=before, price_of=prices.get)
    await settle(held, nothing)
    tight = Budget(Caps(spent + WORST - 0.01), before=before, price_of=prices.get)
    with pytest.raises(BudgetError, match="could exceed"):
        await settle(tight, nothing)


async def test_a_price_is_looked_up_once() -> None:
    asked: list[str] = []

    def price_of(model: str) -> Price:
        asked.append(model)
        return DEAR

    held = Budget(price_of=price_of)
    for _ in range(3):
        await settle(held, nothing)
    assert asked == ["m"]


async def test_what_is_used_is_told_by_the_name_of_each_cap() -> None:
    now = [100.0]
    held = Budget(
        Caps(9.0, calls=4, minutes=2),
        before=Spent(calls=1, usd=1.5),
        price_of=lambda _model: DEAR,
        now=lambda: now[0],
    )
    now[0] += 30
    async with held.reserve(ASK) as reservation:
        assert held.used()["max_cost"] == (1.5, 9.0)  # held back, and not used
        reservation.leave()
        reservation.answered(Completion("x", cost_usd=2.0))
    assert held.used() == {"max_cost": (3.5, 9.0), "max_calls": (2, 4), "max_minutes": (0.5, 2)}
    assert budget().used() == {}
