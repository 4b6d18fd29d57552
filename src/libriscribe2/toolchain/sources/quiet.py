"""Libraries that read files from outside keep what they think of them to themselves."""

import logging


def quiet(*names: str) -> None:
    """Keep a library's log messages, which may repeat what a file says, off the terminal.

    Args:
        names: The names of its loggers.
    """
    for name in names:
        logger = logging.getLogger(name)
        if logger.propagate:
            logger.addHandler(logging.NullHandler())
            logger.propagate = False
