"""The seed's name for `research.catalog`."""

from libriscribe2.research.catalog import all_tools, available_tools

__all__ = ["all_tools", "available_tools"]
