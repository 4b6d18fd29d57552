"""The bugs that `make mutants` plants stand in the program as it is."""

from pathlib import Path

from tests.reliability.planted import MUTANTS

import libriscribe2

SOURCE = Path(libriscribe2.__file__).parent


def test_every_planted_bug_has_one_place_in_the_program_and_a_bar() -> None:
    for one in MUTANTS:
        text = (SOURCE / one.file).read_text(encoding="utf-8")
        assert text.count(one.old) == 1, f"{one.name}: {one.file}: {one.old!r}"
        assert len(list(Path(__file__).parent.glob(f"{one.bar}*.py"))) == 1, one.bar
