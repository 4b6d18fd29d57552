"""A tab of Chromium at a desk."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Page, ViewportSize
from tests.support.browser import WIDE, Tab
from tests.support.desk_server import DeskServer, environment
from tests.support.recorded_books import FOLDER

RECORDING: Final = FOLDER / "locked-key.json"
BOOK: Final = "locked-key"
SCREENS: Final = (
    *("plan", "write", "read", "read/1", "read/1/from", "bible", "rename?old=Hester&new=Hedda"),
    *("check", "report", "finish", "finish/covers", "manual", "decide", "ask"),
    *("look", "look/calls"),
)
"""Pages of a book that is written."""

_NOT_OURS: Final = re.compile(r"console: Failed to load resource: .* 4(?:00|04|09) ")
"""What Chromium itself says of an answer that is no success."""


class DeskTab(Tab):
    """A page at a desk that was entered."""

    def enter(self, desk: DeskServer) -> None:
        """Open the address that the desk printed."""
        self.page.goto(desk.address)
        self.page.wait_for_selector("h1:has-text('Your books')")

    @property
    def own_faults(self) -> list[str]:
        """What the page did, without Chromium's word for a refusal that was meant."""
        return [one for one in self.faults if not _NOT_OURS.match(one)]


@contextmanager
def desk_tab(
    chromium: Browser, desk: DeskServer, *, scheme: str = "light", size: ViewportSize = WIDE
) -> Iterator[DeskTab]:
    """A tab at a desk while the block runs."""
    context = chromium.new_context(
        viewport=size, color_scheme="dark" if scheme == "dark" else "light"
    )
    tab = DeskTab(context)
    tab.page.set_default_timeout(30_000)
    tab.enter(desk)
    yield tab
    context.close()


def book_at(page: Page) -> str:
    """The address of the book that a page is about."""
    found = re.match(r"(.*/b/[^/]+)", page.url)
    assert found is not None, page.url
    return found[1]


def begin_recorded(page: Page, recording: Path = RECORDING) -> None:
    """From the shelf to a plan, with a recorded model."""
    page.click("text=Begin a new book")
    page.click("summary:has-text('More')")
    page.fill("[name=other_model]", f"recorded:{recording}")
    page.click("button:has-text('What would it take?')")
    page.click("button:has-text('Start')")
    page.wait_for_selector("h1:has-text('The plan is ready')")


def root_of(desk: DeskServer) -> str:
    return f"{desk.root}/b/{BOOK}"


def project(desk: DeskServer) -> Path:
    return desk.folder / "projects" / BOOK


def typed(folder: Path, *words: str) -> None:
    """Have a command line carried out, in a process: this one's loop is the browser's."""
    command = [sys.executable, "-m", "libriscribe2", *words]
    subprocess.run(command, cwd=folder, env=environment(folder), check=True, capture_output=True)
