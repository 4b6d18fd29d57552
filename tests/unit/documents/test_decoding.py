"""Bytes to text: what they declare, else what fits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.documents.decoding import GUESSED, decode

TEXT = "Ein Fa\u00df Salz \u2013 3,5 Dukaten"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_told_by_its_mark_or_by_itself(encoding: str) -> None:
    assert decode(TEXT.encode(encoding)) == (TEXT, "")


def test_utf16_without_native_order_is_read_by_its_mark() -> None:
    assert decode(b"\xfe\xff" + TEXT.encode("utf-16-be")) == (TEXT, "")


@pytest.mark.parametrize("head", [b'<meta charset="%s">', b"<?xml version='1.0' encoding='%s'?>"])
def test_markup_declares_its_encoding(head: bytes) -> None:
    data = head % b"iso-8859-2" + "\u0161est".encode("iso-8859-2")
    assert decode(data, is_markup=True)[0].endswith("\u0161est")
    assert decode(data)[1] == GUESSED


def test_the_server_is_asked_before_the_page() -> None:
    data = b'<meta charset="iso-8859-2">' + "\u0448".encode("koi8-r")
    assert decode(data, declared="koi8-r", is_markup=True)[0].endswith("\u0448")


def test_utf8_is_believed_whatever_a_page_says_of_itself() -> None:
    data = b'<meta charset="iso-8859-1">' + TEXT.encode()
    assert decode(data, is_markup=True)[0].endswith(TEXT)


@pytest.mark.parametrize("declared", ["", "no-such", "utf-7", "base64", "rot13", "utf-16", "\0"])
def test_what_cannot_be_believed_is_guessed_and_flagged(declared: str) -> None:
    assert decode("caf\u00e9s".encode("cp1252"), declared=declared) == ("caf\u00e9s", GUESSED)


def test_latin1_means_what_browsers_take_it_for() -> None:
    assert decode(b"\x93salt\x94", declared="iso-8859-1") == ("\u201csalt\u201d", "")


@given(st.binary(max_size=200), st.text(max_size=20), st.booleans())
def test_any_bytes_become_text(data: bytes, declared: str, is_markup: bool) -> None:
    text, flag = decode(data, declared=declared, is_markup=is_markup)
    assert isinstance(text, str)
    assert flag in ("", GUESSED)


@given(st.text())
def test_utf8_comes_out_as_it_went_in(text: str) -> None:
    assert decode(text.encode("utf-8", "surrogatepass") if text.isascii() else text.encode())[
        0
    ] == text.removeprefix("\ufeff")
