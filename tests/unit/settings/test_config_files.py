"""Damaged and hostile configuration files: one error each that names the file, never a traceback."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.errors import ConfigError
from libriscribe2.settings.layers import read_env_file, read_toml, user_file
from libriscribe2.settings.loading import load_settings


@pytest.mark.parametrize(
    "data",
    [
        b"a = ",
        b"[a]\n[a]",
        b"a = 1\na = 2",
        b"\xff\xfe",
        b"a = '\xc3'",
        b"\x00",
        b"a = " + b"[" * 10_000,
        b"a = " + b"9" * 5_000,
        b"# " + b"x" * 1_000_000,
    ],
    ids=["cut", "table", "key", "utf16", "utf8", "nul", "deep", "long number", "large"],
)
def test_a_damaged_file_is_named(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "book.toml"
    file.write_bytes(data)
    with pytest.raises(ConfigError) as caught:
        read_toml(file)
    assert str(file) in caught.value.what
    assert caught.value.why
    assert file.read_bytes() == data


def test_the_error_of_a_toml_file_names_the_line(tmp_path: Path) -> None:
    file = tmp_path / "book.toml"
    file.write_text("a = 1\nb = \n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_toml(file)
    assert "line 2" in caught.value.why


def test_a_folder_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be used") as caught:
        read_toml(tmp_path)
    assert "regular file" in caught.value.why


def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / ".env"
    os.mkfifo(pipe)
    with pytest.raises(ConfigError):
        read_env_file(pipe)


def test_a_file_that_the_system_refuses_is_named(tmp_path: Path) -> None:
    file = tmp_path / ("x" * 300)
    with pytest.raises(ConfigError) as caught:
        read_toml(file)
    assert "too long" in caught.value.why


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    file = tmp_path / "book.toml"
    file.write_bytes(b"\xef\xbb\xbfa = 1\r\n")
    assert read_toml(file) == {"a": 1}


def test_deeply_nested_tables_are_an_unknown_key_and_no_recursion(tmp_path: Path) -> None:
    file = tmp_path / "book.toml"
    file.write_text(f"{'a.' * 500}a = 1", encoding="utf-8")
    with pytest.raises(ConfigError, match="unknown key"):
        load_settings(flags={}, project_file=file, user_file=None, environ={})


def test_the_users_file_lies_in_the_systems_configuration_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert user_file().name == "config.toml"
    assert user_file().parent.name == "libriscribe2"


@given(st.binary(max_size=80))
def test_no_content_brings_anything_but_a_table_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_bytes(data)
    assert _outcome(file) in ("loaded", "named")


def _outcome(file: Path) -> str:
    try:
        load_settings(flags={}, project_file=file, user_file=None, environ={})
    except ConfigError as error:
        return "named" if str(file) in error.what else error.what
    return "loaded"
