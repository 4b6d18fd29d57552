"""Model servers on this machine: who is running, and what it serves.

Only loopback is asked, without proxies or redirects, all ports at once and for a moment. A port
that merely answers proves nothing (8000 and 8080 are everybody's), so the list of models must
parse.
"""

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

PROBE_SECONDS = 0.3
"""Longest time that all probes together may take."""

_LIST_LIMIT = 1_000_000
_NOT_FOR_CHAT = re.compile(r"embed|rerank|whisper|tts|(?:^|[/:])bge-|minilm", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A running server.

    Attributes:
        name: The engine's name.
        url: Its address as LiteLLM wants it (`api_base`).
        models: What it serves for conversation, spelled for LiteLLM; never empty.
    """

    name: str
    url: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Probe:
    """Where an engine listens and how it lists its models.

    Attributes:
        name: The engine's name.
        root: Its address.
        path: Where the list is.
        rows: The list's key in the answer.
        field: The key of a model's name in a row.
        prefix: What LiteLLM calls models of this kind.
        base: What `api_base` adds to the root.
    """

    name: str
    root: str
    path: str = "/v1/models"
    rows: str = "data"
    field: str = "id"
    prefix: str = "openai/"
    base: str = "/v1"


def ollama_probe(root: str = "http://127.0.0.1:11434") -> Probe:
    """Ollama, which has a form of its own."""
    return Probe("Ollama", root, "/api/tags", "models", "name", "ollama_chat/", "")


PROBES = (
    ollama_probe(),
    Probe("llama.cpp", "http://127.0.0.1:8080"),
    Probe("LM Studio", "http://127.0.0.1:1234"),
    Probe("vLLM", "http://127.0.0.1:8000"),
    Probe("Jan", "http://127.0.0.1:1337"),
    Probe("KoboldCpp", "http://127.0.0.1:5001"),
)
"""The engines' default ports, in the order in which a default is chosen."""


async def find_local_servers(
    probes: Sequence[Probe] = PROBES, *, seconds: float = PROBE_SECONDS
) -> tuple[LocalServer, ...]:
    """The servers that answer, in the order of the probes.

    Args:
        probes: Whom to ask.
        seconds: Longest time for each answer.
    """
    import httpx  # noqa: PLC0415 - 90 ms that only a run without a key should pay

    async def ask(probe: Probe) -> LocalServer | None:
        try:
            async with asyncio.timeout(seconds):
                listed = await _listing(client, probe.root + probe.path)
        except (TimeoutError, ValueError, httpx.HTTPError):
            return None
        models = model_names(listed, probe)
        return LocalServer(probe.name, probe.root + probe.base, models) if models else None

    async with httpx.AsyncClient(
        timeout=seconds, trust_env=False, follow_redirects=False
    ) as client:
        found = await asyncio.gather(*(ask(probe) for probe in probes))
    return tuple(server for server in found if server is not None)


async def _listing(client: "httpx.AsyncClient", address: str) -> Any:
    """The parsed answer.

    Raises:
        ValueError: It is no success, too long, or not JSON.
    """
    async with client.stream("GET", address) as response:
        if response.status_code != 200:
            raise ValueError(f"{address} answers {response.status_code}")
        body = bytearray()
        async for part in response.aiter_bytes():
            body += part
            if len(body) > _LIST_LIMIT:
                raise ValueError(f"{address} sends no list of models")
    return json.loads(body)


def model_names(listed: Any, probe: Probe) -> tuple[str, ...]:
    """The names for conversation in a list of models; () where it is no such list."""
    rows = listed.get(probe.rows) if isinstance(listed, dict) else None
    if not isinstance(rows, list):
        return ()
    names = [row.get(probe.field) for row in rows if isinstance(row, dict)]
    return tuple(
        probe.prefix + name
        for name in names
        if isinstance(name, str) and name and not _NOT_FOR_CHAT.search(name)
    )
