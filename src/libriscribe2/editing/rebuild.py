"""A book out of its journal: every reply is recorded, so every file can be made again unpaid."""

import re
import shutil
from collections import Counter, deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from libriscribe2.engine.stages import AgentType, book_status, units_of
from libriscribe2.llm.backend import BackendError
from libriscribe2.models.brief import Brief
from libriscribe2.models.story import ScenesFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.atomic import atomic_write, make_folder, storage_errors
from libriscribe2.project.manifest import FileRecord, Manifest
from libriscribe2.project.paths import (
    BOOK_TOML,
    GIVEN,
    NOTES,
    RESEARCH_ANSWERS,
    RESEARCH_LIST,
    RESEARCH_NOTES,
    SAMPLES,
    SCENES,
    SERIES,
    STATE,
    ProjectPaths,
)
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.records import Record
from libriscribe2.project.texts import content_sha

_OF_A_CHAPTER: Final = re.compile(r"judge/ch\d+/")

_PLANNED: Final = re.compile(r"[^/]+/ch(\d+)(?:-(\d+))?")
"""The step that plans a chapter, or a group of chapters in a row."""

Likeness = Literal["same", "layout", "recorded", "kept", "older", "differs", "missing"]

GOOD: Final[frozenset[Likeness]] = frozenset({"same", "layout", "recorded", "kept", "older"})
"""How a rebuilt file may stand to the book's own."""


@dataclass(frozen=True, slots=True)
class RebuiltFile:
    """How a rebuilt file stands to the book's own.

    Attributes:
        name: The file.
        likeness: `same`: byte for byte; `layout`: the book's own has other line ends or
            indentation; `recorded`: the book's own is gone, and this has the recorded content;
            `kept`: edited or moved by the author, which no reply can make, so it was copied;
            `older`: as it was written and with every reply in the journal, from which this
            version, or what the author has changed since, makes another text, so it was copied;
            `differs`; `missing`: a reply that it needs is not in the journal.
    """

    name: str
    likeness: Likeness


class RecordedReplies:
    """A call log that replays and lets nothing leave.

    A question is answered by the replies of which the files were made, whatever its words are now:
    prompts change with the program, with edits and with the order of the chapters.

    Args:
        manifest: What the journal adds up to.
        records: The journal.
        copied: Files that are not made again.
    """

    def __init__(
        self, manifest: Manifest, records: Sequence[Record], copied: Container[str]
    ) -> None:
        self._manifest = manifest
        self._unasked = _unasked(records)
        made = [one for name, one in manifest.files.items() if name not in copied]
        self._left = _used(manifest, records, made)

    def generation(self, step: str) -> int:
        """As the journal says, without what nobody has asked since it said so."""
        return self._manifest.generation(step) - self._unasked[step]

    def find(self, key: str, step: str) -> Mapping[str, Any] | None:
        """The next of the replies that the step used; else the one to the very question, or None."""
        left = self._left.get(step)
        return self._manifest.reply(left.popleft() if left else key)

    def filtered(self, key: str) -> bool:
        """Whether the recorded reply was filtered."""
        return self._manifest.filtered(key)

    def sent(self, key: str, *, step: str, model: str, est_usd: float | None = None) -> None:
        """Refuse: there is nobody to ask.

        Raises:
            BackendError: Always.
        """
        del key, est_usd
        raise BackendError("unrecorded", f"the journal has no reply of {model} to {step}")

    def done(self, key: str, record: Mapping[str, Any]) -> None:
        """Nothing comes in."""

    def failed(self, key: str, *, kind: str, status: int | None, usd: float = 0.0) -> None:
        """Nothing has left."""

    def anew(self, step: str) -> None:
        """Nobody asks again."""


def _used(
    manifest: Manifest, records: Iterable[Record], files: Iterable[FileRecord]
) -> dict[str, deque[str]]:
    """The keys of the replies of which files were made, in order, by the step that asked."""
    keys = [key for made in files for key in made.keys if manifest.reply(key) is not None]
    rest = _rest(manifest, records, frozenset(keys))
    found: dict[str, deque[str]] = {}
    for key in keys:
        found.setdefault(manifest.step_of(key), deque()).extend((key, *rest.get(key, ())))
    return found


