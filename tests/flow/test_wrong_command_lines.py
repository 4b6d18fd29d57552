"""Command lines that cannot be understood: one line with what is wrong and what to type."""

import json

import pytest
from tests.support.desk import Desk


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("creat", "x"), "No such command 'creat'. Did you mean 'create'? fix: see `libriscribe2 "),
        (("zzzz",), "No such command 'zzzz'. fix: see `libriscribe2 --help`"),
        (("batch", "ad"), "Did you mean 'add'? fix: see `libriscribe2 batch --help`"),
        (("create", "--chapters"), "requires an argument. fix: see `libriscribe2 create --help`"),
        (("batch", "add", "--batch"), "fix: see `libriscribe2 batch add --help`"),
        (("--chapters", "create"), "No such option: --chapters. fix: see `libriscribe2 --help`"),
        (("create", "x", "-q"), "fix: -q comes before the command: `libriscribe2 -q create ...`"),
        (("batch", "add", "x", "--debug"), "`libriscribe2 --debug batch add ...`"),
        (
            ("create", "x", "--config-file", "y"),
            "fix: settings are in .env, `libriscribe2 config",
        ),
        (("create", "x", "--skip-error"), "`libriscribe2 resume` continues after a failure"),
        (("outline", "x"), "No such command 'outline': `libriscribe2 redo PROJECT STAGE` writes"),
        (("create", "x", "--words", "0"), "'--words': it has to be 1 or more, not '0'. fix: see"),
        (("debug", "show", "x", "y"), "'N': it has to be a whole number, not 'y'. fix: see"),
        (
            ("create", "x", "--max-cost", "much"),
            "'--max-cost': it has to be a number, not 'much'. fix: see",
        ),
    ],
)
def test_XC_08_a_wrong_command_line_says_what_to_type(
    desk: Desk, words: tuple[str, ...], told: str
) -> None:
    ran = desk.run(*words, expect=2)
    assert told in ran.err
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("status", "book", "--frob", "--json"), "No such option: --frob"),
        (("creat", "--json"), "No such command 'creat'. Did you mean 'create'?"),
    ],
)
def test_XC_08_with_json_a_wrong_command_line_is_an_object_too(
    desk: Desk, words: tuple[str, ...], what: str
) -> None:
    told = json.loads(desk.run(*words, expect=2).err)
    assert (told["error"], told["message"], told["why"]) == ("usage", what, "")
    assert told["fix"].startswith("see `libriscribe2 ")
