"""Which model a run uses where the author has named none, and why."""

from collections.abc import Callable, Mapping, Sequence

from libriscribe2.llm.local_servers import LocalServer
from libriscribe2.llm.providers import (
    BASE_URL_VARIABLES,
    OFFLINE_MODEL,
    ModelChoice,
    configured_provider,
    key_variables,
    key_without_model,
    named_model,
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
    answers; else the offline author.

    Args:
        named: The configured model, or "". One without its provider's key may be a model of a
            local server, and so may a name that says no provider.
        environ: The variables of the process.
        probe: Looks for local servers; only called when nothing else decides.
        consent: Whether a server that was found may be used.
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
    none = "is to be used" if found else "answers"
    joint = ";" if alone else " and"
    return ModelChoice(OFFLINE_MODEL, f"{keys}{joint} no local server {none}")


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
    if base_url and found.model != OFFLINE_MODEL:
        return ModelChoice(found.model, found.reason, base_url)
    return found


def _served_locally(
    named: str, environ: Mapping[str, str], probe: Callable[[], Sequence[LocalServer]]
) -> ModelChoice | None:
    """The local server that serves a model whose provider's key is not set."""
    keys = key_variables(named)
    if any(environ.get(name) for name in (*keys, *BASE_URL_VARIABLES)):
        return None
    if named == OFFLINE_MODEL or not (keys or _is_bare(named)):
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
