"""Addresses of pages, checked before anything is sent."""

import re
from dataclasses import dataclass
from typing import Final

import httpx

from libriscribe2.toolchain.tool_error import ToolError

LONGEST_URL: Final = 2_000
_HOST: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_.])?|[0-9a-f:.]*:[0-9a-f:.]*")
_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Target:
    """An address that may be asked for, if its host turns out to be public.

    Attributes:
        url: The address, without fragment.
        host: Its host, in ASCII.
        port: Its port.
    """

    url: httpx.URL
    host: str
    port: int

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port."""
        return self.url.scheme, self.host, self.port


def target_of(url: str) -> Target:
    """A checked address.

    Raises:
        ToolError: 400 where it is no address of a page, 403 where it names a user.
    """
    parsed = _parsed(url)
    if parsed.userinfo:
        raise ToolError(
            403, "url_with_user", "An address with a user or a password is not fetched.", {}
        )
    return Target(parsed, parsed.raw_host.decode("ascii"), parsed.port or _PORTS[parsed.scheme])


def same_url(url: str) -> str:
    """One spelling for all that lead to the same page; "" for what is no address of a page."""
    try:
        return str(target_of(url).url)
    except ToolError:
        return ""


def _parsed(url: str) -> httpx.URL:
    """The address, without fragment.

    Raises:
        ToolError: 400 where it is no address of a page.
    """
    try:
        parsed = httpx.URL(url.strip()).copy_with(fragment=None)
    except (httpx.InvalidURL, UnicodeError, ValueError, TypeError):
        raise _no_url(url) from None
    host = parsed.raw_host.decode("ascii", "replace").lower()
    if parsed.scheme not in _PORTS or not _HOST.fullmatch(host) or len(str(parsed)) > LONGEST_URL:
        raise _no_url(url)
    return parsed


def _no_url(url: str) -> ToolError:
    shown = url[:200]
    return ToolError(
        400,
        "no_url",
        f"{shown!r} is not the address of a page: it has to start with http:// or https://.",
        {"url": shown},
    )
