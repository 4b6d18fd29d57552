"""Who may change something at the desk, and what is never done unasked."""

import http.client
import io
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from starlette.routing import Route
from tests.support.desk import Desk
from tests.support.desk_server import DeskServer, csrf_of, desk_apart, desk_server

from libriscribe2.commands.actions import KINDS
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


@pytest.mark.parametrize("kind", KINDS)
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


def test_a_new_book_is_not_begun_without_the_estimate_that_was_shown(desk: DeskServer) -> None:
    before = files_of(desk)
    form = {"csrf": csrf_of(desk), "premise": "A ferry without water.", "model": "demo"}
    for quote in ("", "guessed"):
        answer = desk.ask("/new/start", "POST", {**form, "quote": quote})
        assert answer.status == 400
        assert "was not shown" in answer.body
    assert files_of(desk) == before


@pytest.mark.parametrize(("other", "goes"), [("demo", "write"), ("manual", "manual")])
def test_a_pasted_reply_starts_no_other_model_without_an_estimate(
    tmp_path: Path, other: str, goes: str
) -> None:
    typed = Desk(tmp_path)
    typed.environment["LIBRISCRIBE2_MODELS__DEFAULT"] = "manual"
    typed.run("create", "A ferry.", "--chapters", "1", "--project-name", BOOK, expect=None)
    folder = tmp_path / "projects" / BOOK / "manual"
    (first,) = folder.glob("*.md")
    reply = {"title": "The Ferry", "logline": "A ferry runs dry.", "description": "It ran dry."}
    models = {
        "LIBRISCRIBE2_MODELS__DEFAULT": "manual",
        "LIBRISCRIBE2_MODELS__WORLD__MODEL": other,
    }
    with desk_server(tmp_path, **models) as desk:
        shown = desk.ask(f"/b/{BOOK}/manual").body
        found = re.search(r'name="paste" value="([^"]+)"', shown)
        assert found is not None
        form = {"csrf": csrf_of(desk), "paste": found[1], "text": json.dumps(reply)}
        answer = desk.ask(f"/b/{BOOK}/manual", "POST", form)
        assert answer.headers["location"] == f"/b/{BOOK}/{goes}"
    asked = [one for one in folder.glob("*.md") if "reply" not in one.name]
    assert (asked == [first]) == (goes == "write")


def upload(desk: DeskServer, name: str, data: bytes) -> tuple[int, str]:
    """Bring a file along, as the page does."""
    connection = http.client.HTTPConnection("127.0.0.1", desk.port, timeout=60)
    headers = {"X-Token": desk.token, "X-CSRF": csrf_of(desk)}
    headers["Content-Type"] = "application/octet-stream"
    try:
        connection.request("POST", f"/import?name={name}", data, headers)
        reply = connection.getresponse()
        return reply.status, reply.read().decode("utf-8")
    finally:
        connection.close()


def readers_of(desk: DeskServer) -> int:
    """How many processes the desk has started for what is brought along."""
    pid = desk.pid
    found = Path(f"/proc/{pid}/task").glob("*/children")
    children = [child for one in found for child in one.read_text("utf-8").split()]
    lines = [Path(f"/proc/{child}/cmdline").read_bytes() for child in children]
    return sum(b"spawn_main" in line for line in lines)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
def test_a_file_is_bounded_and_read_in_a_process_of_its_own(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * 150_000_000)
    with desk_apart(tmp_path) as desk:
        with pytest.raises((BrokenPipeError, ConnectionResetError, AssertionError)):
            assert upload(desk, "huge.txt", b"x" * (50 * 2**20 + 1))[0] != 413
        assert readers_of(desk) == 0
        status, told = upload(desk, "bomb.docx", packed.getvalue())
        assert status == 400
        assert "bomb.docx" in told
        assert readers_of(desk) == 1
        assert upload(desk, "good.md", b"# One\n\nIt rained all day long.\n")[0] == 200
        peak = Path(f"/proc/{desk.pid}/status").read_text("utf-8")
    found = re.search(r"VmHWM:\s+(\d+) kB", peak)
    assert found is not None
    assert int(found[1]) < 500_000
    assert list((tmp_path / "projects").glob("*")) == []
