"""Addresses and keys with which no request could leave."""

import pytest

from libriscribe2.errors import ConfigError, ModelError
from libriscribe2.llm.server_addresses import check_address, check_key, fault_of_address


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8080/v1",
        "HTTP://localhost:8080",
        "https://models.example/api/v9/",
        "http://[::1]:8080/v1",
        "http://chat/completions-of-mine",
    ],
)
def test_an_address_that_can_be_asked(url: str) -> None:
    assert fault_of_address(url) == ""


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("localhost:8080", "http:// or https://"),
        ("127.0.0.1:8080/v1", "http:// or https://"),
        ("ftp://x/y", "http:// or https://"),
        ("http://", "http:// or https://"),
        ("/v1", "http:// or https://"),
        ("'http://127.0.0.1:8080/v1'", "http:// or https://"),
        ("http://exa mple/v1", "blank"),
        ("http://127.0.0.1:99999/v1", "not an address"),
        ("http://[::1", "not an address"),
        ("http://user:word@127.0.0.1/v1", "password"),
        ("http://127.0.0.1/v1/chat/completions/", "/chat/completions"),
    ],
)
def test_an_address_that_cannot_says_why(url: str, why: str) -> None:
    with pytest.raises(ConfigError) as raised:
        check_address(url, {"OPENAI_API_BASE": f" {url} "})
    assert why in raised.value.why
    assert "OPENAI_API_BASE" in raised.value.what
    assert "OPENAI_API_BASE" in raised.value.fix
    assert "word" not in raised.value.what


@pytest.mark.parametrize(
    ("url", "meant"),
    [
        ("localhost:11434", "http://localhost:11434 "),
        ("127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1 "),
        ("http://x/v1/chat/completions", "http://x/v1 "),
        ("ftp://x/v1", "http://127.0.0.1:8080/v1 "),
        ("not an address", "http://127.0.0.1:8080/v1 "),
        ("http://user:word@x/v1", "http://127.0.0.1:8080/v1 "),
    ],
)
def test_the_address_that_was_probably_meant_is_told(url: str, meant: str) -> None:
    with pytest.raises(ConfigError) as raised:
        check_address(url, {"OLLAMA_API_BASE": url})
    assert f"Write it like {meant}into OLLAMA_API_BASE" in raised.value.fix


def test_an_address_that_no_variable_holds_is_told_without_one() -> None:
    with pytest.raises(ConfigError, match=r"^The address 'nowhere' of the model's server"):
        check_address("nowhere", {})


@pytest.mark.parametrize("key", ["sk-abc", "sk_a.b~c+/=", "gsk:1"])
def test_a_key_that_can_be_sent(key: str) -> None:
    check_key("OPENAI_API_KEY", key)


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("sk-secr\u00e9t", "no key has"),
        ("sk-secret\r\nX-Evil: 1", "a blank or a line break"),
        ("sk secret", "a blank or a line break"),
        ("'sk-secret'", "quotes"),
        ('"sk-secret"', "quotes"),
        ("sk-secret\x07", "no key has"),
    ],
)
def test_a_key_that_cannot_be_sent_is_not_shown(key: str, why: str) -> None:
    with pytest.raises(ModelError) as raised:
        check_key("OPENAI_API_KEY", key)
    told = raised.value
    assert told.exit_code == 4
    assert why in told.why
    assert "OPENAI_API_KEY" in told.what
    assert "--model demo" in told.fix
    assert "sec" not in f"{told.what}{told.why}{told.fix}"
