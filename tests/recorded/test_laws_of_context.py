"""What every scene of a recorded book was shown, held against the laws of context.

The laws that are broken today are listed in `known_failures.txt` beside each recording: what mends
one takes its line out, and a new one fails. `python -m bench.context_laws` shows the evidence.
"""

from pathlib import Path

import pytest
from tests.support.context_changes import holds, read_changes
from tests.support.desk import Desk
from tests.support.recorded_books import FOLDER, NAMES, played
from tests.support.recorded_scenes import RecordedBook

from libriscribe2.project.paths import ProjectPaths

FEWEST_CHANGES = 50


@pytest.fixture(scope="module", params=NAMES)
def book(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> RecordedBook:
    """A recorded book, as it is written today."""
    name = request.param
    project = played(Desk(tmp_path_factory.mktemp("desk")), name)
    paths = ProjectPaths(project.root, project.debug)
    return RecordedBook(paths, read_changes(FOLDER / name))


def known_failures(book: RecordedBook) -> list[str]:
    path: Path = FOLDER / book.paths.root.name / "known_failures.txt"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def test_contexts_break_the_laws_where_that_is_known_and_nowhere_else(book: RecordedBook) -> None:
    found, known = [one.line for one in book.findings()], known_failures(book)
    new = [line for line in found if line not in known]
    assert not new, "broken, and not on the list of known failures"
    mended = [line for line in known if line not in found]
    assert not mended, "no longer broken: take these lines off the list of known failures"
    assert len(known) == len(set(known))


def test_the_list_of_changes_quotes_the_finished_text(book: RecordedBook) -> None:
    texts = {(scene.chapter, scene.number): scene.text for scene in book.scenes}
    if not (FOLDER / book.paths.root.name / "changes.json").exists():
        pytest.skip("nobody has made its list of changes: L6 is not judged")
    assert len(book.changes) >= FEWEST_CHANGES
    for one in book.listed:
        quotes = [(one.place, one.quote), *((need.place, need.quote) for need in one.needed)]
        assert [quote for place, quote in quotes if not holds(texts[place], quote)] == [], one.id
