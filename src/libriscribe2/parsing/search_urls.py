"""Links of search pages: behind the redirect, absolute, web only."""

import base64
import binascii
import re
from typing import Final
from urllib.parse import parse_qs, urldefrag, urljoin, urlsplit

_WEB: Final = ("http", "https")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def real_url(href: str, base_url: str) -> str | None:
    """The address a result link leads to.

    Google's `/url?q=`, DuckDuckGo's `/l/?uddg=` and Bing's `/ck/a?u=a1...` redirects are undone.

    Args:
        href: The link as it stands in the page.
        base_url: Address of the page, to complete relative links.

    Returns:
        An absolute http or https address, or None for anything else (`javascript:`, `mailto:`).
    """
    absolute = _web_url(urljoin_or_empty(base_url, href.strip()))
    if absolute is None:
        return None
    target = _redirect_target(absolute)
    return _web_url(target) or absolute if target else absolute


def urljoin_or_empty(base_url: str, href: str) -> str:
    """The link made absolute, or "" if it is no address at all (`http://[`)."""
    try:
        return urljoin(base_url, href)
    except ValueError:
        return ""


def host_of(url: str) -> str:
    """The host of an address without `www.`, in lower case; "" if there is none."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def same_page_key(url: str) -> str:
    """A key that is equal for addresses of the same page: no fragment, no closing slash."""
    parts = urlsplit(urldefrag(url.strip()).url)
    host = parts.netloc.casefold().removeprefix("www.")
    return f"{host}{parts.path.rstrip('/')}?{parts.query}"


def is_engine_page(url: str) -> bool:
    """Whether an address is a search engine's own page or its counter of clicks on adverts."""
    parts = urlsplit(url)
    host, path = host_of(url), parts.path
    if host.startswith("google."):
        return path in {"/search", "/aclk", "/imgres"}
    if host.endswith("bing.com"):
        return path.startswith(("/search", "/images/", "/videos/", "/news/", "/aclick", "/aclk"))
    return host.endswith("duckduckgo.com") and (path == "/y.js" or "q=" in parts.query)


def decode_bing_target(value: str) -> str | None:
    """The address inside Bing's `u` parameter: "a1" and url-safe base64 without padding.

    Args:
        value: The parameter's value.

    Returns:
        The http(s) address, or None if the value holds none.
    """
    encoded = value.removeprefix("a1")
    padded = encoded + "=" * (-len(encoded) % 4)
    try:
        decoded = base64.b64decode(padded, altchars=b"-_", validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return None
    return _web_url(decoded)


def _redirect_target(url: str) -> str | None:
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    query = parse_qs(parts.query)
    if host.endswith("bing.com") and parts.path.startswith("/ck/a"):
        return decode_bing_target(query.get("u", [""])[0])
    if host.endswith("duckduckgo.com") and parts.path.startswith("/l"):
        return query.get("uddg", [""])[0]
    if host.startswith("google.") and parts.path == "/url":
        return (query.get("q") or query.get("url") or [""])[0]
    return None


def _web_url(url: str | None) -> str | None:
    """The address if it is a complete http(s) one, its scheme in lower case, else None."""
    if not url or _CONTROL.search(url):
        return None
    try:
        parts = urlsplit(url)
        complete = parts.scheme in _WEB and bool(parts.hostname)
    except ValueError:
        return None
    return f"{parts.scheme}{url[len(parts.scheme) :]}" if complete else None
