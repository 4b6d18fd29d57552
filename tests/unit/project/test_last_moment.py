"""What an author saves between the program's look at a file and its replacement is not lost."""

import errno
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.project_faults import Crash, QuickOps
from typing_extensions import override

from libriscribe2.errors import ProjectError
from libriscribe2.project.lock import Machine
from libriscribe2.project.paths import CONCEPT, ProjectPaths
from libriscribe2.project.store import ProjectStore

OURS, NEW, SAVED, SAVED_AGAIN = '"ours"', '"new"', '"the author\'s"', '"and again"'


class Meanwhile(QuickOps):
    """Somebody saves the file just before each exchange of it.

    Args:
        saves: What is saved, one text before each exchange.
        exchanges: Whether the system can exchange files.
        dies: Whether the process dies after the first exchange.
    """

    def __init__(self, *saves: str, exchanges: bool = True, dies: bool = False) -> None:
        super().__init__()
        self._saves = list(saves)
        self._exchanges = exchanges
        self._dies = dies

    @override
    def exchange(self, one: Path, other: Path, /) -> None:
        if self._saves:
            other.write_text(self._saves.pop(0), encoding="utf-8")
        if not self._exchanges:
            raise OSError(errno.ENOTSUP, "not here")
        super().exchange(one, other)
        if self._dies:
            raise Crash


def write(store: ProjectStore, text: str) -> None:
    store.write(CONCEPT, text, step=CONCEPT, inputs={}, params={}, keys=["k"])


def trashed(paths: ProjectPaths) -> list[str]:
    return sorted(path.read_text(encoding="utf-8") for path in paths.trash.glob("*"))


@pytest.fixture
def rewritten(
    paths: ProjectPaths, machine: Machine
) -> Callable[[Meanwhile], tuple[str, list[str]]]:
    """What lies in a file, and in the trash, when a run writes it while somebody saves it."""

    def run(ops: Meanwhile) -> tuple[str, list[str]]:
        with ProjectStore.create(paths, machine) as store:
            write(store, OURS)
        with (
            ProjectStore.open(paths, replace(machine, ops=ops)) as store,
            pytest.raises(ProjectError, match="was edited"),
        ):
            write(store, NEW)
        left = sorted(path.name for path in paths.root.iterdir() if path.is_file())
        assert left == [CONCEPT], "nothing is left aside"
        return (paths.root / CONCEPT).read_text(encoding="utf-8"), trashed(paths)

    return run


@pytest.mark.parametrize("exchanges", [True, False])
def test_XC_05_a_save_at_the_last_moment_stays(
    rewritten: Callable[[Meanwhile], tuple[str, list[str]]], *, exchanges: bool
) -> None:
    assert rewritten(Meanwhile(SAVED, exchanges=exchanges)) == (SAVED, [])


def test_XC_05_of_two_saves_the_later_stays_and_the_other_is_in_the_trash(
    rewritten: Callable[[Meanwhile], tuple[str, list[str]]],
) -> None:
    assert rewritten(Meanwhile(SAVED, SAVED_AGAIN)) == (SAVED_AGAIN, [SAVED])


def test_XC_05_a_save_that_a_dead_process_held_aside_is_in_the_trash(
    paths: ProjectPaths, machine: Machine
) -> None:
    with ProjectStore.create(paths, machine) as store:
        write(store, OURS)
    store = ProjectStore.open(paths, replace(machine, ops=Meanwhile(SAVED, dies=True)))
    with pytest.raises(Crash):
        write(store, NEW)
    store.close()
    ProjectStore.open(paths, machine).close()
    assert (paths.root / CONCEPT).read_text(encoding="utf-8") == NEW
    assert trashed(paths) == [SAVED]
