"""The command line: one file per noun, and the only place that runs the event loop."""

import os

from libriscribe2.errors import EXIT_INTERRUPTED


def main() -> None:
    """Run the command line; Ctrl-C while it is still being imported ends it without a word."""
    try:
        from libriscribe2.cli.root import main as run  # noqa: PLC0415 -- Ctrl-C ends it quietly
    except KeyboardInterrupt:
        os._exit(EXIT_INTERRUPTED)
    run()
