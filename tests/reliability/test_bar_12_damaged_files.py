"""Bar 12: a damaged file of the user's is told with its place, kept as it is, and nothing is paid.

Again: .venv/bin/pytest tests/reliability/test_bar_12_damaged_files.py
All of it: .venv/bin/pytest -m soak tests/reliability/test_bar_12_damaged_files.py
"""

import json
import random
import re
from collections.abc import Callable
from typing import Any, Final

import pytest
from tests.support.authors import Author
from tests.support.bars import Bar
from tests.support.desk import Desk

BAR: Final = Bar(12, 12, "test_bar_12_damaged_files.py")
DAMAGED: Final = 3
"""Exit code."""

JSON_FILES: Final = (
    "concept.json",
    "characters.json",
    "world.json",
    "outline.json",
    "scenes.json",
)
TEXTS: Final = ("chapters/01.md", "chapters/02.md", ".libriscribe/summaries/02.md", "manuscript.md")
PLACE: Final = re.compile(
    r"is empty|line \d+|nested too deep|there twice|NaN|Infinity|the right shape"
)

Damage = Callable[[bytes, random.Random], bytes]


def cut(data: bytes, rng: random.Random) -> bytes:
    whole = data.rstrip()
    return whole[: rng.randrange(1, len(whole))]


def no_utf8(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + rng.choice((b"\xff", b"\xfe\x00", b"\xc3(", b"\xed\xa0\x80")) + data[at:]


def wrong_type(data: bytes, rng: random.Random) -> bytes:
    return _with(data, rng, rng.choice((7, "x", True)))


def not_a_number(data: bytes, rng: random.Random) -> bytes:
    return b'{"more": %s, %s' % (rng.choice((b"NaN", b"Infinity")), data.lstrip()[1:])


def too_large(data: bytes, rng: random.Random) -> bytes:
    return _with(data, rng, "x" * 10_000_000)


def too_deep(data: bytes, rng: random.Random) -> bytes:
    depth = rng.randrange(10_000, 20_000)
    return b'{"more": ' + b"[" * depth + b"]" * depth + b"}"


def twice(data: bytes, rng: random.Random) -> bytes:
    key = rng.choice(list(json.loads(data)))
    return json.dumps({key: 1}).encode()[:-1] + b", " + data.lstrip()[1:]


def empty(data: bytes, rng: random.Random) -> bytes:
    return rng.choice((b"", b"\n", b" \r\n\t", b"\xef\xbb\xbf"))


def _with(data: bytes, rng: random.Random, wrong: object) -> bytes:
    """The file with something else in the place of an object or of a list of objects."""
    value = json.loads(data)
    structured = [key for key, below in value.items() if "{" in json.dumps(below)]
    key = rng.choice(structured)
    return json.dumps({**value, key: wrong}).encode()


IN_JSON: Final = (cut, no_utf8, wrong_type, not_a_number, too_large, too_deep, twice, empty)
IN_TEXT: Final = (no_utf8, empty)
CASES: Final = [
    *((name, damage) for damage in IN_JSON for name in JSON_FILES),
    *((name, damage) for damage in IN_TEXT for name in TEXTS),
]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.written("--worldbuilding")
    return desk


def told(ran: Any, name: str) -> bool:
    """Whether one line names the file, and the place is told."""
    lines = [line for line in ran.err.splitlines() if line.startswith("error: ")]
    return len(lines) == 1 and name in lines[0] and PLACE.search(ran.err) is not None


@pytest.mark.parametrize("cases", [len(CASES), pytest.param(200, marks=pytest.mark.soak)])
def test_bar_12_a_damaged_file_stops_all_with_one_line(
    desk: Desk, capsys: pytest.CaptureFixture[str], cases: int
) -> None:
    rng = BAR.rng(cases)
    for number in range(cases):
        name, damage = CASES[number % len(CASES)]
        path = desk.project().path(name)
        whole = path.read_bytes()
        data = damage(whole, rng)
        path.write_bytes(data)
        author = Author()
        ran = desk.run("resume", "book", "--rewrite", "--yes", expect=DAMAGED, backend=author)
        case = f"case {number}, {damage.__name__} of {name}: {ran.err[:500]}"
        assert told(ran, name), case
        assert "Traceback" not in ran.err, case
        assert len(ran.err) < 2_000, case
        assert author.asked == [], case
        assert path.read_bytes() == data, case
        path.write_bytes(whole)
    figure = f"{cases} damaged files: exit {DAMAGED}, place told, untouched, 0 calls"
    BAR.tell(capsys, figure, soak=cases > len(CASES))
