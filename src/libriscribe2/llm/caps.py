"""Caps on what a project may spend, and what is said when one of them is reached."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from libriscribe2.errors import BudgetError

UNKNOWN_USD_PER_MILLION: Final = 30.0
"""What a million tokens count as where the price is unknown.

It is dearer than the output of 95 in 100 chat models of the price map of LiteLLM 1.106.
"""

_CENTS: Final = 100


@dataclass(frozen=True, slots=True)
class Caps:
    """What may be spent; None is no cap.

    Attributes:
        usd: US dollars over the life of the project.
        calls: Requests over the life of the project, failed ones included.
        minutes: Minutes of this run.
        unknown_usd_per_million: What a million tokens of a model without a known price count as.
    """

    usd: float | None = None
    calls: int | None = None
    minutes: float | None = None
    unknown_usd_per_million: float = UNKNOWN_USD_PER_MILLION


@dataclass(frozen=True, slots=True)
class Spent:
    """What a project's earlier runs came to.

    Attributes:
        calls: Requests that left.
        usd: Known prices, and the most that requests without an outcome may have cost.
        unpriced: Tokens in and out whose price nobody said, by the model that was asked.
    """

    calls: int = 0
    usd: float = 0.0
    unpriced: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NextCall:
    """The request that a cap stopped.

    Attributes:
        model: Whom it was for.
        usd: The most that it could cost.
        known: Whether its price is known.
    """

    model: str
    usd: float
    known: bool


def money_used_up(caps: Caps, spent: float, call: NextCall, project: str) -> BudgetError:
    """The next call could cost more than is left."""
    cap = caps.usd if caps.usd is not None else math.inf
    rule = (
        ""
        if call.known
        else f" (its price is unknown and counts as ${caps.unknown_usd_per_million:g} per million "
        "tokens, the setting budget.unknown_usd_per_million)"
    )
    enough = max(2 * cap, math.ceil((spent + call.usd) * _CENTS) / _CENTS)
    return BudgetError(
        f"The next call could pass the budget of {_usd(cap)}",
        f"{_usd(spent)} is spent, or may be where a call had no outcome; one more call of "
        f"{call.model!r} could cost up to {_usd(call.usd)}{rule}",
        f"go on with `libriscribe2 resume {_named(project)}--max-cost {enough:g}`",
    )


def calls_used_up(cap: int, calls: int, project: str) -> BudgetError:
    """The project has made as many calls as it may."""
    return BudgetError(
        f"The budget of {cap} calls is used up",
        f"{calls} have left, failed ones included",
        f"go on with `libriscribe2 resume {_named(project)}--max-calls {max(2 * cap, calls + 1)}`",
    )


def time_used_up(cap: float, project: str) -> BudgetError:
    """The run has lasted as long as it may."""
    return BudgetError(
        f"The run's {cap:g} minutes are over",
        "what was under way is kept",
        f"go on with `libriscribe2 resume {_named(project)}".rstrip() + "`",
    )


def _named(project: str) -> str:
    return f"{project} " if project else ""


def _usd(amount: float) -> str:
    """An amount with as many digits as tell something."""
    return f"${amount:.2f}" if amount >= 1 or not amount else f"${amount:.4f}"
