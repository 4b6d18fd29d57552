"""A troubled book and a browser for every test of this folder."""

from pathlib import Path

import pytest
from tests.support.browser import chromium, tab
from tests.support.review_book import make_book, review_book

__all__ = ["chromium", "review_book", "tab"]


@pytest.fixture(scope="session")
def made_review_book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its chapters stay as they were written, so that an edit can be compared with that text."""
    return make_book(tmp_path_factory.mktemp("review") / "desk", "--no-revision")
