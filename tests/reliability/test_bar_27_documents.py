"""Bar 27: documents of somebody else, as manuscripts, samples and sources.

Again: .venv/bin/pytest -m slow tests/reliability/test_bar_27_documents.py
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from tests.support.bars import Bar
from tests.support.desk import SMALL, Desk
from tests.support.hand_made import HandMade
from tests.support.hostile_documents import corpus
from tests.support.hostile_files import CANARY
from tests.support.memory import peak, reset_peak
from tests.support.web_pages import WebPages

BAR: Final = Bar(27, 27, "test_bar_27_documents.py")
SECRET: Final = f"The {CANARY} of the house is that its key lies under the third stone."
MOST_GROWTH: Final = 200_000_000
MOST_SECONDS: Final = 20.0
"""Of the processor."""

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("use", ["import", "samples", "sources"])
def test_bar_27_08_no_document_reads_sends_or_takes_everything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], use: str
) -> None:
    desk = Desk(tmp_path / "desk")
    desk.folder.mkdir()
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET, encoding="utf-8")
    desk.written("--research", "--until", "concept")
    desk.run("create", "Warm up", "--mock", "-p", "first", *SMALL, "--until", "concept")
    worst_memory, worst_seconds = (0, ""), (0.0, "")
    with WebPages() as canary:
        files = corpus(str(secret), f"{canary.root}/canary")
        for number, (name, data) in enumerate(files.items()):
            words = _given(desk, use, number, name, data)
            before, began = reset_peak(), time.process_time()
            ran = desk.run(*words, expect=None)
            worst_seconds = max(worst_seconds, (time.process_time() - began, name))
            worst_memory = max(worst_memory, (peak() - before, name))
            assert ran.code in (0, 2, 3, 5), (name, ran)
            assert "Traceback" not in ran.err, (name, ran)
        assert canary.requests == []
    assert len(files) >= 60
    assert worst_memory[0] <= MOST_GROWTH, worst_memory
    assert worst_seconds[0] <= MOST_SECONDS, worst_seconds
    for path in desk.folder.rglob("*"):
        assert not path.name.startswith("ran-"), path
        assert not (path.is_file() and CANARY.encode() in path.read_bytes()), path
    BAR.tell(
        capsys,
        f"{len(files)} documents as {use}: nothing read or sent; the worst take "
        f"+{worst_memory[0] / 1e6:.0f} MB ({worst_memory[1]}), {worst_seconds[0]:.1f} s "
        f"({worst_seconds[1]})",
    )


def _given(desk: Desk, use: str, number: int, name: str, data: bytes) -> Sequence[str]:
    """The command that reads a document."""
    if use == "sources":
        for old in desk.project().root.glob("research/sources/*"):
            old.unlink()
        HandMade(desk.folder).write(f"research/sources/{name}", data)
        return "research", "book", f"What does {name} say of salt?", "--mock"
    (desk.folder / "given").mkdir(exist_ok=True)
    (desk.folder / "given" / name).write_bytes(data)
    if use == "import":
        return "import", f"given/{name}", "--mock", "-p", f"taken-{number}"
    new = ("create", "A coast", "--mock", "-p", f"new-{number}", *SMALL, "--until", "concept")
    return (*new, "--samples", f"given/{name}")
