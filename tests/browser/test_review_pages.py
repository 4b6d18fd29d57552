"""The review pages in a real browser: live, frozen, by keyboard, narrow, attacked."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Route, expect
from tests.support.browser import NARROW, WIDE, Tab
from tests.support.review_book import ReviewBook
from tests.support.review_server import ReviewServer, serving

from libriscribe2.desk.site import FolderAddresses, LiveAddresses, Page, freeze

pytestmark = pytest.mark.browser

ATTACKS = (
    '<script>alert("1")</script>',
    "<img src=x onerror=alert(2)>",
    '"><svg onload=alert(3)>',
    "[x](javascript:alert(4))",
    "</pre></main><iframe srcdoc='<script>parent.alert(5)</script>'></iframe>",
    '<a href="data:text/html,<script>alert(6)</script>" autofocus onfocus=alert(6)>x</a>',
)


@pytest.fixture
def server(review_book: ReviewBook) -> Iterator[ReviewServer]:
    """Serves a book with every kind of trouble: an edit, damaged dumps, an Arabic chapter."""
    review_book.edit("chapters/01.md", "the", "THE")
    review_book.damage()
    review_book.dump("cut", step="chapters/ch02/scene01", finish_reason="length", feedback="long")
    with serving(review_book.source) as running:
        yield running


def screens(book: ReviewBook) -> list[Page]:
    """One page of each kind, with the calls that look most different."""
    calls = {call.state: call for call in book.snapshot().calls}
    kinds: list[Page] = [
        (kind,) for kind in ("overview", "calls", "read", "book", "report", "problems")
    ]
    kinds += [("call", calls[state].id) for state in ("refused", "repaired", "damaged")]
    return [*kinds, ("read", "01"), ("read", "01", "written")]


def test_every_screen_opens_cleanly_and_stays_on_this_machine(
    server: ReviewServer, review_book: ReviewBook, tab: Tab
) -> None:
    tab.open(server.door.address)
    assert tab.page.url == f"{server.root}/"
    for page in screens(review_book):
        tab.open(server.root + LiveAddresses().page(*page))
        assert tab.page.locator("h1").count() == 1
        tab.page.wait_for_selector("#live:has-text('Shows the project')")
    assert tab.faults == []


def test_without_the_token_nothing_is_shown(server: ReviewServer, tab: Tab) -> None:
    tab.open(server.root + "/calls")
    assert "Open the full address" in tab.page.inner_text("body")
    tab.page.goto(server.root + "/enter#wrong")
    tab.page.wait_for_selector("#enter:has-text('not valid any more')")


def test_a_change_on_the_disk_is_shown_without_a_reload(
    server: ReviewServer, review_book: ReviewBook, tab: Tab
) -> None:
    tab.open(server.door.address)
    tab.open(f"{server.root}/read/02")
    tab.page.evaluate("window.sameDocument = true")
    tab.page.wait_for_function("document.getElementById('live').textContent.startsWith('Shows')")
    review_book.write("chapters/02.md", "# New title\n\nA sentence by hand.\n")
    tab.page.wait_for_selector("article:has-text('A sentence by hand.')")
    assert tab.page.evaluate("window.sameDocument")
    expect(tab.page.locator("#facts")).to_contain_text("4 words")
    assert tab.faults == []


def test_a_change_between_the_page_and_its_stream_is_shown(
    server: ReviewServer, review_book: ReviewBook, tab: Tab
) -> None:
    tab.open(server.door.address)

    def change_first(route: Route) -> None:
        review_book.write("chapters/02.md", "# New title\n\nBefore the stream.\n")
        route.continue_()

    tab.page.route("**/events?*", change_first)
    tab.open(f"{server.root}/read/02")
    expect(tab.page.locator("article")).to_contain_text("Before the stream.")
    assert tab.faults == []


def test_a_place_of_the_report_leads_to_its_paragraph(server: ReviewServer, tab: Tab) -> None:
    tab.open(server.door.address)
    tab.open(f"{server.root}/report")
    place = tab.page.locator("details[open] a").first
    line = int(place.inner_text().rpartition(":")[2])
    place.click()
    tab.page.wait_for_url("**/read/*#line-*")
    assert tab.page.url.endswith(f"#line-{line}")
    expect(tab.page.locator(".read :target")).to_have_count(1)
    assert tab.faults == []


def test_a_new_call_appears_and_the_filter_stays(
    server: ReviewServer, review_book: ReviewBook, tab: Tab
) -> None:
    tab.open(server.door.address)
    tab.open(f"{server.root}/calls")
    tab.page.select_option("select[name=state]", "refused")
    before = tab.page.locator("#calls tbody tr:visible").count()
    review_book.dump("no", step="chapters/ch02/scene09", feedback="not so")
    tab.page.wait_for_selector("#calls tr:visible:has-text('scene09')")
    expect(tab.page.locator("#calls tbody tr:visible")).to_have_count(before + 1)
    assert tab.page.input_value("select[name=state]") == "refused"
    assert "state=refused" in tab.page.url


def test_six_injections_do_not_fire(
    server: ReviewServer, review_book: ReviewBook, tab: Tab
) -> None:
    evil = "\n\n".join(ATTACKS)
    review_book.write("chapters/01.md", f"# {ATTACKS[1]}\n\n{evil}\n")
    review_book.edit("concept.json", "A ", f"{evil} ".replace('"', '\\"').replace("\n", " "))
    fields = dict.fromkeys(("step", "model", "feedback", "reasoning"), evil)
    review_book.dump(evil, clean=evil, formatting_issues=ATTACKS, **fields)
    review_book.edit("book.toml", "premise", f"# {ATTACKS[0]}\npremise")
    tab.open(server.door.address)
    newest = review_book.snapshot().calls[-5].id
    for page in [*screens(review_book), ("call", newest)]:
        tab.open(server.root + LiveAddresses().page(*page))
        for details in tab.page.locator("details summary").all():
            details.click()
        assert tab.page.locator("iframe, main img, main script, a[href^=javascript]").count() == 0
    assert tab.faults == []


def test_the_frozen_folder_opens_from_the_disk(
    server: ReviewServer, review_book: ReviewBook, tab: Tab, tmp_path: Path
) -> None:
    del server
    freeze(review_book.source, tmp_path / "out")
    for page in screens(review_book):
        tab.open((tmp_path / "out" / FolderAddresses().page(*page)).as_uri())
        assert "contains your prompts" in tab.page.inner_text(".notice")
        assert (
            tab.page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth") != "none"
        )
    tab.open((tmp_path / "out" / "index.html").as_uri())
    tab.page.click("#pipeline a:has-text('outline')")
    expect(tab.page.locator("#calls tbody tr:visible")).to_have_count(2)
    tab.page.fill("input[type=search]", "nothing like it")
    expect(tab.page.locator("#calls tbody tr:visible")).to_have_count(0)
    expect(tab.page.locator("#shown")).to_contain_text("0 of ")
    assert tab.faults == []


def test_the_keyboard_is_enough(server: ReviewServer, tab: Tab) -> None:
    tab.open(server.door.address)
    tab.open(f"{server.root}/calls")
    keys = tab.page.keyboard
    keys.press("Tab")
    assert tab.page.evaluate("document.activeElement.className") == "skip"
    keys.press("Enter")
    assert tab.page.evaluate("document.activeElement.id") == "main"
    keys.press("j")
    keys.press("j")
    keys.press("k")
    with tab.page.expect_navigation():
        keys.press("Enter")
    first = tab.page.url
    assert "/call/" in first
    with tab.page.expect_navigation():
        keys.press("L")
    assert tab.page.url != first
    with tab.page.expect_navigation():
        keys.press("H")
    assert tab.page.url == first
    tab.page.focus("#keys")
    keys.press("Enter")
    expect(tab.page.locator("#keys")).to_have_text("Keys off")
    keys.press("l")
    assert tab.page.url == first
    assert tab.faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    server: ReviewServer, review_book: ReviewBook, chromium: Browser, scheme: str
) -> None:
    dark = scheme == "dark"
    context = chromium.new_context(viewport=WIDE, color_scheme="dark" if dark else "light")
    tab = Tab(context)
    tab.open(server.door.address)
    found = {}
    for page in screens(review_book):
        tab.open(server.root + LiveAddresses().page(*page))
        violations = Axe().run(tab.page).response["violations"]
        found[page] = [(one["id"], one["nodes"][0]["html"]) for one in violations]
    context.close()
    assert {page: faults for page, faults in found.items() if faults} == {}


def test_nothing_is_wider_than_a_telephone(
    server: ReviewServer, review_book: ReviewBook, chromium: Browser
) -> None:
    review_book.dump("x" * 4000, step="y" * 90, model="z" * 90, feedback="w" * 500)
    review_book.write("chapters/02.md", f"# {'Long' * 40}\n\n{'word' * 300}\n\n    {'c' * 300}\n")
    context = chromium.new_context(viewport=NARROW)
    tab = Tab(context)
    tab.open(server.door.address)
    wide = {}
    for page in screens(review_book):
        tab.open(server.root + LiveAddresses().page(*page))
        wide[page] = tab.overflow()
    context.close()
    assert {page: pixels for page, pixels in wide.items() if pixels > 0} == {}


def test_a_book_from_right_to_left_is_set_so(
    server: ReviewServer, review_book: ReviewBook, tab: Tab
) -> None:
    review_book.edit("book.toml", 'language = "English"', 'language = "Arabic"')
    tab.open(server.door.address)
    for path in ("/read", "/read/02"):
        tab.open(server.root + path)
        text = tab.page.locator(".read")
        assert (text.get_attribute("lang"), text.get_attribute("dir")) == ("ar", "rtl")
        assert tab.page.evaluate("getComputedStyle(document.querySelector('.read')).direction")


def test_print_leaves_the_book_alone_on_the_page(server: ReviewServer, tab: Tab) -> None:
    tab.open(server.door.address)
    tab.open(f"{server.root}/read")
    tab.page.emulate_media(media="print")
    assert tab.page.is_hidden(".top")
    assert tab.page.is_hidden("footer")
    assert tab.page.is_visible(".read")
