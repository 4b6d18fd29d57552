"""The order of a book's chapters as one value, and the author's edits of it as pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pydantic import ValidationError

from libriscribe2.checks.project_health import redo_of
from libriscribe2.editing.splitting import Division, body_of, joined, retitled, with_heading
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.models.story import OutlineFile, ScenePlan, ScenesFile
from libriscribe2.models.story_bible import StoryBibleFile
from libriscribe2.project.artifacts import Book, check_chapter
from libriscribe2.project.paths import (
    CHAPTER_FILES,
    OUTLINE,
    SCENES,
    STORY_BIBLE_FILES,
    SUMMARY_FILES,
)
from libriscribe2.project.project_view import CHAPTER_NUMBER, ProjectView
from libriscribe2.project.texts import readable_json
from libriscribe2.research.quotes import line_of_quote
from libriscribe2.wording import counted

Entry = Mapping[str, Any]
"""An entry of `outline.json` or `scenes.json` with every key that the author gave it."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One chapter of the order.

    Attributes:
        entry: Its entry in `outline.json`.
        plan: Its entry in `scenes.json`; None where the book has no such file.
        sources: The numbers that the chapters had of which it is made; none for a new one.
        texts: New content of its files, by the pattern of their names (`chapters/*.md`).
        keeps_files: Whether its other files come along from the first of `sources`; where not, they
            told of another text, and go.
    """

    entry: Entry
    plan: Entry | None
    sources: tuple[int, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    keeps_files: bool = True

    @property
    def title(self) -> str:
        """The chapter's title."""
        return str(self.entry["title"]).strip()

    @property
    def scenes(self) -> list[Any]:
        """The scenes as they are planned; none where nothing is."""
        return [] if self.plan is None else list(self.plan["scenes"])


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of the order.

    Attributes:
        what: The command that asked for it, such as `chapter move 3 6`.
        slots: The chapters in their new order.
        same_story: Whether the texts follow each other as they did.
    """

    what: str
    slots: tuple[Slot, ...]
    same_story: bool = False


def read_slots(view: ProjectView) -> tuple[Slot, ...]:
    """The chapters of a book in their present order.

    Raises:
        ProjectError: There is no outline, a file cannot be read, or the two plans do not have the
            same number of chapters.
    """
    book = Book(view)
    book.load(OUTLINE, OutlineFile)
    entries = view.read_json(OUTLINE)["chapters"]
    plans: Sequence[Entry | None] = [None] * len(entries)
    if book.has(SCENES):
        book.load(SCENES, ScenesFile)
        plans = view.read_json(SCENES)["chapters"]
    if len(plans) != len(entries):
        raise ProjectError(
            f"{OUTLINE} and {SCENES} do not match",
            why=f"they plan {len(entries)} and {len(plans)} chapters",
            fix=f"Give both the same chapters, or regenerate {SCENES}: "
            f"{redo_of(view, SCENES, 'scenes')}.",
        )
    both = enumerate(zip(entries, plans, strict=True), start=1)
    return tuple(Slot(entry, plan, (number,)) for number, (entry, plan) in both)


def outline_text(view: ProjectView, slots: Sequence[Slot]) -> str:
    """`outline.json` with the chapters of `slots`, and with their numbers in its threads."""
    whole = {**view.read_json(OUTLINE), "chapters": [slot.entry for slot in slots]}
    if "threads" in whole:
        sources = [slot.sources for slot in slots]
        whole["threads"] = renumbered_threads(whole["threads"], sources)
    return readable_json(whole)


def scenes_text(view: ProjectView, slots: Sequence[Slot]) -> str:
    """`scenes.json` with the plans of `slots`, numbered anew."""
    plans = [_numbered(slot.plan or {}, number) for number, slot in enumerate(slots, start=1)]
    return readable_json({**view.read_json(SCENES), "chapters": plans})


def _numbered(plan: Entry, number: int) -> Entry:
    """A plan with its number, at the place where it had one."""
    return (
        {**plan, CHAPTER_NUMBER: number}
        if CHAPTER_NUMBER in plan
        else {CHAPTER_NUMBER: number, **plan}
    )


Plain = Mapping[str, Any]

_LISTS: Final = ("beats", "plants", "payoffs")
_OF_THE_BEGINNING: Final = ("entry_state", "opening_move", "plants", "question_answered")
_OF_THE_END: Final = ("exit_state", "ending_move", "payoffs", "question_raised")


def joined_contract(first: Plain, second: Plain) -> dict[str, Any]:
    """The contract of two chapters that become one, as far as it is not that of the first."""
    joined: dict[str, Any] = {}
    for name in _LISTS:
        one, other = first.get(name), second.get(name)
        if isinstance(one, list) and isinstance(other, list):
            joined[name] = [*one, *(item for item in other if item not in one)]
    for name in ("exit_state", "ending_move", "question_raised"):
        if name in second:
            joined[name] = second[name]
    heights, lengths = _numbers("tension", first, second), _numbers("target_words", first, second)
    if heights:
        joined["tension"] = max(heights)
    if lengths:
        joined["target_words"] = sum(lengths) if all(lengths) else 0
    return joined


def split_contract(entry: Plain) -> tuple[dict[str, Any], dict[str, Any]]:
    """The contracts of the two parts of a chapter: what is known of its beginning and of its end.

    A part does not say how it joins the other, and what has to happen belongs to one of them only
    an author can tell: both lack it.
    """
    unknown = {"beats", "target_words"}
    first = {key: _empty(entry[key]) for key in entry.keys() & {*_OF_THE_END, *unknown}}
    second = {key: _empty(entry[key]) for key in entry.keys() & {*_OF_THE_BEGINNING, *unknown}}
    return first, second


def renumbered_threads(threads: Any, sources: Sequence[Sequence[int]]) -> Any:
    """The threads of a plan under the new numbers of its chapters.

    Args:
        threads: The threads.
        sources: For each chapter of the new order the numbers that it had; none for a new one.

    Returns:
        The threads. One whose first chapter is gone begins with the next one that is left; one
        whose last chapter is gone is not paid off any more.
    """
    if not isinstance(threads, list):
        return threads
    places = [(old, new) for new, had in enumerate(sources, start=1) for old in had]
    return [_renumbered(one, places) if isinstance(one, dict) else one for one in threads]


def _renumbered(thread: dict[str, Any], places: Sequence[tuple[int, int]]) -> dict[str, Any]:
    moved = dict(thread)
    setup, payoff, due = (thread.get(name) for name in ("setup", "payoff", "due_by"))
    if isinstance(setup, int):
        later = sorted((old, new) for old, new in places if old >= setup)
        moved["setup"] = later[0][1] if later else max((new for _, new in places), default=1)
    if isinstance(payoff, int):
        moved["payoff"] = max((new for old, new in places if old == payoff), default=None)
    if isinstance(due, int):
        before = [(old, new) for old, new in places if old <= due]
        moved["due_by"] = max(before)[1] if before else None
    return moved


def _numbers(name: str, first: Plain, second: Plain) -> list[int]:
    """A number of both entries; none unless both have it."""
    numbers = [one[name] for one in (first, second) if isinstance(one.get(name), int)]
    return numbers if len(numbers) == 2 else []


def _empty(value: Any) -> Any:
    """What a field of a contract holds when nothing is said."""
    if isinstance(value, list):
        return []
    return "" if isinstance(value, str) else 0


def joined_story_bible(first: str, second: str, text: str) -> str | None:
    """The facts of a merged chapter; None where one of the two cannot be read.

    Args:
        first: The facts of the first chapter as its file has it.
        second: That of the second.
        text: The merged chapter, which says on which lines the facts stand now.
    """
    try:
        one, other = (
            StoryBibleFile.model_validate_json(text_of_one) for text_of_one in (first, second)
        )
    except ValidationError:
        return None
    facts = [
        fact.model_copy(update={"line": line_of_quote(fact.quote, text) or fact.line})
        for fact in (*one.facts, *other.facts)
    ]
    whole = StoryBibleFile(
        facts=facts,
        ended=[*one.ended, *other.ended],
        events=[*one.events, *other.events],
        new_people=[*one.new_people, *other.new_people],
        threads=[*one.threads, *other.threads],
        exit=other.exit,
        dropped=one.dropped + other.dropped,
    )
    return readable_json(whole.model_dump(mode="json"))


Slots = tuple[Slot, ...]

Texts = Mapping[str, str]
"""A chapter's texts by the pattern of their names, as far as they are written."""


