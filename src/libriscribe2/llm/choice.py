"""Which model a run uses where the author has named none, and why."""

from collections.abc import Callable, Mapping, Sequence

from libriscribe2.llm.local_servers import LocalServer
from libriscribe2.llm.providers import OFFLINE_MODEL, ModelChoice, configured_provider, named_model

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
        named: The configured model, or "".
        environ: The variables of the process.
        probe: Looks for local servers; only called when nothing else decides.
        consent: Whether a server that was found may be used.
    """
    if named:
        return named_model(named, environ)
    configured = configured_provider(environ)
    if configured is not None:
        return configured
    for server in probe():
        if server.models and consent(server):
            reason = f"{server.name} answers at {server.url}; no key is set"
            return ModelChoice(server.models[0], reason, server.url)
    return ModelChoice(OFFLINE_MODEL, "no key is set and no local server answers")
