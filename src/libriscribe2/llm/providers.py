"""Who serves models: the variable that holds each key, and a model to begin with.

A plain table, read without LiteLLM: `--help`, `doctor` and the choice of a default cost no import.
Default models are names that LiteLLM's bundled price map knows (a test holds that), chosen as the
provider's balanced model for long prose.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from libriscribe2.errors import ModelError
from libriscribe2.llm.litellm_backend import missing_variables, provider_of, similar_models
from libriscribe2.llm.sendable import check_address, check_key
from libriscribe2.llm.servers import address_variable

OFFLINE_MODEL = "offline"
"""The name of the built-in offline author."""

BASE_URL_VARIABLES = ("OPENAI_BASE_URL", "OPENAI_API_BASE")
DEFAULT_MODEL_VARIABLE = "OPENAI_DEFAULT_MODEL"


@dataclass(frozen=True, slots=True)
class Provider:
    """One service that answers.

    Attributes:
        prefix: The first part of its models' names, as LiteLLM spells it.
        title: What people call it.
        keys: Variables that may hold the key; one of them is enough.
        default_model: A model to begin with; None where only the account's owner can know.
        also: Further variables, all of which are needed.
        has_batches: Whether it takes many calls in one file, in OpenAI's form, through LiteLLM.
    """

    prefix: str
    title: str
    keys: tuple[str, ...]
    default_model: str | None
    also: tuple[str, ...] = ()
    has_batches: bool = False


PROVIDERS = (
    Provider("openai", "OpenAI", ("OPENAI_API_KEY",), "openai/gpt-5.4-mini", has_batches=True),
    Provider("anthropic", "Anthropic", ("ANTHROPIC_API_KEY",), "anthropic/claude-sonnet-5"),
    Provider(
        "gemini",
        "Google Gemini",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "gemini/gemini-flash-latest",
    ),
    Provider("mistral", "Mistral", ("MISTRAL_API_KEY",), "mistral/mistral-large-latest"),
    Provider("deepseek", "DeepSeek", ("DEEPSEEK_API_KEY",), "deepseek/deepseek-v4-pro"),
    Provider("groq", "Groq", ("GROQ_API_KEY",), "groq/openai/gpt-oss-120b"),
    Provider("xai", "xAI", ("XAI_API_KEY",), "xai/grok-4.3"),
    Provider(
        "openrouter", "OpenRouter", ("OPENROUTER_API_KEY",), "openrouter/anthropic/claude-sonnet-5"
    ),
    Provider(
        "together_ai",
        "Together AI",
        ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY"),
        "together_ai/zai-org/GLM-5.3",
    ),
    Provider(
        "cohere_chat", "Cohere", ("COHERE_API_KEY", "CO_API_KEY"), "cohere_chat/command-a-03-2025"
    ),
    Provider("moonshot", "Moonshot AI", ("MOONSHOT_API_KEY",), "moonshot/kimi-k2.6"),
    Provider("cerebras", "Cerebras", ("CEREBRAS_API_KEY",), "cerebras/gpt-oss-120b"),
    Provider("sambanova", "SambaNova", ("SAMBANOVA_API_KEY",), None),
    Provider("github", "GitHub Models", ("GITHUB_API_KEY",), None),
    Provider(
        "azure",
        "Azure OpenAI",
        ("AZURE_API_KEY", "AZURE_AD_TOKEN"),
        None,
        also=("AZURE_API_BASE", "AZURE_API_VERSION"),
        has_batches=True,
    ),
)
"""In the order in which a default is looked for."""

KEYLESS_PREFIXES = frozenset({
    "ollama", "ollama_chat", "lm_studio", "llamafile", "hosted_vllm", "docker_model_runner",
})  # fmt: skip
"""Servers of one's own, which ask for no key."""

_OTHER_PREFIXES = frozenset({
    "ai21", "azure_ai", "bedrock", "cohere", "cloudflare", "codestral", "databricks",
    "deepinfra", "fireworks_ai", "github_copilot", "huggingface", "hyperbolic",
    "nebius", "novita", "nvidia_nim", "perplexity", "replicate", "sagemaker",
    "vercel_ai_gateway", "vertex_ai", "watsonx", "zai", "dashscope", "minimax",
})  # fmt: skip
"""Prefixes that LiteLLM routes itself: their names are left alone beside an OPENAI_BASE_URL."""

_BY_PREFIX = {provider.prefix: provider for provider in PROVIDERS}
_ROUTED_PREFIXES = frozenset(_BY_PREFIX) | KEYLESS_PREFIXES | _OTHER_PREFIXES
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


def named_model(name: str, environ: Mapping[str, str]) -> ModelChoice:
    """The choice that an explicit model name stands for.

    Beside an `OPENAI_BASE_URL`, a name without a provider's prefix is a model of that server:
    `mistral-small` means `openai/mistral-small` there.
    """
    base = _base_url(environ)
    prefix, slash, _ = name.partition("/")
    routed = bool(slash) and prefix in _ROUTED_PREFIXES
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

    LiteLLM is loaded only for names whose provider is not in the table.

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
    if provider is not None:
        _require_variables(choice.model, provider, environ)
    elif choice.model.partition("/")[0] not in KEYLESS_PREFIXES:
        _check_with_litellm(choice.model, environ)


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
