"""One finished book for all tests of a worker; each test works on its own copy."""

from pathlib import Path

import pytest
from tests.support.shaped_book import ShapedBook, new_book


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> ShapedBook:
    return new_book(tmp_path_factory.mktemp("finished") / "desk")


@pytest.fixture
def shaped(finished: ShapedBook, tmp_path: Path) -> ShapedBook:
    return finished.copy(tmp_path / "desk")
