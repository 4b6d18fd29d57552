"""The desk: every page of it is a visit, which is answered by a function of one screen.

A screen's functions read the book anew from the disk and call functions of `commands/`; a desk
knows nothing of books but where they lie, and what it is just having done (`workshop.py`).
"""

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from libriscribe2.agents.agent_base import Agent
from libriscribe2.checks.continuity.story_report import check_story
from libriscribe2.checks.plan.plan import plan_of
from libriscribe2.checks.plan.plan_report import allowances, plan_findings
from libriscribe2.commands.by_hand import asks_by_hand, waiting_requests
from libriscribe2.commands.hand_edits import ConflictError
from libriscribe2.commands.importing import ManuscriptImport
from libriscribe2.commands.projects import (
    look_at,
    project_names,
    read_brief,
    settings_of,
    wanted_stages,
)
from libriscribe2.commands.variants import VariantsFile, shown_variants
from libriscribe2.desk.report_page import ReportShelf
from libriscribe2.desk.server import Door, Guard, Sleep, common_routes, stamp
from libriscribe2.desk.site import LiveAddresses, render_template
from libriscribe2.desk.snapshot import readable
from libriscribe2.desk.workshop import Job, Workshop, fault_of
from libriscribe2.engine.stages import book_status
from libriscribe2.errors import LibriScribeError, ProjectInUseError, UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.models.findings import Finding
from libriscribe2.models.languages import UNKNOWN, language_of
from libriscribe2.models.story import OutlineFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import OUTLINE, ProjectPaths, chapter_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.prose import prose_words
from libriscribe2.settings.schema import Settings

PATIENCE: Final = 6.0
"""Seconds that a page waits for what usually takes one."""

MOST_BYTES: Final = 4_000_000
"""Most bytes of a form: a chapter of a million characters."""

MOST_UPLOAD: Final = 50 * 2**20
"""Most bytes of a file that is brought along."""


@dataclass
class Desk:
    """Where the books lie, and what is being done with them.

    Attributes:
        door: Where the pages are.
        ended: Whether the server is about to end; an open stream would keep it waiting.
        workshop: What is under way.
        opened: Folders elsewhere that were opened, by their name.
        csrf: What every change has to say; only pages of the desk know it.
        reports: The figures of the books that were measured.
        manuscripts: What was brought along and is not read yet, by a name of its own.
        covers: The pictures that were drawn, by what they show.
        galleries: The covers that can be chosen, by the book's folder and their names.
    """

    door: Door
    ended: Callable[[], bool] = lambda: False
    workshop: Workshop = field(default_factory=Workshop)
    opened: dict[str, ProjectPaths] = field(default_factory=dict)
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    reports: dict[str, ReportShelf] = field(default_factory=dict)
    manuscripts: dict[str, ManuscriptImport] = field(default_factory=dict)
    covers: dict[tuple[object, ...], tuple[str, bytes]] = field(default_factory=dict)
    galleries: dict[str, dict[str, bytes]] = field(default_factory=dict)

    @property
    def settings(self) -> Settings:
        """The settings in force outside of any book."""
        return settings_of(None, {})

    def paths(self, name: str) -> ProjectPaths:
        """The book of that name.

        Raises:
            UsageError: There is none.
        """
        if name in self.opened:
            return self.opened[name]
        settings = self.settings
        if name not in project_names(settings):
            raise UsageError(f"There is no book {name!r} here.", fix="Look at your shelf.")
        return ProjectPaths(settings.projects_dir / name, settings.debug_dir / name)


@dataclass(frozen=True, slots=True)
class Listed:
    """A chapter in the list of contents.

    Attributes:
        number: Its number.
        title: Its title.
        words: Its words; 0 where it is not written.
        state: How its file stands, as `status` calls it.
    """

    number: int
    title: str
    words: int
    state: str


