"""The table of providers, the choice of a default and the check of a name."""

import pytest

from libriscribe2.errors import ModelError
from libriscribe2.llm.litellm_library import load_litellm, provider_of
from libriscribe2.llm.providers import (
    KEYLESS_PREFIXES,
    PROVIDERS,
    ModelChoice,
    check_choice,
    configured_provider,
    key_variables,
    maker_of,
    named_model,
)

BASE = "http://127.0.0.1:8080/v1"


def check_model(model: str, environ: dict[str, str]) -> None:
    check_choice(named_model(model, environ), environ)


def test_no_variable_means_no_provider() -> None:
    assert configured_provider({}) is None


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        (provider, variable)
        for provider in PROVIDERS
        for variable in provider.keys
        if provider.default_model is not None
    ],
)
def test_each_key_leads_to_its_providers_default(provider: object, variable: str) -> None:
    chosen = configured_provider({variable: "key"})
    expected = next(p for p in PROVIDERS if p is provider).default_model
    assert chosen == ModelChoice(str(expected), f"{variable} is set")


def test_azure_alone_names_no_default() -> None:
    assert configured_provider({"AZURE_API_KEY": "key"}) is None


def test_blank_variables_count_as_unset() -> None:
    assert configured_provider({"OPENAI_API_KEY": "  ", "OPENAI_BASE_URL": ""}) is None


def test_the_order_of_the_table_decides_between_two_keys() -> None:
    chosen = configured_provider({"GROQ_API_KEY": "k", "ANTHROPIC_API_KEY": "k"})
    assert chosen is not None
    assert chosen.model.startswith("anthropic/")


def test_a_base_url_needs_no_key() -> None:
    chosen = configured_provider({"OPENAI_BASE_URL": BASE})
    assert chosen is not None
    assert chosen.url == BASE
    assert chosen.model.startswith("openai/")


@pytest.mark.parametrize(
    ("wanted", "model", "url"),
    [
        ("mistral-small", "openai/mistral-small", BASE),
        ("openai/gpt-5", "openai/gpt-5", BASE),
        ("meta-llama/Llama-4", "openai/meta-llama/Llama-4", BASE),
        ("groq/openai/gpt-oss-120b", "groq/openai/gpt-oss-120b", None),
    ],
)
def test_the_default_model_variable_is_honoured(wanted: str, model: str, url: str | None) -> None:
    chosen = configured_provider({"OPENAI_BASE_URL": BASE, "OPENAI_DEFAULT_MODEL": wanted})
    assert chosen == ModelChoice(model, "OPENAI_DEFAULT_MODEL is set", url)


def test_the_default_model_variable_works_with_a_key_alone() -> None:
    chosen = configured_provider({"OPENAI_API_KEY": "k", "OPENAI_DEFAULT_MODEL": "gpt-5"})
    assert chosen == ModelChoice("gpt-5", "OPENAI_DEFAULT_MODEL is set", None)


@pytest.mark.parametrize(
    ("name", "environ", "model", "url"),
    [
        ("gpt-5", {}, "gpt-5", None),
        ("qwen3", {"OPENAI_BASE_URL": BASE}, "openai/qwen3", BASE),
        ("qwen3", {"OPENAI_API_BASE": BASE}, "openai/qwen3", BASE),
        ("demo", {"OPENAI_BASE_URL": BASE}, "demo", None),
        ("offline", {"OPENAI_BASE_URL": BASE}, "offline", None),
        ("anthropic/claude-sonnet-5", {"OPENAI_BASE_URL": BASE}, "anthropic/claude-sonnet-5", None),
        ("bedrock/x", {"OPENAI_BASE_URL": BASE}, "bedrock/x", None),
        ("meta/llama-3", {"OPENAI_BASE_URL": BASE}, "openai/meta/llama-3", BASE),
        ("meta/x", {"OPENAI_BASE_URL": BASE, "META_API_KEY": "k"}, "meta/x", None),
    ],
)
def test_a_bare_name_beside_a_base_url_is_a_model_of_that_server(
    name: str, environ: dict[str, str], model: str, url: str | None
) -> None:
    choice = named_model(name, environ)
    assert (choice.model, choice.url) == (model, url)


