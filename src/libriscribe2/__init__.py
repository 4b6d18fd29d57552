"""LibriScribe2 turns a premise into a finished book with LLM agents."""

__version__ = "0.2.0"
