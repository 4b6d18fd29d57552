"""The order of a book's chapters as one value, read from its files.

An author's change of the order is a pure function from slots to slots (`structure_edits`); what it
means for the files is worked out afterwards (`structure_plan`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError

from libriscribe2.checks.project_health import redo_of
from libriscribe2.errors import ProjectError
from libriscribe2.models.canon import CanonFile
from libriscribe2.models.story import OutlineFile, ScenesFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import OUTLINE, SCENES
from libriscribe2.project.project_view import CHAPTER_NUMBER, ProjectView
from libriscribe2.project.texts import readable_json
from libriscribe2.research.quotes import line_of_quote

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
            f"{OUTLINE} and {SCENES} do not fit together",
            why=f"they plan {len(entries)} and {len(plans)} chapters",
            fix=f"Give both the same chapters, or have {SCENES} made again: "
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


def joined_canon(first: str, second: str, text: str) -> str | None:
    """The facts of a merged chapter; None where one of the two cannot be read.

    Args:
        first: The facts of the first chapter as its file has it.
        second: That of the second.
        text: The merged chapter, which says on which lines the facts stand now.
    """
    try:
        one, other = (CanonFile.model_validate_json(text_of_one) for text_of_one in (first, second))
    except ValidationError:
        return None
    facts = [
        fact.model_copy(update={"line": line_of_quote(fact.quote, text) or fact.line})
        for fact in (*one.facts, *other.facts)
    ]
    whole = CanonFile(
        facts=facts,
        events=[*one.events, *other.events],
        threads=[*one.threads, *other.threads],
        exit=other.exit,
        dropped=one.dropped + other.dropped,
    )
    return readable_json(whole.model_dump(mode="json"))
