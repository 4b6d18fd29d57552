"""`.env` and the process's environment."""

from pathlib import Path

import pytest

from libriscribe2.errors import ConfigError
from libriscribe2.settings.layers import Environment, export, read_env_file


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


def test_blanks_around_a_key_are_not_part_of_it() -> None:
    environ = {"OPENAI_API_KEY": " sk-1\n", "GROQ_API_KEY": "gsk", "OTHER": " x "}
    export({"XAI_API_KEY": "xai\r", "OPENAI_API_KEY": "file"}, environ)
    assert environ == {
        "OPENAI_API_KEY": "sk-1",
        "GROQ_API_KEY": "gsk",
        "OTHER": " x ",
        "XAI_API_KEY": "xai",
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("A=1\nOPENAI_API_KEY='sk-secret\nB=2\n", 2),
        ("=x\n", 1),
        ("# keys\n\nA=1\nnot a variable !!\n", 4),
        ('A="x\n', 1),
    ],
)
def test_XC_08_a_line_that_cannot_be_read_is_named_and_not_shown(
    tmp_path: Path, text: str, line: int
) -> None:
    file = tmp_path / ".env"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        read_env_file(file)
    told = raised.value
    assert str(file) in told.what
    assert f"Line {line} " in told.why
    assert "secret" not in f"{told.what}{told.why}{told.fix}"


def test_comments_blank_lines_and_names_alone_are_no_faults(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("\n# A\n\nexport A=1\nB\nC=\n  D = 'x' # y\n\n", encoding="utf-8")
    assert read_env_file(file) == {"A": "1", "C": "", "D": "x"}
