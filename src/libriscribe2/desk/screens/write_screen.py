"""Writing: what is under way as a page of prose, what it takes before it starts, and a chat window."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from libriscribe2.commands.actions import KINDS, Action, action_aside
from libriscribe2.commands.by_hand import asks_by_hand, pastes_left, waiting_requests
from libriscribe2.commands.noting import note_down, notes_on
from libriscribe2.commands.projects import settings_of
from libriscribe2.commands.run_progress import FOLDED, Progress, scale_of
from libriscribe2.commands.variants import MOST
from libriscribe2.desk.server import Sleep, changes
from libriscribe2.desk.visits import PATIENCE, Desk, Visit, change, page, see_work
from libriscribe2.desk.workshop import Job, model_of
from libriscribe2.engine.stages import RunDecision, book_status
from libriscribe2.errors import LibriScribeError, UsageError
from libriscribe2.llm.backends.manual import Pastes
from libriscribe2.llm.call_records import Piece
from libriscribe2.observe.events import Event
from libriscribe2.observe.run_files import last_run
from libriscribe2.project.lock import holder_may_live
from libriscribe2.project.paths import CHAPTER_FILES, OUTLINE
from libriscribe2.wording import unit_in_words

_ENDS: Final = frozenset({"run.end", "run.failed", "run.interrupted"})


@dataclass(frozen=True, slots=True)
class Standing:
    """How a book's run stands, whoever runs it.

    Attributes:
        state: `running`, `pausing`, `elsewhere` (another program writes), `broken` (a run ended
            without a word), `waiting` for pasted replies, `failed`, `stopped` or `idle`.
        about: What is done, in words.
        figures: Words, calls, cost, time.
        share: How much of the words is there, from 0 to 100.
        at_work: What is being made.
        lines: What was made.
        error: Why it ended early.
    """

    state: str
    about: str = ""
    figures: tuple[str, ...] = ()
    share: int = 0
    at_work: str = ""
    lines: tuple[str, ...] = ()
    error: LibriScribeError | None = None


def standing(visit: Visit) -> Standing:
    """How the newest run of a book stands."""
    job = visit.job
    if job is not None and (job.runs or job.state in ("failed", "waiting")):
        return of_job(job)
    events = last_run(visit.paths.events)
    if not events or events[-1].event in _ENDS:
        return _ended(visit, job, events)
    progress = Progress(scale_of(visit.view, visit.brief))
    lines = list[str]()
    for event in events:
        progress.fold(event)
        if event.event == "stage.end" and event.stage not in FOLDED:
            lines.append(progress.finished(event))
    seconds = (events[-1].ts - events[0].ts).total_seconds()
    state = "elsewhere" if holder_may_live(visit.paths) else "broken"
    return _stands(state, "Write the book", progress, seconds, lines)


def of_job(job: Job) -> Standing:
    """How a job stands."""
    return _stands(job.state, job.action.about, job.progress, job.seconds, job.lines, job.error)


def _ended(visit: Visit, job: Job | None, events: list[Event]) -> Standing:
    state = "idle"
    if events and events[-1].event == "run.interrupted":
        state = "waiting" if events[-1].status == "waiting" else "stopped"
    if state == "waiting" and not waiting_requests(visit.view):
        state = "idle"
    lines = tuple(job.lines) if job is not None else ()
    return Standing(state, lines=lines)


def _stands(
    state: str,
    about: str,
    progress: Progress,
    seconds: float,
    lines: list[str],
    error: LibriScribeError | None = None,
) -> Standing:
    figures = progress.figures(seconds)
    share = round(100 * figures.words / figures.whole) if figures.whole else 0
    works = " · ".join(filter(None, (*progress.at_work(), progress.doing(), progress.waiting)))
    return Standing(state, about, figures.told, share, works, tuple(lines), error)


def show_write(visit: Visit) -> Response:
    """The page of prose, and what can be done."""
    job = visit.job
    pieces, state = (list(job.pieces), job.state) if job is not None else ([], "")
    stands = standing(visit)
    due = [one for one in book_status(visit.stages, visit.brief, visit.view) if one.runs]
    own = [one.unit for one in due if one.unit.stage not in FOLDED] or [one.unit for one in due]
    queue = [unit_in_words(one.stage, one.chapter) for one in own]
    written, planned = len(visit.view.names(CHAPTER_FILES)), visit.book.chapters()
    return visit.page(
        "write",
        stands=stands,
        job=job,
        state=state,
        prose=_prose(pieces),
        place=place_in(job, len(pieces)) if job is not None else "",
        chapters=visit.contents,
        queue=list(dict.fromkeys(queue)),
        planned=planned,
        written=written,
        has_plan=visit.view.exists(OUTLINE),
        next_chapter=written + 1 if written < planned else None,
        notes=notes_on(visit.paths),
        by_hand=asks_by_hand(settings_of(visit.paths.root, {})),
    )


def _prose(pieces: list[Piece]) -> list[tuple[str, list[str]]]:
    """The texts of the newest chapter as they came: the step, and its paragraphs."""
    if not pieces:
        return []
    chapter = pieces[-1].step.rpartition("/")[0]
    own = (one for one in pieces if one.step.rpartition("/")[0] == chapter)
    texts: dict[str, str] = {}
    for step, group in groupby(own, key=lambda one: one.step):
        texts[step] = texts.get(step, "") + "".join(one.text for one in group)
    return [(step, text.split("\n\n")) for step, text in texts.items()]


def _action(form: Mapping[str, str]) -> Action:
    """The action that a form names.

    Raises:
        UsageError: It names none.
    """
    kind, count = form.get("kind", ""), form.get("count", "3")
    if kind not in KINDS or not count.isdecimal():
        raise UsageError("This page no longer knows what was to be done.")
    return Action(
        next(one for one in KINDS if one == kind),
        form.get("part", ""),
        form.get("wish", "").strip().replace("\r\n", "\n"),
        min(MOST, max(2, int(count))),
        form.get("until", ""),
        force=bool(form.get("force")),
    )


def quote_action(visit: Visit) -> Response:
    """What an action takes, with the button that starts it."""
    action, paths = _action(visit.form), visit.paths
    settings = settings_of(paths.root, {})
    choice, about = model_of(settings), (str(paths.root), action)
    given, drafting = (paths, settings, choice, action), visit.brief.drafting
    quoted = visit.desk.workshop.quote(
        about, settings, choice, action_aside, *given, drafting=drafting
    )
    back = visit.form.get("back", "write")
    return visit.page("quote", action=action, quoted=quoted, back=back, anew=_anew(visit, action))


def _anew(visit: Visit, action: Action) -> list[RunDecision]:
    """The parts of the plan that an action makes again because something before them changed."""
    if action.kind not in ("write", "plan"):
        return []
    known = {one.name: one for one in visit.stages}
    found = book_status(visit.stages, visit.brief, visit.view)
    return [
        one
        for one in found
        if one.state == "stale" and one.unit.chapter is None
        if action.kind == "plan" or known[one.unit.stage].auto_refresh
    ]


def start_action(visit: Visit) -> Response:
    """Start an action whose estimate was shown."""
    action, quote = _action(visit.form), visit.form.get("quote", "")
    job = Job(visit.paths, action)
    visit.desk.workshop.start(job, quote, str(visit.paths.root), action)
    return see_work(visit, job)


def pause_job(visit: Visit) -> Response:
    """Let what is being written come to its end, and ask nothing more."""
    if visit.job is not None:
        visit.job.pause()
    return visit.go("write")


def stop_job(visit: Visit) -> Response:
    """End at once; what is finished is kept."""
    if visit.job is not None:
        visit.job.stop()
        visit.job.wait(PATIENCE)
    return visit.go("write")


def take_note(visit: Visit) -> Response:
    """Put down what the author wants, of the book, a chapter or a scene; a run heeds it."""
    part = visit.form.get("part", "").strip() or "book"
    note_down(visit.paths, part, visit.form.get("note", ""))
    return visit.go(*filter(None, visit.form.get("back", "write").split("/")))


def show_manual(visit: Visit, objection: str = "", typed: str = "") -> Response:
    """What waits for a chat window: copy it, paste the answer, or why one that was `typed` is none."""
    job, waiting = visit.job, waiting_requests(visit.view)
    first = waiting[0] if waiting else None
    pastes = Pastes(visit.paths)
    whole = visit.asked.get("whole") == "yes"
    text = pastes.text_of(first, whole=whole) if first is not None else ""
    goes_on = first is not None and not whole and text != pastes.text_of(first, whole=True)
    return visit.page(
        "manual",
        status=400 if objection else 200,
        first=first,
        text=text,
        goes_on=goes_on,
        words=len(text.split()),
        left=pastes_left(visit.stages, visit.brief, visit.view),
        others=waiting[1:],
        works=job is not None and job.runs,
        stands=standing(visit),
        objection=objection,
        typed=typed,
    )


def take_reply(visit: Visit) -> Response:
    """Put a pasted reply beside its request, and go on to the next."""
    waiting, text = waiting_requests(visit.view), visit.form.get("text", "")
    paste = next((one for one in waiting if one.name == visit.form.get("paste")), None)
    if paste is None:
        return visit.go("manual")
    pastes = Pastes(visit.paths)
    if why := pastes.objection(paste, text):
        return show_manual(visit, why, text)
    settings, job = settings_of(visit.paths.root, {}), visit.job
    if not asks_by_hand(settings):
        raise UsageError("No model of this book is a chat window.")
    pastes.keep_reply(paste, text)
    if job is not None and job.state == "waiting":
        action = job.action
    elif asks_by_hand(settings, alone=True):
        planning = not visit.view.names(CHAPTER_FILES) and paste.stage != "chapters"
        action = Action("plan" if planning else "write")
    else:  # another model may be asked next, and nobody was shown what that takes
        return visit.go("write")
    return see_work(visit, visit.desk.workshop.go_on(Job(visit.paths, action)))


def streams(desk: Desk, sleep: Sleep) -> list[BaseRoute]:
    """The stream of a book: its prose as it comes, how far it is, and that files changed."""

    async def live(request: Request) -> Response:
        visit, asked = Visit(desk, request.path_params), request.query_params
        try:
            paths = visit.paths
        except LibriScribeError:
            return HTMLResponse("", 404)
        news = _news(visit, asked.get("from", ""))
        told = changes(paths, sleep, desk.ended, seen=asked.get("seen", ""), news=news)
        return StreamingResponse(told, media_type="text/event-stream")

    return [Route("/b/{book}/live", live), Route("/b/{book}/look/events", live)]


def place_in(job: Job, count: int) -> str:
    """How many pieces of a job a page shows, so that its stream begins with the next."""
    return f"{job.begun}:{count}"


def _news(visit: Visit, seen: str) -> Iterator[list[str]]:
    """What is new at each look: prose as it comes, and how far the run is."""
    said = ""
    while True:
        job, found = visit.job, list[str]()
        if job is not None:
            own, _, count = seen.partition(":")
            start = int(count) if own == str(job.begun) and count.isdecimal() else 0
            for number, one in enumerate(job.pieces[start:], start + 1):
                seen = place_in(job, number)
                found.append(_event("piece", {"step": one.step, "text": one.text, "place": seen}))
            now = _figures(job)
            if now != said:
                said = now
                found.append(f"event: told\ndata: {said}\n\n")
        yield found


def _figures(job: Job) -> str:
    stands = of_job(job)
    told = {
        "state": stands.state,
        "figures": " · ".join(stands.figures),
        "share": stands.share,
        "work": stands.at_work,
        "made": len(stands.lines),
    }
    return json.dumps(told)


def _event(name: str, value: Any) -> str:
    return f"event: {name}\ndata: {json.dumps(value)}\n\n"


SCREEN: Final = (
    page("/b/{book}/write", show_write),
    change("/b/{book}/quote", quote_action),
    change("/b/{book}/start", start_action),
    change("/b/{book}/pause", pause_job),
    change("/b/{book}/stop", stop_job),
    change("/b/{book}/note", take_note),
    page("/b/{book}/manual", show_manual),
    change("/b/{book}/manual", take_reply),
)