@dataclass
class Visit:
    """One request to the desk, with the book that it is about, read from the disk.

    Attributes:
        desk: The desk.
        keys: What the address names.
        asked: What stands behind the question mark of the address.
        form: The fields of a form that changes something.
        upload: The bytes of a file that is brought along.
        seen: What the book's folder looked like before any of it was read; "" without a book.
    """

    desk: Desk
    keys: Mapping[str, str]
    asked: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    upload: bytes = b""
    seen: str = ""

    @cached_property
    def paths(self) -> ProjectPaths:
        """The book's folder."""
        return self.desk.paths(self.keys["book"])

    @cached_property
    def view(self) -> ProjectView:
        """The book's files."""
        return look_at(self.paths)

    @cached_property
    def brief(self) -> Brief:
        """What its author asked for."""
        return read_brief(self.paths)

    @cached_property
    def book(self) -> Book:
        """Its artifacts."""
        return Book(self.view)

    @cached_property
    def stages(self) -> Sequence[type[Agent]]:
        """The stages that it has."""
        return wanted_stages(self.brief)

    @cached_property
    def states(self) -> Mapping[str, str]:
        """How each file of the book stands."""
        found = book_status(self.stages, self.brief, self.view)
        return {one.unit.output: one.state for one in found}

    @cached_property
    def contents(self) -> list[Listed]:
        """The chapters of the plan, with how much of each is written."""
        if not self.view.exists(OUTLINE):
            return []
        planned = self.book.load(OUTLINE, OutlineFile).chapters
        names = [chapter_file(n) for n in range(1, len(planned) + 1)]
        return [
            Listed(n, one.title, self._words(name), self.states.get(name, "missing"))
            for n, (one, name) in enumerate(zip(planned, names, strict=True), 1)
        ]

    def _words(self, name: str) -> int:
        there = self.view.exists(name)
        return readable(lambda: prose_words(self.book.text(name)) if there else 0, 0)

    @property
    def job(self) -> Job | None:
        """The newest job of the book."""
        return self.desk.workshop.job_of(self.paths)

    @property
    def number(self) -> int:
        """The chapter that the address names.

        Raises:
            UsageError: It names none.
        """
        key = self.keys.get("chapter", "")
        if not key.isdecimal() or not 1 <= int(key) <= max(1, self.book.chapters()):
            raise UsageError(f"This book has no chapter {key!r}.")
        return int(key)

    def at(self, *way: object, **asked: object) -> str:
        """An address of the book, such as `/b/fog/read/3`."""
        path = "/".join(("", "b", quote(self.keys["book"]), *(quote(str(one)) for one in way)))
        given = {name: str(value) for name, value in asked.items() if value not in (None, "")}
        return f"{path}?{urlencode(given)}" if given else path

    def go(self, *way: object, **asked: object) -> Response:
        """Go to a page of the book after a change."""
        return RedirectResponse(self.at(*way, **asked), 303)

    def story_findings(self) -> list[Finding]:
        """What cannot be so in the story; nothing where it cannot be read, which the files tell."""
        found = readable(lambda: check_story(self.brief, self.view), None)
        return [*found.errors, *found.warnings] if found is not None else []

    def plan_findings(self) -> list[Finding]:
        """What is wrong with the plan; nothing where it cannot be read, which the files tell."""
        return readable(self._looked_through, [])

    def _looked_through(self) -> list[Finding]:
        plan, allowed = plan_of(self.brief, self.book), allowances(self.brief.allow)
        return [*plan_findings(plan, allowed)]

    def variants(self, part: str) -> VariantsFile | None:
        """The variants of a part; None where there are none."""
        return readable(lambda: shown_variants(self.paths, part)[1], None)

    def page(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """A page; of a book, with its frame."""
        shared: dict[str, Any] = {"csrf": self.desk.csrf, "site": LiveAddresses(), "visit": self}
        if "book" in self.keys:
            shared |= self._frame()
        html = render_template(f"desk/{template}.html", **shared, **values)
        return HTMLResponse(html.encode("utf-8", "replace"), status)

    def _frame(self) -> dict[str, Any]:
        """What every page of a book shows around its own; a damaged book has its name at least."""
        name = self.paths.root.name
        frame = {"title": name, "lang": "", "direction": "auto", "waiting": 0}
        try:
            language = language_of(self.brief.language)
            frame["title"] = self.book.title(self.brief) or name
            frame["lang"] = "" if language.tag == UNKNOWN else language.tag
            frame["direction"] = "rtl" if language.right_to_left else "ltr"
            frame["waiting"] = len(waiting_requests(self.view))
        except LibriScribeError:
            pass
        return frame


Answer = Callable[[Visit], Response]


def see_work(visit: Visit, job: Job) -> Response:
    """The page where a job that was started is seen: that of the chat window, where one is asked."""
    if asks_by_hand(settings_of(job.paths.root, {})):
        job.wait(PATIENCE)
        if job.runs or job.state == "waiting":
            return visit.go("manual")
    return visit.go("write")


def page(path: str, answer: Answer) -> tuple[str, str, Answer]:
    """A page that changes nothing."""
    return "GET", path, answer


def change(path: str, answer: Answer) -> tuple[str, str, Answer]:
    """What a form does; it has to come from a page of this desk."""
    return "POST", path, answer


def routes_of(desk: Desk, found: Sequence[tuple[str, str, Answer]]) -> list[BaseRoute]:
    """The routes of screens."""
    return [
        Route(path, _endpoint(desk, method, do), methods=[method]) for method, path, do in found
    ]


def desk_pages(
    desk: Desk,
    ended: Callable[[], bool],
    sleep: Sleep = asyncio.sleep,  # noqa: TID251 - the real clock
) -> Starlette:
    """All pages of a desk, behind the guard.

    Args:
        desk: Where the books lie.
        ended: Whether the server is about to end; an open stream would keep it waiting.
        sleep: Waits so many seconds, between looks at the files.
    """
    desk.ended = ended
    door, screens = desk.door, import_module(f"{__package__}.screens")
    found = [
        import_module(f"{screens.__name__}.{one.name}") for one in iter_modules(screens.__path__)
    ]
    makers = [one.streams for one in found if hasattr(one, "streams")]
    streams = [route for make in makers for route in make(desk, sleep)]
    pages = routes_of(desk, [one for screen in found for one in screen.SCREEN])
    return Starlette(
        routes=[*common_routes(door), *streams, *pages],
        middleware=[Middleware(Guard, port=door.port, token=door.token, ticket=door.ticket)],
        exception_handlers={404: _missing(desk)},
    )


def _endpoint(desk: Desk, method: str, answer: Answer) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        visit = Visit(desk, request.path_params, dict(request.query_params))
        if method == "POST":
            refused = await _read_form(request, visit)
            if refused is not None:
                return refused
        return await run_in_threadpool(_answered, visit, answer)

    return endpoint


def _answered(visit: Visit, answer: Answer) -> Response:
    try:
        if "book" in visit.keys:
            visit.seen = stamp(visit.paths)
        return answer(visit)
    except ConflictError as error:
        return visit.page("conflict", status=409, error=error)
    except LibriScribeError as error:
        return fault_page(visit, error)
    except Exception as error:  # noqa: BLE001 - what was typed has to stay on the page
        return fault_page(visit, fault_of(error), status=500)


def fault_page(visit: Visit, error: LibriScribeError, status: int = 0) -> Response:
    """The page that says why something was not done; what was typed stays on it."""
    kept = next((visit.form[name] for name in ("text", "wish", "note") if visit.form.get(name)), "")
    in_use = isinstance(error, ProjectInUseError)
    status = status or (409 if in_use else 400 if visit.form else 404)
    try:
        return visit.page("fault", status=status, error=error, kept=kept)
    except LibriScribeError:  # the book itself cannot be read
        return Visit(visit.desk, {}).page("fault", status=status, error=error, kept=kept)


async def _read_form(request: Request, visit: Visit) -> Response | None:
    """Take the fields of a form, or the bytes of a file; why it is refused."""
    is_upload = request.headers.get("content-type", "") == "application/octet-stream"
    most = MOST_UPLOAD if is_upload else MOST_BYTES
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > most:
            return HTMLResponse("Too much at once.", 413)
    if is_upload:
        visit.upload, said = bytes(data), request.headers.get("x-csrf", "")
        visit.form = dict(request.query_params)
    else:
        pairs = parse_qsl(
            data.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=200
        )
        visit.form = dict(pairs)
        said = request.headers.get("x-csrf") or visit.form.get("csrf", "")
    if not secrets.compare_digest(said.encode(), visit.desk.csrf.encode()):
        return HTMLResponse(
            "This form is not of this desk, or the desk was opened again: reload.", 403
        )
    return None


def _missing(desk: Desk) -> Callable[[Request, Exception], Any]:
    async def missing(request: Request, error: Exception) -> Response:
        del request, error
        told = UsageError("There is no such page.", fix="Look at your shelf.")
        return Visit(desk, {}).page("fault", status=404, error=told, kept="")

    return missing
