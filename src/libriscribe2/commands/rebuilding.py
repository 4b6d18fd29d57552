"""A book made again out of its journal, with nobody to ask; and one recorded prompt asked again."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from libriscribe2.app import App, AppOptions
from libriscribe2.commands.projects import read_brief, wanted_stages
from libriscribe2.editing.rebuild import (
    GOOD,
    Likeness,
    RebuiltFile,
    RecordedReplies,
    asked_models,
    authors_files,
    compare,
    copy_files,
    copy_journal,
    made_files,
    plant,
    to_copy,
    unmade_files,
    was_evaluated,
)
from libriscribe2.engine.engine import follow
from libriscribe2.engine.stages import AgentType
from libriscribe2.errors import LibriScribeError, ProjectError, UsageError
from libriscribe2.llm.backend import Completion, ScriptedBackend
from libriscribe2.llm.backends.routed import RoutedBackend
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.providers import DEMO_MODEL, ModelChoice, check_choice
from libriscribe2.observe.run_files import log_nowhere
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.dumps import DebugDumps
from libriscribe2.project.journal import read_journal
from libriscribe2.project.legacy import is_legacy
from libriscribe2.project.lock import Machine
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import peek
from libriscribe2.settings.parts import time_limits
from libriscribe2.settings.schema import (
    BudgetConfig,
    ModelsConfig,
    RevisionConfig,
    Settings,
    StageModel,
)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What came of it.

    Attributes:
        files: How every file stands to the book's own.
        replies: How many recorded replies were read.
        failure: What stopped it, or None.
        unmade: Files that the book does not have yet, so that nothing was rebuilt of them.
    """

    files: tuple[RebuiltFile, ...]
    replies: int
    failure: LibriScribeError | None
    unmade: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        """Whether the journal holds all that is there of the book."""
        return self.failure is None and all(file.likeness in GOOD for file in self.files)


async def rebuild(paths: ProjectPaths, settings: Settings, target: Path | None) -> Rebuilt:
    """Make every file again and compare.

    Args:
        paths: The book; nothing in it is touched.
        settings: Say how the models were asked.
        target: Where the rebuilt book goes; None throws it away.

    Raises:
        UsageError: The target holds something.
        ProjectError: The book cannot be read.
        StorageError: The target cannot be written.
    """
    if is_legacy(paths):
        raise ProjectError(
            f"{paths.root.name} has no recorded replies",
            why="it is a project of the original LibriScribe2",
            fix=f"`libriscribe2 resume {paths.called}` converts it.",
        )
    view, brief, records = peek(paths), read_brief(paths), read_journal(paths.journal).records
    stages, models = wanted_stages(brief), asked_models(records)
    copied: dict[str, Likeness] = dict.fromkeys(authors_files(stages, view, records), "kept")
    made, replies, stopped = made_files(stages, view), 0, True
    failure: LibriScribeError | None = None
    choice = ModelChoice(models[0] if models else DEMO_MODEL, "from the journal")
    asking = _asking(settings, models, evaluated=was_evaluated(records))
    with _place(paths, target) as place:
        plant(view, place, copied)
        # Nobody has to know where a book was rebuilt.
        with ProjectStore.open(place, Machine(places=place.debug.with_name("places"))) as store:
            log_nowhere()
            while stopped:
                log = RecordedReplies(view.manifest, records, copied)
                options = AppOptions(
                    "replay", backend=ScriptedBackend(), call_log=log, allows_as_recorded=True
                )
                app = App(store, brief, asking, choice, options)
                failure = await _failure(app, stages, made)
                replies += app.tally.replays
                older = to_copy(stages, view, store, first=failure is not None)
                copy_files(view, place, older)
                copied |= dict.fromkeys(older, "older")
                stopped = failure is not None and bool(older)
            files = compare(stages, view, store, copied)
            rebuilt = Rebuilt(files, replies, failure, unmade_files(stages, brief, view, store))
        if rebuilt.good:
            copy_journal(view, place)
        return rebuilt


