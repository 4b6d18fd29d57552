"""Reading and changing: one chapter at a time, a margin beside it, and each change as a word diff."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from starlette.responses import JSONResponse, Response

from libriscribe2.agents.agent_advisor import Advice
from libriscribe2.checks.continuity.story_bible import bible_of
from libriscribe2.commands.hand_edits import paragraphs, save_paragraph, version_of
from libriscribe2.commands.mending import Proposal, keep
from libriscribe2.commands.projects import open_project
from libriscribe2.commands.reply_replay import Piece, word_diff
from libriscribe2.commands.revising import (
    Revision,
    accept,
    all_versions,
    chosen,
    keep_revision,
    one_version,
    restore,
)
from libriscribe2.commands.variants import VariantsFile
from libriscribe2.context.scene_origin import chapter_origin
from libriscribe2.desk.drawn import prose_html
from libriscribe2.desk.report_page import at_words
from libriscribe2.desk.snapshot import readable
from libriscribe2.desk.visits import Visit, change, page
from libriscribe2.desk.workshop import Job
from libriscribe2.errors import UsageError
from libriscribe2.models.findings import Finding
from libriscribe2.models.style import STYLE, StyleFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import chapter_file
from libriscribe2.project.store import ProjectStore
from libriscribe2.prose import prose_words


def show_contents(visit: Visit) -> Response:
    """The book's title page and its contents; no chapter is rendered."""
    return visit.page("contents", chapters=visit.contents)


def show_chapter(visit: Visit) -> Response:
    """One chapter as a page of the book, with what is known of it in the margin."""
    number = visit.number
    name, chapters = chapter_file(number), visit.contents
    if not visit.view.exists(name):
        return visit.page("unwritten", number=number, chapters=chapters)
    text = visit.book.text(name)
    blocks = paragraphs(text)
    lines = _first_lines(text, blocks)
    bible = readable(lambda: bible_of(visit.brief, visit.view), None)  # None: no chapter was read
    found = [one for one in visit.story_findings() if number in _chapters_of(one)]
    return visit.page(
        "chapter",
        number=number,
        chapters=chapters,
        seen=version_of(visit.view, name),
        state=visit.states.get(name, ""),
        blocks=[(n, one, prose_html(one), _is_text(one)) for n, one in enumerate(blocks)],
        words=prose_words(text),
        facts=[one for one in bible.facts if one.chapter == number] if bible is not None else [],
        findings=[(one, _block_at(lines, one, number)) for one in found],
        versions=all_versions(visit.paths, str(number))[1][::-1],
        variants=visit.variants(str(number)),
        touched=visit.book.touched_scenes(number),
        scenes=readable(lambda: len(chapter_origin(visit.view, number).scenes), 0),
    )


def _is_text(block: str) -> bool:
    return not block.startswith(("#", "* * *", "---", "***"))


def _first_lines(text: str, blocks: list[str]) -> list[int]:
    """The line of the file on which each block begins."""
    found, at = list[int](), 0
    for one in blocks:
        at = text.index(one, at)
        found.append(text.count("\n", 0, at) + 1)
        at += len(one)
    return found


def _block_at(lines: list[int], one: Finding, chapter: int) -> int | None:
    """The block in which a finding's words stand."""
    place = one.where if one.where.chapter == chapter or one.other is None else one.other
    if not place.line:
        return None
    return max((n for n, line in enumerate(lines) if line <= place.line), default=0)


def _chapters_of(one: Finding) -> set[int]:
    return {place.chapter for place in (one.where, one.other) if place is not None}


def edit_paragraph(visit: Visit) -> Response:
    """Give a paragraph another text, unless the chapter is another than its author saw."""
    place, form = visit.form.get("paragraph", ""), visit.form
    if not place.isdecimal():
        raise UsageError("Which paragraph?")
    text = form.get("text", "")
    seen = save_paragraph(visit.paths, visit.number, int(place), text, form.get("seen", ""))
    if form.get("by") == "script":
        whole = "\n\n" not in text.strip() and bool(text.strip())
        html = str(prose_html(text.strip())) if whole else ""
        return JSONResponse({"seen": seen, "html": html})
    return visit.go("read", visit.number)


def show_origin(visit: Visit) -> Response:
    """From what each scene of a chapter was written."""
    origin = chapter_origin(visit.view, visit.number)
    return visit.page("origin", number=visit.number, origin=origin)


@dataclass(frozen=True, slots=True)
class Proposed:
    """A text that its author has still to accept.

    Attributes:
        name: The file.
        pieces: Its words, and those that would go or come.
        refused: What was not put in, and why.
    """

    name: str
    pieces: list[Piece]
    refused: tuple[str, ...] = ()


