"""Bar 25, the long part: ten thousand calls leave nothing open, and a long book opens at once.

Again: .venv/bin/pytest -m soak tests/reliability/test_bar_25_scale.py
Overhead per call and start-up are measured by `make bench`.
"""

import asyncio
import gc
import os
from pathlib import Path
from time import process_time
from typing import Final

import pytest
from tests.support.bars import Bar
from tests.support.project_faults import QuickOps

from libriscribe2.llm.backend import ScriptedBackend
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.session import CallSession
from libriscribe2.project.lock import Machine, Rescue
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore

BAR: Final = Bar(25, 25, "test_bar_25_scale.py")
CALLS: Final = 10_000
REPLY: Final = "A line of the book. " * 100
MOST_BYTES: Final = 50 * 2**20
LONG_BOOK: Final = 5_000
LONGEST_SECONDS: Final = 0.6
SLACK: Final = 3.0
"""Processor time counts, so that other tests do not; a slower machine may take so much longer."""

pytestmark = pytest.mark.soak


def opened(folder: Path) -> ProjectStore:
    paths = ProjectPaths(folder / "book", folder / "debug")
    machine = Machine(ops=QuickOps(), rescue=Rescue(folder / "rescue"))
    if paths.root.exists():
        return ProjectStore.open(paths, machine)
    return ProjectStore.create(paths, machine)


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Linux tells its memory")
def test_bar_25_ten_thousand_calls_leave_nothing_open_and_little_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    backend = ScriptedBackend(then=lambda request: f"{request.step} {REPLY}")

    async def ask(store: ProjectStore, first: int, last: int) -> None:
        session = CallSession()
        client = LLMClient("", "", "m", backend=backend, call_log=store.call_log, session=session)
        for number in range(first, last):
            asking = client.with_options(CallOptions(step=f"s{number}"))
            assert await asking.think(f"Question {number}")
            backend.calls.clear()

    with opened(tmp_path) as store:
        asyncio.run(ask(store, 0, 100))
        gc.collect()
        before, files = resident_bytes(), descriptors()
        asyncio.run(ask(store, 100, CALLS))
        gc.collect()
        grown, left = resident_bytes() - before, descriptors() - files
    assert left == 0
    assert grown <= MOST_BYTES
    BAR.tell(capsys, f"{CALLS:,} calls: {grown / 2**20:.0f} MiB, {left} descriptors", soak=True)


def test_bar_25_a_project_of_five_thousand_calls_opens_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(tmp_path) as store:
        for number in range(LONG_BOOK):
            completion = {"reply": f"{number} {REPLY * 10}", "cost_usd": 0.01, "usage": {}}
            store.call_log.sent(f"k{number}", step="s", model="m")
            store.call_log.done(f"k{number}", completion)
    gc.collect()
    began = process_time()
    with opened(tmp_path) as store:
        seconds = process_time() - began
        assert store.manifest.totals.calls == LONG_BOOK
    assert seconds <= LONGEST_SECONDS * SLACK
    BAR.tell(capsys, f"{LONG_BOOK:,} calls opened in {seconds:.2f} s, bar 0.6 s", soak=True)
