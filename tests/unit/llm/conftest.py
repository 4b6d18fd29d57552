"""What tests of the transport share."""

from collections.abc import AsyncIterator

import pytest

from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.litellm_library import load_litellm


@pytest.fixture
async def litellm_connections() -> AsyncIterator[None]:
    """LiteLLM, loaded once; its clients are cached per process, but each test has its own loop."""
    load_litellm()
    yield
    await LiteLLMBackend(None, None).aclose()
