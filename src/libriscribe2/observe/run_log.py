"""Where log messages go: a file of the project; the terminal gets only what a person must see."""

import logging
from contextlib import suppress
from pathlib import Path

from typing_extensions import override

from libriscribe2.project.atomic import storage_errors


class LogFile(logging.FileHandler):
    """Appends to a file; what the system does not take is left out, and the work goes on."""

    @override
    def handleError(self, record: logging.LogRecord) -> None:
        """Nothing: the standard traceback on stderr says nothing that an author can use."""
        del record

    @override
    def close(self) -> None:
        """Close the file, whether or not the system takes the last lines."""
        with suppress(OSError):
            super().close()


def log_to(file: Path, level: str) -> None:
    """Write the package's log to a file, replacing an earlier one of this process.

    Args:
        file: The log file; its folder must be there.
        level: The least severe level that is kept.

    Raises:
        StorageError: The file cannot be written.
    """
    with storage_errors("write", file):
        handler = LogFile(file, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    _only(handler).setLevel(level)


def log_nowhere() -> None:
    """Drop the package's log: what is tried on a copy is no news of the project."""
    _only(logging.NullHandler())


def _only(handler: logging.Handler) -> logging.Logger:
    """The package's logger with this handler and no other."""
    logger = logging.getLogger("libriscribe2")
    for earlier in list(logger.handlers):
        logger.removeHandler(earlier)
        earlier.close()
    logger.addHandler(handler)
    logger.propagate = False
    return logger
