"""Addresses on the web: read, judged and resolved, so that nothing private is asked."""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

import httpx

from libriscribe2.research.tool_error import ToolError

_NAT64: Final = (ip_network("64:ff9b::/96"), ip_network("64:ff9b:1::/48"))


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet.

    An address that stands for an IPv4 address (mapped, 6to4, Teredo) is as public as that one.
    Translated ones (NAT64), multicast, reserved and site-local ones are not, nor is anything that
    the registries do not call global. `not is_private` would let carrier networks and NAT64
    through, `is_global` alone multicast and 6to4.

    Args:
        address: As a resolver gives it, with or without a zone. Anything else is not public.
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo and parsed.teredo[1])
        if inner:
            return is_public(str(inner))
        if parsed.is_site_local or any(parsed in network for network in _NAT64):
            return False
    strange = parsed.is_multicast or parsed.is_reserved or parsed.is_unspecified
    return parsed.is_global and not strange


def is_loopback(address: str) -> bool:
    """Whether an IP address is this machine itself."""
    try:
        return ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


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


Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""The IP addresses of a host and port."""

_WEB_PORTS: Final = frozenset({80, 443})


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """What this machine takes a host for; spellings such as `127.1` come out as what they mean.

    Raises:
        OSError: The name is not known, or the resolver does not answer.
    """
    loop = asyncio.get_running_loop()
    name = host.strip("[]")
    if not name.strip("0123456789."):
        name = name.rstrip(".")  # `127.0.0.1.` is a number, and no name server has to hear of it
    found = await loop.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True, slots=True)
class Gate:
    """Decides which network address a request may go to.

    Attributes:
        resolve: Finds the addresses of a host.
        loopback_ports: Ports at which this very machine may be asked; only tests give any.
    """

    resolve: Resolve = system_resolver
    loopback_ports: frozenset[int] = frozenset()

    async def admit(self, target: Target, *, trusted: bool = False) -> str:
        """The network address to connect to, which is the one that was judged.

        A host with several addresses is refused if any of them is not public.

        Args:
            target: What is asked for.
            trusted: Whether the user's own configuration names this host and port.

        Raises:
            ToolError: 403 where port or address is forbidden, 502 where the name is not known.
        """
        if not trusted and target.port not in _WEB_PORTS | self.loopback_ports:
            raise _forbidden(target, f"port {target.port} is not one of the web")
        try:
            found = await self.resolve(target.host, target.port)
        except (OSError, UnicodeError) as error:
            raise _unknown(target) from error
        if not found:
            raise _unknown(target)
        if not trusted and not all(self._is_allowed(address, target.port) for address in found):
            raise _forbidden(target, "its network address is not public")
        return found[0]

    def _is_allowed(self, address: str, port: int) -> bool:
        if is_loopback(address):
            return port in self.loopback_ports
        return is_public(address) and port in _WEB_PORTS


def _forbidden(target: Target, reason: str) -> ToolError:
    return ToolError(
        403,
        "address_forbidden",
        f"{target.host} is not asked: {reason}.",
        {"host": target.host, "port": target.port},
    )


def _unknown(target: Target) -> ToolError:
    return ToolError(
        502, "host_not_found", f"The host {target.host} was not found.", {"host": target.host}
    )
