"""The rate limits of the settings: they hold for models, and for nobody who only stands in."""

import re
from pathlib import Path

import pytest
from tests.support.desk import PREMISE, SMALL, Desk
from tests.support.openai_server import OpenAIServer

KEY = "sk-very-secret-0123456789abcdef"
pytestmark = pytest.mark.filterwarnings(
    "ignore:Accessing the .* attribute on the instance is deprecated"
)


@pytest.fixture
def limited(desk: Desk) -> Desk:
    """A desk at which a model may be asked once a minute."""
    desk.environment["LIBRISCRIBE2_LLM__REQUESTS_PER_MINUTE"] = "1"
    return desk


def state(desk: Desk) -> list[Path]:
    """The files in the user's state folder."""
    return list(Path(str(desk.environment["XDG_STATE_HOME"])).rglob("rates*"))


def test_the_stand_in_author_and_an_estimate_wait_for_nobody(limited: Desk) -> None:
    limited.create()
    limited.environment["OPENAI_API_KEY"] = KEY
    command = ("create", PREMISE, "-m", "openai/x", "-p", "priced", "--dry-run", *SMALL)
    assert "waiting" not in limited.run(*command).err
    assert state(limited) == []


def test_without_a_limit_there_is_no_file(desk: Desk) -> None:
    with OpenAIServer() as server:
        desk.environment |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        desk.run("create", PREMISE, "-m", "openai/x", "-p", "book", "--until", "world", *SMALL)
    assert state(desk) == []


def test_a_limit_that_is_not_reached_leaves_a_file_without_key_or_name(desk: Desk) -> None:
    desk.environment["LIBRISCRIBE2_LLM__KILO_TOKENS_PER_MINUTE"] = "100000"
    with OpenAIServer() as server:
        desk.environment |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        desk.run("create", PREMISE, "-m", "openai/x", "-p", "book", "--until", "world", *SMALL)
    content = b"".join(path.read_bytes() for path in state(desk))
    assert re.search(rb"tokens_[0-9a-f]{20}", content)
    assert KEY.encode() not in content
    assert b"openai" not in content


@pytest.mark.parametrize("value", ["0", "-3", "many", "true"])
def test_a_limit_that_is_none_is_refused_by_name(desk: Desk, value: str) -> None:
    desk.environment["LIBRISCRIBE2_LLM__REQUESTS_PER_MINUTE"] = value
    ran = desk.create(expect=3)
    assert "REQUESTS_PER_MINUTE" in ran.err
