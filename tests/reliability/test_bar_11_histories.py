"""Bar 11: whatever happens to a project, in whatever order, it keeps its promises.

Again: .venv/bin/pytest tests/reliability/test_bar_11_histories.py
All of it: .venv/bin/pytest -m soak tests/reliability/test_bar_11_histories.py
"""

import os
from typing import Final

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test
from tests.support.bars import Bar
from tests.support.project_history import ProjectHistory

BAR: Final = Bar(11, 11, "test_bar_11_histories.py")
FEW: Final = int(os.environ.get("HISTORIES", "20"))
STEPS: Final = 30
PHASES: Final = (Phase.generate,) if "HISTORIES" in os.environ else tuple(Phase)
"""A planted bug need not be told in its shortest form."""


@pytest.mark.parametrize("histories", [FEW, pytest.param(2_000, marks=pytest.mark.soak)])
def test_bar_11_no_history_of_a_project_breaks_a_promise(
    capsys: pytest.CaptureFixture[str], histories: int
) -> None:
    planned = settings(
        max_examples=histories,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        phases=PHASES,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(seed(BAR.seed)(ProjectHistory), settings=planned)
    figure = f"{histories} histories of up to {STEPS} steps: 0 violations"
    BAR.tell(capsys, figure, soak=histories > FEW)
