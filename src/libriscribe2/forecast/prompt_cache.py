"""What a provider's cache would hold of a run's prompts, by the rules of OpenAI and of Anthropic."""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from libriscribe2.llm.backend import BYTES_PER_TOKEN, Request
from libriscribe2.llm.backends.litellm import FEWEST_TOKENS, messages_for
from libriscribe2.llm.litellm_library import provider_of

LIFETIME: Final = 300.0
"""Seconds after its last use that a beginning is kept."""

STEP: Final = 128


class PromptCache:
    """The beginnings of prompts that are kept, by their hash: from when, and when they were used last."""

    def __init__(self) -> None:
        self._kept: dict[bytes, tuple[float, float]] = {}

    def take(self, request: Request, begun: float, ended: float) -> tuple[int, int]:
        """Tokens of a call that are read from the cache, and those that are kept at a surcharge.

        Args:
            request: What is asked.
            begun: When it leaves, in seconds of some clock.
            ended: When the reply is there: from then on its beginning can be read.
        """
        paid = "claude" in request.model.casefold()
        ends = list(_marked(request) if paid else _steps(request))
        read = max((size for size, name in ends if self._has(name, begun)), default=0)
        for _, name in ends:
            since, used = self._kept.get(name, (ended, ended))
            fresh = ended if begun > used + LIFETIME else min(since, ended)
            self._kept[name] = fresh, max(used, ended)
        kept = max((size for size, _ in ends), default=0) - read if paid else 0
        return read, kept

    def _has(self, name: bytes, now: float) -> bool:
        since, used = self._kept.get(name, (now + 1, 0.0))
        return since <= now <= used + LIFETIME


def _marked(request: Request) -> Iterator[tuple[int, bytes]]:
    """The tokens up to each mark and the hash of what stands there: nothing else is kept."""
    digest, size = sha256(), 0
    for message in messages_for(request, provider_of):
        content = message["content"]
        for block in content if isinstance(content, list) else [{"text": content}]:
            data = str(block["text"]).encode()
            digest.update(data)
            size += len(data)
            if "cache_control" in block:
                yield size // BYTES_PER_TOKEN, digest.digest()


def _steps(request: Request) -> Iterator[tuple[int, bytes]]:
    """The same for every 128 tokens from 1,024 on, where a provider caches by itself."""
    apart = "" if request.in_text or request.schema is None else json.dumps(request.schema)
    texts = [apart, *(str(message.get("content")) for message in request.messages)]
    data, step = "\n".join(texts).encode(), STEP * BYTES_PER_TOKEN
    digest = sha256()
    for end in range(step, len(data) + 1, step):
        digest.update(data[end - step : end])
        if end >= FEWEST_TOKENS * BYTES_PER_TOKEN:
            yield end // BYTES_PER_TOKEN, digest.digest()
