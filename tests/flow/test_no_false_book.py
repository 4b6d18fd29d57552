"""A book is written by whom the author named, and keys are kept where nobody else reads them."""

import os
import stat
from pathlib import Path

import pytest
from tests.support.desk import PREMISE, SMALL, Desk
from tests.support.openai_server import OpenAIServer

KEY = "sk-very-secret-0123456789abcdef"
ANEW = "`libriscribe2 resume book --model MODEL` writes it anew"
LITELLM = pytest.mark.filterwarnings(
    "ignore:Accessing the .* attribute on the instance is deprecated"
)


def kept_file(desk: Desk) -> Path:
    return Path(str(desk.environment["XDG_CONFIG_HOME"])) / "libriscribe2" / "keys.json"


@pytest.mark.parametrize("options", [(), ("--dry-run",), ("--no-input",)])
def test_without_a_key_or_a_server_create_stops_and_names_three_ways(
    desk: Desk, options: tuple[str, ...]
) -> None:
    told = desk.run("create", PREMISE, *SMALL, *options, expect=4).err
    for way in ("libriscribe2 keys set openai", "local server", "--model manual"):
        assert way in told
    assert not (desk.folder / "projects").exists()


def test_a_key_is_kept_for_the_user_alone_and_shown_nowhere(desk: Desk) -> None:
    ran = desk.run("keys", "set", "openai", typed=f"{KEY}\n")
    assert stat.S_IMODE(kept_file(desk).stat().st_mode) == 0o600
    listed = desk.run("keys", "list")
    assert "openai\tOPENAI_API_KEY" in listed.out
    assert "(OPENAI_API_KEY is set)" in desk.run("models").err
    told = ran.out + ran.err + listed.out + listed.err + desk.run("config", "show").out
    assert KEY not in told
    desk.run("keys", "set", "Anthropic", typed=KEY)
    desk.run("keys", "remove", "openai")
    rows = desk.run("keys", "list", "--json").value
    assert [row["provider"] for row in rows] == ["anthropic"]
    assert "No key of OpenAI" in desk.run("keys", "remove", "openai", expect=2).err


@pytest.mark.parametrize(
    ("words", "typed", "code", "told"),
    [
        (("set", "opnai"), KEY, 2, "Did you mean 'openai'?"),
        (("set", "openai"), "", 2, "There is no key"),
        (("set", "openai"), "two words", 4, "OPENAI_API_KEY does not hold a key"),
    ],
)
def test_a_wrong_key_is_refused_in_a_line(
    desk: Desk, words: tuple[str, ...], typed: str, code: int, told: str
) -> None:
    assert told in desk.run("keys", *words, typed=typed, expect=code).err
    assert not kept_file(desk).exists()


def test_a_damaged_file_of_keys_is_told_without_what_it_holds(desk: Desk) -> None:
    desk.run("keys", "set", "openai", typed=KEY)
    kept_file(desk).write_text(f'{{"OPENAI_API_KEY": "{KEY}"', encoding="utf-8")
    told = desk.run("models", expect=3).err
    assert "keys.json" in told
    assert KEY not in told


def test_the_variable_of_the_environment_and_of_the_folder_outrank_a_kept_key(desk: Desk) -> None:
    desk.run("keys", "set", "openai", typed=KEY)
    (desk.folder / ".env").write_text("OPENAI_API_KEY=sk-of-the-folder\n", encoding="utf-8")
    assert desk.run("keys", "list", "--json").value[0]["place"] == "environment or .env"


def test_a_kept_key_does_not_travel_to_an_address_that_a_folder_names(desk: Desk) -> None:
    desk.run("keys", "set", "CO_API_KEY", typed=KEY)  # Cohere's, of which LiteLLM reads two names
    (desk.folder / ".env").write_text(
        "CO_API_KEY=theirs\nCOHERE_API_BASE=http://127.0.0.1:9/v1\n", encoding="utf-8"
    )
    desk.run("keys", "set", "cohere_chat", typed=KEY)
    told = desk.run("models").err
    assert "ignored: COHERE_API_BASE" in told
    assert "COHERE_API_BASE" not in os.environ


def test_who_wrote_a_book_of_the_stand_in_is_said_first_and_last(desk: Desk) -> None:
    ran = desk.create()
    assert "named explicitly" not in ran.err
    for command in ("status", "resume"):
        assert ANEW in desk.run(command, "book").err
    assert desk.run("status", "book", "--json").value["stand_in"] is True


@LITELLM
def test_a_model_writes_the_book_of_the_stand_in_anew_and_stays(desk: Desk) -> None:
    desk.written("--no-revision")
    book = desk.project()
    book.write("characters.json", book.text("characters.json").replace("  ", "   "))
    mine = book.text("characters.json").replace('"role": "', '"role": "my own ')
    book.write("characters.json", mine)
    before = book.chapters()
    with OpenAIServer() as server:
        desk.environment |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        quote = desk.run("resume", "book", "--model", "openai/x", "--dry-run", "--json").value
        assert quote["total"]["calls"] > 5
        desk.run("resume", "book", "--model", "openai/x", "--until", "outline")
        assert ANEW in desk.run("status", "book").err
        desk.run("resume", "book")  # the book knows its model now
        asked = len(server.posts)
        assert "stand-in" not in desk.run("resume", "book").err
        assert len(server.posts) == asked
    assert all(old not in book.chapters() for old in before)
    assert book.text("characters.json") == mine
    assert "stand-in" not in desk.run("status", "book").err
