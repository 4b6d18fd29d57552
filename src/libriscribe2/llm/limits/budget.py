"""The budget of a project: no request leaves that could carry its cost over a cap.

Before a request leaves, the most that it may cost is held back: every byte of the prompt as a
token (no tokenizer makes more), and the longest reply, at the dearest step of the price list. The
reservation is settled when the outcome is known; what may have been paid without an outcome counts in
full. So what is spent, what is in flight and what nobody knows are together never above the cap.
"""

import asyncio
import json
import math
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Final

from libriscribe2.errors import BudgetError
from libriscribe2.llm.backend import BackendError, Completion, Request
from libriscribe2.llm.litellm_library import model_info
from libriscribe2.llm.providers import KEYLESS_PREFIXES, is_built_in

_MILLION: Final = 1_000_000
_RATE = re.compile(r"(input|output)_cost_per_(?:reasoning_)?token(?:_above_\d+k_tokens)?")


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in US dollars per token.

    Attributes:
        input_usd: A token sent.
        output_usd: A token received.
        worst_input_usd: The same at the dearest step of the price list.
        worst_output_usd: The same at the dearest step, reasoning included.
        output_tokens: The longest reply that the model can give; None where nobody says.
        read_usd: A token that is read from the provider's cache; None where nobody says.
        kept_usd: A token that is kept there at a surcharge; None where there is none.
    """

    input_usd: float
    output_usd: float
    worst_input_usd: float
    worst_output_usd: float
    output_tokens: int | None = None
    read_usd: float | None = None
    kept_usd: float | None = None

    def cost(self, input_tokens: int, output_tokens: int, read: int = 0, kept: int = 0) -> float:
        """US dollars of calls with so many tokens, of which some were read from a cache or kept."""
        read_usd, kept_usd = self.read_usd, self.kept_usd
        less = 0.0 if read_usd is None else read * (self.input_usd - read_usd)
        more = 0.0 if kept_usd is None else kept * (kept_usd - self.input_usd)
        return input_tokens * self.input_usd - less + more + output_tokens * self.output_usd

    def worst(self, input_tokens: int, output_tokens: int) -> float:
        """US dollars of such a call at the dearest step of the price list."""
        return input_tokens * self.worst_input_usd + output_tokens * self.worst_output_usd

    @property
    def free(self) -> bool:
        """Whether a call costs nothing, however long it is."""
        return self.worst_input_usd == 0 and self.worst_output_usd == 0


FREE: Final = Price(0.0, 0.0, 0.0, 0.0)
"""What the stand-in author and a server of one's own cost."""


def flat(usd_per_million: float) -> Price:
    """The same price for every token, sent or received."""
    rate = usd_per_million / _MILLION
    return Price(rate, rate, rate, rate)


def price_of(model: str) -> Price | None:
    """The price of a model; None where nobody knows it.

    LiteLLM is loaded only for models of somebody else's server.
    """
    if is_built_in(model) or model.partition("/")[0] in KEYLESS_PREFIXES:
        return FREE
    info = model_info(model)
    return None if info is None else _listed(info)


def _listed(info: Mapping[str, Any]) -> Price | None:
    """The price in an entry of the map; one that says 0 for both means that it does not know."""
    rates: dict[str, list[float]] = {"input": [], "output": []}
    for name, value in info.items():
        match = _RATE.fullmatch(name)
        if match is not None and isinstance(value, int | float):
            rates[match[1]].append(float(value))
    sent, received = (float(info.get(f"{side}_cost_per_token") or 0.0) for side in rates)
    if info.get("mode") == "image_generation":
        return _painted(info, sent, received)
    if not sent and not received:
        return None
    limit = info.get("max_output_tokens")
    read, kept = (info.get(f"cache_{what}_input_token_cost") for what in ("read", "creation"))
    return Price(
        sent,
        received,
        max(rates["input"], default=sent),
        max(rates["output"], default=received),
        limit if isinstance(limit, int) and limit > 0 else None,
        float(read) if isinstance(read, int | float) else None,
        float(kept) if isinstance(kept, int | float) else None,
    )


def _painted(info: Mapping[str, Any], sent: float, received: float) -> Price | None:
    """The price of pictures; one that is paid for as a whole counts as one token."""
    whole = float(info.get("output_cost_per_image") or 0.0)
    token = float(info.get("output_cost_per_image_token") or received)
    if not whole and not token:
        return None
    most = 1 if whole else MOST_PICTURE_TOKENS
    return Price(sent, whole or token, sent, whole or token, most)


