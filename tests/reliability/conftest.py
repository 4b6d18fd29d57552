"""Fixtures of the reliability bars."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.support.bars import Nursery, Trials, workplace
from tests.support.postgres import cluster, dsn

from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.litellm_library import load_litellm

__all__ = ["cluster", "dsn"]


@pytest.fixture(scope="session")
def place() -> Iterator[tuple[Nursery, Path]]:
    with workplace() as found:
        yield found


@pytest.fixture
def trials(place: tuple[Nursery, Path]) -> Iterator[Trials]:
    """Makes the trials of a test, and throws them away after it."""
    made = Trials(*place)
    yield made
    made.clear()


@pytest.fixture
async def litellm_connections() -> AsyncIterator[None]:
    """LiteLLM, loaded once; its clients are cached per process, but each test has its own loop."""
    load_litellm()
    yield
    await LiteLLMBackend(None, None).aclose()