@dataclass(frozen=True, slots=True)
class Outlined:
    """What an author says of a chapter.

    Attributes:
        title: Its title; "" takes the present one.
        summary: What happens in it; "" takes the plan's.
        scenes: Summaries of its scenes; none leaves the plan to the model.
    """

    title: str = ""
    summary: str = ""
    scenes: tuple[str, ...] = ()


def insert(slots: Slots, at: int, chapter: Outlined) -> Slots:
    """A new chapter, not yet written, that gets the number `at`.

    Raises:
        UsageError: Title or summary is blank, or the number would leave a gap.
    """
    title, summary = _one_line(chapter.title, "title"), _one_line(chapter.summary, "summary")
    if not 1 <= at <= len(slots) + 1:
        raise UsageError(
            f"A new chapter cannot be chapter {at}: the book has {counted(len(slots), 'chapter')}.",
            fix=f"Choose one of 1 to {len(slots) + 1}.",
        )
    has_plans = bool(slots) and slots[0].plan is not None
    scenes = [ScenePlan(summary=scene).model_dump() for scene in chapter.scenes]
    plan: Entry | None = {"title": title, "scenes": scenes} if has_plans else None
    new = Slot({"title": title, "summary": summary}, plan)
    return (*slots[: at - 1], new, *slots[at - 1 :])