MOST_PICTURE_TOKENS: Final = 10_000
"""More than a picture of the largest size and quality takes."""

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
        f"The next call could exceed the budget of {_usd(cap)}",
        f"{_usd(spent)} is spent, counting calls without an outcome in full; one more call of "
        f"{call.model!r} could cost up to {_usd(call.usd)}{rule}",
        f"continue with `libriscribe2 resume {_named(project)}--max-cost {enough:g}`",
    )


def calls_used_up(cap: int, calls: int, project: str) -> BudgetError:
    """The project has made as many calls as it may."""
    return BudgetError(
        f"The budget of {cap} calls is used up",
        f"{calls} were sent, including failed ones",
        f"continue with `libriscribe2 resume {_named(project)}--max-calls {max(2 * cap, calls + 1)}`",
    )


def time_used_up(cap: float, project: str) -> BudgetError:
    """The run has lasted as long as it may."""
    return BudgetError(
        f"The run's {cap:g} minutes are over",
        "calls in flight were finished",
        f"continue with `libriscribe2 resume {_named(project)}".rstrip() + "`",
    )


def _named(project: str) -> str:
    return f"{project} " if project else ""


def _usd(amount: float) -> str:
    """An amount with as many digits as tell something."""
    return f"${amount:.2f}" if amount >= 1 or not amount else f"${amount:.4f}"


DEFAULT_OUTPUT_TOKENS: Final = 8_192
"""The longest reply that counts where neither the request nor the price list sets a limit."""

MONEY: Final = "max_cost"
"""The setting of the cap in US dollars; the others count calls and minutes."""

_PLAIN: Final = json.JSONEncoder(ensure_ascii=False)
_PERHAPS_PAID: Final = frozenset({"timeout", "connection", "cut", "malformed", "unusable"})
_GATEWAY_TIMEOUT: Final = 504
_MINUTE: Final = 60.0


@dataclass(slots=True)
class Reservation:
    """What is held back for one request.

    Attributes:
        request: The request as it is to leave; a cost cap may have set its `max_tokens`.
        usd: The most that it may cost.
        price: The price of its model, or the flat one.
        cost: What it came to; `usd` from the moment it leaves until the outcome is known.
        left: Whether it left; one that waited in vain is none of the calls.
    """

    request: Request
    usd: float
    price: Price
    cost: float = 0.0
    left: bool = False

    def leave(self) -> None:
        """The request leaves: from here on it may be paid."""
        self.left = True
        self.cost = self.usd

    def answered(self, completion: Completion) -> float:
        """A reply came; return what it costs."""
        usage, told = completion.usage, completion.cost_usd
        priced = self.price.cost(usage.input_tokens, usage.output_tokens)
        self.cost = told if told is not None else priced
        return self.cost

    def failed(self, error: BackendError) -> float:
        """No reply came; return what may have been paid all the same."""
        perhaps = error.kind in _PERHAPS_PAID or error.status == _GATEWAY_TIMEOUT
        self.cost = self.usd if perhaps and not error.unsent else 0.0
        return self.cost


