"""Bar 3: a power failure at any moment loses nothing that was acknowledged.

Again: .venv/bin/pytest tests/reliability/test_bar_03_power_failure.py
"""

from collections import Counter
from pathlib import Path
from typing import Final

import pytest
from tests.support.bars import Bar
from tests.support.power_failure import moments, violations
from tests.support.project_book import BookMaker
from tests.support.project_faults import QuickOps

BAR: Final = Bar(3, 5, "test_bar_03_power_failure.py")
FEWEST: Final = 500


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The finished book."""
    maker = BookMaker(tmp_path_factory.mktemp("whole"))
    maker.run(QuickOps())
    return maker.contents()


def test_bar_03_a_power_failure_at_any_moment_loses_nothing_acknowledged(
    tmp_path: Path, contents: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    disks = moments(BookMaker(tmp_path / "whole"), BAR.rng(), files=True, folders=True)
    assert len(disks) >= FEWEST
    different = {frozenset(disk.items()) | known: (disk, known) for disk, known in disks}
    for number, moment in enumerate(different.values()):
        assert violations(tmp_path / str(number), moment, contents) == set(), number
    BAR.tell(capsys, f"{len(disks)} disks ({len(different)} different): 0 violations")


@pytest.mark.parametrize(("files", "folders"), [(False, True), (True, False)])
def test_bar_03_a_missing_sync_is_noticed(
    tmp_path: Path,
    contents: dict[str, bytes],
    capsys: pytest.CaptureFixture[str],
    files: bool,
    folders: bool,
) -> None:
    disks = moments(BookMaker(tmp_path / "whole"), BAR.rng(), files=files, folders=folders)
    found = Counter(
        fault
        for number, moment in enumerate(disks[::15])
        for fault in violations(tmp_path / str(number), moment, contents)
    )
    assert found["lost reply"]
    missing = "folders" if files else "files"
    BAR.tell(capsys, f"without the sync of {missing}: {dict(found)} of {len(disks[::15])} disks")
