"""The seed's name for `research.web.result_pages`."""

from libriscribe2.research.web.result_pages import parse_search_results

__all__ = ["parse_search_results"]
