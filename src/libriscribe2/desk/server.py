"""A local server: whom it answers, and the live pages of one book.

The pages are read anew from the disk for every request, without the project's lock; that a project
changed is told from names, sizes and times of its files.
"""

import asyncio
import hmac
import os
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import repeat
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request, cookie_parser
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from typing_extensions import override
from uvicorn import Config, Server

from libriscribe2.commands.calls import CallFilter
from libriscribe2.desk.report_page import ReportShelf
from libriscribe2.desk.run_pages import call_rows
from libriscribe2.desk.site import LiveAddresses, Page, Site, plain_page
from libriscribe2.desk.snapshot import ProjectSource, take
from libriscribe2.errors import LibriScribeError, UsageError
from libriscribe2.project.paths import ProjectPaths

HOST: Final = "127.0.0.1"
STATIC: Final = Path(__file__).parent / "static"
FILTERS: Final = ("agent", "stage", "model", "state", "issue", "text")
_LIVE: Final = LiveAddresses()

Sleep = Callable[[float], Awaitable[None]]

ENTRANCE: Final = "/enter"
"""The page that turns a token into a cookie; it shows nothing of a project."""

TOKEN_HEADER: Final = "X-Token"

HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_OPEN: Final = frozenset({ENTRANCE, "/favicon.ico"})
_OPEN_FOLDER: Final = "/static/"
_FOREIGN_SITES: Final = ("cross-site", "same-site")


def cookie_name(port: int) -> str:
    """The cookie's name; cookies know no ports, so the name does."""
    return f"libriscribe2_{port}"


class Guard:
    """Middleware that refuses strangers.

    A foreign Host (DNS rebinding) gets 421; a foreign Origin, or a request that another site
    caused, 403; one without the token 401.

    Args:
        app: What is guarded.
        port: The port of the server.
        token: What a caller has to know, in the header `X-Token` or the cookie.
        ticket: What buys the cookie in the token's place, once.
    """

    def __init__(self, app: ASGIApp, port: int, token: str, ticket: str) -> None:
        self._app = app
        self._hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})
        self._origins = frozenset(f"http://{host}" for host in self._hosts)
        self._cookie = cookie_name(port)
        self._token = token
        self._tickets = {ticket}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        refused = self._refused(Headers(scope=scope), scope["path"], scope["method"])
        if refused is not None:
            answer = PlainTextResponse(refused[1], refused[0])
            await answer(scope, receive, _with_headers(send))
            return
        await self._app(scope, receive, _with_headers(send))

    def _refused(self, headers: Headers, path: str, method: str) -> tuple[int, str] | None:
        """Status and reason of a refusal; None where the request is welcome."""
        if headers.get("host", "") not in self._hosts:
            return 421, "This server answers to 127.0.0.1 only.\n"
        origin = headers.get("origin")
        if origin is not None and origin not in self._origins:
            return 403, "This request came from another page.\n"
        if headers.get("sec-fetch-site") in _FOREIGN_SITES:
            return 403, "This request came from another site.\n"
        if method == "GET" and (path in _OPEN or path.startswith(_OPEN_FOLDER)):
            return None
        if not self._knows_token(headers) and not (path == ENTRANCE and self._has_ticket(headers)):
            return 401, "Open the full address that the program printed.\n"
        return None

    def _knows_token(self, headers: Headers) -> bool:
        shown = headers.get(TOKEN_HEADER)
        if shown is None:
            shown = cookie_parser(headers.get("cookie", "")).get(self._cookie, "")
        return hmac.compare_digest(shown.encode(), self._token.encode())

    def _has_ticket(self, headers: Headers) -> bool:
        """Whether a caller shows the ticket, which is worth nothing from then on."""
        shown = headers.get(TOKEN_HEADER, "")
        if any(hmac.compare_digest(shown.encode(), one.encode()) for one in self._tickets):
            self._tickets.clear()
            return True
        return False


