"""LiteLLM sends the key from each variable of the table to the provider whose row it is."""

import pytest
from tests.support.openai_replies import Fault
from tests.support.openai_server import OpenAIServer
from tests.support.transport import with_litellm

from libriscribe2.llm.litellm_library import load_litellm
from libriscribe2.llm.providers import PROVIDERS

pytestmark = [*with_litellm, pytest.mark.slow]

KEY = "sk-of-this-variable-alone"
ELSEWHERE = frozenset({
    "replicate", "bytez", "gigachat", "nadir", "inception", "clarifai", "watsonx", "azure",
})  # fmt: skip
"""Whose key LiteLLM sends to a fixed address only, or with more than a key and a server."""


@pytest.mark.parametrize(
    ("prefix", "model", "variable"),
    [
        (one.prefix, one.default_model or f"{one.prefix}/some/model", variable)
        for one in PROVIDERS
        for variable in one.keys
        if one.prefix not in ELSEWHERE
    ],
)
async def test_the_key_of_each_variable_is_sent(
    prefix: str, model: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    litellm = load_litellm()
    monkeypatch.setenv(variable, KEY)
    with OpenAIServer(faults=[Fault("status", status=401)]) as server:
        with pytest.raises(Exception, match=r"."):
            await litellm.acompletion(
                model=model,
                messages=[{"role": "user", "content": "Hello"}],
                api_base=server.url,
                max_retries=0,
                num_retries=0,
            )
        assert any(KEY in str(seen.headers) for seen in server.requests), prefix
