"""The seed's name for `research.resolver`."""

from libriscribe2.research.resolver import HybridResolver

__all__ = ["HybridResolver"]
