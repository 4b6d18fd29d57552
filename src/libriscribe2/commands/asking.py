"""A talk with the author: what is answered, and what is done of it once it is accepted."""

from collections.abc import Sequence

from libriscribe2.agents.agent_advisor import Advice, AdvisorAgent, Proposed
from libriscribe2.checks.patching import apply
from libriscribe2.commands.noting import note_down, place_of
from libriscribe2.commands.runs import OpenBook
from libriscribe2.editing.versions import edits_of, made_with, replace_text, replace_texts
from libriscribe2.engine.engine import RunStream, follow
from libriscribe2.errors import MaxRetriesExceededError, ProjectError, UsageError
from libriscribe2.models.reviews import Patch
from libriscribe2.models.story import OutlineFile
from libriscribe2.models.style import STYLE, StyleFile, StyleRule
from libriscribe2.observe.events import EventConsumer
from libriscribe2.project.artifacts import Book, check_chapter
from libriscribe2.project.paths import OUTLINE, SCENES, chapter_file
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.texts import content_sha, readable_json

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
    run = book.ask(AdvisorAgent, lambda advisor: advisor.advise(question))
    return await _answered(run, consumers)


async def learn(book: OpenBook, consumers: Sequence[EventConsumer]) -> Advice:
    """Have habits found in what the author changed of the chapters; nothing of the book changes.

    Raises:
        UsageError: Nothing was changed, or the book has no style sheet.
        LibriScribeError: The question got no usable reply.
    """
    store = book.store
    if not store.exists(STYLE.file):
        raise UsageError(f"There is no {STYLE.file} yet: rules would have no place.")
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
    run = book.ask(AdvisorAgent, lambda advisor: advisor.learn(texts))
    return await _answered(run, consumers)


async def _answered(run: RunStream[Advice], consumers: Sequence[EventConsumer]) -> Advice:
    try:
        return await follow(run, *consumers)
    except MaxRetriesExceededError as error:
        error.fix = "run the same command to ask again; the replies are in the dumps"
        raise


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
