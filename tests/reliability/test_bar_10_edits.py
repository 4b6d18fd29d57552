"""Bar 10: what the author edits stays as it is, and what was made from it is reported as stale.

Again: .venv/bin/pytest tests/reliability/test_bar_10_edits.py
All of it: .venv/bin/pytest -m soak tests/reliability/test_bar_10_edits.py
"""

import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from tests.support.authors import Author
from tests.support.bars import Bar
from tests.support.desk import Desk

BAR: Final = Bar(10, 10, "test_bar_10_edits.py")
DEPENDANTS: Final = {
    "concept.json": {"characters.json", "outline.json"},
    "characters.json": {"outline.json", "scenes.json"},
    "world.json": {"outline.json", "scenes.json"},
    "outline.json": {"scenes.json"},
    "scenes.json": {"chapters/*"},
    "chapters/01.md": {
        *("chapters/02.md", ".libriscribe/summaries/01.md", ".libriscribe/canon/01.json")
    },
    "chapters/02.md": {".libriscribe/summaries/02.md", ".libriscribe/canon/02.json"},
    ".libriscribe/summaries/01.md": {"chapters/02.md"},
    ".libriscribe/summaries/02.md": set(),
    ".libriscribe/canon/01.json": set(),
    ".libriscribe/canon/02.json": set(),
    "manuscript.md": set(),
}
"""Some of what is made from each file; `chapters/*` means one of the chapters."""

LAYOUTS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "BOM": lambda data: b"\xef\xbb\xbf" + data,
    "blank end": lambda data: data + b"\n\n",
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    desk = Desk(tmp_path_factory.mktemp("finished"))
    desk.written()
    return desk


@pytest.fixture
def desk(finished: Desk, tmp_path: Path) -> Iterator[Callable[[object], Desk]]:
    """Copies of the finished book."""

    def copy(name: object) -> Desk:
        shutil.copytree(finished.folder, tmp_path / str(name))
        return Desk(tmp_path / str(name))

    yield copy
    shutil.rmtree(tmp_path)


def states(desk: Desk) -> dict[str, str]:
    units = desk.run("status", "book", "--json").value["units"]
    return {unit["unit"]: unit["state"] for unit in units}


def edited(name: str, text: str, rng: random.Random) -> str:
    """What an author makes of a file."""
    words = f"mine {rng.randrange(10**6)} — é 夏 \u2028 *so*"
    if name.endswith(".md"):
        lines = text.splitlines(keepends=True)
        lines.insert(rng.randrange(1, len(lines) + 1), f"{words}\n")
        return "".join(lines)
    value = json.loads(text)
    _change_a_string(value, words, rng)
    return json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, 1, 4)))


def _change_a_string(value: Any, words: str, rng: random.Random) -> None:
    """Replace one string somewhere in a JSON value; every list and object of a book has one."""
    places: list[tuple[Any, Any]] = []

    def look(holder: Any) -> None:
        pairs = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, below in pairs:
            if isinstance(below, str):
                places.append((holder, key))
            elif isinstance(below, dict | list):
                look(below)

    look(value)
    holder, key = rng.choice(places)
    holder[key] = words


@pytest.mark.parametrize("edits", [20, pytest.param(100, marks=pytest.mark.soak)])
def test_bar_10_an_edit_is_untouched_and_its_dependants_are_stale(
    desk: Callable[[object], Desk], capsys: pytest.CaptureFixture[str], edits: int
) -> None:
    rng = BAR.rng()
    for number in range(edits):
        here, name = desk(number), list(DEPENDANTS)[number % len(DEPENDANTS)]
        path = here.project().path(name)
        data = edited(name, path.read_text(encoding="utf-8"), rng).encode()
        path.write_bytes(data)
        author = Author()
        here.run("resume", "book", backend=author)
        found = states(here)
        assert path.read_bytes() == data, (number, name)
        assert author.asked == [], (number, name)
        assert found[name] == "edited", (number, name)
        stale = {unit for unit, state in found.items() if state == "stale"}
        expected = DEPENDANTS[name]
        if expected == {"chapters/*"}:
            assert stale & {"chapters/01.md", "chapters/02.md"}, (number, name)
        else:
            assert expected <= stale, (number, name)
    BAR.tell(capsys, f"{edits} edits: {edits} untouched, dependants stale", soak=edits > 20)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_bar_10_another_layout_is_no_edit(
    desk: Callable[[object], Desk], capsys: pytest.CaptureFixture[str], layout: str
) -> None:
    here, author = desk("book"), Author()
    names = list(DEPENDANTS)
    for name in names:
        path = here.project().path(name)
        path.write_bytes(LAYOUTS[layout](path.read_bytes()))
    before = here.project().contents()
    here.run("resume", "book", "--rewrite", "--yes", backend=author)
    assert set(states(here).values()) == {"fresh"}
    assert author.asked == []
    assert here.project().contents() == before
    BAR.tell(capsys, f"{len(names)} files with {layout}: 0 false stale")


def test_bar_10_json_indented_otherwise_is_no_edit(desk: Callable[[object], Desk]) -> None:
    here = desk("book")
    for path in here.project().root.glob("*.json"):
        value = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(value, indent=1, sort_keys=True), encoding="utf-8")
    assert set(states(here).values()) == {"fresh"}
