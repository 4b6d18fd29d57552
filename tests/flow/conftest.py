"""A desk for each test."""

from pathlib import Path

import pytest
from tests.support.desk import Desk
from tests.support.postgres import cluster, dsn

__all__ = ["cluster", "dsn"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)
