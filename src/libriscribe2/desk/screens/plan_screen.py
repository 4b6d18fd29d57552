"""The plan as cards on a line: changed in place, moved, looked through, asked for otherwise, approved."""

from dataclasses import dataclass
from typing import Any, Final

from starlette.responses import JSONResponse, Response

from libriscribe2.commands.chapter_edits import (
    carry_out,
    deletion,
    insertion,
    merger,
    movement,
    renaming,
)
from libriscribe2.commands.hand_edits import (
    PLAN_SHAPES,
    ConflictError,
    as_text,
    save_field,
    version_of,
)
from libriscribe2.commands.projects import look_at
from libriscribe2.commands.reply_replay import word_diff
from libriscribe2.commands.variants import pick, shown_variants
from libriscribe2.desk.drawn import tension_svg, threads_svg
from libriscribe2.desk.snapshot import artifact
from libriscribe2.desk.visits import Visit, change, page
from libriscribe2.errors import UsageError
from libriscribe2.models.findings import Finding
from libriscribe2.models.story import OutlineChapter, OutlineFile, PlannedChapter, ScenesFile
from libriscribe2.project.paths import (
    CHAPTER_FILES,
    CHARACTERS,
    CONCEPT,
    OUTLINE,
    SCENES,
    WORLD,
    chapter_file,
)

_SEVERAL: Final = frozenset({"concept", "outline"})
"""Parts of a plan of which variants can be written side by side."""

CHAPTER_FIELDS: Final = (
    ("summary", "What happens", 5),
    ("purpose", "Its promise: what the book would lack without it", 2),
    ("pov", "Through whose eyes", 1),
    ("tension", "Tension, 0 to 10", 1),
    ("beats", "Beats", 4),
    ("question_raised", "The question that it raises", 2),
    ("question_answered", "The question that it settles", 2),
    ("entry_state", "As it begins", 2),
    ("exit_state", "As it ends", 2),
    ("story_time", "When", 1),
    ("target_words", "Words", 1),
)
PERSON_FIELDS: Final = (
    ("role", "Part in the book", 1),
    ("personality", "How they act and talk", 3),
    ("motivation", "What they want", 2),
    ("conflict", "What stands in the way", 2),
    ("background", "Where they come from", 2),
    ("appearance", "What others see first", 2),
    ("relationships", "Ties to the others", 2),
    ("arc", "How they change", 2),
)
SCENE_FIELDS: Final = (
    ("summary", "What happens", 3),
    ("goal", "Goal", 1),
    ("conflict", "Conflict", 1),
    ("turn", "Turn", 1),
    ("outcome", "Outcome", 1),
    ("place", "Where", 1),
)


@dataclass(frozen=True, slots=True)
class ChapterCard:
    """A chapter of the plan.

    Attributes:
        number: Its number.
        chapter: What the outline says of it.
        scenes: Its scenes.
        written: Whether its text is there.
        findings: What is wrong with it.
    """

    number: int
    chapter: OutlineChapter
    scenes: PlannedChapter | None
    written: bool
    findings: list[Finding]


def show_plan(visit: Visit) -> Response:
    """All of the plan."""
    made: dict[str, Any] = {
        name: artifact(visit.book, name, shape) for name, shape in PLAN_SHAPES.items()
    }
    outline, scenes = made[OUTLINE], made[SCENES]
    of_plan = visit.plan_findings() if outline is not None else []
    found = [one for one in of_plan if not one.allowed]
    cards = _cards(visit, outline, scenes, found) if outline is not None else []
    values: dict[str, Any] = {
        "concept": made[CONCEPT],
        "people": made[CHARACTERS],
        "world": made[WORLD],
        "outline": outline,
        "cards": cards,
        "of_book": [one for one in found if not one.where.chapter],
        "findings": found,
        "seen": {name: version_of(visit.view, name) for name in PLAN_SHAPES},
        "tension": tension_svg([one.chapter.tension for one in cards]),
        "threads": threads_svg(outline.threads, len(cards)) if outline is not None else "",
        "written": len(visit.view.names(CHAPTER_FILES)),
        "open_chapter": visit.asked.get("chapter", ""),
        "variants": {name for name in _SEVERAL if visit.variants(name)},
    }
    fields = {"chapter": CHAPTER_FIELDS, "person": PERSON_FIELDS, "scene": SCENE_FIELDS}
    return visit.page("plan", fields=fields, as_text=as_text, job=visit.job, **values)


