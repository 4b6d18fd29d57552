"""Bar 24, threats 6 and 11: no text comes alive in a page, and no stranger gets one.

Again: .venv/bin/pytest tests/reliability/test_bar_24_pages.py
"""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit
from zipfile import ZipFile

import pytest
from tests.support.bars import Bar
from tests.support.dead_page import live_in_html, live_in_xml
from tests.support.desk import Desk
from tests.support.hostile import SCRIPTS
from tests.support.review_book import make_book
from tests.support.review_server import ReviewServer, serving

from libriscribe2.cli.view import source_of
from libriscribe2.project.paths import ProjectPaths

BAR: Final = Bar(24, 24, "test_bar_24_pages.py")
HARMLESS: Final = tuple(f"harmless {number}" for number in range(len(SCRIPTS)))
SCREENS: Final = ("/", "/calls", "/read", "/read/01", "/read/02", "/book", "/problems", "/enter")

Texts = tuple[str, ...]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_book(tmp_path_factory.mktemp("pages") / "desk")


@pytest.fixture
def desk(made: Path, tmp_path: Path) -> Desk:
    return Desk(shutil.copytree(made, tmp_path / "desk"))


def _with_texts(made: Path, folder: Path, texts: Texts) -> Desk:
    """A copy of the book in which every text of a model holds one of these."""
    desk = Desk(shutil.copytree(made, folder))
    book, more = desk.project(), cycle(texts)
    files = [*book.root.glob("*.json"), *book.root.glob(".libriscribe/canon/*.json")]
    for path in (*files, *book.debug.glob("*.json")):
        value = json.loads(path.read_text(encoding="utf-8"))
        changed = _each_text(value, lambda text: f"{text} {next(more)}" if " " in text else text)
        path.write_text(json.dumps(changed), encoding="utf-8")
    for number in (1, 2):
        body = "\n\n".join(
            f"{text}\n\n## {text}\n\n> {text}\n\nText {text} text." for text in texts
        )
        book.write(f"chapters/{number:02d}.md", f"# {texts[number]}\n\n{body}\n")
    toml = book.text("book.toml")
    for key in ("title", "author", "series", "publisher", "rights"):
        told = f"{key} = {json.dumps(next(more))}".replace("\\", r"\\")
        toml = re.sub(rf'^{key} = "[^"]*"', told, toml, flags=re.MULTILINE)
    book.write("book.toml", toml)
    return desk


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {name: _each_text(one, change) for name, one in value.items()}
    if isinstance(value, list):
        return [_each_text(one, change) for one in value]
    return change(value) if isinstance(value, str) else value


def _exported(desk: Desk) -> Iterator[tuple[str, Counter[str]]]:
    """What is alive in each page of the review folder, the HTML and the EPUB."""
    out = desk.folder / "out"
    desk.run("view", "book", "--export", str(out))
    for path in sorted(out.glob("*.html")):
        yield path.name, live_in_html(path.read_text(encoding="utf-8"))
    desk.run("export", "book", "--format", "html,epub")
    exports = desk.project().path("exports")
    yield "book.html", live_in_html((exports / "book.html").read_text(encoding="utf-8"))
    with ZipFile(exports / "book.epub") as epub:
        for name in sorted(epub.namelist()):
            if name.endswith((".xhtml", ".opf", ".ncx")):
                yield name, live_in_xml(epub.read(name))


