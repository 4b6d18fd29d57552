"""Which network addresses are public."""

import pytest

from libriscribe2.research.web.addresses import is_loopback, is_public, system_resolver

BAD = [
    "127.0.0.1",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fec0::1",
    "2001:db8::1",
    "ff02::1",
    "2001:0:4136:e378:8000:63bf:80ff:fffe",
]
GOOD = ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001::1"]


def test_the_table_of_bad_addresses_is_whole() -> None:
    assert (len(BAD), len(GOOD)) == (26, 4)


@pytest.mark.parametrize("address", BAD)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", GOOD)
def test_a_public_address_is_allowed(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("text", ["", "localhost", "2130706433", "127.1", "0x7f.1", "1.1.1.1.1"])
def test_what_is_no_address_is_not_public(text: str) -> None:
    assert not is_public(text)
    assert not is_loopback(text)


async def test_a_number_with_a_dot_behind_it_is_no_name_to_ask_for() -> None:
    assert await system_resolver("127.0.0.1.", 80) == ("127.0.0.1",)


def test_loopback_is_this_machine() -> None:
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert not is_loopback("10.0.0.1")
