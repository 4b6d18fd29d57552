"""The author's edits of a book's structure, as pure functions from slots to slots.

Chapters are numbered from 1. What each edit costs is said at `structure_plan`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from libriscribe2.editing.splitting import Division, body_of, joined, retitled, with_heading
from libriscribe2.editing.structure import (
    Entry,
    Slot,
    joined_canon,
    joined_contract,
    split_contract,
)
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.models.story import ScenePlan
from libriscribe2.project.artifacts import check_chapter
from libriscribe2.project.paths import CANON_FILES, CHAPTER_FILES, SUMMARY_FILES
from libriscribe2.wording import counted

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
        if CANON_FILES in first and CANON_FILES in second:
            canon = joined_canon(first[CANON_FILES], second[CANON_FILES], texts[CHAPTER_FILES])
            texts |= {} if canon is None else {CANON_FILES: canon}
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
        raise UsageError(f"The {what} of a chapter cannot be blank", fix=f"Say what its {what} is.")
    return line
