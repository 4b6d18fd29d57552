"""What it takes to write the review pages of a long book as a folder, and to show one of them."""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from libriscribe2.app import App, AppOptions
from libriscribe2.desk.site import LiveAddresses, Site, freeze
from libriscribe2.desk.snapshot import ProjectSource, take
from libriscribe2.engine.engine import follow
from libriscribe2.engine.stages import stages_of
from libriscribe2.llm.providers import DEMO_MODEL, ModelChoice
from libriscribe2.models.brief import Brief
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings.schema import Settings

TITLE = "Review pages of a 60-chapter book of the stand-in author"


def measure() -> Iterator[str]:
    with TemporaryDirectory() as folder:
        source = _book(Path(folder))
        start, cpu = perf_counter(), process_time()
        pages = freeze(source, Path(folder) / "pages")
        took, worked = perf_counter() - start, process_time() - cpu
        calls = source.calls()
        count = len(calls.read())
        start = perf_counter()
        Site(take(source, calls), LiveAddresses(), "live").render(("overview",))
        again = perf_counter() - start
    yield f"- {count} calls, {pages} pages as a folder: {took:.2f} s, {worked:.2f} s of CPU"
    yield f"- the overview anew after a change: {1e3 * again:.0f} ms"


def _book(folder: Path) -> ProjectSource:
    logging.getLogger("libriscribe2").addHandler(logging.NullHandler())
    brief = Brief(
        premise="A lighthouse keeper on a drowned coast finds tomorrow's logbook",
        chapters="60",
        words=90_000,
        scenes_per_chapter="7",
    )
    paths = ProjectPaths(folder / "book", folder / "debug")
    paths.root.mkdir()
    with ProjectStore.create(paths) as store:
        write_book_toml(paths.book_toml, brief.model_dump(), {})
        choice = ModelChoice(DEMO_MODEL, "bench")
        app = App(store, brief, Settings(), choice, AppOptions("bench"))
        asyncio.run(follow(app.engine.run(stages_of(brief))))
    return ProjectSource(paths)
