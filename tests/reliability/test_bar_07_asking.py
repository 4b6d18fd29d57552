"""Bar 7: what only asks says of a project without rights that a run would stop, and still answers.

Again: .venv/bin/pytest tests/reliability/test_bar_07_asking.py
"""

import os

import pytest
from tests.reliability.test_bar_07_rights import NO_WRITING, SIZE, mend, spoil
from tests.support.bars import Trials

pytestmark = pytest.mark.skipif(os.name != "posix", reason="rights as POSIX has them")


def test_bar_07_check_status_and_estimate_of_a_project_that_may_not_be_written(
    trials: Trials,
) -> None:
    trial = trials.new(SIZE)
    trial.run("create", dies_at=4, expect=-9)
    spoil(trial.desk.folder / "projects/book", NO_WRITING)
    checked = trial.run("check", "book", expect=3, obeys_rights=True)
    assert "projects/book is not writable" in checked.out
    asked = trial.run("status", "book", obeys_rights=True)
    assert "A run would stop: " in asked.err
    quoted = trial.run("estimate", "book", obeys_rights=True)
    assert quoted.out.splitlines()[-1].startswith("total\t")
    assert "cannot be compared with this estimate" in quoted.err
    mend(trial.desk.folder)
