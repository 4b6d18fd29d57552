"""Recordings of finished books: made from a journal, looked through, and played as a new book."""

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

from libriscribe2.app import App, AppOptions
from libriscribe2.commands.forecasts import throw_away
from libriscribe2.commands.new_book import GivenFile, place_files
from libriscribe2.commands.projects import read_brief, wanted_stages
from libriscribe2.documents.source_reader import SOURCE_ENDINGS
from libriscribe2.editing.rebuild import authors_files
from libriscribe2.engine.engine import follow
from libriscribe2.engine.stages import book_status, units_of
from libriscribe2.errors import IncompleteError, LibriScribeError, UsageError
from libriscribe2.llm.backend import Completion, Request
from libriscribe2.llm.backends.recorded import (
    MOST_BYTES,
    RECORDING_FILE,
    RecordedAuthor,
    RecordedReply,
    Recording,
    read_recording,
)
from libriscribe2.llm.providers import DEMO_NAMES, RECORDED, ModelChoice, is_built_in
from libriscribe2.models.brief import Brief
from libriscribe2.observe.run_files import log_nowhere
from libriscribe2.project.artifacts import Book
from libriscribe2.project.atomic import atomic_write, read_regular, storage_errors
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.journal import read_journal
from libriscribe2.project.paths import (
    GIVEN,
    NOTES,
    RESEARCH,
    RESEARCH_SOURCES,
    SAMPLES,
    SERIES,
    ProjectPaths,
)
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.records import Record
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import peek
from libriscribe2.project.texts import utf8
from libriscribe2.settings.schema import (
    BudgetConfig,
    ModelsConfig,
    RevisionConfig,
    Settings,
    StageModel,
)
from libriscribe2.wording import cost, first_of

_GIVEN: Final = (SAMPLES, SERIES, GIVEN, RESEARCH_SOURCES, NOTES, "prompts")
"""Folders with what a book is given."""

_ENDINGS: Final = {".json", *SOURCE_ENDINGS}

_EVALUATED: Final = "judge"
_PAIR: Final = re.compile(r"(?<=\"tokens\": )\[\s+(\d+),\s+(\d+)\s+\]")
_MOST_NAMED: Final = 12


PlayedBook = tuple[dict[str, Any], Settings, ModelChoice, tuple[GivenFile, ...]]
"""The keys of a brief, the settings in which every stage asks the recording, the model, and the files
that are there from the beginning."""


def sample_recording() -> AbstractContextManager[Path]:
    """The file of the recording that the package brings."""
    folder = resources.files("libriscribe2.commands") / "samples"
    return resources.as_file(folder / "skarra.json.gz")


def played_book(asked: Mapping[str, Any], settings: Settings) -> PlayedBook:
    """The book of the recording that the settings name as the model.

    The folder gets a copy, so that the book does not depend on where the recording lies.

    Args:
        asked: What the command line asks for; None was not given.
        settings: The settings in force.

    Raises:
        ModelError: There is no such recording, or it cannot be played.
        UsageError: The command line asks for another book.
    """
    default = settings.models.default
    recording = read_recording(default.model)
    for key, value in asked.items():
        if value is not None and str(value) != str(getattr(recording.brief, key, "")):
            raise UsageError(
                f"{default.model!r} is the recording of another book: its {key} is another one.",
                why="A recording answers only for the book that it was made from.",
                fix="Leave out the options that describe the book.",
            )
    models = ModelsConfig(default=default.model_copy(update={"model": RECORDED}))
    told = f"recorded {recording.date} from {recording.model}, {cost(recording.cost_usd)} then"
    return (
        recording.brief.model_dump(),
        settings.model_copy(update={"models": models, **_as_written(recording, settings)}),
        ModelChoice(RECORDED, told),
        (GivenFile(RECORDING_FILE, as_bytes(recording)), *_files(recording)),
    )


def _as_written(recording: Recording, settings: Settings) -> dict[str, Any]:
    """The settings that say which questions are asked."""
    whole = {"whole_chapters": recording.whole_chapters}
    return {
        "revision": RevisionConfig(evaluator=recording.evaluator),
        "pipeline": settings.pipeline.model_copy(update=whole),
    }


def as_bytes(recording: Recording) -> bytes:
    """The file of a recording: readable, and the same for the same replies."""
    told = recording.model_dump(exclude_defaults=True)
    text = json.dumps(told, ensure_ascii=False, indent=1, default=bytes.decode)
    return utf8(_PAIR.sub(r"[\1, \2]", text) + "\n")


