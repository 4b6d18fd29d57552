"""Fixtures of the tools."""

from pathlib import Path

import pytest
from tests.support.written_book import WrittenBook


@pytest.fixture
def written(tmp_path: Path) -> WrittenBook:
    return WrittenBook(tmp_path)
