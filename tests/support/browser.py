"""Chromium with a page that notes everything that a clean page does not do."""

import os
import shutil
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, ViewportSize, sync_playwright

CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS: Final = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WIDE: Final[ViewportSize] = {"width": 1280, "height": 900}
NARROW: Final[ViewportSize] = {"width": 390, "height": 844}
OURS: Final = ("http://127.0.0.1:", "file:///", "data:")


class Tab:
    """A page and what it did that it should not."""

    def __init__(self, context: BrowserContext) -> None:
        self.page: Page = context.new_page()
        self.faults: list[str] = []
        self.page.set_default_timeout(15_000)
        self.page.on("console", lambda said: self.faults.append(f"console: {said.text}"))
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("dialog", self._refuse)
        self.page.on("request", lambda request: self._note(request.url))

    def open(self, address: str) -> None:
        """Open an address; one of the entrance leads to the overview."""
        self.page.goto(address)
        if "/enter" in address:
            self.page.wait_for_selector("h1:has-text('Overview')")

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        width = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        return int(width)

    def _refuse(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _note(self, url: str) -> None:
        if not url.startswith(OURS):
            self.faults.append(f"request: {url}")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A browser; without one the tests are skipped, but never in CI."""
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("Chromium is missing: apt-get install chromium")
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium: Browser) -> Iterator[Tab]:
    context = chromium.new_context(viewport=WIDE)
    yield Tab(context)
    context.close()
