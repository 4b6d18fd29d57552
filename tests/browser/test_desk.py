"""The desk in Chromium: the whole way, and what has to hold on every page of it."""

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.desk import Desk
from tests.support.desk_server import DeskServer, desk_server
from tests.support.desk_tab import RECORDING, DeskTab, begin_recorded, book_at, desk_tab
from tests.support.recorded_books import played

pytestmark = pytest.mark.browser

BOOK: Final = "locked-key"
ATTACKS: Final = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "<svg onload=alert(3)>",
    '"><script>alert(4)</script>',
    "<iframe srcdoc='<script>parent.alert(5)</script>'>",
    "[a](javascript:alert(6))",
    "<a href='javascript:alert(7)'>b</a>",
    "<style>@import 'http://attacker.example/8'</style>",
    "![c](http://attacker.example/9)",
    "</textarea><script>alert(10)</script>",
    "{{ 7 * 7 }}<object data='data:text/html,<script>alert(11)</script>'>",
    "<math><mtext></title><img src=y onerror=alert(12)>",
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished book."""
    desk = Desk(tmp_path_factory.mktemp("desk") / "shelf")
    played(desk, BOOK)
    return desk.folder


@pytest.fixture
def desk(finished: Path, tmp_path: Path) -> Iterator[DeskServer]:
    """A desk with a copy of that book."""
    folder = tmp_path / "shelf"
    shutil.copytree(finished, folder)
    with desk_server(folder) as server:
        yield server


@pytest.fixture
def empty_desk(tmp_path: Path) -> Iterator[DeskServer]:
    with desk_server(tmp_path) as server:
        yield server


@pytest.fixture
def at(chromium: Browser, desk: DeskServer) -> Iterator[DeskTab]:
    with desk_tab(chromium, desk) as tab:
        yield tab


def root_of(desk: DeskServer) -> str:
    return f"{desk.root}/b/{BOOK}"


def project(desk: DeskServer) -> Path:
    return desk.folder / "projects" / BOOK


def test_from_an_empty_shelf_to_an_epub_by_mouse(
    chromium: Browser, empty_desk: DeskServer, tmp_path: Path
) -> None:
    with desk_tab(chromium, empty_desk) as tab:
        page = tab.page
        expect(page.locator("main")).to_contain_text("An empty shelf")
        begin_recorded(page)
        page.click("text=Read the plan")
        expect(page.locator(".card[data-number]")).to_have_count(4)
        page.click("text=Approve and write the book")
        page.click("button:has-text('Start')")
        page.wait_for_selector("h1:has-text('The book is written')")
        page.click("main a:has-text('Read it')")
        page.click(".toc a >> nth=0")
        expect(page.locator("article")).to_contain_text("ninth marker pole")
        page.click(".top >> text=Finish")
        page.click("label:has-text('PDF')")
        page.click("button:has-text('Make it')")
        with page.expect_download() as download:
            page.click("a:has-text('.epub')")
        download.value.save_as(tmp_path / "book.epub")
        assert tab.faults == []
    names = zipfile.ZipFile(tmp_path / "book.epub").namelist()
    assert names[0] == "mimetype"
    assert sum("/ch0" in name for name in names) >= 4


def _press(page: Page, selector: str, key: str = "Enter") -> None:
    """Go with Tab alone until something has the focus, and press a key."""
    wanted = page.locator(selector).first
    wanted.wait_for()
    for _ in range(200):
        if wanted.evaluate("one => one === document.activeElement"):
            page.keyboard.press(key)
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never reaches {selector}")


def test_from_an_empty_shelf_to_an_epub_by_keyboard(
    chromium: Browser, empty_desk: DeskServer
) -> None:
    with desk_tab(chromium, empty_desk) as tab:
        page, keys = tab.page, tab.page.keyboard
        _press(page, "a:has-text('Begin a new book')")
        _press(page, "summary:has-text('More')")
        _press(page, "[name=other_model]", "End")
        keys.type(f"recorded:{RECORDING}")
        _press(page, "button:has-text('What would it take?')")
        _press(page, "button:has-text('Start')")
        page.wait_for_selector("h1:has-text('The plan is ready')")
        _press(page, "a:has-text('Read the plan')")
        second = page.locator("#card-2 header h3").inner_text()
        _press(page, ".card[data-number='2'] .grip", "Alt+ArrowLeft")
        expect(page.locator("#card-1 header h3")).to_have_text(second)
        expect(page.locator(".card[data-number='1'] .grip")).to_be_focused()
        keys.press("Alt+ArrowRight")
        expect(page.locator("#card-2 header h3")).to_have_text(second)
        _press(page, "button:has-text('Approve and write the book')")
        _press(page, "button:has-text('Start')")
        page.wait_for_selector("h1:has-text('The book is written'), .fault", timeout=60_000)
        page.goto(f"{book_at(page)}/read/1")
        _press(page, "#p1 .pen")
        keys.type("First of all. ")
        keys.press("Control+Enter")
        expect(page.locator("#p1 .shown")).to_contain_text("First of all.")
        _press(page, ".top nav a:has-text('Finish')")
        _press(page, "[name='format:pdf']", " ")
        _press(page, "button:has-text('Make it')")
        expect(page.locator("a:has-text('.epub')")).to_be_visible(timeout=60_000)
        assert tab.own_faults == []
