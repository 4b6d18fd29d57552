"""Who may ask the local server: the page itself, from this machine, with the token."""

import hmac
from collections.abc import Mapping
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
