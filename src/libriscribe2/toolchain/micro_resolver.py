"""The seed's name for `research.model_resolver`."""

from libriscribe2.research.resolver import MicroResolver, Question

__all__ = ["MicroResolver", "Question"]
