"""A long book: its calls and prompts, and how long models would take in each order of drafting."""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Final

from libriscribe2.app import App, AppOptions
from libriscribe2.engine.engine import follow
from libriscribe2.engine.stages import stages_of
from libriscribe2.forecast.model_time import CHAPTERS, DRAFTS, ORDERS, VirtualLoop
from libriscribe2.forecast.quote import USUAL_PACE, QuotedCall, QuotingBackend
from libriscribe2.llm.backends.demo import DemoAuthor
from libriscribe2.llm.providers import DEMO_MODEL, ModelChoice
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import Drafting
from libriscribe2.project.atomic import UnsyncedOps
from libriscribe2.project.lock import Machine
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings.schema import PipelineConfig, Settings

TITLE = "A 30-chapter, 90,000-word book of the stand-in author, on a simulated clock"

AT_ONCE: Final = 8
_BOOK: Final = Brief(
    premise="A lighthouse keeper on a drowned coast finds tomorrow's logbook",
    chapters="30",
    scenes_per_chapter="3",
    words=90_000,
)


def measure() -> Iterator[str]:
    logging.getLogger("libriscribe2").addHandler(logging.NullHandler())
    pace = USUAL_PACE
    speed = f"{pace.tokens_per_second:g} tokens a second, the first after "
    speed += f"{pace.first_token_seconds:g} s, {AT_ONCE} calls at once; four bytes to a token"
    yield f"{speed}:\n"
    for order in ORDERS:
        start = process_time()
        calls = _calls(order)
        yield from _told(order, calls, process_time() - start)
    yield ""
    yield "Prompt tokens of other ways to write the same book, modelled from their loops:"
    for name, tokens in modelled(30).items():
        yield f"- {name}: {tokens / 1e6:.2f}M"


def modelled(chapters: int, words: int = 3_000, scenes: int = 3) -> Mapping[str, float]:
    """Prompt tokens that other tools would send for a book, by what their loops repeat.

    Nothing of it is measured: every term is a call per chapter or scene with the size of what it
    shows, at four tokens to three words. Where a call shows all that was written before, the sum
    grows with the square of the chapters.

    Args:
        chapters: How many chapters.
        words: Words of a chapter.
        scenes: Scenes of a chapter.
    """
    chapter = words * 4 / 3
    scene, count = chapter / scenes, chapters * scenes
    chapter_pairs, scene_pairs = chapters * (chapters - 1) / 2, count * (count - 1) / 2
    each = 6_000 + (6_000 + chapter) + 6_000 + 2_000 + scenes * 7_000
    checked = 2 * (6_000 + chapter) + 2 * (2 * chapter + 6_000) + chapter
    return {
        "one chat, a chapter at a time": chapters * 8_000 + chapter * chapter_pairs,
        "one chat, a scene at a time": count * 8_000 + scene * scene_pairs,
        "AIStoryWriter": 2 * chapter * chapter_pairs + chapters * (each + checked),
        "WriteHERE": 3 * scene * scene_pairs,
        "autonovel, a draft and one evaluation": chapters * (25_900 + 35_000),
        "AI_NovelGenerator": chapters * (9_500 + (chapter + 1_000) + (chapter + 1_500)),
        "LibriScribe 1, scenes without the text before": chapters * 4 * 350,
    }


def _told(order: Drafting, calls: list[QuotedCall], cpu: float) -> Iterator[str]:
    """What one run came to."""
    asked = Counter(call.stage for call in calls)
    sent = sum(call.input_tokens for call in calls)
    last = max(call.ended for call in calls)
    first = min(call.begun for call in calls)
    drafting = min(call.begun for call in calls if call.stage in (CHAPTERS, DRAFTS))
    most = max(call.input_tokens for call in calls)
    yield f"- {order}: {(last - drafting) / 60:.1f} minutes from the first scene to the last reply"
    yield f"  - with the planning before it: {(last - first) / 60:.1f} minutes"
    yield f"  - {len(calls)} calls, {sent / 1e6:.2f}M tokens in, {most:,} at most in one"
    yield f"  - {', '.join(f'{stage} {count}' for stage, count in asked.items())}"
    yield f"  - the run itself: {cpu:.1f} s of CPU"


def _calls(order: Drafting) -> list[QuotedCall]:
    """The calls of a run, with the times of the simulated clock."""
    backend = QuotingBackend(DemoAuthor())
    brief = _BOOK.model_copy(update={"drafting": order})
    settings = Settings(pipeline=PipelineConfig(max_concurrency=AT_ONCE))
    choice = ModelChoice(DEMO_MODEL, "bench")
    with TemporaryDirectory() as folder:
        paths = ProjectPaths(Path(folder) / "book", Path(folder) / "debug")
        with (
            ProjectStore.create(paths, Machine(ops=UnsyncedOps())) as store,
            asyncio.Runner(loop_factory=VirtualLoop) as runner,
        ):
            app = App(store, brief, settings, choice, AppOptions("bench", backend))
            runner.run(follow(app.engine.run(stages_of(brief))))
    return backend.calls


if __name__ == "__main__":
    for line in measure():
        print(line)
