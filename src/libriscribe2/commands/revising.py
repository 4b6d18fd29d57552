"""What the author asks of models: answers, small changes of a chapter, a picture of the book."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from libriscribe2.agents.agent_advisor import Advice, AdvisorAgent, CoverPainter, Proposed
from libriscribe2.agents.agent_base import same_command
from libriscribe2.agents.agent_mender import MenderAgent, Revised
from libriscribe2.checks.patching import apply
from libriscribe2.commands.hand_edits import ConflictError, version_of
from libriscribe2.commands.noting import Part, note_down, part_of, place_of
from libriscribe2.commands.projects import open_project, read_brief, stage_called, wanted_stages
from libriscribe2.commands.runs import OpenBook
from libriscribe2.editing.versions import (
    Version,
    diff_lines,
    edits_of,
    made_with,
    put_back,
    replace_text,
    replace_texts,
    version,
    versions_of,
)
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.exporters.covers import PICTURE
from libriscribe2.exporters.export_checks import is_picture
from libriscribe2.models.brief import Brief
from libriscribe2.models.reviews import Patch
from libriscribe2.models.story import OutlineFile
from libriscribe2.models.style import STYLE, StyleFile, StyleRule
from libriscribe2.observe.events import EventConsumer
from libriscribe2.project.artifacts import Book, check_chapter
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.paths import OUTLINE, SCENES, ProjectPaths, chapter_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import peek
from libriscribe2.project.texts import content_sha, readable_json


@dataclass(frozen=True, slots=True)
class Revision:
    """A small change of a chapter that the author has still to accept.

    Attributes:
        name: The chapter's file.
        old: Its text as it is.
        revised: What it would be.
    """

    name: str
    old: str
    revised: Revised

    @property
    def lines(self) -> list[str]:
        """What would be different, as the lines of a diff."""
        return diff_lines(self.name, self.old, self.revised.text)


def chapter_named(typed: str, view: ProjectView, brief: Brief) -> int:
    """The number of the chapter that a user names.

    Raises:
        UsageError: It is no chapter of the book.
    """
    part = part_of(typed, view, brief)
    if part.chapter is None or part.scene is not None:
        raise UsageError(f"{typed!r} is not a chapter.", fix="Name one by its number, such as 7.")
    return part.chapter


async def revise(
    book: OpenBook, consumers: Sequence[EventConsumer], number: int, wish: str
) -> Revision:
    """Have a chapter changed as its author wants; nothing is saved yet.

    Raises:
        ProjectError: The chapter is not written.
        LibriScribeError: A question got no usable reply.
    """
    name = chapter_file(number)
    old = Book(book.store).text(name)
    with same_command():
        revised = await book.ask(
            MenderAgent, lambda mender: mender.revise(number, old, wish), consumers
        )
    return Revision(name, old, revised)


async def have_painted(book: OpenBook, consumers: Sequence[EventConsumer], wish: str) -> str:
    """Have a model paint a picture for the cover; its name in the project.

    Raises:
        UsageError: The picture that was paid for before is not there any more.
        LibriScribeError: A cap was reached, or no usable picture came.
    """
    name = await book.ask(CoverPainter, lambda one: one.paint(wish), consumers)
    if not is_picture(book.store.paths.resolve(name)):
        raise UsageError(f"{name} was removed or changed.", fix="Ask for another with --again.")
    return name


def keep_cover(paths: ProjectPaths, name: str) -> None:
    """Make a picture of the project the cover, with title and author set on it.

    Raises:
        ConfigError: `book.toml` cannot be used.
        StorageError: It cannot be written.
    """
    write_book_toml(paths.book_toml, {"cover": name}, {"export": {"cover": PICTURE}})


def keep_revision(store: ProjectStore, revision: Revision) -> None:
    """Save a change that the author accepts; the old text goes to the trash.

    Raises:
        ProjectError: The chapter was changed since; nothing is done.
        StorageError: The system refused.
    """
    name, text = revision.name, revision.revised.text
    if Book(store).text(name) != revision.old:
        raise ProjectError(f"{name} was changed meanwhile", fix="Ask for the change again.")
    made = made_with(store, name, text, revision.revised.keys)
    replace_text(store, name, text, f"revise {name}", made)


def file_of(typed: str, view: ProjectView, brief: Brief) -> str:
    """The file of the part of a book that a user names.

    Raises:
        UsageError: There is no such part, or it has no one file.
    """
    part: Part = part_of(typed, view, brief)
    if part.chapter is not None and part.scene is None:
        return chapter_file(part.chapter)
    agent = stage_called(part.stage, wanted_stages(brief)) if part.stage else None
    if agent is None or agent.per_chapter():
        raise UsageError(
            f"{typed!r} is not a file of the book.",
            fix="Name a chapter by its number (7), or a stage of the whole book (outline).",
        )
    return agent.writes


def all_versions(paths: ProjectPaths, typed: str) -> tuple[str, list[Version]]:
    """The file that a user names, and its earlier texts.

    Raises:
        UsageError: There is no such file.
    """
    view = peek(paths)
    name = file_of(typed, view, read_brief(paths))
    return name, versions_of(view, name)


def one_version(paths: ProjectPaths, typed: str, number: int) -> dict[str, Any]:
    """An earlier text of a file, and how the present one differs from it.

    Raises:
        UsageError: There is no such version.
    """
    view = peek(paths)
    name = file_of(typed, view, read_brief(paths))
    found = version(view, name, number)
    now = (view.read_bytes(name) or b"").decode("utf-8", "replace")
    diff = diff_lines(name, now, found.text)
    return {"file": name, "version": found.number, "text": found.text, "diff": diff}


def restore(
    paths: ProjectPaths, typed: str, number: int | None = None, seen: str | None = None
) -> tuple[str, Version]:
    """Put back an earlier text of a file: that of a number, or the last.

    Args:
        paths: Of the book.
        typed: The file as its author names it.
        number: Of the version; None is the last.
        seen: The version of the file beside which it was chosen; None where nobody looked.

    Raises:
        UsageError: There is no such version.
        ConflictError: The file is another one now.
        ProjectInUseError: Another process works on the book.
        StorageError: The system refused.
    """
    with ProjectStore.open(paths) as store:
        name = file_of(typed, store, open_project(store))
        found = version(store, name, number)
        now = version_of(store, name)
        if seen not in (None, now):
            raise ConflictError(name, Book(store).text(name), now)
        put_back(store, name, found.text, f"versions {name} {found.number}")
    return name, found


_OF_SUMMARY = {
    "beats": [],
    "entry_state": "",
    "exit_state": "",
    "question_raised": "",
    "question_answered": "",
}
"""What an outline says of a chapter that follows from its summary."""


async def ask(book: OpenBook, consumers: Sequence[EventConsumer], question: str) -> Advice:
    """Have a question of the author's answered; nothing of the book changes.

    Raises:
        ProjectError: The book has no plan yet.
        LibriScribeError: The question got no usable reply.
    """
    with same_command():
        return await book.ask(AdvisorAgent, lambda advisor: advisor.advise(question), consumers)


async def learn(book: OpenBook, consumers: Sequence[EventConsumer]) -> Advice:
    """Have habits found in what the author changed of the chapters; nothing of the book changes.

    Raises:
        UsageError: Nothing was changed, or the book has no style sheet.
        LibriScribeError: The question got no usable reply.
    """
    store = book.store
    if not store.exists(STYLE.file):
        raise UsageError(f"There is no {STYLE.file} yet, so there is no place for rules.")
    edits = edits_of(store, map(chapter_file, range(1, Book(store).chapters() + 1)))
    if not edits:
        raise UsageError(
            "You have changed no chapter that the program wrote.",
            fix="Edit one in the book's folder `chapters`, then run this again.",
        )
    texts = {
        n: edits[name]
        for n in range(1, Book(store).chapters() + 1)
        if (name := chapter_file(n)) in edits
    }
    with same_command():
        return await book.ask(AdvisorAgent, lambda advisor: advisor.learn(texts), consumers)


def chosen(advice: Advice, typed: str) -> list[Proposed]:
    """The proposals whose numbers the author names, such as `1, 3`.

    Raises:
        UsageError: There is none of that number.
    """
    numbers = typed.replace(",", " ").split()
    for one in numbers:
        if not one.isdecimal() or not 1 <= int(one) <= len(advice.proposals):
            known = f"1 to {len(advice.proposals)}" if advice.proposals else "none"
            raise UsageError(f"There is no proposal {one!r}.", fix=f"There are: {known}.")
    return [advice.proposals[int(one) - 1] for one in dict.fromkeys(numbers)]


def accept(store: ProjectStore, one: Proposed, keys: Sequence[str]) -> str:
    """Carry out what the author accepts.

    Returns:
        What was done, in words.

    Raises:
        UsageError: The book has no such part.
        ProjectError: It does not fit the book as it is; nothing is done.
        StorageError: The system refused.
    """
    if one.kind == "note":
        return f"{note_down(store.paths, one.part, one.text).file}: noted"
    if one.kind == "rule":
        return _keep_rule(store, one, keys)
    number, _ = place_of(one.part)
    check_chapter(number, Book(store).chapters())
    return _edit(store, number, one, keys) if one.find else _replan(store, number, one, keys)


def _keep_rule(store: ProjectStore, one: Proposed, keys: Sequence[str]) -> str:
    """Put a rule before all others of the style sheet; what is written stays as it is."""
    style = Book(store).load(STYLE.file, StyleFile)
    if any(one.text.casefold() == rule.rule.casefold() for rule in style.rules):
        return f"{STYLE.file}: that is a rule already"
    quote = f"{one.find} -> {one.shown}"
    rule = StyleRule.model_validate({"aspect": one.part, "rule": one.text, "quote": quote})
    text = readable_json(
        style.model_copy(update={"rules": [rule, *style.rules]}).model_dump(mode="json")
    )
    made = made_with(store, STYLE.file, text, keys)
    replace_text(store, STYLE.file, text, f"learn {STYLE.file}", made)
    return f"{STYLE.file}: {one.text}"


def _edit(store: ProjectStore, number: int, one: Proposed, keys: Sequence[str]) -> str:
    """Replace words of a chapter that stand there once."""
    name = chapter_file(number)
    applied = apply(Book(store).text(name), Patch(find=one.find, replace=one.text))
    if applied.reason:
        raise ProjectError(f"{name}: not applied: {applied.reason}")
    made = made_with(store, name, applied.text, keys)
    replace_text(store, name, applied.text, f"ask {name}", made)
    return f"{name}: changed; `libriscribe2 revise {store.paths.called} {number} --undo` undoes it"


def _replan(store: ProjectStore, number: int, one: Proposed, keys: Sequence[str]) -> str:
    """Give a chapter that is not written another summary; its scenes alone are planned again."""
    if store.exists(chapter_file(number)):
        raise ProjectError(
            f"Chapter {number} is written: another outline does not change it.",
            fix=f"`libriscribe2 redo {store.paths.called} {number} --note ...` writes it again.",
        )
    outline = store.read_json(OUTLINE)
    outline["chapters"][number - 1] |= {**_OF_SUMMARY, "summary": one.text}
    texts = {OUTLINE: readable_json(outline)}
    Book.value(OUTLINE, OutlineFile, texts[OUTLINE])
    made = {OUTLINE: made_with(store, OUTLINE, texts[OUTLINE], keys)}
    asked: list[str] = []
    if store.exists(SCENES):
        scenes = store.read_json(SCENES)
        scenes["chapters"][number - 1]["scenes"] = []
        texts[SCENES] = readable_json(scenes)
        said = made_with(store, SCENES, texts[SCENES], ())
        if said is not None and said["in"].get(OUTLINE) == store.sha(OUTLINE):
            new = content_sha(OUTLINE, texts[OUTLINE].encode())
            said = {**said, "in": {**said["in"], OUTLINE: new}}
        made[SCENES] = said
        asked.append(f"scenes/ch{number:02d}")
    replace_texts(store, texts, f"ask chapter {number}", made, asked)
    return f"{OUTLINE}: chapter {number} is planned otherwise; `resume` plans its scenes"
