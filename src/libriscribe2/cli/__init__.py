"""The command line: one file per noun, and the only place that runs the event loop."""

from libriscribe2.cli.root import main

__all__ = ["main"]
