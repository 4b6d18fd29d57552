"""Where log messages go: a file of the project; the terminal gets only what a person must see."""

import logging
from pathlib import Path

from libriscribe2.project.storage_errors import storage_errors


def log_to(file: Path, level: str) -> None:
    """Write the package's log to a file, replacing an earlier one of this process.

    Args:
        file: The log file; its folder must be there.
        level: The least severe level that is kept.

    Raises:
        StorageError: The file cannot be written.
    """
    logger = logging.getLogger("libriscribe2")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    with storage_errors("write", file):
        handler = logging.FileHandler(file, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(level)
    logger.propagate = False
