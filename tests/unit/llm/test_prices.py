"""Prices: LiteLLM's map where it knows, nothing invented where it does not."""

import pytest
from tests.support.transport import with_litellm

from libriscribe2.llm.limits.budget import FREE, Price, flat, price_of
from libriscribe2.llm.litellm_library import load_litellm

pytestmark = with_litellm

MADE_UP = {
    "made-up/tiers": {
        "input_cost_per_token": 1e-6,
        "input_cost_per_token_above_200k_tokens": 2e-6,
        "input_cost_per_token_priority": 9e-6,
        "output_cost_per_token": 3e-6,
        "output_cost_per_reasoning_token": 4e-6,
        "output_cost_per_token_batches": 1e-6,
        "max_output_tokens": 1000,
        "litellm_provider": "openai",
        "mode": "chat",
    },
    "made-up/free": {
        "input_cost_per_token": 0.0,
        "output_cost_per_token": 0.0,
        "litellm_provider": "openai",
        "mode": "chat",
    },
}


@pytest.fixture(autouse=True)
def made_up_models(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, entry in MADE_UP.items():
        monkeypatch.setitem(load_litellm().model_cost, name, entry)


def test_bar_23_the_dearest_step_of_the_list_is_the_worst_price() -> None:
    assert price_of("made-up/tiers") == Price(1e-6, 3e-6, 2e-6, 4e-6, 1000)


def test_bar_23_a_price_of_0_from_the_map_is_unknown() -> None:
    assert price_of("made-up/free") is None
    assert price_of("openai/nobody-knows-this") is None


@pytest.mark.parametrize("model", ["demo", "offline", "ollama_chat/llama3.3", "lm_studio/x"])
def test_bar_23_the_stand_in_author_and_ones_own_server_are_free(model: str) -> None:
    assert price_of(model) is FREE
    assert FREE.free


def test_the_map_knows_real_models() -> None:
    price = price_of("openai/gpt-4o-mini")
    assert price is not None
    assert 0 < price.input_usd < price.output_usd <= price.worst_output_usd
    assert price.output_tokens == 16_384
    assert not price.free


def test_a_price_multiplies() -> None:
    price = Price(1.0, 2.0, 3.0, 4.0)
    assert price.cost(10, 1) == 12.0
    assert price.worst(10, 1) == 34.0
    cached = Price(1.0, 2.0, 3.0, 4.0, read_usd=0.1, kept_usd=1.25)
    assert cached.cost(10, 1, read=4, kept=2) == pytest.approx(4 + 0.4 + 2.5 + 2.0)
    assert flat(30.0).cost(500_000, 500_000) == pytest.approx(30.0)