def _rest(
    manifest: Manifest, records: Iterable[Record], beginnings: frozenset[str]
) -> dict[str, list[str]]:
    """The keys of the replies that go on with a text that was cut, by that of its beginning."""
    found: dict[str, list[str]] = {}
    cut: dict[str, str] = {}
    for key, reply in ((one["k"], one["completion"]) for one in records if one["t"] == "done"):
        step = manifest.step_of(key)
        if key in beginnings:
            cut[step] = key
        elif step in cut:
            found.setdefault(cut[step], []).append(key)
        if reply.get("finish_reason") != "length":
            cut.pop(step, None)
    return found


def _unasked(records: Iterable[Record]) -> Counter[str]:
    """How often a step is to be asked anew since it was asked last.

    A question that a chapter can do without got no usable reply, and the chapter was finished; only
    when the chapter is written again is it asked anew.
    """
    found: Counter[str] = Counter()
    for record in records:
        if record.get("t") == "anew":
            found[record["step"]] += 1
        elif record.get("t") == "sent":
            del found[record["step"]]
    return found


def was_evaluated(records: Iterable[Record]) -> bool:
    """Whether an evaluator was asked about revised chapters."""
    return any(
        record.get("t") == "sent" and _OF_A_CHAPTER.match(record["step"]) is not None
        for record in records
    )


def asked_models(records: Iterable[Record]) -> tuple[str, ...]:
    """Every model that was ever asked, the latest first."""
    sent = [record["model"] for record in records if record.get("t") == "sent"]
    return tuple(dict.fromkeys(reversed(sent)))


def authors_files(
    stages: Iterable[AgentType], view: ProjectView, records: Iterable[Record]
) -> tuple[str, ...]:
    """The files that no reply can make: edited, edited and adopted, or moved by a command.

    So are scene plans of which only a part was asked for, because a command moved the rest, and
    the notes of the research, which come from sources.

    Raises:
        ProjectError: The scene plans cannot be read.
        StorageError: A file cannot be read.
    """
    given: dict[str, bool] = {}
    for record in records:
        for name in _named(record):
            given[name] = record["t"] != "write"
    of_research = (RESEARCH_NOTES, RESEARCH_LIST, RESEARCH_ANSWERS)
    notes = [name for name in of_research if view.exists(name)]
    return (
        *notes,
        *(
            name
            for name in _outputs(stages, view)
            if view.exists(name)
            and name not in notes
            and (
                given.get(name)
                or view.state(name, {}).kind == "edited"
                or _is_partly_given(name, view)
                or _follows_an_edit(name, view)
            )
        ),
    )


def _follows_an_edit(name: str, view: ProjectView) -> bool:
    """Whether it was made of what stood there before, and only a part of it anew."""
    made = view.manifest.files.get(name)
    if made is not None and made.params.get("partly"):
        return True
    steps = [view.manifest.step_of(key) for key in made.keys] if made is not None else []
    return any(step.endswith("/change") or step.startswith("mend/") for step in steps)


def _is_partly_given(name: str, view: ProjectView) -> bool:
    """Whether the run that wrote the scene plans found some chapters planned, and kept them."""
    made = view.manifest.files.get(name)
    if name != SCENES or made is None:
        return False
    steps = (_PLANNED.fullmatch(view.manifest.step_of(key)) for key in made.keys)
    spans = (range(int(one[1]), int(one[2] or one[1]) + 1) for one in steps if one is not None)
    planned = {number for span in spans for number in span}
    return len(planned) < len(Book(view).load(SCENES, ScenesFile).chapters)


def _named(record: Record) -> Iterable[str]:
    """The files of which a record says whose content they have."""
    match record.get("t"):
        case "write" | "adopt":
            return (record["p"],)
        case "reshaped":
            return tuple(record["files"])
        case _:
            return ()


def plant(view: ProjectView, target: ProjectPaths, names: Iterable[str]) -> None:
    """Begin a rebuilt project: the request, the journal, prompts, samples and the author's own files.

    Args:
        view: The book.
        target: A folder that is empty or absent.
        names: The author's files.

    Raises:
        ProjectError: A file leads out of the project.
        StorageError: Something cannot be read or written.
    """
    source = view.paths
    copy_files(view, target, (*names, BOOK_TOML, f"{STATE}/{source.format.name}"))
    copy_journal(view, target)
    with storage_errors("write", target.root):
        for folder in ("prompts", NOTES, SAMPLES, SERIES, GIVEN):
            if (source.root / folder).is_dir():
                shutil.copytree(source.root / folder, target.root / folder)


