"""An edit is mended forward: later chapters that contradict it are patched, all others stay.

What the edit changed stands in the reading of its chapter until later chapters were held to it, so
a run that breaks off goes on where it was; replies that were paid for are replayed. All that is
kept is kept in one change.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from fnmatch import fnmatchcase
from typing import Any, Final
from uuid import uuid4

from libriscribe2.agents.agent_mender import (
    MOST_READINGS,
    Changes,
    Edited,
    Mended,
    MenderAgent,
    Replanned,
    Reread,
    Written,
)
from libriscribe2.commands.projects import wanted_stages
from libriscribe2.commands.runs import OpenBook
from libriscribe2.context.story_so_far import scenes_of
from libriscribe2.engine.engine import RunRequest
from libriscribe2.engine.stages import input_hashes, units_of
from libriscribe2.errors import ProjectError
from libriscribe2.models.brief import Brief
from libriscribe2.models.excerpts import scene_record, to_json
from libriscribe2.models.story import ScenesFile
from libriscribe2.models.story_bible import StoryBibleFile
from libriscribe2.observe.events import EventConsumer
from libriscribe2.project import records
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import (
    CHAPTER_FILES,
    SCENES,
    STORY_BIBLE_FILES,
    SUMMARY_FILES,
    chapter_file,
    number_in,
    story_bible_file,
    summary_file,
)
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import Change, Replacement, digest
from libriscribe2.project.texts import content_sha, readable_json
from libriscribe2.prose import divided

JOB: Final = "resume --refresh"

_PER_CHAPTER: Final = (STORY_BIBLE_FILES, SUMMARY_FILES)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would bring the chapters behind an edit up to date.

    Attributes:
        edited: The chapters that were edited, and changed the story.
        mended: The chapters that would get patches.
        withheld: Those that are the author's own, which get none.
        change: All of it; None where nothing is to be done.
    """

    edited: tuple[int, ...]
    mended: tuple[Mended, ...]
    withheld: tuple[Mended, ...]
    change: Change | None


def readings_due(view: ProjectView, brief: Brief) -> RunRequest | None:
    """The run that reads the chapters that are others than when they were read; None for none."""
    stages = [
        one for one in wanted_stages(brief) if one.auto_refresh and CHAPTER_FILES in one.reads
    ]
    units = [(stage, unit) for stage in stages for unit in units_of(stage, view)]
    due = {
        unit.output
        for stage, unit in units
        if view.exists(chapter_file(unit.chapter or 1))  # what is gone, the run itself brings back
        and view.state(unit.output, input_hashes(stage, unit, brief, view)).kind == "stale"
    }
    due -= {summary_file(number) for number in _edited(view, brief)}
    return RunRequest(stages, refresh=True, only=frozenset(due), job=JOB) if due else None


def what_mending_asks(view: ProjectView, brief: Brief) -> tuple[int, int, int]:
    """The calls of a mending: chapters to be read, searches at most, chapters to be patched at most."""
    due = readings_due(view, brief)
    named = due.only or () if due is not None else ()
    read = {number_in(name, pattern) for name in named for pattern in _PER_CHAPTER} - {None}
    read |= {*_edited(view, brief)}
    pending = {n for n, one in _readings(view, brief).items() if one.changes}
    first = min((n for n in (*read, *pending) if n is not None), default=0)
    later = [n for n in range(first + 1, Book(view).chapters() + 1) if view.exists(chapter_file(n))]
    return (len(read), MOST_READINGS, len(later)) if first else (0, 0, 0)


