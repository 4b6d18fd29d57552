"""The ledger: every request that left is counted, with what it costs or may have cost."""

from typing import Any

import pytest

from libriscribe2.project import records
from libriscribe2.project.manifest import OLD_CALL_TOKENS, Ledger, Manifest


def completion(cost: float | None, tokens: tuple[int, int] = (10, 20)) -> dict[str, Any]:
    usage = {"input_tokens": tokens[0], "output_tokens": tokens[1], "known": False}
    return {"reply": "x", "usage": usage, "cost_usd": cost, "model": "answered"}


def sent(key: str, est_usd: float | None = 1.0, model: str = "m") -> records.Record:
    return records.sent(key, step="s", model=model, est_usd=est_usd)


def fold(*found: records.Record) -> Ledger:
    return Manifest(found).ledger


def test_bar_23_a_reply_counts_at_its_price_and_not_at_its_hold() -> None:
    ledger = fold(sent("a"), records.done("a", completion(0.25)))
    assert (ledger.sent, ledger.possible_usd(), ledger.unpriced()) == (1, 0.25, {})


def test_bar_23_a_call_without_an_outcome_counts_at_its_hold() -> None:
    ledger = fold(sent("a"), sent("b", 2.0), records.done("a", completion(0.0)))
    assert ledger.possible_usd() == 2.0


def test_bar_23_a_call_that_is_sent_again_is_counted_both_times() -> None:
    ledger = fold(sent("a"), sent("a", 3.0))
    assert (ledger.sent, ledger.possible_usd()) == (2, 4.0)
    ledger = fold(sent("a"), sent("a"), records.done("a", completion(0.5)))
    assert ledger.possible_usd() == 1.5
    assert ledger.open == {}


def test_bar_23_a_failure_counts_what_it_may_have_cost() -> None:
    failed = records.fail("a", kind="timeout", status=None, usd=0.75)
    assert fold(sent("a"), failed).possible_usd() == 0.75
    free = records.fail("a", kind="rate", status=429)
    assert fold(sent("a"), free).possible_usd() == 0.0


def test_bar_23_tokens_without_a_price_belong_to_the_model_that_was_asked() -> None:
    ledger = fold(
        sent("a"),
        records.done("a", completion(None)),
        sent("b"),
        records.done("b", completion(None)),
    )
    assert (ledger.possible_usd(), ledger.unpriced()) == (0.0, {"m": (20, 40)})
    alone = fold(records.done("a", completion(None)))
    assert alone.unpriced() == {"answered": (10, 20)}


def test_bar_23_records_of_old_journals_are_read() -> None:
    old = {"t": "sent", "k": "a", "step": "s", "model": "m"}
    ledger = fold(old)
    assert (ledger.possible_usd(), ledger.unpriced()) == (0.0, {"m": OLD_CALL_TOKENS})
    again = fold(old, sent("a", 2.0))
    assert (again.possible_usd(), again.unpriced()) == (2.0, {"m": OLD_CALL_TOKENS})
    over = fold(old, {"t": "fail", "k": "a", "kind": "timeout", "status": None})
    assert (over.possible_usd(), over.unpriced()) == (0.0, {})


@pytest.mark.parametrize("est_usd", [None, 0.0, 1.5])
def test_bar_23_the_journal_says_what_was_held_back(est_usd: float | None) -> None:
    record = sent("a", est_usd)
    assert record.get("est_usd") == est_usd
    assert ("est_usd" in record) is (est_usd is not None)
