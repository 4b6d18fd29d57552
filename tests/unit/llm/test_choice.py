"""Which model a run uses, and whose server answers for it."""

from collections.abc import Sequence

import pytest

from libriscribe2.errors import ModelError
from libriscribe2.llm.default_model import LocalServer, choose_model, resolve_model
from libriscribe2.llm.providers import ModelChoice

OLLAMA = LocalServer("Ollama", "http://127.0.0.1:11434", ("ollama_chat/llama3",))
LLAMA = LocalServer("llama.cpp", "http://127.0.0.1:8080/v1", ("openai/qwen",))


def nothing() -> Sequence[LocalServer]:
    """No local server answers."""
    return ()


def unasked() -> Sequence[LocalServer]:
    """Nobody may look for local servers here."""
    raise AssertionError("local servers were looked for")


def test_a_named_model_is_taken() -> None:
    found = choose_model("anthropic/claude-x", {"ANTHROPIC_API_KEY": "k"}, unasked, lambda _: True)
    assert (found.model, found.url) == ("anthropic/claude-x", None)


def test_without_a_name_a_configured_key_decides_before_any_server_is_looked_for() -> None:
    found = choose_model("", {"ANTHROPIC_API_KEY": "k"}, unasked, lambda _: True)
    assert found.model.startswith("anthropic/")
    assert "ANTHROPIC_API_KEY" in found.reason


def test_else_a_local_server_that_may_be_used() -> None:
    found = choose_model("", {}, lambda: (OLLAMA, LLAMA), lambda server: server is LLAMA)
    assert (found.model, found.url) == ("openai/qwen", LLAMA.url)
    assert "llama.cpp answers" in found.reason


@pytest.mark.parametrize(
    ("servers", "why"),
    [
        ((), "no key is set and no local server answers"),
        ((OLLAMA,), "no key is set and no local server was selected"),
    ],
)
def test_else_there_is_none_and_nobody_stands_in(
    servers: tuple[LocalServer, ...], why: str
) -> None:
    with pytest.raises(ModelError) as caught:
        choose_model("", {}, lambda: servers, lambda _: False)
    assert caught.value.why == why
    assert all(way in caught.value.fix for way in ("keys set", "local server", "--model manual"))


def test_a_key_whose_provider_has_no_default_model_is_told_with_the_way_to_name_one() -> None:
    keys = {"HF_TOKEN": "k", "AZURE_API_KEY": "k"}
    told = "HF_TOKEN is set, but Hugging Face has no default model: name one, as in --model hugg"
    with pytest.raises(ModelError) as caught:
        choose_model("", keys, nothing, lambda _: True)
    assert caught.value.why.startswith(told)
    served = choose_model("", keys, lambda: (OLLAMA,), lambda _: True)
    assert served.url == OLLAMA.url
    assert told in served.reason
    assert "no key is set" not in caught.value.why + served.reason


@pytest.mark.parametrize(
    ("name", "server"), [("qwen", LLAMA), ("llama3", OLLAMA), ("claude", None), ("a/qwen", None)]
)
def test_a_bare_name_may_be_a_model_of_a_local_server(
    name: str, server: LocalServer | None
) -> None:
    found = choose_model(name, {}, lambda: (OLLAMA, LLAMA), lambda _: False)
    assert found.url == (server.url if server is not None else None)
    assert found.model == (server.models[0] if server is not None else name)
    assert resolve_model(name, found, "", {}) == found


def test_a_book_that_a_local_server_began_finds_it_again() -> None:
    found = choose_model("openai/qwen", {}, lambda: (OLLAMA, LLAMA), lambda _: False)
    assert found == ModelChoice("openai/qwen", f"llama.cpp serves it at {LLAMA.url}", LLAMA.url)


def test_a_named_model_whose_server_is_gone_stays_what_it_is() -> None:
    assert choose_model("openai/qwen", {}, nothing, lambda _: True).url is None


@pytest.mark.parametrize(
    ("name", "model", "url"),
    [
        ("", "openai/a", "http://local/v1"),
        ("openai/a", "openai/a", "http://local/v1"),
        ("anthropic/b", "anthropic/b", None),
        ("demo", "demo", None),
        ("offline", "offline", None),
    ],
)
def test_a_server_belongs_to_its_model_and_no_other(name: str, model: str, url: str | None) -> None:
    default = ModelChoice("openai/a", "found", "http://local/v1")
    found = resolve_model(name, default, "", {})
    assert (found.model, found.url) == (model, url)


def test_a_server_of_the_settings_is_for_every_model_but_the_stand_in_author() -> None:
    default = ModelChoice("openai/a", "configured")
    assert resolve_model("mistral/b", default, "http://proxy/v1", {}).url == "http://proxy/v1"
    assert resolve_model("demo", default, "http://proxy/v1", {}).url is None


def test_a_bare_name_beside_a_base_url_is_a_model_of_that_server() -> None:
    environ = {"OPENAI_BASE_URL": "http://own/v1"}
    default = choose_model("small", environ, unasked, lambda _: True)
    assert (default.model, default.url) == ("openai/small", "http://own/v1")
    assert resolve_model("small", default, "", environ) == default
    assert resolve_model("anthropic/b", default, "", environ).url is None