async def propose(
    book: OpenBook, consumers: Sequence[EventConsumer], *, replace_mine: bool
) -> Proposal:
    """Find the sentences that contradict what was edited, and what would mend them.

    Args:
        book: The project, whose edited chapters were read.
        consumers: Receive what happens.
        replace_mine: Whether chapters that the author wrote or edited are patched, too.

    Raises:
        LibriScribeError: A question got no usable reply.
    """
    store = book.store
    readings, edited = _readings(store, book.brief), _edited(store, book.brief)
    reread: dict[int, Reread] = {}
    if edited:
        reread = await book.ask(MenderAgent, lambda one: one.read_again(edited), consumers)
    readings |= {n: one.reading for n, one in reread.items()}
    changes: Changes = {n: one.changes for n, one in readings.items() if one.changes}
    chapters = {n: Written(Book(store).text(chapter_file(n)), one) for n, one in readings.items()}
    seen = {n: digest(store.read_bytes(chapter_file(n))) for n in chapters}
    mended: list[Mended] = []
    if changes:
        mended = await book.ask(MenderAgent, lambda one: one.mend(changes, chapters), consumers)
    own = {n for n in chapters if store.state(chapter_file(n), {}).kind == "edited"}
    taken = [one for one in mended if one.patches and (replace_mine or one.number not in own)]
    withheld = [one for one in mended if one not in taken]
    if not any(one.patches for one in withheld):
        readings |= {n: readings[n].model_copy(update={"changes": []}) for n in changes}
    else:  # what an edit changed stands nowhere else: the next time it is looked for again
        readings = {n: one for n, one in readings.items() if n not in reread}
        reread = {}
    if replanned := _replanned(store, chapters, {one.number for one in mended}):
        fitted = await book.ask(MenderAgent, lambda one: one.fit(replanned), consumers)
        taken += [one for one in fitted if one.patches]
        withheld += [one for one in fitted if not one.patches]
    change = _change(store, book.brief, readings, taken, seen, reread)
    return Proposal(tuple(changes), tuple(taken), tuple(withheld), change)


def keep(store: ProjectStore, proposal: Proposal) -> None:
    """Carry out what was proposed; the old texts go to the trash.

    Raises:
        ProjectError: A file was changed since; nothing is done.
        StorageError: The system refused.
    """
    change = proposal.change
    if change is None:
        return
    for one in change.files:
        if digest(store.read_bytes(one.name)) != one.before:
            raise ProjectError(
                f"{one.name} was changed while it was being patched",
                fix=f"Run `libriscribe2 resume {store.paths.called} --refresh` again.",
            )
    store.change(change)


def diff_of(view: ProjectView, one: Mended) -> list[str]:
    """What patches change in a chapter, as the lines of a diff."""
    name = chapter_file(one.number)
    old, new = (text.splitlines() for text in (Book(view).text(name), one.text))
    return list(unified_diff(old, new, name, name, n=0, lineterm=""))


def _replanned(
    view: ProjectView, chapters: Mapping[int, Written], others: Container[int]
) -> dict[int, Replanned]:
    """The chapters, but for some, whose scenes were written by another plan, with the plan of now."""
    book, found = Book(view), dict[int, Replanned]()
    for number, written in chapters.items():
        if number in others:
            continue
        touched = book.touched_scenes(number)
        texts = scenes_of(divided(written.text)[1].strip())
        if not touched or len(texts) != len(book.plan_shas(number)):
            continue
        plans = book.load(SCENES, ScenesFile).chapters[number - 1].scenes
        lines = [
            to_json({"chapter": number, "now": scene_record(plans[at - 1], at, len(plans))})
            for at in touched
        ]
        found[number] = Replanned(written, lines, [texts[scene - 1] for scene in touched])
    return found


def _edited(view: ProjectView, brief: Brief) -> dict[int, Edited]:
    """The chapters that were edited since, where a book has no readings; by the text of then."""
    if brief.has_story_bible:
        return {}
    book, found = Book(view), dict[int, Edited]()
    for number in range(1, book.chapters() + 1):
        name, summary = chapter_file(number), summary_file(number)
        was = book.text_behind(name, summary)
        if was is not None and view.exists(summary) and view.exists(name):
            text = book.text(name)
            found |= {number: Edited(was, text, book.text(summary).strip())} if text != was else {}
    return found


def _readings(view: ProjectView, brief: Brief) -> dict[int, StoryBibleFile]:
    """The readings that are up to date, by chapter; in a book without, the summaries stand for them."""
    if not brief.has_story_bible:
        edited, numbers = _edited(view, brief), range(1, Book(view).chapters() + 1)
        return {
            n: StoryBibleFile(summary=Book(view).text(summary_file(n)).strip(), facts=[])
            for n in numbers
            if n not in edited and view.exists(summary_file(n)) and view.exists(chapter_file(n))
        }
    stage = next(one for one in wanted_stages(brief) if one.writes == STORY_BIBLE_FILES)
    units = [unit for unit in units_of(stage, view) if view.exists(unit.output)]
    return {
        unit.chapter: Book(view).load(unit.output, StoryBibleFile)
        for unit in units
        if unit.chapter is not None
        and view.exists(chapter_file(unit.chapter))
        and view.state(unit.output, input_hashes(stage, unit, brief, view)).kind == "fresh"
    }


