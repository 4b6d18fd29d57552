"""Where a call goes that is not for a provider's own address."""

import pytest

from libriscribe2.llm.server_addresses import server_arguments


@pytest.mark.parametrize(
    ("model", "base"),
    [
        ("lm_studio/qwen3", "http://127.0.0.1:1234/v1"),
        ("hosted_vllm/org/qwen3", "http://127.0.0.1:8000/v1"),
    ],
)
def test_a_server_of_this_machine_is_asked_here_and_not_at_openai(
    monkeypatch: pytest.MonkeyPatch, model: str, base: str
) -> None:
    variable = f"{model.partition('/')[0].upper()}_API_BASE"
    monkeypatch.delenv(variable, raising=False)
    assert server_arguments(None, model=model) == {"api_base": base}
    monkeypatch.setenv(variable, "http://elsewhere:1/v1")
    assert server_arguments(None, model=model) == {}


def test_a_named_server_comes_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert server_arguments("http://x/v1", "k", model="lm_studio/a") == {
        "api_base": "http://x/v1",
        "api_key": "k",
    }
    assert server_arguments("http://x/v1")["api_key"] == "no-key-needed"


@pytest.mark.parametrize("model", ["openai/x", "ollama_chat/x", "gpt-5", "lm_studio"])
def test_others_know_their_address(model: str) -> None:
    assert server_arguments(None, model=model) == {}
