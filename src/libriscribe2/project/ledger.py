"""What the calls of a project cost or may have cost: a part of the journal's fold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

OLD_CALL_TOKENS: Final = (8_192, 8_192)
"""Tokens in and out of a call without an outcome whose record names no price, as old ones do."""


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A request that left and of which nothing more is known; it may have been paid.

    Attributes:
        step: The step that asked.
        model: The model that was asked.
        est_usd: The most that it may have cost; None in old journals.
    """

    step: str
    model: str
    est_usd: float | None = None


@dataclass(slots=True)
class Ledger:
    """The sums.

    Attributes:
        sent: Requests that left.
        known_usd: Prices that somebody said.
        perhaps_usd: What calls that failed, or left and were sent again, may have cost.
        open: Calls without an outcome, by key.
    """

    sent: int = 0
    known_usd: float = 0.0
    perhaps_usd: float = 0.0
    open: dict[str, OpenCall] = field(default_factory=dict)
    _unpriced: dict[str, tuple[int, int]] = field(default_factory=dict)

    def leave(self, key: str, call: OpenCall) -> None:
        """A request leaves; an earlier one of its key without an outcome may still be paid."""
        self.sent += 1
        earlier = self.open.pop(key, None)
        if earlier is not None:
            self._lose(earlier)
        self.open[key] = call

    def answer(self, key: str, completion: Mapping[str, Any]) -> None:
        """A reply came."""
        call = self.open.pop(key, None)
        cost = completion.get("cost_usd")
        if cost is not None:
            self.known_usd += cost
            return
        model = call.model if call is not None else str(completion.get("model") or "")
        usage = completion.get("usage") or {}
        self._count(model, usage.get("input_tokens", 0), usage.get("output_tokens", 0))

    def fail(self, key: str, usd: float) -> None:
        """No reply came, and `usd` US dollars may have been paid all the same."""
        self.open.pop(key, None)
        self.perhaps_usd += usd

    def possible_usd(self) -> float:
        """What was or may have been paid, where a price is known or was held back."""
        waiting = sum(call.est_usd for call in self.open.values() if call.est_usd is not None)
        return self.known_usd + self.perhaps_usd + waiting

    def unpriced(self) -> dict[str, tuple[int, int]]:
        """Tokens in and out without a price, by the model that was asked."""
        tokens = dict(self._unpriced)
        for call in self.open.values():
            if call.est_usd is None:
                tokens[call.model] = _added(tokens.get(call.model), *OLD_CALL_TOKENS)
        return tokens

    def _lose(self, call: OpenCall) -> None:
        if call.est_usd is None:
            self._count(call.model, *OLD_CALL_TOKENS)
        else:
            self.perhaps_usd += call.est_usd

    def _count(self, model: str, sent: int, received: int) -> None:
        self._unpriced[model] = _added(self._unpriced.get(model), sent, received)


def _added(tokens: tuple[int, int] | None, sent: int, received: int) -> tuple[int, int]:
    before = tokens if tokens is not None else (0, 0)
    return before[0] + sent, before[1] + received
