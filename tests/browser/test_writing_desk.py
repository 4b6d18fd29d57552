"""The desk in Chromium, after the review pages (their book is made by this process): the whole way, and what has to hold on every page of it."""

import json
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect
from tests.support.browser import NARROW
from tests.support.desk_server import DeskServer, desk_server, environment
from tests.support.desk_tab import (
    BOOK,
    RECORDING,
    SCREENS,
    DeskTab,
    begin_recorded,
    book_at,
    desk_tab,
    project,
    root_of,
    typed,
)

pytestmark = pytest.mark.browser

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
    if wanted.get_attribute("autofocus") is not None:
        # Chromium gives it the focus with the first frame; a Tab before that calls it off, aloud.
        expect(wanted).to_be_focused()
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


def test_what_an_editor_saves_shows_at_once_and_nothing_is_overwritten(
    desk: DeskServer, at: DeskTab
) -> None:
    page, chapter = at.page, project(desk) / "chapters" / "01.md"
    page.goto(f"{root_of(desk)}/read/1")
    page.dblclick("#p1")
    page.fill("#p1 textarea", "Mine, in the window.")
    chapter.write_text(chapter.read_text("utf-8") + "\nA line from an editor.\n", "utf-8")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("h1:has-text('This was changed elsewhere')")
    expect(page.locator(".versions textarea")).to_have_value("Mine, in the window.")
    expect(page.locator(".versions .paper")).to_contain_text("ninth marker pole")
    page.click("button:has-text('Save mine')")
    expect(page.locator("#p1")).to_contain_text("Mine, in the window.")
    text = chapter.read_text("utf-8")
    assert "Mine, in the window." in text
    assert "A line from an editor." in text
    chapter.write_text(text.replace("Mine, in the window.", "Theirs, in the editor."), "utf-8")
    expect(page.locator("#p1")).to_contain_text("Theirs, in the editor.")
    assert at.own_faults == []


def test_a_change_between_a_page_and_its_stream_is_shown(desk: DeskServer, at: DeskTab) -> None:
    chapter = project(desk) / "chapters" / "01.md"

    def change_first(route: Route) -> None:
        chapter.write_text(chapter.read_text("utf-8") + "\nBefore the stream.\n", "utf-8")
        route.continue_()

    at.page.route("**/live?*", change_first)
    at.page.goto(f"{root_of(desk)}/read/1")
    expect(at.page.locator("article")).to_contain_text("Before the stream.")
    assert at.faults == []


def test_what_a_command_does_meanwhile_shows_on_the_plan(desk: DeskServer, at: DeskTab) -> None:
    page = at.page
    page.goto(f"{root_of(desk)}/plan")
    page.click("#edit-1 > summary")
    typed(desk.folder, "chapter", "rename", BOOK, "2", "Another Title")
    expect(page.locator("#card-2 header h3")).to_have_text("Another Title")
    expect(page.locator("#edit-1")).to_have_attribute("open", "")
    field = page.locator("#edit-1 [name=where][value='chapters.0.summary'] ~ label textarea")
    field.fill("Typed and not saved.")
    typed(desk.folder, "chapter", "rename", BOOK, "2", "A Third Title")
    page.click("h1")
    page.wait_for_timeout(1_000)
    expect(field).to_have_value("Typed and not saved.")
    page.focus(".card[data-number='1'] .grip")
    assert at.own_faults == []


def test_two_windows_never_overwrite_each_other(
    chromium: Browser, desk: DeskServer, at: DeskTab
) -> None:
    with desk_tab(chromium, desk) as other:
        for tab in (at, other):
            tab.page.goto(f"{root_of(desk)}/plan")
            tab.page.click("summary:has-text('Change the story')")
        field = "#edit-story [name=where][value='concept.logline'] ~ label textarea"
        # Both are typed in before either is saved: a field without words of its own follows the disk.
        other.page.fill(field, "From the second window.")
        before = other.page.get_attribute("body", "data-seen") or ""
        at.page.fill(field, "From the first window.")
        at.page.keyboard.press("Control+Enter")
        expect(at.page.locator("#edit-story .told")).to_have_text("Saved")
        expect(other.page.locator("body")).not_to_have_attribute("data-seen", before)
        other.page.keyboard.press("Control+Enter")
        other.page.wait_for_selector("h1:has-text('This was changed elsewhere')")
        expect(other.page.locator(".versions .paper")).to_have_text("From the first window.")
        saved = json.loads((project(desk) / "concept.json").read_text("utf-8"))
        assert saved["concept"]["logline"] == "From the first window."
        other.page.click("button:has-text('Save mine')")
        expect(other.page.locator(".lead")).to_have_text("From the second window.")
        assert other.own_faults == []


