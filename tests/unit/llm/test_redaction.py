"""Secrets never reach text that people read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.wording import MASK, redact, secrets_in


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdefghijklmnop",
        "sk-ant-api03-abcdefgh",
        "gsk_abcdefghijkl",
        "AIzaSyABCDEFGHIJKL",
        "Bearer abc.def-ghi",
        "xai-abcdefghijkl",
        "nvapi-abcdefghijkl",
        "csk-abcdefghijkl",
        "r8_abcdefghijkl",
        "x-api-key: abcdefghijkl",
        "apikey=abcdefghijkl",
        "TOKEN=abcdefghijkl",
        "Bearer eyJhbGciOiJIUzI1NiJ9",
    ],
)
def test_what_looks_like_a_key_is_masked(secret: str) -> None:
    masked = redact(f"the key {secret} was refused")
    assert masked == f"the key {MASK} was refused"


def test_keys_in_addresses_and_headers_are_masked() -> None:
    text = redact("GET http://x/?key=abcdefgh&alt=1 {'x-api-key': 'zyxwvuts'}")
    assert "abcdefgh" not in text
    assert "zyxwvuts" not in text
    assert "alt=1" in text


def test_basic_credentials_are_masked_in_their_header() -> None:
    assert redact("Authorization: Basic dXNlcjpwYXNz") == f"Authorization: {MASK}"


def test_ordinary_sentences_stay() -> None:
    text = (
        "Model sketch-pad not found: token limit is 4096, see basic usage of bearer authentication."
    )
    assert redact(text) == text


def test_the_longest_secret_is_masked_first() -> None:
    assert redact("canary-123456", ["canary-123", "canary-123456"]) == MASK


def test_too_short_a_secret_would_mask_everything() -> None:
    assert redact("a banana", ["a"]) == "a banana"


def test_secrets_are_known_by_the_names_of_their_variables() -> None:
    environ = {
        "OPENAI_API_KEY": "one",
        "AZURE_AD_TOKEN": "two",
        "AWS_SECRET_ACCESS_KEY": "three",
        "HOME": "/root",
        "EMPTY_API_KEY": "",
    }
    assert set(secrets_in(environ)) == {"one", "two", "three"}


@given(st.text(alphabet=st.characters(codec="ascii", categories=["L", "N"]), min_size=8), st.text())
def test_a_known_secret_never_survives(secret: str, around: str) -> None:
    assert secret not in redact(f"{around}{secret}{around}", [secret]).replace(MASK, "")


@pytest.mark.parametrize(
    "secret",
    [
        *("BEARER abc123def456", "Authorization: BASIC dXNlcjpwYXNz", "gSK_abcdef123456"),
        *("sk-abcdef123456", "\u017fk-abcdef123456", "s\u212a-abcdef123456", "r8_abcdef123456"),
        *("TGP-abcdef123456", "NVAPI-abcdef123456", "nvap\u0130-abcdef123456", "hf_abcdef123456"),
        *("A\u0131zaABCDEFGHIJKL", "?API_KEY=abcdef123456", "&TOKEN=abcdef123456"),
        *("X-API-KEY: abcdef123456", '"api-key": "abcdef123456"'),
    ],
)
def test_whatever_its_capitals_a_secret_is_masked(secret: str) -> None:
    masked = redact(f"It said — {secret}\n")
    assert MASK in masked
    assert "abcdef123456" not in masked