@pytest.mark.parametrize(
    ("model", "variables"),
    [
        ("openai/x", ("OPENAI_API_KEY",)),
        ("gpt-5", ("OPENAI_API_KEY",)),
        ("claude-sonnet-5", ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")),
        ("cohere/x", ("COHERE_API_KEY", "CO_API_KEY")),
        ("gemini/x", ("GEMINI_API_KEY", "GOOGLE_API_KEY")),
        ("somebody/x", ()),
        ("qwen3", ()),
    ],
)
def test_the_variables_of_a_models_key(model: str, variables: tuple[str, ...]) -> None:
    assert key_variables(model) == variables


def test_a_provider_alone_is_no_model() -> None:
    with pytest.raises(ModelError, match="no model") as raised:
        check_model("openai/", {"OPENAI_API_KEY": "k"})
    assert "--model demo" in raised.value.fix


def test_the_variable_that_names_the_server_is_told() -> None:
    environ = {"OPENAI_API_BASE": BASE}
    found = configured_provider(environ)
    assert found is not None
    assert (found.url, found.reason) == (BASE, "OPENAI_API_BASE is set")
    assert named_model("x", environ).reason == "named explicitly; OPENAI_API_BASE is set"


@pytest.mark.parametrize(
    ("model", "environ"),
    [
        ("demo", {}),
        ("offline", {}),
        ("openai/x", {"OPENAI_API_KEY": "k"}),
        ("qwen3", {"OPENAI_BASE_URL": BASE}),
        ("gemini/x", {"GOOGLE_API_KEY": "k"}),
        ("ollama_chat/llama", {}),
        (
            "azure/x",
            {"AZURE_API_KEY": "k", "AZURE_API_BASE": "https://x", "AZURE_API_VERSION": "1"},
        ),
        ("perplexity/sonar", {"PERPLEXITYAI_API_KEY": "k"}),
        ("perplexity/sonar", {"PERPLEXITY_API_KEY": "k"}),
        ("together_ai/x", {"TOGETHER_AI_API_KEY": "k"}),
        ("together_ai/x", {"TOGETHER_AI_TOKEN": "k"}),
        ("huggingface/x", {"HF_TOKEN": "k"}),
        ("replicate/x", {"REPLICATE_API_TOKEN": "k"}),
        ("cohere/x", {"CO_API_KEY": "k"}),
        ("databricks/x", {}),
    ],
)
def test_a_model_that_can_be_asked_passes(model: str, environ: dict[str, str]) -> None:
    check_model(model, environ)


@pytest.mark.parametrize(
    ("model", "environ", "variable"),
    [
        ("openai/x", {}, "OPENAI_API_KEY"),
        ("gpt-5", {"ANTHROPIC_API_KEY": "k"}, "OPENAI_API_KEY"),
        ("gemini/x", {}, "GEMINI_API_KEY or GOOGLE_API_KEY"),
        ("azure/x", {"AZURE_API_KEY": "k"}, "AZURE_API_BASE and AZURE_API_VERSION"),
        ("perplexity/sonar", {}, "PERPLEXITYAI_API_KEY or PERPLEXITY_API_KEY"),
        ("cloudflare/x", {}, "CLOUDFLARE_API_KEY"),
        ("sambanova/x", {}, "SAMBANOVA_API_KEY"),
        ("github/gpt-4o", {"GITHUB_TOKEN": "k"}, "GITHUB_API_KEY"),
        ("anthropic/x", {"OPENAI_BASE_URL": BASE}, "ANTHROPIC_API_KEY"),
    ],
)
def test_a_missing_key_names_the_variable_and_the_way_without(
    model: str, environ: dict[str, str], variable: str
) -> None:
    with pytest.raises(ModelError) as raised:
        check_model(model, environ)
    assert raised.value.exit_code == 4
    assert variable in raised.value.fix
    assert "--model manual" in raised.value.fix


@pytest.mark.parametrize(
    ("name", "hint"), [("mistral-larg-latest", "mistral"), ("qqqqqqqqqqqqqqq", "no known provider")]
)
def test_a_name_that_nobody_serves_is_told_before_any_request(name: str, hint: str) -> None:
    with pytest.raises(ModelError, match="No provider") as raised:
        check_model(name, {"OPENAI_API_KEY": "k"})
    assert hint in raised.value.why
    assert "--model demo" in raised.value.fix
    assert "set OPENAI_BASE_URL for a server of your own" in raised.value.fix


def test_a_known_name_that_cannot_be_asked_is_not_proposed_again() -> None:
    name = "anyscale/meta-llama/Llama-2-7b-chat-hf"  # as github_copilot/gpt-4 without its login
    with pytest.raises(ModelError, match="cannot be asked") as raised:
        check_model(name, {})
    assert name not in raised.value.why
    assert "login" in raised.value.why


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.prefix)
def test_the_table_agrees_with_litellm(provider: object) -> None:
    row = next(p for p in PROVIDERS if p is provider)
    if row.default_model is None:
        return
    prices = load_litellm().model_cost
    known = row.default_model in prices or row.default_model.partition("/")[2] in prices
    assert known or row.prefix == "openrouter"
    assert provider_of(row.default_model) in {row.prefix, f"{row.prefix}_chat"}


def test_keyless_servers_are_known_to_litellm() -> None:
    assert {provider_of(f"{prefix}/x") for prefix in KEYLESS_PREFIXES} == KEYLESS_PREFIXES


@pytest.mark.parametrize(
    ("model", "maker"),
    [
        *(
            ("openai/o3", "openai"),
            ("openai/gpt-5", "openai"),
            ("groq/openai/gpt-oss-120b", "openai"),
        ),
        *(("gemini/gemini-flash-latest", "google"), ("ollama/gemma3", "google")),
        *(("openrouter/anthropic/claude-sonnet-5", "claude"), ("ollama/llama3.3", "llama")),
        ("demo", ""),
    ],
)
def test_who_made_a_model_does_not_depend_on_its_family_or_its_host(model: str, maker: str) -> None:
    assert maker_of(model) == maker