def _cards(visit: Visit, outline: Any, scenes: ScenesFile | None, found: list[Finding]) -> Any:
    plans = {one.chapter: one for one in scenes.chapters} if scenes is not None else {}
    return [
        ChapterCard(
            number,
            one,
            plans.get(number),
            visit.view.exists(chapter_file(number)),
            [finding for finding in found if finding.where.chapter == number],
        )
        for number, one in enumerate(outline.chapters, 1)
    ]


def edit_field(visit: Visit) -> Response:
    """Give a field of the plan another value, unless it is another than its author saw."""
    form = visit.form
    name, where, text = form.get("file", ""), form.get("where", ""), form.get("text", "")
    seen = form.get("seen", "")
    keys = where.split(".")
    if name == OUTLINE and keys[0] == "chapters" and keys[-1] == "title":
        number, now = int(keys[1]) + 1, version_of(visit.view, name)
        if now != seen:
            title = visit.book.load(OUTLINE, OutlineFile).chapters[number - 1].title
            raise ConflictError(name, title, now)
        carry_out(visit.paths, renaming(number, text.strip()))
        new = version_of(look_at(visit.paths), name)
    else:
        new = save_field(visit.paths, name, where, text, seen)
    if form.get("by") == "script":
        return JSONResponse({"seen": new})
    return visit.go(*form.get("back", "plan").split("/"))


def move_chapter(visit: Visit) -> Response:
    """Another place for a chapter."""
    chapter, to = _number(visit, "chapter"), _number(visit, "to")
    if to != chapter:
        carry_out(visit.paths, movement(chapter, to))
    if visit.form.get("by") == "script":
        return JSONResponse({"at": to})
    return visit.go("plan", chapter=to)


def add_chapter(visit: Visit) -> Response:
    """A new chapter of the plan."""
    title, summary = visit.form.get("title", "").strip(), visit.form.get("summary", "").strip()
    if not title or not summary:
        raise UsageError("A new chapter needs a title, and what happens in it.")
    at = _number(visit, "chapter")
    carry_out(visit.paths, insertion(at, title, summary, ()))
    return visit.go("plan", chapter=at)


def drop_chapter(visit: Visit) -> Response:
    """Take a chapter out of the book; its text goes to the trash."""
    carry_out(visit.paths, deletion(_number(visit, "chapter")))
    return visit.go("plan")


def join_chapters(visit: Visit) -> Response:
    """One chapter made of two neighbours."""
    first = _number(visit, "chapter")
    carry_out(visit.paths, merger(first, first + 1))
    return visit.go("plan", chapter=first)


def show_variants(visit: Visit) -> Response:
    """Variants of a part side by side."""
    part = visit.keys["part"]
    now, made = shown_variants(visit.paths, part)
    diffs = {one.name: word_diff(now, one.text) for one in made.variants}
    back = "plan" if not part[:1].isdigit() else f"read/{part.partition('.')[0]}"
    return visit.page("variants", part=part, now=now, made=made, diffs=diffs, back=back)


def take_variant(visit: Visit) -> Response:
    """Put a variant into the book; the old text goes to the trash."""
    part = visit.keys["part"]
    force = bool(visit.form.get("force"))
    pick(visit.paths, part, visit.form.get("variant", ""), replace_mine=force)
    if part[:1].isdigit():
        return visit.go("read", int(part.partition(".")[0]))
    return visit.go("plan")


def _number(visit: Visit, name: str) -> int:
    said = visit.form.get(name, "")
    if not said.isdecimal():
        raise UsageError(f"{said!r} is not the number of a chapter.")
    return int(said)


SCREEN: Final = (
    page("/b/{book}/plan", show_plan),
    change("/b/{book}/field", edit_field),
    change("/b/{book}/plan/move", move_chapter),
    change("/b/{book}/plan/add", add_chapter),
    change("/b/{book}/plan/drop", drop_chapter),
    change("/b/{book}/plan/join", join_chapters),
    page("/b/{book}/variants/{part}", show_variants),
    change("/b/{book}/variants/{part}", take_variant),
)
