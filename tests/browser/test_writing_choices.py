"""What a model proposes at the desk, and what its author makes of it; covers to choose from."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.desk_server import DeskServer, desk_server
from tests.support.desk_tab import DeskTab, desk_tab, project, root_of

pytestmark = pytest.mark.browser

SENTENCE: Final = "It was better at it."
NEW: Final = "The stick knew more."
ANSWER: Final = f"""[Answer]
She trusts the stick.

[Quotes]
1: "{SENTENCE}"
1: "She trusted nobody at all in those days."

[Proposals]
note 2: Say less of the weather.
edit 1: "{SENTENCE}" -> "{NEW}"
"""


@pytest.fixture
def by_hand(finished: Path, tmp_path: Path) -> Iterator[DeskServer]:
    """A desk whose model is a chat window."""
    shutil.copytree(finished, tmp_path / "shelf")
    with desk_server(tmp_path / "shelf", LIBRISCRIBE2_MODELS__DEFAULT="manual") as server:
        yield server


@pytest.fixture
def chat(chromium: Browser, by_hand: DeskServer) -> Iterator[DeskTab]:
    with desk_tab(chromium, by_hand) as tab:
        yield tab


def paste(page: Page, reply: str) -> None:
    """Start what was asked for, and bring the answer of a chat window."""
    page.click("button:has-text('Start')")
    page.fill("#answer", reply)
    page.click("button:has-text('Go on')")
    page.click("text=Look at it")


def wish(page: Page, desk: DeskServer, text: str, button: str) -> None:
    page.goto(f"{root_of(desk)}/read/1")
    page.fill("#passage [name=wish]", text)
    page.click(f"#passage button:has-text('{button}')")


def chapter(desk: DeskServer) -> str:
    return (project(desk) / "chapters" / "01.md").read_text("utf-8")


def test_of_three_variants_one_is_taken(chromium: Browser, finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "shelf")
    with (
        desk_server(tmp_path / "shelf", LIBRISCRIBE2_MODELS__DEFAULT="demo") as desk,
        desk_tab(chromium, desk) as tab,
    ):
        page, before = tab.page, chapter(desk)
        wish(page, desk, "Tenser.", "Three variants")
        page.click("button:has-text('Start')")
        page.click("text=Look at it")
        expect(page.locator(".variants section")).to_have_count(4)
        assert chapter(desk) == before
        shown = page.locator("[aria-label='Variant b'] ins").first.inner_text()
        page.click("button:has-text('Take b')")
        expect(page.locator("article .block").first).to_be_visible()
        assert chapter(desk) != before
        assert shown.split()[0] in chapter(desk)
        page.click("summary:has-text('Versions')")
        page.click("#m-versions a >> nth=0")
        page.click("button:has-text('Put the earlier text back')")
        expect(page.locator("article")).to_contain_text("ninth marker pole")
        assert chapter(desk) == before
        assert tab.faults == []


def test_a_change_is_rejected_and_another_accepted(by_hand: DeskServer, chat: DeskTab) -> None:
    page, before = chat.page, chapter(by_hand)
    patch = json.dumps({"patches": [{"find": SENTENCE, "replace": NEW}]})
    for answer in ("Reject", "Accept"):
        wish(page, by_hand, f"Shorter. ({answer})", "Patch it")
        paste(page, patch)
        expect(page.locator(".diff del").first).to_be_visible()
        assert chapter(by_hand) == before
        page.click(f"button:has-text('{answer}')")
        page.wait_for_url("**/read/1")
        assert chapter(by_hand) == (before if answer == "Reject" else before.replace(SENTENCE, NEW))
    assert chat.own_faults == []


def test_a_changed_outline_says_what_is_planned_again_and_lets_it_stay(
    chromium: Browser, finished: Path, tmp_path: Path
) -> None:
    shutil.copytree(finished, tmp_path / "shelf")
    with (
        desk_server(tmp_path / "shelf", LIBRISCRIBE2_MODELS__DEFAULT="manual") as desk,
        desk_tab(chromium, desk) as tab,
    ):
        page, last = tab.page, project(desk) / "chapters" / "04.md"
        last.unlink()
        page.goto(f"{root_of(desk)}/plan")
        page.click("#edit-4 > summary")
        purpose = "#edit-4 [name=where][value='chapters.3.purpose'] ~ label textarea"
        page.fill(purpose, "What it comes to.")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#edit-4 .told")).to_have_text("Saved")
        page.click("button:has-text('Go on with the book')")
        expect(page.locator(".fault")).to_contain_text("outline.json changed")
        page.click("button:has-text('Keep it as it is')")
        page.click("button:has-text('Go on with the book')")
        expect(page.locator("h1")).to_have_text("Write the book")
        expect(page.locator(".fault")).to_have_count(0)
        page.click("button:has-text('Start')")
        expect(page.locator("h1")).to_have_text("Chapter 4")
        page.click(".top nav >> text=Write")
        page.click("button:has-text('See what is left')")
        expect(page.locator("h1")).to_have_text("Write the book")
        assert tab.own_faults == []


def test_a_question_is_answered_with_proposals_to_accept(
    by_hand: DeskServer, chat: DeskTab
) -> None:
    page, before = chat.page, chapter(by_hand)
    page.click("a.cover")
    page.click(".top nav >> text=Ask")
    page.fill("[name=wish]", "Whom does she trust?")
    page.click("button:text-is('Ask')")
    paste(page, ANSWER)
    expect(page.locator("h1")).to_have_text("Whom does she trust?")
    expect(page.locator("main")).to_contain_text("She trusts the stick.")
    expect(page.locator("blockquote")).to_have_count(1)
    expect(page.locator("main")).to_contain_text("1 left out")
    assert chapter(by_hand) == before
    page.click("[aria-label='Accept proposal 2']")
    expect(page.locator(".proposals .state")).to_have_count(1)
    assert chapter(by_hand) == before.replace(SENTENCE, NEW)
    assert not (project(by_hand) / "notes").exists()
    page.click("[aria-label='Accept proposal 1']")
    expect(page.locator(".proposals .state")).to_have_count(2)
    assert "less of the weather" in (project(by_hand) / "notes" / "ch02.md").read_text("utf-8")
    page.click("button:has-text('Done')")
    expect(page.locator("h1")).to_have_text("Ask about the book")
    assert chat.own_faults == []


def test_a_rule_is_learnt_from_an_edit(by_hand: DeskServer, chat: DeskTab) -> None:
    page = chat.page
    (project(by_hand) / "chapters" / "01.md").write_text(
        chapter(by_hand).replace(SENTENCE, NEW), "utf-8"
    )
    page.goto(f"{root_of(by_hand)}/ask")
    page.click("button:has-text('Find my habits')")
    habit = {"aspect": "sentences", "rule": "Name the thing.", "before": SENTENCE, "after": NEW}
    lie = {**habit, "rule": "Say it twice.", "before": "Nobody ever wrote this sentence."}
    paste(page, json.dumps({"habits": [habit, lie]}))
    expect(page.locator(".proposals li")).to_have_count(1)
    page.click("button:has-text('Accept')")
    expect(page.locator(".proposals .state")).to_have_text("Accepted")
    rules = json.loads((project(by_hand) / "style.json").read_text("utf-8"))["rules"]
    assert rules[0]["rule"] == "Name the thing."
    assert chat.own_faults == []


def test_a_cover_is_chosen_from_all_that_can_be_drawn(desk: DeskServer, at: DeskTab) -> None:
    page = at.page
    page.goto(f"{root_of(desk)}/finish/covers")
    page.locator(".gallery button").first.click()
    expect(page.locator("h1")).to_have_text("Finish")
    first = desk.ask(f"/b/{project(desk).name}/cover").body
    page.click("text=Choose one of sixteen designs")
    covers = page.locator(".gallery img")
    expect(covers).to_have_count(32)
    covers.last.scroll_into_view_if_needed()
    expect(covers.last).to_have_js_property("naturalWidth", 320)
    page.click("button:has-text('maze, light')")
    expect(page.locator("h1")).to_have_text("Finish")
    assert 'cover = "maze-light"' in (project(desk) / "book.toml").read_text("utf-8")
    assert desk.ask(f"/b/{project(desk).name}/cover").body != first
    page.click("text=Choose one of sixteen designs")
    expect(page.locator("[aria-current=true]")).to_contain_text("maze, light")
    assert at.faults == []
