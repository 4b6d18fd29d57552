"""Names to network addresses, and the judgement over them."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from libriscribe2.toolchain.tool_error import ToolError
from libriscribe2.toolchain.web.addresses import is_loopback, is_public
from libriscribe2.toolchain.web.urls import Target

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""The IP addresses of a host and port."""

_WEB_PORTS: Final = frozenset({80, 443})


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """What this machine takes a host for; spellings such as `127.1` come out as what they mean.

    Raises:
        OSError: The name is not known, or the resolver does not answer.
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
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
