"""Which provider a model or a key belongs to, and what is missing before it can be asked.

Read from a plain table without LiteLLM: `--help`, `doctor` and the choice of a default cost no
import.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from libriscribe2.errors import ModelError
from libriscribe2.llm.litellm_library import missing_variables, provider_of, similar_models
from libriscribe2.llm.provider_table import PROVIDERS, WELL_KNOWN, Provider
from libriscribe2.llm.sendable import check_address, check_key
from libriscribe2.llm.servers import address_variable

OFFLINE_MODEL = "offline"
"""The name of the built-in offline author."""

BASE_URL_VARIABLES = ("OPENAI_BASE_URL", "OPENAI_API_BASE")
DEFAULT_MODEL_VARIABLE = "OPENAI_DEFAULT_MODEL"


KEYLESS_PREFIXES = frozenset({
    "ollama", "ollama_chat", "lm_studio", "llamafile", "hosted_vllm", "docker_model_runner",
})  # fmt: skip
"""Servers of one's own, which ask for no key."""

_OTHER_PREFIXES = frozenset({"bedrock", "cohere", "github_copilot", "sagemaker", "vertex_ai"})
"""Prefixes that LiteLLM routes itself: their names are left alone beside an OPENAI_BASE_URL."""

_BY_PREFIX = {provider.prefix: provider for provider in PROVIDERS}
_BY_PREFIX |= {"cohere": _BY_PREFIX["cohere_chat"], "ai21_chat": _BY_PREFIX["ai21"]}
_ROUTED_PREFIXES = {one.prefix for one in WELL_KNOWN} | KEYLESS_PREFIXES | _OTHER_PREFIXES
_BARE_NAMES = (("gpt-", "openai"), ("o3", "openai"), ("o4", "openai"), ("claude-", "anthropic"))


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model and why it is the one.

    Attributes:
        model: The name as LiteLLM spells it.
        reason: Where it comes from, for `doctor` and the first line of a run.
        url: Base address of the server (`api_base`); None is the provider's own.
    """

    model: str
    reason: str
    url: str | None = None


def configured_provider(environ: Mapping[str, str]) -> ModelChoice | None:
    """The model that the environment points to, or None where it names no provider.

    An `OPENAI_BASE_URL` counts without a key, because servers of one's own ask for none.
    """
    base = _base_url(environ)
    if base is not None or _value(environ, "OPENAI_API_KEY") is not None:
        return _openai_choice(environ, base)
    for provider in PROVIDERS:
        variable = _variable_set(provider, environ)
        if variable is not None and provider.default_model is not None:
            return ModelChoice(provider.default_model, f"{variable} is set")
    return None


def key_without_model(environ: Mapping[str, str]) -> str:
    """What to say of a key whose provider has no model to begin with; "" where none is set."""
    for provider in PROVIDERS:
        variable = _variable_set(provider, environ)
        if variable is not None and provider.default_model is None:
            wanted = f"name one, as in --model {provider.prefix}/NAME"
            return f"{variable} is set, but {provider.title} has no default model: {wanted}"
    return ""


def named_model(name: str, environ: Mapping[str, str]) -> ModelChoice:
    """The choice that an explicit model name stands for.

    Beside an `OPENAI_BASE_URL`, a name without a provider's prefix is a model of that server:
    `mistral-small` means `openai/mistral-small` there. The names of some providers begin model
    names elsewhere (`meta/llama-3`), so that these are meant only where their key is set.
    """
    base = _base_url(environ)
    prefix, slash, _ = name.partition("/")
    routed = bool(slash) and _is_routed(prefix, environ)
    if name == OFFLINE_MODEL or base is None or (routed and prefix != "openai"):
        return ModelChoice(name, "named explicitly")
    model = name if routed else f"openai/{name}"
    return ModelChoice(model, f"named explicitly; {_base_variable(environ)} is set", base)


def key_variables(model: str) -> tuple[str, ...]:
    """The variables that may hold the key of the model's provider; () where none is known."""
    provider = _provider(model)
    return provider.keys if provider is not None else ()


def batch_provider(model: str) -> str | None:
    """The provider with a batch API that a model is asked at; None where none is known.

    Whether a server of one's own (OPENAI_BASE_URL) has one shows when it is asked.
    """
    provider = _provider(model)
    return provider.prefix if provider is not None and provider.has_batches else None