@pytest.mark.slow
def test_bar_24_06_no_text_comes_alive_in_a_page(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = dict(_exported(_with_texts(made, tmp_path / "harmless", HARMLESS)))
    theirs = dict(_exported(_with_texts(made, tmp_path / "hostile", SCRIPTS)))
    assert len(theirs) >= len(ours) > 20
    for name, found in theirs.items():
        assert found - ours.get(name, Counter()) == Counter(), name
    figure = f"{len(SCRIPTS)} payloads in {len(theirs)} pages of review, HTML and EPUB, 0 alive"
    BAR.tell(capsys, f"threat 6: {figure}")


@pytest.mark.slow
def test_bar_24_06_nothing_of_an_address_comes_alive_in_the_live_pages(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = _with_texts(made, tmp_path / "hostile", SCRIPTS)
    harmless = _with_texts(made, tmp_path / "harmless", HARMLESS)
    with _served(hostile) as theirs, _served(harmless) as ours:
        for place in ("/calls?text={}&agent={}&state={}", "/read/{}"):
            usual = live_in_html(ours.ask(place.replace("{}", "harmless")).body)
            for text in SCRIPTS[::3]:
                shown = theirs.ask(place.replace("{}", quote(text, safe="")))
                if shown.status == 307:  # the same path without its last slash
                    assert shown.headers["location"].startswith(theirs.root)
                else:
                    assert live_in_html(shown.body) - usual == Counter(), (place, text)
        for place in SCREENS:
            found = [live_in_html(one.ask(place).body) for one in (theirs, ours)]
            assert found[0] - found[1] == Counter(), place
    BAR.tell(
        capsys,
        f"threat 6: {len(SCREENS)} live pages and {2 * len(SCRIPTS[::3])} addresses, 0 alive",
    )


def _served(desk: Desk) -> Any:
    book = desk.project()
    return serving(source_of(ProjectPaths(book.root, book.debug)))


EVIL: Final = "http://evil.example"
ATTACKS: Final[dict[str, tuple[int, str, dict[str, str]]]] = {
    "a rebound name": (421, "GET", {"Host": "evil.example:{port}"}),
    "no port": (421, "GET", {"Host": "127.0.0.1"}),
    "another name before ours": (421, "GET", {"Host": "127.0.0.1:{port}.evil.example"}),
    "another site posts": (403, "POST", {"Origin": EVIL}),
    "a sandboxed frame": (403, "POST", {"Origin": "null"}),
    "another port of this machine": (403, "POST", {"Origin": "http://127.0.0.1:1"}),
    "another site": (403, "GET", {"Sec_Fetch_Site": "cross-site"}),
    "a neighbour site": (403, "GET", {"Sec_Fetch_Site": "same-site"}),
    "no token": (401, "POST", {"X_Token": ""}),
    "a wrong token": (401, "GET", {"X_Token": "x" * 43}),
    "a wrong cookie": (401, "GET", {"X_Token": "", "Cookie": "libriscribe2_{port}=x"}),
    "the token of nobody": (401, "GET", {"X_Token": "\u00e9".encode().decode("latin-1")}),
}


def test_bar_24_11_the_server_answers_to_its_own_page_only(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    before = desk.project().contents()
    with _served(desk) as server:
        shown = server.ask("/").body
        assert server.ask("/read/01").status == 200
        secrets = {server.door.token, "Ada", desk.project().chapters()[0][:40]}
        for name, (status, method, headers) in ATTACKS.items():
            given = {key: value.format(port=server.door.port) for key, value in headers.items()}
            for path in ("/", "/calls?format=json", "/read/01", "/events", "/enter", "/nothing"):
                if path == "/enter" and method == "GET" and status == 401:
                    continue  # the entrance shows nothing of a project
                refused = server.ask(path, method, **given)
                assert refused.status == status, (name, path)
                assert len(refused.body) < 100
                assert not [one for one in secrets if one in refused.body]
                assert refused.headers["content-security-policy"].startswith("default-src 'none'")
        _assert_only_this_machine(server)
        assert server.door.token not in shown
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            assert server.ask("/read/01", method).status == 405
        address = urlsplit(server.door.address)
        assert (address.fragment, address.query) == (server.door.token, "")
        assert len(server.door.token) >= 32
    assert desk.project().contents() == before
    BAR.tell(capsys, f"threat 11: {len(ATTACKS)}/{len(ATTACKS)} attacks refused, nothing shown")


def _assert_only_this_machine(server: ReviewServer) -> None:
    assert server.door.listener.getsockname()[0] == "127.0.0.1"
