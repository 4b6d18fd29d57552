"""A desk for each test, and a log that ends with it."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.desk import Desk
from tests.support.postgres import cluster, dsn

__all__ = ["cluster", "dsn"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture(autouse=True)
def log_ends_with_the_test() -> Iterator[None]:
    """A run opens a log file; the next test of this process must not write into it."""
    yield
    logger = logging.getLogger("libriscribe2")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    logger.propagate = True
    logger.setLevel(logging.NOTSET)
