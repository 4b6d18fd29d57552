"""What a model's tokens cost: by LiteLLM's bundled price map, which is a hint and not a bill."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.llm.litellm_library import model_info
from libriscribe2.llm.providers import DEMO_NAMES, KEYLESS_PREFIXES

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
    """

    input_usd: float
    output_usd: float
    worst_input_usd: float
    worst_output_usd: float
    output_tokens: int | None = None

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """US dollars of a call with so many tokens."""
        return input_tokens * self.input_usd + output_tokens * self.output_usd

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
    if model in DEMO_NAMES or model.partition("/")[0] in KEYLESS_PREFIXES:
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
    if not sent and not received:
        return None
    limit = info.get("max_output_tokens")
    return Price(
        sent,
        received,
        max(rates["input"], default=sent),
        max(rates["output"], default=received),
        limit if isinstance(limit, int) and limit > 0 else None,
    )
