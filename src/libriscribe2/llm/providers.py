"""Which provider a model or a key belongs to, and what is missing before it can be asked.

Read from a plain table without LiteLLM: `--help`, `doctor` and the choice of a default cost no
import.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import takewhile

from libriscribe2.errors import KeyMissingError, ModelError, UsageError
from libriscribe2.llm.litellm_library import missing_variables, provider_of, similar_models
from libriscribe2.llm.server_addresses import address_variable, check_address, check_key


@dataclass(frozen=True, slots=True)
class Provider:
    """One service that answers.

    Attributes:
        prefix: The first part of its models' names, as LiteLLM spells it.
        title: What people call it.
        model: A model to begin with, without the prefix; "" where only the account's owner can
            know, or where people have the key for other things.
        more_keys: Further variables that may hold the key; one is enough.
        key: The first of these variables, where it is not PREFIX_API_KEY.
        also: Further variables, all of which are needed.
        has_batches: Whether it takes many calls in one file, in OpenAI's form, through LiteLLM.
        other_ways: Whether it can be asked without these keys, so that LiteLLM alone knows what
            is missing.
    """

    prefix: str
    title: str
    model: str = ""
    more_keys: tuple[str, ...] = ()
    key: str = ""
    also: tuple[str, ...] = ()
    has_batches: bool = False
    other_ways: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """Variables that may hold the key; one of them is enough."""
        usual = f"{self.prefix.upper().replace('-', '_')}_API_KEY"
        return (self.key or usual, *self.more_keys)

    @property
    def default_model(self) -> str | None:
        """The whole name of the model to begin with, if there is one."""
        return f"{self.prefix}/{self.model}" if self.model else None


WELL_KNOWN = (
    Provider("openai", "OpenAI", "gpt-5.4-mini", has_batches=True),
    Provider("anthropic", "Anthropic", "claude-sonnet-5", ("ANTHROPIC_AUTH_TOKEN",)),
    Provider("gemini", "Google Gemini", "gemini-flash-latest", ("GOOGLE_API_KEY",)),
    Provider("mistral", "Mistral", "mistral-large-latest"),
    Provider("deepseek", "DeepSeek", "deepseek-v4-pro"),
    Provider("groq", "Groq", "openai/gpt-oss-120b"),
    Provider("xai", "xAI", "grok-4.3"),
    Provider("openrouter", "OpenRouter", "anthropic/claude-sonnet-5", ("OR_API_KEY",)),
    Provider(
        "together_ai",
        "Together AI",
        "zai-org/GLM-5.3",
        ("TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHER_AI_TOKEN"),
        key="TOGETHERAI_API_KEY",
    ),
    Provider("cohere_chat", "Cohere", "command-a-03-2025", ("CO_API_KEY",), key="COHERE_API_KEY"),
    Provider("moonshot", "Moonshot AI", "kimi-k2.6"),
    Provider("cerebras", "Cerebras", "gpt-oss-120b"),
    Provider(
        "fireworks_ai",
        "Fireworks AI",
        "accounts/fireworks/models/glm-5p3",
        ("FIREWORKS_API_KEY", "FIREWORKSAI_API_KEY", "FIREWORKS_AI_TOKEN"),
    ),
    Provider(
        "perplexity", "Perplexity", "sonar-pro", ("PERPLEXITY_API_KEY",), key="PERPLEXITYAI_API_KEY"
    ),
    Provider("deepinfra", "DeepInfra", "zai-org/GLM-5.2"),
    Provider("nebius", "Nebius", "zai-org/GLM-5.3"),
    Provider("novita", "Novita AI", "deepseek/deepseek-v4-pro"),
    Provider("hyperbolic", "Hyperbolic", "deepseek-ai/DeepSeek-V3-0324"),
    Provider("zai", "Z.ai", "glm-5.3"),
    Provider("dashscope", "Alibaba DashScope", "qwen-plus-latest"),
    Provider("minimax", "MiniMax", "MiniMax-M3"),
    Provider("ai21", "AI21", "jamba-large-1.7"),
    Provider(
        "vercel_ai_gateway",
        "Vercel AI Gateway",
        "anthropic/claude-sonnet-4.5",
        ("VERCEL_OIDC_TOKEN",),
    ),
    Provider("replicate", "Replicate", "anthropic/claude-4.5-sonnet", ("REPLICATE_API_TOKEN",)),
    Provider("sambanova", "SambaNova"),
    Provider("github", "GitHub Models"),
    Provider("huggingface", "Hugging Face", more_keys=("HUGGINGFACE_API_KEY",), key="HF_TOKEN"),
    Provider("nvidia_nim", "NVIDIA NIM"),
    Provider("codestral", "Codestral"),
    Provider(
        "azure",
        "Azure OpenAI",
        more_keys=("AZURE_OPENAI_API_KEY", "AZURE_AD_TOKEN"),
        also=("AZURE_API_BASE", "AZURE_API_VERSION"),
        has_batches=True,
    ),
    Provider("azure_ai", "Azure AI Foundry", other_ways=True),
    Provider("cloudflare", "Cloudflare", other_ways=True),
    Provider("databricks", "Databricks", other_ways=True),
    Provider("watsonx", "IBM watsonx", more_keys=("WATSONX_APIKEY", "WX_API_KEY"), other_ways=True),
)
"""Their prefixes are a provider's beside a server of one's own, too."""

_FURTHER = (
    Provider("friendliai", "Friendli", "zai-org/GLM-5.3", ("FRIENDLI_TOKEN",)),
    Provider("baseten", "Baseten", "zai-org/GLM-5.3"),
    Provider("wandb", "W&B Inference"),
    Provider("tencent", "Tencent", "glm-5.3"),
    Provider("xiaomi_mimo", "Xiaomi MiMo", "mimo-v2.6-pro"),
    Provider("aihubmix", "AIHubMix", "glm-5.3"),
    Provider("meta", "Meta", "muse-spark-1.3"),
    Provider("scaleway", "Scaleway", key="SCW_SECRET_KEY"),
    Provider("inception", "Inception"),
    Provider("v0", "v0"),
    Provider("lambda_ai", "Lambda", key="LAMBDA_API_KEY"),
    Provider("featherless_ai", "Featherless AI", more_keys=("FEATHERLESS_API_KEY",)),
    Provider("nscale", "Nscale"),
    Provider("volcengine", "Volcengine"),
    Provider("meta_llama", "Llama API", key="LLAMA_API_KEY"),
    Provider("ovhcloud", "OVHcloud"),
    Provider("heroku", "Heroku"),
    Provider("morph", "Morph"),
    Provider("aiml", "AI/ML API"),
    Provider("modelscope", "ModelScope"),
    Provider("cometapi", "CometAPI", key="COMETAPI_KEY"),
    Provider("clarifai", "Clarifai"),
    Provider("edenai", "Eden AI"),
    Provider("maritalk", "Maritaca AI"),
    Provider("nlp_cloud", "NLP Cloud"),
    Provider("compactifai", "CompactifAI"),
    Provider("amazon_nova", "Amazon Nova"),
    Provider("bytez", "Bytez"),
    Provider("empower", "Empower"),
    Provider("galadriel", "Galadriel"),
    Provider("nadir", "Nadir"),
    Provider("publicai", "Public AI"),
    Provider("helicone", "Helicone"),
    Provider("veniceai", "Venice AI", key="VENICE_AI_API_KEY"),
    Provider("synthetic", "Synthetic"),
    Provider("apertis", "Apertis", key="STIMA_API_KEY"),
    Provider("nano-gpt", "NanoGPT", key="NANOGPT_API_KEY"),
    Provider("poe", "Poe"),
    Provider("chutes", "Chutes"),
    Provider("abliteration", "Abliteration"),
    Provider("llamagate", "LlamaGate"),
    Provider("gmi", "GMI Cloud"),
    Provider("sarvam", "Sarvam"),
    Provider("assemblyai", "AssemblyAI"),
    Provider("charity_engine", "Charity Engine"),
    Provider("crusoe", "Crusoe"),
    Provider("darkbloom", "Darkbloom"),
    Provider("neosantara", "Neosantara"),
    Provider("tensormesh", "Tensormesh", key="TENSORMESH_INFERENCE_API_KEY"),
    Provider("parasail", "Parasail"),
    Provider("libertai", "LibertAI"),
    Provider("empiriolabs", "EmpirioLabs"),
    Provider("cognition", "Cognition"),
    Provider("cortecs", "Cortecs"),
    Provider("pinstripes", "Pinstripes"),
    Provider("scx-ai", "SCX", key="SCX_API_KEY"),
    Provider("prism", "Prism"),
    Provider("sail", "Sail"),
    Provider("reka", "Reka"),
    Provider("datarobot", "DataRobot", key="DATAROBOT_API_TOKEN", other_ways=True),
    Provider("gigachat", "GigaChat", other_ways=True),
    Provider("qwencloud", "QwenCloud", other_ways=True),
    Provider("qwen_ai_platform", "Qwen AI", other_ways=True),
)
PROVIDERS = (*WELL_KNOWN, *_FURTHER)
"""In the order in which a default is looked for."""
OPENAI_DEFAULT = f"openai/{WELL_KNOWN[0].model}"


DEMO_MODEL = "demo"
"""The name of the built-in stand-in author."""

_MAKERS = {
    **dict.fromkeys(("gpt", "o", "chatgpt", "davinci"), "openai"),
    **dict.fromkeys(("gemini", "gemma", "palm"), "google"),
    **dict.fromkeys(("mistral", "mixtral", "ministral", "magistral", "codestral"), "mistral"),
    **dict.fromkeys(("qwen", "qwq"), "alibaba"),
}
"""Makers whose models go by several names; of the others the name itself says who made it."""


def maker_of(model: str) -> str:
    """Who made a model, by the first letters of its own name; "" for the stand-in author.

    Those of `openrouter/openai/o3` and `gpt-5` say `openai`.
    """
    name = model.rpartition("/")[2].casefold()
    letters = "".join(takewhile(str.isalpha, name))
    return "" if name in DEMO_NAMES else _MAKERS.get(letters, letters)


DEMO_NAMES = frozenset({DEMO_MODEL, "offline"})
"""All its names: books that were begun earlier know it by the other one."""

MANUAL_MODEL = "manual"
"""The model that a person asks in a chat window: requests and replies are files of the project."""

RECORDED = "recorded"
"""The model that answers from a recording: `recorded:FILE`, or the one in the project's folder."""