def delete(slots: Slots, number: int) -> Slots:
    """The book without a chapter.

    Raises:
        UsageError: There is no such chapter, or it is the only one.
    """
    check_chapter(number, len(slots))
    if len(slots) == 1:
        raise UsageError(
            "The only chapter of a book cannot be deleted",
            fix="Rename it, or write it again with `libriscribe2 redo`.",
        )
    return (*slots[: number - 1], *slots[number:])


def move(slots: Slots, number: int, to: int) -> Slots:
    """A chapter that gets the number `to`; those in between make room.

    Raises:
        UsageError: There is no such chapter or place, or it is there already.
    """
    check_chapter(number, len(slots))
    check_chapter(to, len(slots))
    if number == to:
        why = f"the book has {len(slots)} chapters and this is its place"
        raise UsageError(f"Chapter {number} is there already", why=why)
    rest = [*slots[: number - 1], *slots[number:]]
    return (*rest[: to - 1], slots[number - 1], *rest[to - 1 :])


def rename(slots: Slots, number: int, title: str, text: str | None) -> Slots:
    """A chapter under another title, in the plans and in its heading.

    Args:
        slots: The chapters.
        number: Which one.
        title: Its new title.
        text: The chapter as it is written; None where it is not.

    Raises:
        UsageError: There is no such chapter, the title is blank, or it has that title already.
    """
    check_chapter(number, len(slots))
    new, slot = _one_line(title, "title"), slots[number - 1]
    if new == slot.title:
        raise UsageError(f"Chapter {number} has that title already", fix="Give it another one.")
    texts = {} if text is None else {CHAPTER_FILES: retitled(text, slot.title, new)}
    if text is not None and texts[CHAPTER_FILES] == text:
        texts = {}
    renamed = replace(_titled(slot, new), texts=texts)
    return (*slots[: number - 1], renamed, *slots[number:])


