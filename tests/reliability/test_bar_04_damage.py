"""Bar 4: damage to the journal never makes a wrong reply, and costs the records that it hits.

Again: .venv/bin/pytest tests/reliability/test_bar_04_damage.py
All of it: .venv/bin/pytest -m soak tests/reliability/test_bar_04_damage.py
"""

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from tests.support.bars import Bar
from tests.support.project_book import BookMaker
from tests.support.project_faults import QuickOps

from libriscribe2.project.store import ProjectStore

BAR: Final = Bar(4, 4, "test_bar_04_damage.py")
SECTOR: Final = 512
REPLIES: Final = 40
"""Of 20 kB each, as a journal of a long book has them."""

Damage = Callable[[bytearray, random.Random], int]
"""Damages the bytes; the most records that this may cost."""


def flipped(data: bytearray, rng: random.Random) -> int:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return 1


def cut(data: bytearray, rng: random.Random) -> int:
    del data[rng.randrange(len(data)) :]
    return REPLIES


def zeroed(data: bytearray, rng: random.Random) -> int:
    start = rng.randrange(len(data) - SECTOR)
    data[start : start + SECTOR] = bytes(SECTOR)
    return 2


class Damaged:
    """A project whose journal is damaged again and again.

    Attributes:
        journal: The whole bytes.
        replies: Every reply by key.
    """

    def __init__(self, folder: Path) -> None:
        self._maker = BookMaker(folder)
        self._maker.run(QuickOps())
        self.replies: dict[str, Mapping[str, Any]] = {}
        with self._open() as store:
            for number in range(REPLIES):
                completion = {"reply": f"reply {number} " * 2_000, "cost_usd": 0.0}
                store.call_log.sent(f"k{number}", step="s", model="m")
                store.call_log.done(f"k{number}", completion)
                self.replies[f"k{number}"] = completion
        self.journal = self._maker.paths.journal.read_bytes()

    def found(self, data: bytes) -> tuple[dict[str, Mapping[str, Any] | None], int]:
        """The replies that a journal of these bytes gives, and how many damages it tells of."""
        self._maker.paths.journal.write_bytes(data)
        with self._open() as store:
            return {key: store.manifest.reply(key) for key in self.replies}, store.damaged

    def _open(self) -> ProjectStore:
        return ProjectStore.open(self._maker.paths, self._maker.machine(QuickOps()))


@pytest.mark.parametrize("cases", [25, pytest.param(500, marks=pytest.mark.soak)])
@pytest.mark.parametrize("damage", [flipped, cut, zeroed])
def test_bar_04_no_damage_makes_a_wrong_reply(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: Damage, cases: int
) -> None:
    project, rng, lost = Damaged(tmp_path), BAR.rng(damage.__name__), 0
    for case in range(cases):
        data = bytearray(project.journal)
        most = damage(data, rng)
        found, told = project.found(bytes(data))
        gone = [key for key, reply in found.items() if reply is None]
        assert all(found[key] in (None, reply) for key, reply in project.replies.items()), case
        assert len(gone) <= most, case
        assert told or not gone or damage is cut, f"case {case}: lost without a word"
        assert gone == list(project.replies)[len(found) - len(gone) :] or damage is not cut
        lost += len(gone)
    figure = f"{cases} journals {damage.__name__}: 0 wrong replies, {lost} lost"
    BAR.tell(capsys, figure, soak=cases > 25)