async def _failure(
    app: App, stages: Sequence[AgentType], made: frozenset[str]
) -> LibriScribeError | None:
    """What stopped a run, if anything did."""
    try:
        await follow(app.engine.run(stages, only=made))
    except LibriScribeError as error:
        return error
    return None


@contextmanager
def _place(paths: ProjectPaths, target: Path | None) -> Iterator[ProjectPaths]:
    """The folder of the rebuilt book; its dumps are thrown away."""
    if target is not None:
        with storage_errors("read", target):
            if target.exists() and any(target.iterdir()):
                raise UsageError(f"{target} is not empty", fix="Choose another folder for --to.")
    with TemporaryDirectory(prefix="libriscribe2-") as folder:
        place = Path(folder)
        root = target if target is not None else place / paths.root.name
        yield ProjectPaths(root, place / "debug")


def _asking(settings: Settings, models: tuple[str, ...], *, evaluated: bool) -> Settings:
    """The settings without caps, in which every question tries every model that was ever asked.

    Revised chapters are evaluated where they were, whatever the author wants for the next ones.
    """
    given = {**settings.models.stages(), "default": settings.models.default}
    tried = {
        name: StageModel(model=one.model, fallbacks=models, temperature=one.temperature)
        for name, one in given.items()
    }
    return settings.model_copy(
        update={
            "models": ModelsConfig.model_validate(tried),
            "budget": BudgetConfig(),
            "revision": RevisionConfig(evaluator=evaluated),
        }
    )


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A prompt and its reply, as a debug dump has them.

    Attributes:
        number: The number of the dump.
        step: Path of the work that asked.
        model: Who answered.
        reply: The raw reply.
        prompt: The conversation.
    """

    number: int
    step: str
    model: str
    reply: str
    prompt: tuple[Mapping[str, Any], ...]


def recorded_call(paths: ProjectPaths, number: int) -> RecordedCall:
    """The call of a dump.

    Raises:
        UsageError: There is no dump of that number.
        ProjectError: The file is not a whole dump.
        StorageError: The folder cannot be read.
    """
    dumps = DebugDumps(paths.dumps)
    numbered = {int(path.name.partition("-")[0]): path for path in dumps.list()}
    if number not in numbered:
        last = max(numbered, default=0)
        known = f"they are numbered from 1 to {last}" if numbered else "there are none"
        raise UsageError(f"There is no dump {number} in {paths.dumps}", why=known)
    info = dumps.load(numbered[number])
    prompt = info.get("prompt")
    if not isinstance(prompt, Sequence) or not prompt or not isinstance(prompt[0], Mapping):
        raise ProjectError(f"{numbered[number]} has no prompt", why="it was edited")
    step, model, reply = (str(info.get(name, "")) for name in ("step", "model", "raw_response"))
    return RecordedCall(number, step, model, reply, tuple(prompt))


async def ask_again(call: RecordedCall, settings: Settings, choice: ModelChoice) -> Completion:
    """The reply of another model to a recorded prompt.

    Raises:
        ConfigError: The server's address is none.
        ModelError: The key or the model's name is wrong.
        ProviderError: The network or the provider failed.
        ContentFilteredError: The provider filtered the reply.
    """
    url = settings.llm.base_url or choice.url or ""
    check_choice(replace(choice, url=url or None), os.environ)
    routed = RoutedBackend(lambda _model: url or None, time_limits(settings.llm))
    client = LLMClient(url, "", choice.model, backend=routed)
    try:
        answer = await client.with_options(CallOptions(step=call.step)).ask(call.prompt)
    finally:
        await routed.aclose()
    return answer.completion


def both_replies(call: RecordedCall, answer: Completion) -> dict[str, Any]:
    """The recorded reply and the new one, as JSON."""
    return {
        "call": call.number,
        "step": call.step,
        "recorded": {"model": call.model, "reply": call.reply},
        "asked_again": {
            "model": answer.model,
            "reply": answer.reply,
            "usage": asdict(answer.usage),
            "cost_usd": answer.cost_usd,
        },
    }
