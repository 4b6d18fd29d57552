"""`.env` and the process's environment."""

from pathlib import Path

import pytest

from libriscribe2.errors import ConfigError
from libriscribe2.settings import Environment, export, read_env_file


def test_XC_12_the_file_is_read_as_dotenv_reads_it(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("# keys\nexport A='x y'\nB=1 # one\nC\nÄ=ü\n", encoding="utf-8")
    assert read_env_file(file) == {"A": "x y", "B": "1", "Ä": "ü"}


def test_without_a_file_there_are_no_variables(tmp_path: Path) -> None:
    assert read_env_file(tmp_path / ".env") == {}


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(b"A=\xff")
    with pytest.raises(ConfigError, match=r"\.env"):
        read_env_file(file)


def test_XC_12_the_real_environment_wins() -> None:
    environ = {"A": "real", "EMPTY": ""}
    export({"A": "file", "B": "file", "EMPTY": "file"}, environ)
    assert environ == {"A": "real", "B": "file", "EMPTY": ""}


def test_the_origin_is_the_same_before_and_after_the_export() -> None:
    env_file = {"A": "file", "B": "file"}
    environ = {"A": "real"}
    before = Environment.of(environ, env_file)
    export(env_file, environ)
    after = Environment.of(environ, env_file)
    assert before == after
    assert before.origin("A") == "env A"
    assert before.origin("B") == ".env"