def copy_files(view: ProjectView, target: ProjectPaths, names: Iterable[str]) -> None:
    """Put files of a book into another folder.

    Raises:
        ProjectError: A file leads out of the project.
        StorageError: Something cannot be read or written.
    """
    for name in names:
        origin, copy = view.paths.resolve(name), target.resolve(name)
        with storage_errors("write", copy):
            make_folder(copy.parent)
            atomic_write(copy, origin.read_bytes())


def copy_journal(view: ProjectView, target: ProjectPaths) -> None:
    """Give a rebuilt book the records of the book, and none of its own.

    Raises:
        StorageError: Something cannot be read or written.
    """
    copy_files(view, target, (f"{STATE}/{target.journal.name}",))
    with storage_errors("write", target.journal):
        target.journal.with_suffix(".head").unlink(missing_ok=True)


def made_files(stages: Iterable[AgentType], view: ProjectView) -> frozenset[str]:
    """The files that the book has, or had.

    Raises:
        ProjectError: The outline cannot be read.
        StorageError: A file cannot be read.
    """
    # Without the outline the journal alone knows the chapters.
    return frozenset(filter(view.exists, _outputs(stages, view))) | view.manifest.files.keys()


def unmade_files(
    stages: Iterable[AgentType], brief: Brief, book: ProjectView, rebuilt: ProjectView
) -> tuple[str, ...]:
    """The files that the book has still to get; a file that went missing is none of them.

    Raises:
        ProjectError: The outline cannot be read.
        StorageError: A file cannot be read.
    """
    # The book itself may be a journal alone, whose chapters nobody knows before they are rebuilt.
    waiting = (
        one.unit.output for one in book_status(stages, brief, rebuilt) if one.state == "missing"
    )
    return tuple(name for name in waiting if name not in book.manifest.files)


def compare(
    stages: Iterable[AgentType],
    book: ProjectView,
    rebuilt: ProjectView,
    copied: Mapping[str, Likeness],
) -> tuple[RebuiltFile, ...]:
    """How every file of a rebuilt book stands to the book's own; what was copied is known.

    Raises:
        ProjectError: The outline of one of them cannot be read.
        StorageError: A file cannot be read.
    """
    stages = tuple(stages)
    names = dict.fromkeys((*_outputs(stages, book), *_outputs(stages, rebuilt)))
    return tuple(
        RebuiltFile(name, copied.get(name) or _likeness(name, book, rebuilt))
        for name in names
        if book.exists(name) or rebuilt.exists(name) or name in book.manifest.files
    )


def to_copy(
    stages: Iterable[AgentType], book: ProjectView, rebuilt: ProjectView, *, first: bool
) -> tuple[str, ...]:
    """The files that were not made again as they are, although the journal has all of them.

    Args:
        stages: The stages, in running order.
        book: The book.
        rebuilt: What was made of its journal.
        first: Whether only those of the first such stage are named, because a run stopped there.

    Raises:
        ProjectError: The outline of one of them cannot be read.
        StorageError: A file cannot be read.
    """
    found: list[str] = []
    for agent in stages:
        names = (unit.output for unit in units_of(agent, book))
        found += (name for name in names if _is_vouched_for(name, book, rebuilt))
        if found and first:
            break
    return tuple(found)


def _is_vouched_for(name: str, book: ProjectView, rebuilt: ProjectView) -> bool:
    """Whether a file has another content than the rebuilt one, and just what its record says."""
    last = book.manifest.files.get(name)
    return (
        last is not None
        and book.sha(name) == last.sha != rebuilt.sha(name)
        and all(book.manifest.reply(key) is not None for key in last.keys)
    )


def _likeness(name: str, book: ProjectView, rebuilt: ProjectView) -> Likeness:
    made, there = rebuilt.read_bytes(name), book.read_bytes(name)
    if made is None:
        return "missing"
    if there is None:
        last = book.manifest.files.get(name)
        return "recorded" if last is not None and last.sha == rebuilt.sha(name) else "differs"
    if made == there:
        return "same"
    return "layout" if content_sha(name, made) == content_sha(name, there) else "differs"


def _outputs(stages: Iterable[AgentType], view: ProjectView) -> Iterator[str]:
    """The files of a book's stages; an outline that is gone plans no chapters."""
    for agent in stages:
        yield from (unit.output for unit in units_of(agent, view))
