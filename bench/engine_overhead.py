"""What the engine adds to a model call: journal, dumps, prompts, parsing, files, events."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from typing_extensions import override

from bench.figures import p95, spread
from libriscribe2.app import Hooks, Workshop
from libriscribe2.llm.backend import Completion, Request
from libriscribe2.llm.offline_author import OfflineAuthor
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.llm.scripted import ScriptedBackend
from libriscribe2.models.brief import Brief
from libriscribe2.pipeline.stages import stages_of
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings import PipelineConfig, Settings

TITLE = "Engine overhead per model call, scripted backend, one call at a time"


class TimedBackend(ScriptedBackend):
    """Plays replies that were made beforehand and notes when it is entered and left."""

    def __init__(self, replies: dict[str, Completion]) -> None:
        super().__init__()
        self._replies = replies
        self.gaps: list[float] = []
        self._left = 0.0

    @override
    async def complete(self, request: Request) -> Completion:
        self.gaps.append(perf_counter() - self._left)
        completion = self._replies[request.key()]
        self._left = perf_counter()
        return completion

    @override
    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        completion = await self.complete(request)
        yield completion.reply
        self._left = perf_counter()
        yield completion


class Recorder(OfflineAuthor):
    """The offline author, keeping what it answered."""

    def __init__(self) -> None:
        super().__init__()
        self.replies: dict[str, Completion] = {}

    @override
    async def complete(self, request: Request) -> Completion:
        completion = await super().complete(request)
        self.replies[request.key()] = completion
        return completion

    @override
    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        yield await self.complete(request)


def measure() -> Iterator[str]:
    with TemporaryDirectory() as folder:
        recorder = Recorder()
        _book(Path(folder) / "recorded", recorder)
        timed = TimedBackend(recorder.replies)
        _book(Path(folder) / "timed", timed)
        gaps = timed.gaps[1:]
    yield f"- {len(gaps)} calls of a 12-chapter book: {spread(gaps, 'ms', 1e3)}"
    yield f"- 95th percentile: {1e3 * p95(gaps):.2f} ms"


def _book(root: Path, backend: OfflineAuthor | TimedBackend) -> None:
    brief = Brief(premise="A lighthouse keeper on a drowned coast finds tomorrow's logbook")
    settings = Settings(pipeline=PipelineConfig(max_concurrency=1))
    paths = ProjectPaths(root, root.with_name(f"{root.name}-debug"))
    choice = ModelChoice("offline", "measured")
    with ProjectStore.create(paths) as store:
        workshop = Workshop(store, brief, settings, choice, Hooks(backend=backend))
        asyncio.run(workshop.run(stages_of(brief)))
