"""Which model a run uses where the author has named none, and why; local servers are looked for."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from libriscribe2.errors import ModelError
from libriscribe2.llm.providers import (
    BASE_URL_VARIABLES,
    ModelChoice,
    configured_provider,
    is_built_in,
    key_variables,
    key_without_model,
    named_model,
)

if TYPE_CHECKING:
    import httpx

WAYS = (
    "set a key with `libriscribe2 keys set openai`, start a local server such as Ollama or LM Studio, "
    "or use a chat window with `--model manual`"
)
"""The ways to a model, for who has none."""

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


Consent = Callable[[LocalServer], bool]
"""Asks the user whether a local server may be used."""


def choose_model(
    named: str,
    environ: Mapping[str, str],
    probe: Callable[[], Sequence[LocalServer]],
    consent: Consent,
) -> ModelChoice:
    """The default model of a run.

    The named one; else a configured key's provider; else a local server whose model list
    answers.

    Args:
        named: The configured model, or "". One without its provider's key may be a model of a
            local server, and so may a name that says no provider.
        environ: The variables of the process.
        probe: Looks for local servers; only called when nothing else decides.
        consent: Whether a server that was found may be used.

    Raises:
        ModelError: There is none; nobody but the author can ask for the stand-in.
    """
    if named:
        return _served_locally(named, environ, probe) or named_model(named, environ)
    configured = configured_provider(environ)
    if configured is not None:
        return configured
    found = [server for server in probe() if server.models]
    alone = key_without_model(environ)
    keys = alone or "no key is set"
    for server in found:
        if consent(server):
            reason = f"{server.name} answers at {server.url}; {keys}"
            return ModelChoice(server.models[0], reason, server.url)
    none = "was selected" if found else "answers"
    why = f"{keys}{';' if alone else ' and'} no local server {none}"
    every = " (LIBRISCRIBE2_MODELS__DEFAULT does it for every run)" if alone else ""
    raise ModelError("There is no model to write with", f"{why}{every}", WAYS)


def resolve_model(
    name: str, default: ModelChoice, base_url: str, environ: Mapping[str, str]
) -> ModelChoice:
    """The model that a configured name stands for, with its server.

    Args:
        name: A name from the settings; "" means the default.
        default: The default model of the run.
        base_url: A server that the settings name for every model, or "".
        environ: The variables of the process.
    """
    found = default if not name else named_model(name, environ)
    if found.model == default.model or (default.url and _is_meant(name, default.model)):
        found = default
    if base_url and not is_built_in(found.model):
        return ModelChoice(found.model, found.reason, base_url)
    return found


def _served_locally(
    named: str, environ: Mapping[str, str], probe: Callable[[], Sequence[LocalServer]]
) -> ModelChoice | None:
    """The local server that serves a model whose provider's key is not set."""
    keys = key_variables(named)
    if any(environ.get(name) for name in (*keys, *BASE_URL_VARIABLES)):
        return None
    if is_built_in(named) or not (keys or _is_bare(named)):
        return None
    for server in probe():
        for model in server.models:
            if model == named or _is_meant(named, model):
                return ModelChoice(model, f"{server.name} serves it at {server.url}", server.url)
    return None


def _is_bare(name: str) -> bool:
    """Whether a name says no provider."""
    return bool(name) and "/" not in name


def _is_meant(name: str, model: str) -> bool:
    """Whether a name is a model's without the provider."""
    return _is_bare(name) and model.partition("/")[2] == name