def merge(slots: Slots, number: int, files: tuple[Texts, Texts], title: str = "") -> Slots:
    """A chapter and the one after it as one.

    Args:
        slots: The chapters.
        number: The first of the two.
        files: The texts of each of the two.
        title: The title of the whole; "" takes the first one's.

    Raises:
        UsageError: There are no two such chapters.
        ProjectError: Only one of them is written.
    """
    check_chapter(number, len(slots))
    check_chapter(number + 1, len(slots))
    first, second = slots[number - 1], slots[number]
    written = [CHAPTER_FILES in one for one in files]
    if any(written) and not all(written):
        missing = number + written.index(False)
        raise ProjectError(f"Chapter {missing} is not written yet", fix=_RESUME)
    texts = _joined_texts(*files)
    if title and texts:
        texts[CHAPTER_FILES] = retitled(texts[CHAPTER_FILES], first.title, title)
    summary = f"{first.entry['summary']} {second.entry['summary']}"
    # A chapter that waits for its plan waits on as a part of another.
    scenes = first.scenes + second.scenes if first.scenes and second.scenes else []
    whole = Slot(
        {**first.entry, **joined_contract(first.entry, second.entry), "summary": summary},
        None if first.plan is None else {**first.plan, "scenes": scenes},
        (*first.sources, *second.sources),
        texts,
        keeps_files=False,
    )
    return (*slots[: number - 1], _titled(whole, title or first.title), *slots[number + 1 :])


def split(slots: Slots, number: int, at: Division, parts: tuple[Outlined, Outlined]) -> Slots:
    """A chapter as two.

    Args:
        slots: The chapters.
        number: Which one.
        at: Its text in two.
        parts: What the author says of the two; the second needs a title.

    Raises:
        UsageError: There is no such chapter, or the second part has no title.
    """
    check_chapter(number, len(slots))
    slot, scenes = slots[number - 1], slots[number - 1].scenes
    ends = min(at.scene, len(scenes))
    goes_on = at.inside or ends == len(scenes)
    plans = (scenes[:ends], scenes[max(0, ends - 1) :] if goes_on else scenes[ends:])
    second = replace(parts[1], title=_one_line(parts[1].title, "title"))
    first_title = parts[0].title.strip() or slot.title
    texts = (
        retitled(at.first, slot.title, first_title),
        with_heading(second.title, body_of(at.second)),
    )
    both = (
        _part(slot, one, plan, text, contract)
        for one, plan, text, contract in zip(
            (parts[0], second), plans, texts, split_contract(slot.entry), strict=True
        )
    )
    return (*slots[: number - 1], *both, *slots[number:])


_RESUME = "Run `libriscribe2 resume` to have it written."


def _part(
    slot: Slot, outlined: Outlined, scenes: Sequence[Entry], text: str, contract: Entry
) -> Slot:
    """One of the two parts of a chapter that is split; each scene's plan tells what is in it."""
    scene_summaries = " ".join(str(scene["summary"]) for scene in scenes)
    summary = outlined.summary.strip() or scene_summaries or str(slot.entry["summary"])
    part = Slot(
        {**slot.entry, **contract, "summary": summary},
        None if slot.plan is None else {**slot.plan, "scenes": list(scenes)},
        slot.sources,
        {CHAPTER_FILES: text},
        keeps_files=False,
    )
    return _titled(part, outlined.title.strip() or slot.title)


def _joined_texts(first: Texts, second: Texts) -> dict[str, str]:
    """The texts of two chapters, joined; a record of only one of them would mislead."""
    texts = {}
    if CHAPTER_FILES in first and CHAPTER_FILES in second:
        texts[CHAPTER_FILES] = joined(first[CHAPTER_FILES], second[CHAPTER_FILES])
        if SUMMARY_FILES in first and SUMMARY_FILES in second:
            both = (one[SUMMARY_FILES].strip() for one in (first, second))
            texts[SUMMARY_FILES] = "\n\n".join(both) + "\n"
        if STORY_BIBLE_FILES in first and STORY_BIBLE_FILES in second:
            canon = joined_story_bible(
                first[STORY_BIBLE_FILES], second[STORY_BIBLE_FILES], texts[CHAPTER_FILES]
            )
            texts |= {} if canon is None else {STORY_BIBLE_FILES: canon}
    return texts


def _titled(slot: Slot, title: str) -> Slot:
    plan = slot.plan if slot.plan is None else {**slot.plan, "title": title}
    return replace(slot, entry={**slot.entry, "title": title}, plan=plan)


def _one_line(text: str, what: str) -> str:
    """A text of the author's in one line.

    Raises:
        UsageError: It is blank.
    """
    line = " ".join(text.split())
    if not line:
        raise UsageError(f"The {what} of a chapter cannot be blank", fix=f"Give its {what}.")
    return line
