"""A troubled book, a desk with a finished one, and a browser for the tests of this folder."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.support.browser import chromium, tab
from tests.support.desk_server import DeskServer, desk_server
from tests.support.desk_tab import BOOK, RECORDING, DeskTab, desk_tab, typed
from tests.support.review_book import make_book, review_book

__all__ = ["chromium", "review_book", "tab"]


@pytest.fixture(scope="session")
def made_review_book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its chapters stay as they were written, so that an edit can be compared with that text."""
    return make_book(tmp_path_factory.mktemp("review") / "desk", "--no-revision")


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished book."""
    folder = tmp_path_factory.mktemp("desk")
    typed(folder, "create", "--model", f"recorded:{RECORDING}", "--project-name", BOOK)
    return folder


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
