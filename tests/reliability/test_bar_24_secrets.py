"""Bar 24, threat 7: a key stands nowhere but in the request to its own provider.

Again: .venv/bin/pytest tests/reliability/test_bar_24_secrets.py
"""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from tests.support.bars import Bar
from tests.support.desk import PREMISE, Desk
from tests.support.obeying_model import ObeyingModel
from tests.support.openai_replies import Fault
from tests.support.openai_server import OpenAIServer
from tests.support.web_pages import Answer, WebPages

from libriscribe2 import cli
from libriscribe2.cli import frame
from libriscribe2.research.access import ResearchMeans
from libriscribe2.settings import parts

BAR: Final = Bar(24, 24, "test_bar_24_secrets.py")
pytestmark = pytest.mark.filterwarnings(
    "ignore:Accessing the .* attribute on the instance is deprecated"
)
KEY: Final = "CANARY7f3a9b2c5d8e1f"
"""It looks like no provider's key, so only who knows it can mask it."""

SEARCH_KEY: Final = "CANARYsearch4f8e1b"
TOLD: Final = (
    f"Incorrect API key provided: {KEY}. Sent: Authorization: Bearer {KEY}, ?key={KEY}&x=1"
)
BODY: Final = {"error": {"message": TOLD, "code": KEY, "param": KEY, "type": f"invalid {KEY}"}}

FAILURES: Final[dict[str, Fault]] = {
    **{f"status {n}": Fault(status=n, body=BODY) for n in (400, 401, 403, 404, 413, 422, 500)},
    "status 429": Fault(status=429, body=BODY, headers={"Retry-After": "0", "X-Key": KEY}),
    "status 503 as a page": Fault(status=503, body=f"<html><body>{TOLD}</body></html>"),
    "a reply cut off": Fault("cut"),
    "no JSON": Fault("broken_json"),
    "a page": Fault("html"),
    "the line dropped": Fault("drop"),
    "withheld": Fault("filtered"),
    "no choices": Fault("no_choices"),
}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.environment |= {
        "OPENAI_API_KEY": KEY,
        "LIBRISCRIBE2_LLM__RETRIES": "0",
        "LIBRISCRIBE2_PIPELINE__MAX_ATTEMPTS": "1",
        "LIBRISCRIBE2_LOG_LEVEL": "DEBUG",
    }
    return desk


@pytest.mark.slow
def test_bar_24_07_a_key_is_in_no_byte_that_is_written(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []
    size = ("--chapters", "1", "--scenes-per-chapter", "1", "--words", "60")
    for number, (kind, fault) in enumerate(FAILURES.items()):
        with OpenAIServer([Fault("ok"), *[fault] * 3]) as server:
            desk.environment["OPENAI_BASE_URL"] = server.url
            new = ("create", PREMISE, "-m", "openai/x", "-p", f"book-{number}", *size)
            ran = desk.run("--debug", *new, expect=None)
            assert ran.code in (1, 4, 5, 7), (kind, ran)
            assert all(f"Bearer {KEY}" in post.headers.values() for post in server.posts)
            listed = desk.run("debug", "list", f"book-{number}", expect=None)
            said += (listed.out, listed.err)
        said += (ran.out, ran.err)
    assert not [text for text in said if KEY in text]
    count = _assert_written_nowhere(desk.folder, KEY)
    BAR.tell(capsys, f"threat 7: {len(FAILURES)} failures, key in 0 of {count} files, 0 of screens")


@pytest.mark.slow
def test_bar_24_07_a_key_follows_no_redirect(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    statuses = (301, 302, 303, 307, 308)
    for status_code in statuses:
        with OpenAIServer() as other:
            moved = Fault(status=status_code, headers={"Location": f"{other.url}/chat/completions"})
            with OpenAIServer([moved] * 3) as server:
                desk.environment["OPENAI_BASE_URL"] = server.url
                name = f"book-{status_code}"
                new = ("create", PREMISE, "-m", "openai/x", "-p", name, "--until", "concept")
                desk.run("--debug", *new, expect=None)
            assert not [seen for seen in other.requests if KEY in str(seen.headers)], status_code
    _assert_written_nowhere(desk.folder, KEY)
    BAR.tell(capsys, f"threat 7: {len(statuses)} redirects, key sent to 0 other servers")


@pytest.mark.slow
def test_bar_24_07_the_key_of_a_search_engine_is_told_to_nobody(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.written("--research", "--until", "concept")
    answers = {
        "422": Answer(422, f"bad query, key {SEARCH_KEY}".encode()),
        "401": Answer(401, f"bad key {SEARCH_KEY}".encode()),
        "a picture": Answer(200, b"x", {"Content-Type": "image/png"}),
        "moved": Answer(302, b"", {"Location": f"/nowhere?key={SEARCH_KEY}"}),
        "no JSON": Answer(200, SEARCH_KEY.encode(), {"Content-Type": "application/json"}),
        "too large": Answer(200, b"{}" * 2_000_000, {"Content-Type": "application/json"}),
    }
    for number, (kind, answer) in enumerate(answers.items()):
        with (
            WebPages({"/find": answer}) as site,
            ObeyingModel("http://x.example/", ("set_budget",)) as model,
        ):
            means = partial(ResearchMeans, loopback_ports=frozenset({site.port}))
            monkeypatch.setattr(parts, "ResearchMeans", means)
            desk.environment |= {
                "OPENAI_BASE_URL": model.url,
                "LIBRISCRIBE2_RESEARCH__MAX_PAGE_MB": "1",
                "LIBRISCRIBE2_RESEARCH__SEARCH_URL": f"{site.root}/find?q={{query}}&key={SEARCH_KEY}",
            }
            ask = ("research", "book", f"How high is the tide, {number}?", "--model", "openai/x")
            ran = desk.run("--debug", *ask, expect=5)
            shown = desk.run("research", "show", "book", "--run")
            assert any(f"key={SEARCH_KEY}" in asked for asked in site.requests), kind
            said = [*model.prompts, ran.out, ran.err, shown.out, shown.err]
        assert not [text for text in said if SEARCH_KEY in text], kind
    _assert_written_nowhere(desk.folder, SEARCH_KEY)
    BAR.tell(capsys, f"threat 7: {len(answers)} failed searches, the engine's key told to nobody")


class _Left(BaseException):
    """The process has ended."""


def test_bar_24_07_a_bug_tells_no_key_and_steers_no_terminal(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_arguments: object) -> None:
        raise RuntimeError(f"\x1b]52;c;x\x07 \u202e{KEY}")

    def leave(_code: int) -> None:
        raise _Left

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(desk.folder)
    monkeypatch.setattr(frame, "locate", broken)
    monkeypatch.setattr(cli, "leave", leave)
    for words in (["status", "book"], ["--debug", "status", "book"]):
        monkeypatch.setattr(sys, "argv", ["libriscribe2", *words])
        with pytest.raises(_Left):
            cli.main()
        told = capsys.readouterr()
        assert "this is a bug" in told.err
        for hostile in (KEY, "\x1b", "\x07", "\u202e"):
            assert hostile not in told.out + told.err


def _assert_written_nowhere(folder: Path, secret: str) -> int:
    """How many files were looked at; a secret may be in the bytes or the name of none."""
    files = list(_files(folder))
    assert not [path for path in files if secret.encode() in path.read_bytes()]
    assert not [path for path in files if secret in path.name]
    return len(files)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())
