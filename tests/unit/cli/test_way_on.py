"""How to go on is said in one wording, once, and only of a book."""

import pytest

from libriscribe2.cli.process import typed_to_resume, with_next_step


@pytest.mark.parametrize(
    ("fix", "told"),
    [
        ("", "continue with `libriscribe2 resume a`"),
        ("set a key", "set a key; then continue with `libriscribe2 resume a`"),
        ("Set a key.", "Set a key. Then continue with `libriscribe2 resume a`."),
        ("continue with `libriscribe2 resume a --max-cost 2`",) * 2,
        ("wait, then run `libriscribe2 resume`",) * 2,
    ],
)
def test_advice_names_the_command_once(fix: str, told: str) -> None:
    assert with_next_step(fix, "a") == told


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["resume", "a b"], "'a b'"),
        (["--quiet", "--debug", "resume", "--until", "outline", "a"], "--until outline a"),
        (["resume"], ""),
        (["create", "resume"], ""),
        ([], ""),
    ],
)
def test_what_was_typed_after_resume_can_be_typed_again(words: list[str], said: str) -> None:
    assert typed_to_resume(words) == said
