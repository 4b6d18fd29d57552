"""What the engine adds to a model call: journal, dumps, prompts, parsing, files, events."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from time import perf_counter, process_time
from typing import ParamSpec, TypeVar

from typing_extensions import override

from bench.figures import p95, spread
from bench.waits import Waits, bare_seconds
from libriscribe2.app import App, AppOptions
from libriscribe2.engine.engine import follow
from libriscribe2.engine.stages import stages_of
from libriscribe2.llm.backend import Completion, Request, ScriptedBackend
from libriscribe2.llm.backends.demo import DemoAuthor
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.models.brief import Brief
from libriscribe2.project.lock import Machine
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings.schema import PipelineConfig, Settings

TITLE = "Engine overhead per model call, scripted backend, one call at a time"
ROUNDS = 5
MEMORY = Path("/dev/shm")
P = ParamSpec("P")
T = TypeVar("T")
PREMISE = "A lighthouse keeper on a drowned coast finds tomorrow's logbook"


@dataclass(frozen=True, slots=True)
class Gap:
    """The time between two model calls.

    Attributes:
        seconds: All of it.
        cpu: What the process worked.
        waits: What it waited for the device, and the bytes of each wait.
    """

    seconds: float
    cpu: float
    waits: Waits


@dataclass
class Round:
    """One book.

    Attributes:
        gaps: The gaps between its calls.
        heard: CPU seconds of each call whose reply was heard while it came: what is worked out
            then is waited for by nobody, as a model takes far longer.
        bare: Seconds of writing and syncing the same bytes as in each gap, without an engine.
        book: CPU seconds of the whole book where the stand-in author writes the replies, too.
    """

    gaps: list[Gap]
    heard: list[float]
    bare: list[float]
    book: float

    def of(self, name: str) -> float:
        """The 95th percentile of a figure of the gaps, in seconds."""
        figures = {
            "all": [gap.seconds for gap in self.gaps],
            "cpu": [gap.cpu for gap in self.gaps],
            "waits": [gap.waits.seconds for gap in self.gaps],
            "rest": [gap.seconds - gap.waits.seconds for gap in self.gaps],
            "bare": self.bare,
        }
        return p95(figures[name])


@dataclass
class Watch:
    """Notes when the backend is entered and left."""

    waits: Waits = field(default_factory=Waits)
    gaps: list[Gap] = field(default_factory=list)
    heard: list[float] = field(default_factory=list)
    left: tuple[float, float] = (0.0, 0.0)

    def entered(self) -> None:
        """A gap ends."""
        now, cpu = perf_counter(), process_time()
        self.gaps.append(Gap(now - self.left[0], cpu - self.left[1], self.waits.taken()))

    def leaves(self) -> None:
        """A gap begins."""
        self.left = (perf_counter(), process_time())

    def was_heard(self) -> None:
        """A reply has come whole, and a gap begins."""
        self.heard.append(process_time() - self.left[1])
        self.leaves()


class TimedBackend(ScriptedBackend):
    """Plays replies that were made beforehand."""

    def __init__(self, replies: dict[str, Completion], watch: Watch) -> None:
        super().__init__()
        self._replies = replies
        self._watch = watch

    @override
    async def complete(self, request: Request) -> Completion:
        self._watch.entered()
        completion = self._replies[request.key()]
        self._watch.leaves()
        return completion

    @override
    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        completion = await self.complete(request)
        yield completion.reply
        self._watch.was_heard()
        yield completion


class Recorder(DemoAuthor):
    """The stand-in author, keeping what it answered."""

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
    places = {"on this disk": Path(gettempdir())}
    if MEMORY.is_dir():
        places["in memory"] = MEMORY
    for (name, place), revision in product(places.items(), (False, True)):
        rounds = [_round(place, revision=revision) for _ in range(ROUNDS)]
        with_it = "with gates and revision" if revision else "without revision"
        whole = [gap.seconds for one in rounds for gap in one.gaps]
        waits = [gap.waits.count for gap in rounds[0].gaps]
        yield f"- {name}, {len(rounds[0].gaps)} calls of a 12-chapter book {with_it}, {ROUNDS} times"
        yield f"  - between two calls: {spread(whole, 'ms', 1e3)}, {sum(waits)} syncs in all"
        yield f"  - its 95th percentile: {_line(rounds, 'all')}"
        yield f"    - without the waits for the device: {_line(rounds, 'rest')}"
        yield f"    - CPU time of the process: {_line(rounds, 'cpu')}"
        yield f"    - waits for the device: {_line(rounds, 'waits')}"
        yield f"    - the same bytes written and synced bare: {_line(rounds, 'bare')}"
        heard = [seconds for one in rounds for seconds in one.heard]
        yield f"  - CPU time while a reply streams in: {spread(heard, 'ms', 1e3)}"
        books = spread([one.book for one in rounds], "s", 1)
        yield f"  - CPU time of such a book by the stand-in author, its replies included: {books}"


def _line(rounds: list[Round], name: str) -> str:
    """The 95th percentiles of all rounds."""
    return spread([one.of(name) for one in rounds], "ms", 1e3)


def _round(place: Path, *, revision: bool) -> Round:
    """Both books in a process of their own each, as the command line writes one."""
    with TemporaryDirectory(dir=place) as folder:
        brief = Brief(premise=PREMISE, revision=revision)
        replies, book = _alone(_recorded, Path(folder) / "recorded", brief)
        gaps, heard = _alone(_timed, Path(folder) / "timed", brief, replies)
        bare = bare_seconds(Path(folder) / "bare", [gap.waits for gap in gaps[1:]])
        return Round(gaps[1:], heard, bare, book)


def _alone(work: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """What a function returns in a process that remembers nothing of books before."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *args, **options).result()


def _recorded(root: Path, brief: Brief) -> tuple[dict[str, Completion], float]:
    """The replies to a book's questions, and the CPU seconds of the whole book."""
    recorder, begun = Recorder(), process_time()
    _book(root, brief, recorder, Waits())
    return recorder.replies, process_time() - begun


def _timed(
    root: Path, brief: Brief, replies: dict[str, Completion]
) -> tuple[list[Gap], list[float]]:
    """The gaps of a book whose replies lie ready, and the CPU seconds of what is heard."""
    watch = Watch()
    _book(root, brief, TimedBackend(replies, watch), watch.waits)
    return watch.gaps, watch.heard


def _book(root: Path, brief: Brief, backend: DemoAuthor | TimedBackend, waits: Waits) -> None:
    # Cleaned replies are warned of; nobody wants to read so here.
    logging.getLogger("libriscribe2").addHandler(logging.NullHandler())
    settings = Settings(pipeline=PipelineConfig(max_concurrency=1))
    paths = ProjectPaths(root, root.with_name(f"{root.name}-debug"))
    choice = ModelChoice("demo", "measured")
    with ProjectStore.create(paths, Machine(ops=waits.ops())) as store:
        app = App(store, brief, settings, choice, AppOptions(backend=backend))
        asyncio.run(follow(app.engine.run(stages_of(brief))))