class Budget:
    """Lets requests leave as long as the caps allow.

    Args:
        caps: What may be spent.
        before: What earlier runs of the project spent.
        others: What others have spent on the project since, by its journal.
        price_of: The price of a model, or None; it may take long the first time.
        project: The project's name, for the command that goes on.
        now: A clock in seconds that never goes back.
    """

    def __init__(
        self,
        caps: Caps | None = None,
        *,
        before: Spent | None = None,
        others: Callable[[], Spent] = Spent,
        price_of: Callable[[str], Price | None] = lambda _model: None,
        project: str = "",
        now: Callable[[], float] = monotonic,
    ) -> None:
        self.caps = caps if caps is not None else Caps()
        earlier = before if before is not None else Spent()
        self._project = project
        self._others = others
        self._of_others = Spent()
        self._price_of = price_of
        self._prices: dict[str, Price | None] = {}
        self._now = now
        self._started = now()
        self._calls = earlier.calls
        self._unpriced = dict(earlier.unpriced)
        self._spent = earlier.usd
        self._held = 0.0
        self._turn = asyncio.Lock()
        self._settled = asyncio.Event()

    def used(self) -> dict[str, tuple[float, float]]:
        """What is used and what is allowed, by the name of each cap's setting.

        Dollars that are held back for requests in flight do not count as used.
        """
        minutes = (self._now() - self._started) / _MINUTE
        known = {
            MONEY: (self._spent, self.caps.usd),
            "max_calls": (float(self._calls), self.caps.calls),
            "max_minutes": (minutes, self.caps.minutes),
        }
        return {name: (used, cap) for name, (used, cap) in known.items() if cap is not None}

    @asynccontextmanager
    async def reserve(self, request: Request, *, roomy: bool = False) -> AsyncIterator[Reservation]:
        """Hold back the most that a request may cost, until the block ends.

        A request that fits only once others in flight are settled waits for them.

        Args:
            request: The request.
            roomy: Whether to ask for the model's longest reply, where the request wants no shorter
                one; a wish beyond that is brought down to it.

        Raises:
            BudgetError: A cap does not allow the request.
        """
        async with self._turn:
            held = await self._admitted(request)
            if roomy:
                held.request = await self._with_room(held.request)
        try:
            yield held
        finally:
            self._held -= held.usd
            self._spent += held.cost
            self._calls -= not held.left
            self._settled.set()

    async def _admitted(self, request: Request) -> Reservation:
        """The reservation for a request, as soon as it fits."""
        known = await self._known_price(request.model)
        price = known if known is not None else self._unknown
        offers = self._offers(request, price)
        while True:
            self._count_others()
            await self._count_unpriced()
            self._check_calls_and_time()
            fitting = next((o for o in offers if self._fits(self._spent + o.usd)), None)
            if fitting is None:
                call = NextCall(request.model, offers[-1].usd, known is not None)
                raise money_used_up(self.caps, self._spent, call, self._project)
            if self._fits(self._spent + self._held + fitting.usd):
                self._held += fitting.usd
                self._calls += 1
                return fitting
            self._settled.clear()
            await self._settled.wait()

    async def _with_room(self, request: Request) -> Request:
        """The request with the longest reply that the model can give, where that is known."""
        known = await self._known_price(request.model)
        longest = known.output_tokens if known is not None else None
        if longest is None:
            return request
        wanted = request.max_tokens
        return replace(request, max_tokens=longest if wanted is None else min(wanted, longest))

    def _offers(self, request: Request, price: Price) -> list[Reservation]:
        """How the request may leave, the better first: as it is, or with a shorter reply.

        A reply that nothing limits is limited by the request only where money is capped.
        """
        sent = _most_tokens(request)
        longest = request.max_tokens if request.max_tokens is not None else price.output_tokens
        tokens = longest if longest is not None else DEFAULT_OUTPUT_TOKENS
        whole = Reservation(request, price.worst(sent, tokens), price)
        if self.caps.usd is None or price.free or request.max_tokens is not None:
            return [whole]
        tokens = min(tokens, DEFAULT_OUTPUT_TOKENS)
        shorter = replace(request, max_tokens=tokens)
        limited = Reservation(shorter, price.worst(sent, tokens), price)
        return [limited] if longest is None else [whole, limited]

    def _fits(self, usd: float) -> bool:
        """Whether the money cap allows so much in all."""
        return self.caps.usd is None or usd <= self.caps.usd

    def _check_calls_and_time(self) -> None:
        caps = self.caps
        if caps.calls is not None and self._calls >= caps.calls:
            raise calls_used_up(caps.calls, self._calls, self._project)
        if caps.minutes is not None and self._now() - self._started >= caps.minutes * _MINUTE:
            raise time_used_up(caps.minutes, self._project)

    def _count_others(self) -> None:
        """Add what others have spent since the last request."""
        now, before = self._others(), self._of_others
        if now == before:
            return
        self._of_others = now
        self._calls += now.calls - before.calls
        self._spent += now.usd - before.usd
        for model, (sent, received) in now.unpriced.items():
            known_sent, known_received = before.unpriced.get(model, (0, 0))
            more_sent, more_received = self._unpriced.get(model, (0, 0))
            self._unpriced[model] = (
                more_sent + sent - known_sent,
                more_received + received - known_received,
            )

    async def _count_unpriced(self) -> None:
        """Put a price on what earlier runs spent without being told one."""
        while self._unpriced:
            model, tokens = self._unpriced.popitem()
            price = await self._known_price(model)
            self._spent += (price if price is not None else self._unknown).cost(*tokens)

    async def _known_price(self, model: str) -> Price | None:
        """The price of a model, looked up once and outside the event loop."""
        if model not in self._prices:
            self._prices[model] = await asyncio.to_thread(self._price_of, model)
        return self._prices[model]

    @property
    def _unknown(self) -> Price:
        return flat(self.caps.unknown_usd_per_million)


def _most_tokens(request: Request) -> int:
    """No tokenizer makes more tokens of the request than it has bytes."""
    asked = _PLAIN.encode([request.messages, request.schema, request.tools])
    return len(asked.encode("utf-8", "surrogatepass"))
