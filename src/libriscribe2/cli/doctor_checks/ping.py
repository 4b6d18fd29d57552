"""One tiny request to a model, to see whether it answers."""

from typing import Final

from libriscribe2.llm.backend import Backend, Completion
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.litellm_backend import LiteLLMBackend
from libriscribe2.llm.options import CallOptions
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.llm.resilience import RetryPolicy
from libriscribe2.llm.session import CallSession
from libriscribe2.llm.time_limits import TimeLimits
from libriscribe2.settings import Settings

PATIENCE_SECONDS: Final = 60.0
"""Longest wait for the answer; a local server may have to load its model first."""

LONGEST_REPLY: Final = 64
"""Most tokens of the answer; some providers refuse a limit below 16."""

_QUESTION: Final = "Answer with the single word: ready"


async def ping(settings: Settings, choice: ModelChoice) -> Completion:
    """Ask the model of `choice` once, the way a run would reach it.

    Raises:
        ModelError: The key or the model's name is wrong.
        ProviderError: The network or the provider failed.
        ContentFilteredError: The provider withheld the reply.
    """
    url = settings.llm.base_url or choice.url or ""
    seconds = min(PATIENCE_SECONDS, settings.llm.timeout_seconds)
    limits = TimeLimits(first_piece=seconds, between_pieces=seconds, whole_call=seconds)
    backend = LiteLLMBackend(url or None, None, limits=limits)
    try:
        return await ask_once(choice.model, url, backend)
    finally:
        await backend.aclose()


async def ask_once(model: str, url: str, backend: Backend) -> Completion:
    """Send one tiny request, without a second try.

    Raises:
        ModelError, ProviderError, ContentFilteredError: As for `ping`.
    """
    session = CallSession(retry=RetryPolicy(attempts=1))
    client = LLMClient(url, "", model, backend=backend, session=session)
    options = CallOptions(step="doctor", agent="doctor", max_tokens=LONGEST_REPLY)
    return (await client.with_options(options).ask(_QUESTION)).completion