def _with_headers(send: Send) -> Send:
    """A `send` that adds the headers of `HEADERS` to every answer."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return guarded


SECONDS_BETWEEN_LOOKS: Final = 0.3
_LOOKS_PER_SIGN_OF_LIFE: Final = 40
_FOLDERS: Final = (
    *("", "chapters", "research", "notes"),
    *(".libriscribe", ".libriscribe/summaries", ".libriscribe/canon"),
)
NOTHING: Final[Iterator[Iterable[str]]] = repeat(())


def stamp(paths: ProjectPaths) -> str:
    """What a project looks like from outside; it differs after any change of a file."""
    folders = [str(paths.root / name) for name in _FOLDERS]
    found = sorted(one for folder in (*folders, str(paths.dumps)) for one in _entries(folder))
    return sha256(repr(found).encode("utf-8", "surrogateescape")).hexdigest()[:20]


async def changes(
    paths: ProjectPaths,
    sleep: Sleep,
    ended: Callable[[], bool] = lambda: False,
    *,
    seen: str = "",
    news: Iterator[Iterable[str]] = NOTHING,
) -> AsyncIterator[str]:
    """Server-sent events: `changed` after every change, and a comment now and then.

    Args:
        paths: The project.
        sleep: Waits so many seconds.
        ended: Whether the server is about to end; an open stream would keep it waiting.
        seen: The `stamp` of the files that the page was made from, so that no change between the
            page and its stream is lost; "" is that of now.
        news: Further events, by look.
    """
    known, quiet = seen or stamp(paths), 0
    yield ": watching\n\n"
    while not ended():
        for event in next(news):
            yield event
        now = await asyncio.to_thread(stamp, paths)
        quiet += 1
        if now != known:
            known, quiet = now, 0
            yield "data: changed\n\n"
        elif quiet >= _LOOKS_PER_SIGN_OF_LIFE:
            quiet = 0
            yield ": still here\n\n"
        await sleep(SECONDS_BETWEEN_LOOKS)


def _entries(folder: str) -> Iterator[tuple[str, int, int]]:
    """The files of a folder; a file that goes away meanwhile, or a folder, is none."""
    try:
        with os.scandir(folder) as found:
            for entry in found:
                if entry.is_file():
                    status = entry.stat()
                    yield entry.path, status.st_mtime_ns, status.st_size
    except OSError:
        return


@dataclass(frozen=True)
class Door:
    """Where the pages are.

    Attributes:
        listener: The socket, bound to this machine alone.
        token: What opens the pages.
        ticket: What opens them once: other users of the machine can read the command line with
            which a browser is started.
    """

    listener: socket.socket
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    ticket: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @classmethod
    def on(cls, port: int) -> "Door":
        """A door on a port; 0 takes any that is free.

        Raises:
            UsageError: The port cannot be used.
        """
        try:
            return cls(socket.create_server((HOST, port)))
        except OSError as error:
            raise UsageError(
                f"Port {port} cannot be used",
                why=error.strerror or str(error),
                fix="Leave --port out to take any free port.",
            ) from error

    @property
    def port(self) -> int:
        """The port."""
        number: int = self.listener.getsockname()[1]
        return number

    @property
    def address(self) -> str:
        """What the user may open; the token is in the fragment, which is sent to nobody."""
        return f"http://{HOST}:{self.port}{ENTRANCE}#{self.token}"

    @property
    def address_once(self) -> str:
        """What a browser is started with; it opens the pages once."""
        return f"http://{HOST}:{self.port}{ENTRANCE}#{self.ticket}"


def application(
    source: ProjectSource, door: Door, sleep: Sleep, ended: Callable[[], bool]
) -> Starlette:
    """The pages of a project.

    Args:
        source: The project.
        door: Where they are.
        sleep: Waits so many seconds, between looks at the files.
        ended: Whether the server is about to end.
    """
    pages = _Pages(source, sleep, ended)
    return Starlette(
        routes=[
            *common_routes(door),
            Route("/events", pages.events),
            Route("/", pages.page),
            Route("/{kind}", pages.page),
            Route("/{kind}/{key}", pages.page),
            Route("/{kind}/{key}/{version}", pages.page),
        ],
        middleware=[Middleware(Guard, port=door.port, token=door.token, ticket=door.ticket)],
    )


def common_routes(door: Door) -> list[BaseRoute]:
    """The entrance and the files of every site."""

    async def entrance(request: Request) -> Response:
        """The page that turns the token into a cookie."""
        del request
        return HTMLResponse(plain_page("enter", _LIVE))

    async def enter(request: Request) -> Response:
        """The cookie; the guard has seen the token."""
        del request
        answer = Response(status_code=204)
        answer.set_cookie(cookie_name(door.port), door.token, httponly=True, samesite="strict")
        return answer

    async def icon(request: Request) -> Response:
        """The icon, for whoever asks for it by its old name."""
        del request
        return Response((STATIC / "icon.svg").read_bytes(), media_type="image/svg+xml")

    return [
        Route(ENTRANCE, entrance, methods=["GET"]),
        Route(ENTRANCE, enter, methods=["POST"]),
        Route("/favicon.ico", icon),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]


async def serve(
    source: ProjectSource,
    door: Door,
    sleep: Sleep = asyncio.sleep,  # noqa: TID251 - the real clock
) -> None:
    """Answer with the pages of one project until the task is cancelled."""
    await answering(door, lambda ended: application(source, door, sleep, ended))


async def answering(door: Door, build: Callable[[Callable[[], bool]], Starlette]) -> None:
    """Answer until the task is cancelled; what is being answered is then finished.

    Args:
        door: Where the pages are.
        build: Makes them, given what says whether the server is about to end.
    """
    config = Config(
        build(lambda: server.should_exit),
        log_config=None,
        lifespan="off",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    server = _SignalFreeServer(config)
    work = asyncio.ensure_future(server.serve([door.listener]))
    try:
        await asyncio.shield(work)
    except asyncio.CancelledError:
        server.should_exit = True
        await work


class _SignalFreeServer(Server):
    """A server that leaves the signals to the command line."""

    @override
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


class _Pages:
    """The endpoints."""

    def __init__(self, source: ProjectSource, sleep: Sleep, ended: Callable[[], bool]) -> None:
        self._source = source
        self._sleep = sleep
        self._ended = ended
        self._folder = source.calls()
        self._reports = ReportShelf()

    async def events(self, request: Request) -> Response:
        """A stream that says when something changed."""
        seen = request.query_params.get("seen", "")
        told = changes(self._source.paths, self._sleep, self._ended, seen=seen)
        return StreamingResponse(told, media_type="text/event-stream")

    async def page(self, request: Request) -> Response:
        """A page, or the calls as JSON."""
        return await run_in_threadpool(self._page, request)

    def _page(self, request: Request) -> Response:
        seen = stamp(self._source.paths)  # before anything is read
        try:
            snapshot = take(self._source, self._folder)
            site = Site(snapshot, _LIVE, seen, self._reports)
            return project_page(site, request.path_params, request.query_params)
        except LibriScribeError as error:
            return HTMLResponse(plain_page("error", _LIVE, error=error), 500)


def project_page(site: Site, keys: Mapping[str, str], asked: Mapping[str, str]) -> Response:
    """A page of a project, or its calls as JSON.

    Args:
        site: The project's pages.
        keys: What the address names: `kind`, `key` and `version`, as far as it does.
        asked: What is asked of the list of calls.
    """
    named = ("kind", "key", "version")
    page: Page = tuple(keys[name] for name in named if name in keys) or ("overview",)
    wanted = CallFilter(**{name: asked.get(name, "") for name in FILTERS})
    if page == ("calls",) and asked.get("format") == "json":
        rows = call_rows(site.snapshot, wanted)
        return JSONResponse({"project": site.snapshot.name, "calls": rows})
    html = site.render(page, wanted)
    if html is None:
        return HTMLResponse(plain_page("missing", site.addresses), 404)
    return HTMLResponse(html.encode("utf-8", "replace"))