def _files(recording: Recording) -> list[GivenFile]:
    return [
        GivenFile(name, held if isinstance(held, bytes) else utf8("\n".join(held)))
        for name, held in recording.files.items()
    ]


@dataclass(frozen=True)
class Playback:
    """What came of playing a recording.

    Attributes:
        recording: The same replies, with the attempts and shapes of today.
        unplayed: Steps that nobody asked for.
        changed: Steps whose shape is another one today.
        other: Files that came out otherwise than in the book.
        failure: What stopped it, or None.
    """

    recording: Recording
    unplayed: Sequence[str]
    changed: Sequence[str]
    other: Sequence[str]
    failure: LibriScribeError | None

    def notes(self) -> list[str]:
        """What is to be said of it."""
        told = {
            "not asked for today": self.unplayed,
            "asked for in another shape today": self.changed,
            "comes out otherwise than in the book": self.other,
        }
        return [f"{said}: {_listed(names)}" for said, names in told.items() if names]


async def play(
    recording: Recording,
    settings: Settings,
    *,
    in_turn: bool = False,
    book: ProjectView | None = None,
) -> Playback:
    """Write the book of a recording in a folder that is thrown away.

    Args:
        recording: What answers.
        settings: How the book is written.
        in_turn: Whether replies to other attempts and shapes than today's are tried, too.
        book: The book, to compare it with what is written.

    Raises:
        StorageError: The folder cannot be written.
    """
    author, brief = RecordedAuthor(recording, in_turn=in_turn), recording.brief
    asking = {
        "models": ModelsConfig(default=StageModel(model=RECORDED)),
        "budget": BudgetConfig(),
        **_as_written(recording, settings),
    }
    failure: LibriScribeError | None = None
    with throw_away("book") as (paths, machine), ProjectStore.create(paths, machine) as store:
        log_nowhere()
        place_files(paths, _files(recording))
        write_book_toml(paths.book_toml, brief.model_dump(), {})
        choice, options = ModelChoice(RECORDED, ""), AppOptions("record", backend=author)
        app = App(store, brief, settings.model_copy(update=asking), choice, options)
        stages = wanted_stages(brief)
        try:
            await follow(app.engine.run(stages))
        except LibriScribeError as error:
            failure = error
        names = [unit.output for agent in stages for unit in units_of(agent, store)]
        other = [one for one in names if book is not None and book.sha(one) != store.sha(one)]
    found = {id(old): now for old, now in author.played}
    both = [(one, found.get(id(one), one)) for one in recording.steps]
    return Playback(
        recording.model_copy(update={"steps": [now for _, now in both]}),
        [old.step for old, now in both if old is now],
        [old.step for old, now in both if old.shape not in {"", now.shape}],
        other,
        failure,
    )


def _listed(names: Sequence[str]) -> str:
    return first_of(names, _MOST_NAMED)


async def record_book(
    paths: ProjectPaths, settings: Settings, notes: Sequence[str] = ()
) -> Playback:
    """The recording of a finished book, played once to the end.

    Args:
        paths: The book; nothing in it is touched.
        settings: How it is written.
        notes: What a reader of the recording should know.

    Raises:
        IncompleteError: The book is not finished, or its replies do not make a book.
        UsageError: No replies of a model can be kept of it.
        ProjectError: The book cannot be read.
    """
    view, brief, records = peek(paths), read_brief(paths), read_journal(paths.journal).records
    stages = wanted_stages(brief)
    missing = [
        one.unit.output for one in book_status(stages, brief, view) if one.state == "missing"
    ]
    if missing:
        raise IncompleteError(
            f"{paths.root.name} is not finished, so it cannot be recorded.",
            f"missing: {_listed(missing)}",
            f"finish it first: `libriscribe2 resume {paths.called}`",
        )
    if view.manifest.changes:
        raise UsageError(
            f"{paths.root.name} cannot be recorded.",
            "Its chapters were reordered, and its replies say nothing of that.",
        )
    edited = [one for one in authors_files(stages, view, records) if not one.startswith(RESEARCH)]
    told = [f"edited by the author, which no reply holds: {_listed(edited)}"] if edited else []
    found = _collected(view, brief, records)
    found = found.model_copy(update={"notes": [*found.notes, *notes, *told]})
    done = await play(found, settings, in_turn=True, book=view)
    if done.failure is not None:
        raise IncompleteError(
            f"The replies of {paths.root.name} do not make the book again.",
            done.failure.why or done.failure.what,
            "the journal may be from another program or another version of it",
        ) from done.failure
    return done