def is_recorded(name: str) -> bool:
    """Whether a model is a recording."""
    return name.partition(":")[0] == RECORDED


def is_built_in(name: str) -> bool:
    """Whether the program answers for a model itself, without a key, a server or a price."""
    return name in DEMO_NAMES or name == MANUAL_MODEL or is_recorded(name)


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
    if name in DEMO_NAMES:
        return ModelChoice(name, "the stand-in author")
    if is_built_in(name) or base is None or (routed and prefix != "openai"):
        return ModelChoice(name, "named explicitly")
    model = name if routed else f"openai/{name}"
    return ModelChoice(model, f"named explicitly; {_base_variable(environ)} is set", base)


def key_variables(model: str) -> tuple[str, ...]:
    """The variables that may hold the key of the model's provider; () where none is known."""
    provider = _provider(model)
    return provider.keys if provider is not None else ()


def provider_called(name: str) -> Provider:
    """The provider of a name that a user types: its prefix, its title, or a variable of its key.

    Raises:
        UsageError: None is called so.
    """
    names = {
        word.casefold(): one
        for one in reversed(PROVIDERS)
        for word in (one.prefix, one.title, *one.keys)
    }
    found = names.get(name.strip().casefold())
    if found is not None:
        return found
    close = get_close_matches(name.casefold(), names, n=1)
    known = ", ".join(one.prefix for one in PROVIDERS[:10])
    fix = f"Did you mean {names[close[0]].prefix!r}?" if close else f"Such as {known}."
    raise UsageError(f"No provider is called {name!r}.", fix=fix)


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
    if is_built_in(choice.model):
        return
    if choice.model.endswith("/"):
        fix = "add the model's name, as in openai/gpt-5.4-mini, or choose --model demo"
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
        return ModelChoice(OPENAI_DEFAULT, reason, base)
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
        if model in close:
            why = "its price is known, and no way to it: the provider closed, or a login failed"
            raise ModelError(f"{model!r} cannot be asked", why, "choose another, or --model demo")
        why = f"did you mean {' or '.join(close)}?" if close else "the name has no known provider"
        fix = (
            "write it as PROVIDER/NAME, as in openai/gpt-5.4-mini, set OPENAI_BASE_URL for a server "
            "of your own, or choose --model demo"
        )
        raise ModelError(f"No provider has a model named {model!r}", why, fix)
    missing = [name for name in missing_variables(model) if _value(environ, name) is None]
    if missing and provider not in KEYLESS_PREFIXES:
        raise _missing(model, provider, missing)


def _missing(model: str, title: str, variables: list[str]) -> ModelError:
    wanted = " and ".join(variables)
    is_not = "is not" if len(variables) == 1 else "are not all"
    why = f"{title} needs {wanted}, which {is_not} set"
    provider = _provider(model)
    own = f"`libriscribe2 keys set {provider.prefix}`, " if provider is not None else ""
    fix = f"{own}set {wanted}, or use a chat window with `--model manual`"
    return KeyMissingError(f"No key for {model!r}", why, fix)


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