def _change(
    store: ProjectStore,
    brief: Brief,
    readings: Mapping[int, StoryBibleFile],
    mended: Sequence[Mended],
    seen: Mapping[int, str | None],
    reread: Mapping[int, Reread],
) -> Change | None:
    """All that is kept, as one change; None where nothing is another."""
    texts = {chapter_file(one.number): one.text for one in mended}
    keys = {summary_file(n): one.keys for n, one in reread.items()}
    made = {n: one for n, one in readings.items() if _differs(one, n, store)}
    for one in mended:
        left = {"changes": readings[one.number].changes}
        made[one.number] = one.reading.model_copy(update=left)
        keys |= dict.fromkeys((chapter_file(one.number), story_bible_file(one.number)), one.keys)
    summaries = {n: one.reading.summary for n, one in reread.items()}
    for number, summary in (
        summaries | {one.number: one.reading.summary for one in mended}
    ).items():
        name = summary_file(number)
        if store.state(name, {}).kind not in ("edited", "missing"):
            texts[name] = f"{summary}\n"
    if brief.has_story_bible:
        texts |= {
            story_bible_file(n): readable_json(one.model_dump(mode="json"))
            for n, one in made.items()
        }
    shas = {name: content_sha(name, text.encode()) for name, text in texts.items()}
    plans = {
        chapter_file(one.number): Book(store).plan_shas(one.number)
        for one in mended
        if one.replanned
    }
    known = _known(store, brief, frozenset(readings), shas, keys, plans)
    before = {chapter_file(n): sha for n, sha in seen.items()}
    files = tuple(
        Replacement(name, before.get(name, digest(store.read_bytes(name))), text)
        for name, text in texts.items()
    )
    if not files and not known:
        return None
    change = uuid4().hex
    record = records.reshaped(change, files=known, steps={})
    return Change(change, JOB, files, record)


def _differs(reading: StoryBibleFile, number: int, view: ProjectView) -> bool:
    """Whether a reading is another than the stored one."""
    name = story_bible_file(number)
    return view.exists(name) and reading != Book(view).load(name, StoryBibleFile)


def _known(
    store: ProjectStore,
    brief: Brief,
    settled: frozenset[int],
    shas: Mapping[str, str],
    keys: Mapping[str, tuple[str, ...]],
    plans: Mapping[str, Sequence[str]],
) -> dict[str, Mapping[str, Any]]:
    """What the journal says of the files from then on, by name.

    Files of the author's stay so. All others that were made from chapters count as made from
    these as they are now, since they were held to them.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for stage in wanted_stages(brief):
        if not stage.asks_model:
            continue
        for unit in units_of(stage, store):
            last = store.manifest.files.get(unit.output)
            if last is None or store.state(unit.output, {}).kind in ("edited", "missing", "old"):
                continue
            now = input_hashes(stage, unit, brief, store)
            inputs = _inputs(last.inputs, now, settled, shas)
            made = {"step": last.step, "in": inputs}
            if unit.output in shas:
                own = [*last.keys, *keys.get(unit.output, ())]
                params = dict(last.params)
                if unit.output in plans:  # its text was held to the plan as it is
                    params["plans"], inputs[SCENES] = list(plans[unit.output]), now[SCENES]
                more = {"sha": shas[unit.output], "params": params, "k": own}
                found[unit.output] = {**made, **more}
            elif inputs != dict(last.inputs):
                found[unit.output] = {**made, "from": unit.output}
    return found


def _inputs(
    then: Mapping[str, str | None],
    now: Mapping[str, str],
    settled: frozenset[int],
    shas: Mapping[str, str],
) -> dict[str, str | None]:
    """The inputs of a unit, those of the chapters that it was held to as they are now."""
    inputs = dict(then)
    for name in {*then, *now}:
        if _chapter_of(name) in settled:
            inputs.pop(name, None)
            sha = shas.get(name, now.get(name))
            inputs |= {} if sha is None else {name: sha}
    return inputs


def _chapter_of(name: str) -> int | None:
    """The chapter that a text or a summary is of; None for any other file."""
    for pattern in (CHAPTER_FILES, SUMMARY_FILES):
        if fnmatchcase(name, pattern):
            return number_in(name, pattern)
    return None
