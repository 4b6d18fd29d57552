"""Which network addresses are public. Everything else is refused, whatever a page's name is."""

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

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
