"""A provider that keeps its own books: what it charges, whatever the program learns of it."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Final

from tests.support.authors import Killed

from libriscribe2.llm.backend import BackendError, Completion, Request, Usage
from libriscribe2.llm.limits.budget import Price

PRICE: Final = Price(1e-4, 1e-3, 1e-4, 1e-3, output_tokens=400)
"""The price of the model `listed`; that of `unlisted` nobody knows."""

UNLISTED_USD_PER_TOKEN: Final = 1e-3


class ChargingProvider:
    """Answers, fails or takes the program down with it, by chance; and charges.

    Args:
        rng: Chance.
        deaths: How likely it is that the program is killed while a request is under way.
        on_charge: Told after each charge.

    Attributes:
        charged: US dollars in all.
        answered: How often each request was answered.
    """

    def __init__(
        self, rng: random.Random, deaths: float, on_charge: Callable[[], None] = lambda: None
    ) -> None:
        self._rng = rng
        self.deaths = deaths
        self.on_charge = on_charge
        self.charged = 0.0
        self.answered: Counter[str] = Counter()

    async def complete(self, request: Request) -> Completion:
        """Charge a random reply, wait a little, and let chance say what comes of it."""
        if self._rng.random() < 0.1:
            raise BackendError("rate", "slow down", status=429)
        usage = self._usage(request)
        price = self._price(request, usage)
        self.charged += price
        self.on_charge()
        for _ in range(self._rng.randrange(8)):
            await asyncio.sleep(0)  # noqa: TID251 - others get their turn, nobody waits
        if self._rng.random() < self.deaths:
            raise Killed
        if self._rng.random() < 0.1:
            raise BackendError(self._rng.choice(["timeout", "cut", "connection"]), "gone")
        self.answered[request.key()] += 1
        told = price if request.model == "listed" and self._rng.random() < 0.7 else None
        return Completion("reply", usage=usage, cost_usd=told, model=request.model)

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """Not asked for here."""
        yield await self.complete(request)

    def _usage(self, request: Request) -> Usage:
        """Anything up to the limits: the prompt's bytes, and the longest reply."""
        sent = len(str(request.messages[0]["content"]))
        limit = request.max_tokens if request.max_tokens is not None else PRICE.output_tokens
        assert limit is not None
        return Usage(self._rng.randint(1, sent), self._rng.randint(1, limit))

    @staticmethod
    def _price(request: Request, usage: Usage) -> float:
        if request.model == "listed":
            return PRICE.cost(usage.input_tokens, usage.output_tokens)
        return (usage.input_tokens + usage.output_tokens) * UNLISTED_USD_PER_TOKEN
