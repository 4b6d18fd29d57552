"""Fixtures of a project in a temporary folder."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.legacy_project import OldFolder
from tests.support.project_book import BookMaker
from tests.support.project_faults import QuickOps

from libriscribe2.project.lock import Machine, Rescue
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore


@pytest.fixture
def paths(tmp_path: Path) -> ProjectPaths:
    return ProjectPaths(tmp_path / "projects" / "book", tmp_path / "debug" / "book")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(
        ops=QuickOps(),
        clock=lambda: datetime(2025, 1, 12, 10, 30, tzinfo=UTC),
        places=tmp_path / "places",
        rescue=Rescue(tmp_path / "rescue"),
    )


@pytest.fixture
def store(paths: ProjectPaths, machine: Machine) -> Iterator[ProjectStore]:
    with ProjectStore.create(paths, machine) as held:
        yield held


@pytest.fixture
def maker(tmp_path: Path) -> BookMaker:
    return BookMaker(tmp_path)


@pytest.fixture
def old(paths: ProjectPaths) -> OldFolder:
    return OldFolder(paths)
