"""Who may change something at the desk, and what is never done unasked."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from starlette.routing import Route
from tests.support.desk import Desk
from tests.support.desk_server import DeskServer, desk_server

from libriscribe2.desk.server import Door
from libriscribe2.desk.visits import Desk as OpenDesk
from libriscribe2.desk.visits import desk_pages

BOOK: Final = "book"


def changes() -> list[str]:
    """Every address of the desk that changes something."""
    door = Door.on(0)
    with door.listener:
        routes = desk_pages(OpenDesk(door), lambda: False).routes
    posted = [
        one.path for one in routes if isinstance(one, Route) and "POST" in (one.methods or ())
    ]
    filled = {"book": BOOK, "chapter": "1", "version": "1", "part": "1", "key": "x"}
    found = [re.sub(r"\{(\w+)\}", lambda one: filled[one[1]], path) for path in posted]
    return [path for path in found if path != "/enter"]


CHANGES: Final = tuple(changes())


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskServer]:
    folder = tmp_path_factory.mktemp("shelf")
    Desk(folder).create()
    with desk_server(folder) as server:
        yield server


def csrf_of(desk: DeskServer) -> str:
    found = re.search(r'name="csrf" content="([^"]+)"', desk.ask("/").body)
    assert found is not None
    return found[1]


def files_of(desk: DeskServer) -> dict[Path, bytes]:
    root = desk.folder / "projects"
    return {one: one.read_bytes() for one in root.rglob("*") if one.is_file()}


@pytest.mark.parametrize("path", CHANGES)
def test_a_change_without_the_word_of_a_page_is_refused(desk: DeskServer, path: str) -> None:
    before = files_of(desk)
    assert desk.ask(path, "POST", {"kind": "write"}).status == 403
    assert desk.ask(path, "POST", {"kind": "write", "csrf": "guessed"}).status == 403
    assert files_of(desk) == before


@pytest.mark.parametrize("path", CHANGES)
def test_strangers_change_nothing(desk: DeskServer, path: str) -> None:
    form = {"csrf": csrf_of(desk)}
    assert desk.ask(path, "POST", form, X_Token="").status == 401
    assert desk.ask(path, "POST", form, Host="evil.example").status == 421
    assert desk.ask(path, "POST", form, Origin="http://evil.example").status == 403
    assert desk.ask(path, "POST", form, Origin="null").status == 403
    assert desk.ask(path, "POST", form, Sec_Fetch_Site="cross-site").status == 403


@pytest.mark.parametrize("kind", ["write", "plan", "redo", "rewrite", "revise", "variants", "mend"])
def test_nothing_that_spends_starts_without_the_estimate_that_was_shown(
    desk: DeskServer, kind: str
) -> None:
    form = {"csrf": csrf_of(desk), "kind": kind, "part": "1", "wish": "tenser"}
    for quote in ("", "guessed"):
        answer = desk.ask(f"/b/{BOOK}/start", "POST", {**form, "quote": quote})
        assert answer.status == 400
        assert "was not shown" in answer.body


def test_an_estimate_is_good_for_one_start_of_the_same_action(desk: DeskServer) -> None:
    form = {"csrf": csrf_of(desk), "kind": "redo", "part": "1"}
    shown = desk.ask(f"/b/{BOOK}/quote", "POST", form).body
    found = re.search(r'name="quote" value="([^"]+)"', shown)
    assert found is not None
    other = {**form, "part": "2", "quote": found[1]}
    assert desk.ask(f"/b/{BOOK}/start", "POST", other).status == 400
    same = {**form, "quote": found[1]}
    assert desk.ask(f"/b/{BOOK}/start", "POST", same).status == 400  # it is used up


def test_the_policy_lets_nothing_inline_run_and_no_address_holds_the_token(
    desk: DeskServer,
) -> None:
    for path in ("/", "/new", f"/b/{BOOK}/plan", f"/b/{BOOK}/read/1"):
        answer = desk.ask(path)
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert desk.token not in answer.body
        assert not re.search(r"<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=", answer.body), path
    cookie = desk.ask("/enter", "POST").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie


def test_too_much_at_once_is_refused(desk: DeskServer) -> None:
    form = {"csrf": csrf_of(desk), "text": "x" * 4_100_000}
    assert desk.ask(f"/b/{BOOK}/read/1", "POST", form).status == 413


@pytest.mark.parametrize("name", ["..", "%2e%2e", "nothing", ".libriscribe"])
def test_no_address_leads_out_of_the_shelf(desk: DeskServer, name: str) -> None:
    assert desk.ask(f"/b/{name}/plan").status == 404
    assert desk.ask(f"/b/{BOOK}/exports/{name}").status == 404
