"""`python -m bench.checks`: faults that a stranger planted, read by another who knew of none."""

import json
from pathlib import Path

import pytest
from tests.support.desk import Desk
from tests.support.recorded_books import FOLDER, played, recording

PLANTED = FOLDER / "skarra" / "planted"


def judged(desk: Desk, key: Path, book: Path) -> tuple[str, list[str]]:
    """The line of the sums, and what is said beside the key."""
    lines = desk.run_apart(f"{key}={book}", program=("-m", "bench.checks")).out.splitlines()
    totals = next(line for line in lines if line.startswith("all\t"))
    return totals, [line for line in lines if ": warning " in line or ": error " in line]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "found"), [("locked-key", "3\t0\t2"), ("skarra", "4\t1\t4")])
def test_the_checks_find_two_thirds_of_what_a_finished_book_contradicts(
    desk: Desk, name: str, found: str
) -> None:
    book = played(desk, name)
    totals, beside = judged(desk, FOLDER / name / "contradictions.jsonl", book.root)
    assert totals == f"all\t{found}\t(0 controls)"
    assert len(beside) == 2, beside
    assert not [line for line in beside if ": error " in line]


@pytest.mark.slow
def test_the_checks_find_what_a_recorded_reading_of_planted_faults_remarks(desk: Desk) -> None:
    book, told = played(desk, "skarra"), recording("skarra")
    for path in sorted(PLANTED.glob("*.md")):
        book.write(f"chapters/{path.name}", path.read_text(encoding="utf-8"))
        book.path(f".libriscribe/canon/{path.stem}.json").unlink()
    read = json.loads((PLANTED / "readings.json").read_text(encoding="utf-8"))
    told["steps"] = [
        {**one, "reply": read[one["step"]]} for one in told["steps"] if one["step"] in read
    ]
    (desk.folder / "read.json").write_text(json.dumps(told), encoding="utf-8")
    desk.run("resume", "skarra", "--model", "recorded:read.json")
    totals, beside = judged(desk, PLANTED / "key.jsonl", book.root)
    assert totals == "all\t25\t15\t22\t(10 controls)"
    assert not [line for line in beside if ": error " in line or "beside" not in line]
    assert len(beside) == 4, beside