def show_decision(visit: Visit) -> Response:
    """What a model proposes, as word diffs to accept or reject."""
    job = visit.job
    outcome = job.outcome if job is not None and job.state == "done" else None
    if isinstance(outcome, VariantsFile) and job is not None:
        return visit.go("variants", job.action.part)
    found: list[Proposed] = []
    if isinstance(outcome, Revision):
        revised = outcome.revised
        found = [Proposed(outcome.name, _near(outcome.old, revised.text), revised.refused)]
    elif isinstance(outcome, Proposal):
        found = [
            Proposed(
                name := chapter_file(one.number),
                _near(Book(visit.view).text(name), one.text),
                tuple(one.refused),
            )
            for one in outcome.mended
        ]
    elif isinstance(outcome, Advice) and job is not None:
        quotes = [
            (int(Path(one.file).stem), one.words, at_words(one.words)) for one in outcome.quotes
        ]
        return visit.page("advice", advice=outcome, quotes=quotes, job=job)
    back = job.action.part if job is not None else ""
    return visit.page("decide", found=found, outcome=outcome, job=job, chapter=back)


_AROUND: Final = 400
"""Characters of unchanged text that a diff shows around a change."""


def _near(old: str, new: str) -> list[Piece]:
    """A word diff, of whose long unchanged stretches only the ends are shown."""
    return [_shortened(one) for one in word_diff(old, new)]


def _shortened(one: Piece) -> Piece:
    if one.kind != "same" or len(one.text) <= 2 * _AROUND:
        return one
    return Piece(one.kind, f"{one.text[:_AROUND]} … {one.text[-_AROUND:]}")


def decide(visit: Visit) -> Response:
    """Keep what was proposed, or leave it; a chapter that was changed since is not touched."""
    job = visit.job
    outcome = job.outcome if job is not None else None
    if job is None or outcome is None:
        raise UsageError("There is nothing left to decide.")
    if isinstance(outcome, Advice) and visit.form.get("answer") != "done":
        return _accept_advice(visit, job, outcome)
    if visit.form.get("answer") == "accept":
        with ProjectStore.open(visit.paths) as store:
            open_project(store)
            if isinstance(outcome, Revision):
                keep_revision(store, outcome)
            elif isinstance(outcome, Proposal):
                keep(store, outcome)
    job.outcome = None
    part = job.action.part
    if isinstance(outcome, Advice):
        return visit.go("ask")
    return visit.go("read", part) if part.isdecimal() else visit.go("check")


def _accept_advice(visit: Visit, job: Job, advice: Advice) -> Response:
    """Carry out the proposals that are chosen by their numbers; the others can still be."""
    numbers = visit.form.get("number", "")
    with ProjectStore.open(visit.paths) as store:
        open_project(store)
        for one in chosen(advice, numbers):
            accept(store, one, advice.keys)
            job.accepted.append(one)
    return visit.go("decide")


def show_ask(visit: Visit) -> Response:
    """A question about the book, and rules from what its author changed."""
    style = visit.book.load(STYLE.file, StyleFile) if visit.view.exists(STYLE.file) else None
    job = visit.job
    waits = job is not None and job.state == "done" and isinstance(job.outcome, Advice)
    return visit.page("ask", rules=style.rules if style is not None else [], waits=waits)


def show_version(visit: Visit) -> Response:
    """An earlier text of a chapter, compared with the present one."""
    number = visit.number
    found: dict[str, Any] = one_version(visit.paths, str(number), _place_of(visit))
    pieces = word_diff(found["text"], visit.book.text(chapter_file(number)))
    seen = version_of(visit.view, chapter_file(number))
    return visit.page("version", number=number, seen=seen, pieces=pieces)


def put_back(visit: Visit) -> Response:
    """Restore an earlier text; the present one goes to the trash."""
    restore(visit.paths, str(visit.number), _place_of(visit), visit.form.get("seen", ""))
    return visit.go("read", visit.number)


def _place_of(visit: Visit) -> int:
    """The number of the version that an address names."""
    place = visit.keys["version"]
    if not place.isdecimal():
        raise UsageError(f"There is no version {place!r}.")
    return int(place)


SCREEN: Final = (
    page("/b/{book}/read", show_contents),
    page("/b/{book}/read/{chapter}", show_chapter),
    change("/b/{book}/read/{chapter}", edit_paragraph),
    page("/b/{book}/read/{chapter}/from", show_origin),
    page("/b/{book}/read/{chapter}/was/{version}", show_version),
    change("/b/{book}/read/{chapter}/was/{version}", put_back),
    page("/b/{book}/ask", show_ask),
    page("/b/{book}/decide", show_decision),
    change("/b/{book}/decide", decide),
)
