"""A troubled book for every test of this room."""

from tests.support.review_book import made_review_book, review_book

__all__ = ["made_review_book", "review_book"]
