"""Every planted bug can be planted, and names the one bar that has to catch it."""

from pathlib import Path

import pytest
from tests.reliability.planted import MUTANTS, Mutant

HERE = Path(__file__).parent
PROGRAM = HERE.parents[1] / "src" / "libriscribe2"


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.bar}: {mutant.name}")
def test_a_planted_bug_has_one_place_and_one_bar(mutant: Mutant) -> None:
    assert (PROGRAM / mutant.file).read_text(encoding="utf-8").count(mutant.old) == 1
    assert mutant.new != mutant.old
    assert len(list(HERE.glob(f"{mutant.bar}*.py"))) == 1