def test_twelve_injections_do_not_fire(desk: DeskServer, at: DeskTab) -> None:
    evil, root = "\n\n".join(ATTACKS), project(desk)
    (root / "chapters" / "01.md").write_text(f"# {ATTACKS[0]}\n\n{evil}\n", "utf-8")
    for name in ("concept.json", "characters.json", "world.json", "outline.json", "scenes.json"):
        value = json.loads((root / name).read_text("utf-8"))
        (root / name).write_text(json.dumps(_spoilt(value, evil)), "utf-8")
    toml = (root / "book.toml").read_text("utf-8")
    assert 'rights = ""' in toml
    bad = json.dumps(f"{ATTACKS[0]}{ATTACKS[1]}")
    (root / "book.toml").write_text(toml.replace('rights = ""', f"rights = {bad}"), "utf-8")
    (root / "notes").mkdir(exist_ok=True)
    (root / "notes" / "book.md").write_text(evil, "utf-8")
    for screen in SCREENS:
        answer = at.page.goto(f"{root_of(desk)}/{screen}")
        assert answer is not None
        assert answer.status < 500, (screen, at.page.inner_text("main"))
        for closed in at.page.locator("main details:not([open]) > summary").all():
            if closed.is_visible():
                closed.click()
        loud = "iframe, object, main script, main style, a[href^=javascript], img[onerror]"
        assert at.page.locator(loud).count() == 0, screen
    at.page.goto(desk.root)
    assert at.own_faults == []


