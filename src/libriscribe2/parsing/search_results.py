"""The seed's name for `replies.search_results`."""

from libriscribe2.replies.search_results import parse_search_results

__all__ = ["parse_search_results"]