def check_choice(choice: ModelChoice, environ: Mapping[str, str]) -> None:
    """Find a missing key, an unknown name or a wrong address before a request would.

    LiteLLM is loaded only where the table cannot say what a provider needs.

    Raises:
        ConfigError: The server's address is none.
        ModelError: Nobody serves the name, or its provider's key is not set or cannot be sent.
    """
    if choice.model == OFFLINE_MODEL:
        return
    if choice.model.endswith("/"):
        fix = "add the model's name, as in openai/gpt-5.4-mini, or choose --model offline"
        raise ModelError(f"{choice.model!r} names a provider and no model", fix=fix)
    address = choice.url or _address_of_provider(choice.model, environ)
    if address is not None:
        check_address(address, environ)
    provider = _provider(choice.model)
    _check_keys(provider, environ)
    if choice.url is not None:
        return
    if provider is not None and not provider.other_ways:
        _require_variables(choice.model, provider, environ)
    elif choice.model.partition("/")[0] not in KEYLESS_PREFIXES:
        _check_with_litellm(choice.model, environ)


def _is_routed(prefix: str, environ: Mapping[str, str]) -> bool:
    """Whether a prefix is a provider's beside a server of one's own."""
    provider = _BY_PREFIX.get(prefix)
    has_key = provider is not None and _variable_set(provider, environ) is not None
    return has_key or prefix in _ROUTED_PREFIXES


def _openai_choice(environ: Mapping[str, str], base: str | None) -> ModelChoice:
    """What the `OPENAI_*` variables point to."""
    reason = f"{_base_variable(environ) if base is not None else 'OPENAI_API_KEY'} is set"
    wanted = _value(environ, DEFAULT_MODEL_VARIABLE)
    if wanted is None:
        return ModelChoice(PROVIDERS[0].default_model or OFFLINE_MODEL, reason, base)
    choice = named_model(wanted, environ)
    return ModelChoice(choice.model, f"{DEFAULT_MODEL_VARIABLE} is set", choice.url)


def _address_of_provider(model: str, environ: Mapping[str, str]) -> str | None:
    """The server that LiteLLM asks in place of the provider's own, by the variable it reads."""
    variable = address_variable(model)
    return _value(environ, variable) if variable else None


def _check_keys(provider: Provider | None, environ: Mapping[str, str]) -> None:
    """Raise where a key of the provider cannot be sent."""
    for name in provider.keys if provider is not None else ():
        key = _value(environ, name)
        if key is not None:
            check_key(name, key)


def _require_variables(model: str, provider: Provider, environ: Mapping[str, str]) -> None:
    """Raise unless one key and all further variables are set."""
    missing = [name for name in provider.also if _value(environ, name) is None]
    if _variable_set(provider, environ) is None:
        missing.insert(0, " or ".join(provider.keys))
    if missing:
        raise _missing(model, provider.title, missing)


def _check_with_litellm(model: str, environ: Mapping[str, str]) -> None:
    """The same check for providers that only LiteLLM knows."""
    provider = provider_of(model)
    if provider is None:
        close = similar_models(model)
        why = f"did you mean {' or '.join(close)}?" if close else "the name has no known provider"
        fix = (
            "write it as PROVIDER/NAME, as in openai/gpt-5.4-mini, set OPENAI_BASE_URL for a server "
            "of your own, or choose --model offline"
        )
        raise ModelError(f"No provider has a model named {model!r}", why, fix)
    missing = [name for name in missing_variables(model) if _value(environ, name) is None]
    if missing and provider not in KEYLESS_PREFIXES:
        raise _missing(model, provider, missing)


def _missing(model: str, title: str, variables: list[str]) -> ModelError:
    wanted = " and ".join(variables)
    is_not = "is not" if len(variables) == 1 else "are not all"
    why = f"{title} needs {wanted}, which {is_not} set"
    return ModelError(f"No key for {model!r}", why, f"set {wanted}, or choose --model offline")


def _provider(model: str) -> Provider | None:
    """The table's row for a name, with or without prefix."""
    prefix, slash, _ = model.partition("/")
    if slash:
        return _BY_PREFIX.get(prefix)
    owner = next((owner for start, owner in _BARE_NAMES if model.startswith(start)), None)
    return _BY_PREFIX[owner] if owner is not None else None


def _variable_set(provider: Provider, environ: Mapping[str, str]) -> str | None:
    return next((name for name in provider.keys if _value(environ, name) is not None), None)


def _base_url(environ: Mapping[str, str]) -> str | None:
    return _value(environ, _base_variable(environ))


def _base_variable(environ: Mapping[str, str]) -> str:
    """The variable that names an OpenAI-compatible server."""
    set_ones = (name for name in BASE_URL_VARIABLES if _value(environ, name) is not None)
    return next(set_ones, BASE_URL_VARIABLES[0])


def _value(environ: Mapping[str, str], name: str) -> str | None:
    """A variable's value; blank counts as unset, as in a `.env` that was only half filled in."""
    value = environ.get(name, "").strip()
    return value or None