def _collected(view: ProjectView, brief: Brief, records: Iterable[Record]) -> Recording:
    """The newest replies of every step as the journal has them, in turn and without shapes.

    Raises:
        UsageError: The stand-in author wrote the book.
    """
    names = {agent.name for agent in wanted_stages(brief)} | {_EVALUATED}
    told = [one for one in _newest(records) if one.step.partition("/")[0] in names]
    writers = Counter(one.by for one in told)
    if not told or writers.keys() & DEMO_NAMES:
        raise UsageError(
            f"{view.paths.root.name} cannot be recorded.",
            "The stand-in author wrote it." if told else "Its journal has no replies.",
            "Record a book that a language model wrote.",
        )
    most = writers.most_common(1)[0][0]
    played = _of_played(view)
    done = [record for record in records if record["t"] == "done"]
    costs = [one["completion"].get("cost_usd") for one in done]
    return Recording(
        format="libriscribe2 recording",
        version=1,
        title=Book(view).title(brief),
        date=played.date if played else max(str(one.get("at", ""))[:10] for one in done),
        model=most,
        cost_usd=played.cost_usd if played else None if None in costs else round(sum(costs), 6),
        notes=played.notes if played else [],
        whole_chapters=any(one.step.endswith("/whole") for one in told),
        evaluator=any(one.step.startswith(f"{_EVALUATED}/") for one in told),
        brief=brief,
        files=_given(view.paths.root),
        steps=[one.model_copy(update={"by": one.by if one.by != most else ""}) for one in told],
    )


def _of_played(view: ProjectView) -> Recording | None:
    """The recording from which a book was played, whose day, cost and notes hold for it, too."""
    is_there = (view.paths.root / RECORDING_FILE).is_file()
    return read_recording(RECORDED, view.paths.root) if is_there else None


def _newest(records: Iterable[Record]) -> list[RecordedReply]:
    """The replies of each step since it was asked again for the last time.

    A step that is only to be asked anew keeps its replies until there are others.
    """
    asked: dict[str, tuple[str, str]] = {}
    found: list[RecordedReply] = []
    old: set[str] = set()
    for one in records:
        match one["t"]:
            case "sent":
                asked[one["k"]] = one["step"], one["model"]
            case "again" | "anew":
                path = f"{one['step']}/"
                again = {it.step for it in found if f"{it.step}/".startswith(path)}
                old |= again
                found = [it for it in found if one["t"] == "anew" or it.step not in again]
            case "done" if one["k"] in asked:
                step, model = asked[one["k"]]
                found = [it for it in found if it.step != step or step not in old]
                old.discard(step)
                answer = Completion.from_record(one["completion"])
                number = 1 + sum(it.step == step for it in found)
                by = answer.model if is_built_in(model) else model
                reply = RecordedReply.of(Request(step, model, (), attempt=number), 1, answer, by)
                found.append(reply.model_copy(update={"shape": ""}))
    return found


def _given(root: Path) -> dict[str, Any]:
    """The files that a book was given: texts as lines, others in Base64.

    Raises:
        StorageError: One cannot be read.
    """
    files: dict[str, list[str] | bytes] = {}
    for path in (one for place in _GIVEN for one in sorted((root / place).glob("*"))):
        if path.suffix.lower() not in _ENDINGS or path.is_symlink() or {*path.name} & {*"\\:"}:
            continue  # what a system leaves beside files, what lies elsewhere, what no project has
        name = path.relative_to(root).as_posix()
        with storage_errors("read", path):
            held = read_regular(path)
        try:
            files[name] = held.decode().split("\n")
        except UnicodeDecodeError:
            files[name] = b64encode(held)
    return files


def keep(done: Playback, path: Path, *, force: bool) -> None:
    """Write the recording of what was played; it says which replies were given to other shapes.

    Raises:
        UsageError: The file is there already, and `force` is not given.
        StorageError: It cannot be written.
    """
    with storage_errors("write", path):
        if path.exists() and not force:
            raise UsageError(f"{path} is there already.", fix="Name another file, or add --force.")
        told = (
            f"given to another shape, and read in the new one as they were: {_listed(done.changed)}"
        )
        notes = [*done.recording.notes, *([told] if done.changed else [])]
        data = as_bytes(done.recording.model_copy(update={"notes": notes}))
        if len(data) > MOST_BYTES:
            raise UsageError(
                "The recording would be too large to be read again.",
                f"it has {len(data) // 2**20} MiB; the limit is {MOST_BYTES // 2**20} MiB",
                "Take large files out of research/sources/ in a copy of the project.",
            )
        atomic_write(path, data)