def _spoilt(value: object, evil: str) -> object:
    """The same with an attack behind every text but ids and short words."""
    if isinstance(value, dict):
        kept = ("id", "name", "opening_move", "ending_move", "plants", "payoffs", "characters")
        return {
            key: one
            if (key in kept and not isinstance(one, list | dict)) or key in kept[4:-1]
            else _spoilt(one, evil)
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [_spoilt(one, evil) for one in value]
    return f"{value} {evil}" if isinstance(value, str) and " " in value else value


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(chromium: Browser, desk: DeskServer, scheme: str) -> None:
    found = {}
    with desk_tab(chromium, desk, scheme=scheme) as tab:
        for address in _pages(desk):
            tab.page.goto(address)
            violations = Axe().run(tab.page).response["violations"]
            found[address] = [(one["id"], one["nodes"][0]["html"]) for one in violations]
        assert tab.own_faults == []
    assert {page: faults for page, faults in found.items() if faults} == {}


def _pages(desk: DeskServer) -> list[str]:
    own = [f"{root_of(desk)}/{screen}" for screen in SCREENS]
    return [desk.root, f"{desk.root}/new", f"{desk.root}/b/none/plan", *own]


def test_no_page_is_wider_than_a_telephone(chromium: Browser, desk: DeskServer) -> None:
    wide = {}
    with desk_tab(chromium, desk, size=NARROW) as tab:
        for address in _pages(desk):
            tab.page.goto(address)
            wide[address] = tab.overflow()
    assert {page: pixels for page, pixels in wide.items() if pixels > 0} == {}


def test_a_piece_of_prose_changes_one_node(desk: DeskServer, at: DeskTab) -> None:
    at.page.goto(f"{root_of(desk)}/write")
    changes = at.page.evaluate(
        """async () => {
            const { append } = await import("/static/live.js");
            const sheet = document.getElementById("arriving");
            append(sheet, "chapters/ch09/scene01", "The first words");
            const seen = new MutationObserver(() => {});
            seen.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
            for (let n = 0; n < 500; n += 1) append(sheet, "chapters/ch09/scene01", ` and ${n}`);
            const found = seen.takeRecords();
            return [found.length, new Set(found.map((one) => one.target)).size, found[0].type];
        }"""
    )
    assert changes == [500, 1, "characterData"]


def test_a_page_renders_no_chapter_that_is_not_in_view(desk: DeskServer, at: DeskTab) -> None:
    at.page.goto(f"{root_of(desk)}/read")
    assert at.page.locator(".block").count() == 0
    at.page.goto(f"{root_of(desk)}/read/2")
    text = (project(desk) / "chapters" / "02.md").read_text("utf-8")
    assert at.page.locator(".block").count() == len(text.strip().split("\n\n"))
    assert "ninth marker pole" not in at.page.content()


def test_a_killed_run_is_told_and_gone_on_with(chromium: Browser, tmp_path: Path) -> None:
    begin = ("create", "--model", f"recorded:{RECORDING}", "--project-name", BOOK)
    typed(tmp_path, *begin, "--until", "plan")
    with desk_server(tmp_path) as desk, desk_tab(chromium, desk) as tab:
        tab.page.goto(f"{root_of(desk)}/write")
        resume = [sys.executable, "-m", "libriscribe2", "resume", BOOK]
        run = subprocess.Popen(resume, cwd=tmp_path, env=environment(tmp_path))
        _stopped_in_a_chapter(run, project(desk) / ".libriscribe" / "events.jsonl")
        expect(tab.page.locator("h1")).to_have_text(
            "Being written by another program", timeout=30_000
        )
        run.send_signal(signal.SIGKILL)
        run.wait()
        tab.page.wait_for_timeout(700)
        (project(desk) / "touched.md").write_text("", "utf-8")
        expect(tab.page.locator("#stand")).to_contain_text(
            "The last run was interrupted.", timeout=30_000
        )
        tab.page.click("#stand button >> nth=0")
        tab.page.click("button:has-text('Start')")
        tab.page.wait_for_selector("h1:has-text('The book is written')")
        assert tab.faults == []


def _stopped_in_a_chapter(run: subprocess.Popen[bytes], events: Path) -> None:
    """Have a run stand still while it writes a chapter, however quick it is."""
    while b'"chapters/01.md"' not in events.read_bytes():
        assert run.poll() is None
    run.send_signal(signal.SIGSTOP)


def test_what_a_model_proposes_is_accepted_or_rejected(desk: DeskServer, at: DeskTab) -> None:
    page = at.page
    page.goto(f"{root_of(desk)}/read/1")
    before = (project(desk) / "chapters" / "01.md").read_text("utf-8")
    page.dblclick("#p1")
    page.fill("#p1 textarea", "Another beginning.")
    page.click("#p1 button:has-text('Save')")
    expect(page.locator("#p1 .shown")).to_have_text("Another beginning.")
    page.reload()
    page.click("summary:has-text('Versions')")
    page.click("#m-versions a")
    expect(page.locator(".diff ins").first).to_have_text("Another")
    page.click("button:has-text('Put the earlier text back')")
    expect(page.locator("#p1")).to_contain_text("ninth marker pole")
    assert (project(desk) / "chapters" / "01.md").read_text("utf-8") == before
    assert at.faults == []


def test_a_name_is_changed_everywhere_after_a_look(desk: DeskServer, at: DeskTab) -> None:
    page = at.page
    page.goto(f"{root_of(desk)}/bible")
    page.fill("[name=old]", "Nan")
    page.fill("[name=new]", "Una")
    page.click("button:has-text('See what that changes')")
    expect(page.locator("h2:has-text('places')")).to_be_visible()
    assert "Nan" in (project(desk) / "chapters" / "02.md").read_text("utf-8")
    page.click("button:has-text('Change it everywhere')")
    expect(page.locator("h3:has-text('Una Tulloch')")).to_be_visible()
    text = (project(desk) / "chapters" / "02.md").read_text("utf-8")
    assert "Una" in text
    assert "Nan " not in text
    assert at.faults == []


def test_a_file_that_is_chosen_before_the_scripts_run_can_be_read_in(
    desk: DeskServer, at: DeskTab, tmp_path: Path
) -> None:
    (tmp_path / "ferry.md").write_text("# The Ferry\n\nShe counted the boats.\n", "utf-8")
    held: list[Route] = []
    at.page.route("**/desk.js*", lambda route: held.append(route))
    with at.page.expect_request("**/desk.js*"):
        at.page.goto(desk.root, wait_until="commit")
    at.page.set_input_files("[data-upload] [type=file]", tmp_path / "ferry.md")
    button = at.page.locator("button:has-text('Read it')")
    expect(button).to_be_disabled()
    held[0].continue_()
    expect(button).to_be_enabled()


def test_a_manuscript_is_read_in_and_becomes_a_book(chromium: Browser, tmp_path: Path) -> None:
    text = "# The Ferry\n\n" + "\n\n".join(
        f"## Chapter {n}\n\n" + "She counted the boats, and one was missing. " * 40 for n in (1, 2)
    )
    (tmp_path / "ferry.md").write_text(text, "utf-8")
    (tmp_path / "bad.docx").write_bytes(b"no archive")
    with (
        desk_server(tmp_path, LIBRISCRIBE2_MODELS__DEFAULT="demo") as desk,
        desk_tab(chromium, desk) as tab,
    ):
        page = tab.page
        page.set_input_files("[data-upload] [type=file]", tmp_path / "bad.docx")
        page.click("button:has-text('Read it')")
        expect(page.locator("[data-upload] .said")).to_contain_text("bad.docx", timeout=30_000)
        page.set_input_files("[data-upload] [type=file]", tmp_path / "ferry.md")
        page.click("button:has-text('Read it')")
        expect(page.locator("main")).to_contain_text("2 chapters", timeout=30_000)
        page.click("button:has-text('Have it read')")
        page.wait_for_selector(".card[data-number='2']", timeout=60_000)
        assert tab.own_faults == []
    assert list(tmp_path.glob("projects/*/chapters/02.md"))
