"""What the requests of recorded books say."""

from collections.abc import Callable, Mapping

import pytest
from tests.support.desk import Desk
from tests.support.recorded_books import played

from libriscribe2.commands.calls import all_calls
from libriscribe2.project.paths import ProjectPaths

Asked = Callable[[str], Mapping[str, str]]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """The words of every request of a recorded book, by its step."""
    known: dict[str, Mapping[str, str]] = {}

    def of(name: str) -> Mapping[str, str]:
        if name not in known:
            book = played(Desk(tmp_path_factory.mktemp(name)), name)
            dumps = [call.dump for call in all_calls(ProjectPaths(book.root, book.debug))]
            told = {one.step: [str(turn.content) for turn in one.prompt] for one in dumps}
            known[name] = {step: "\n".join(turns) for step, turns in told.items()}
        return known[name]

    return of
