"""A troubled book and a browser for every test of this folder."""

from tests.support.browser import chromium, tab
from tests.support.review_book import made_review_book, review_book

__all__ = ["chromium", "made_review_book", "review_book", "tab"]
