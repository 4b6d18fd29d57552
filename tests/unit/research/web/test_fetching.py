"""Guarded requests against a site on loopback; the resolver is the tests' own."""

import asyncio
import tracemalloc
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import pytest
from tests.support.web_pages import Answer, WebPages
from tests.unit.research.web.test_addresses import BAD

from libriscribe2.research.tool_error import ToolError
from libriscribe2.research.web.addresses import Gate, Resolve, system_resolver
from libriscribe2.research.web.fetching import Fetched, Fetcher

HTML = ("text/html",)


@pytest.fixture(scope="module")
def site() -> Iterator[WebPages]:
    with WebPages() as pages:
        yield pages


def fetcher(site: WebPages, resolve: Resolve = system_resolver, seconds: float = 10.0) -> Fetcher:
    gate = Gate(resolve, loopback_ports=frozenset({site.port}))
    return Fetcher(gate, seconds=seconds, now=lambda: datetime(2026, 1, 1, tzinfo=UTC))


def get(one: Fetcher, url: str, trusted: tuple[str, str, int] | None = None) -> Fetched:
    return asyncio.run(one.get(url, HTML, trusted=trusted))


def failure(one: Fetcher, url: str) -> ToolError:
    with pytest.raises(ToolError) as caught:
        get(one, url)
    return caught.value


def answering(*addresses: str) -> Resolve:
    async def resolve(host: str, port: int) -> Sequence[str]:
        del host, port
        return addresses

    return resolve


def test_a_page_comes_with_its_type_and_charset(site: WebPages) -> None:
    found = get(fetcher(site), f"{site.root}/latin")
    assert (found.content_type, found.charset) == ("text/html", "iso-8859-1")
    assert "f\u00fcr" in found.body.decode("latin-1")


def test_nothing_of_the_machine_goes_along(site: WebPages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    get(fetcher(site), f"{site.root}/salt")
    sent = site.headers[-1]
    assert set(sent) == {"host", "user-agent", "accept", "accept-encoding", "connection"}
    assert sent["host"] == f"127.0.0.1:{site.port}"
    assert sent["user-agent"].startswith("LibriScribe2/")


def test_the_host_stays_named_while_the_judged_address_is_asked(site: WebPages) -> None:
    found = get(fetcher(site, answering("127.0.0.1")), f"http://salt.example:{site.port}/salt#part")
    assert site.headers[-1]["host"] == f"salt.example:{site.port}"
    assert found.url == f"http://salt.example:{site.port}/salt"


@pytest.mark.parametrize("address", BAD)
def test_no_request_goes_to_an_address_that_is_not_public(address: str) -> None:
    with WebPages() as canary:
        gate = Gate(answering(address))
        refused = failure(Fetcher(gate), "http://salt.example/canary")
        assert (refused.status, refused.code) == (403, "address_forbidden")
        # Also where the port of the canary would be one of the web.
        other = failure(Fetcher(gate), f"http://salt.example:{canary.port}/canary")
        assert other.code == "address_forbidden"
        assert canary.requests == []


def test_one_bad_address_among_good_ones_is_enough() -> None:
    one = Fetcher(Gate(answering("8.8.8.8", "127.0.0.1")))
    assert failure(one, "http://salt.example/").code == "address_forbidden"


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "0x7f.1", "127.1", "0", "[::1]", "localhost", "[::]"]
)
def test_spellings_of_loopback_are_judged_as_what_they_resolve_to(host: str) -> None:
    refused = failure(Fetcher(), f"http://{host}/")
    assert refused.status in (400, 403, 502)
    assert refused.code != "no_answer"


def test_a_redirect_to_a_forbidden_address_is_not_followed(site: WebPages) -> None:
    for target in ("http://169.254.169.254/latest", "http://10.0.0.1/", "http://127.0.0.1:1/"):
        refused = failure(fetcher(site), f"{site.root}/to?u={target}")
        assert (refused.status, refused.code) == (403, "address_forbidden")


@pytest.mark.parametrize("target", ["file:///etc/passwd", "gopher://x/", "//", "http://u:p@x/"])
def test_a_redirect_to_what_is_no_page_is_not_followed(site: WebPages, target: str) -> None:
    assert failure(fetcher(site), f"{site.root}/to?u={target}").status in (400, 403)


def test_a_resolver_that_changes_its_mind_reaches_nobody() -> None:
    """DNS rebinding: the second answer would be loopback, but nobody asks twice."""
    answers = iter([("8.8.8.8",), ("127.0.0.1",)])
    asked: list[str] = []

    async def resolve(host: str, port: int) -> Sequence[str]:
        del port
        asked.append(host)
        return next(answers)

    with WebPages() as canary:
        gate = Gate(resolve, frozenset({canary.port}))
        assert failure(Fetcher(gate), f"http://salt.example:{canary.port}/canary").status == 403
        assert failure(Fetcher(Gate(resolve)), "http://salt.example/canary").status == 403
        assert canary.requests == []
    assert len(asked) == 2


def test_the_judged_address_is_the_one_that_is_asked(site: WebPages) -> None:
    calls = 0

    async def resolve(host: str, port: int) -> Sequence[str]:
        nonlocal calls
        del host, port
        calls += 1
        return ("127.0.0.1",) if calls == 1 else ("192.0.2.1",)

    get(fetcher(site, resolve), f"http://salt.example:{site.port}/salt")
    assert calls == 1


def test_five_redirects_are_followed_and_six_are_not(site: WebPages) -> None:
    assert b"ducats" in get(fetcher(site), f"{site.root}/hop/5").body
    refused = failure(fetcher(site), f"{site.root}/hop/6")
    assert (refused.status, refused.code) == (403, "too_many_redirects")


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("ftp://salt.example/", 400),
        ("file:///etc/passwd", 400),
        ("http:///x", 400),
        ("salt.example", 400),
        ("http://[", 400),
        (f"http://salt.example/{'x' * 2100}", 400),
        ("http://user:secret@salt.example/", 403),
        ("http://salt.example:22/", 403),
    ],
)
def test_what_is_no_page_of_the_web_is_not_asked_for(url: str, status: int) -> None:
    asked: list[str] = []

    async def resolve(host: str, port: int) -> Sequence[str]:
        del port
        asked.append(host)
        return ("8.8.8.8",)

    refused = failure(Fetcher(Gate(resolve)), url)
    assert refused.status == status
    assert "secret" not in refused.message
    assert asked == []


def test_an_endless_page_is_refused_while_it_comes(site: WebPages) -> None:
    refused = failure(fetcher(site), f"{site.root}/huge")
    assert (refused.status, refused.code) == (413, "page_too_large")


def test_a_bomb_is_refused_by_what_comes_out_of_it(site: WebPages) -> None:
    tracemalloc.start()
    try:
        refused = failure(fetcher(site), f"{site.root}/bomb")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (refused.status, refused.code) == (413, "page_too_large")
    assert peak < 40_000_000


def test_a_packed_page_is_unpacked(site: WebPages) -> None:
    assert b"3.5 ducats" in get(fetcher(site), f"{site.root}/gzip").body


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Content-Encoding": "br"}, b"x"),
        ({"Content-Encoding": "gzip"}, b"this is not packed"),
        ({"Content-Type": "image/png"}, b"x"),
        ({"Content-Type": ""}, b"x"),
    ],
)
def test_what_cannot_be_read_is_415(headers: dict[str, str], body: bytes) -> None:
    with WebPages({"/odd": Answer(body=body, headers=headers)}) as site:
        assert failure(fetcher(site), f"{site.root}/odd").status == 415


def test_a_busy_server_says_how_long_to_wait(site: WebPages) -> None:
    refused = failure(fetcher(site), f"{site.root}/busy")
    assert (refused.status, refused.retry_after_seconds, refused.body) == (429, 2.0, "Too many")


def test_a_date_to_wait_for_counts_from_now() -> None:
    until = {"Retry-After": "Thu, 01 Jan 2026 00:01:00 GMT"}
    with WebPages({"/later": Answer(503, b"", until)}) as site:
        assert failure(fetcher(site), f"{site.root}/later").retry_after_seconds == 60.0


def test_what_a_server_says_about_its_failure_goes_along(site: WebPages) -> None:
    refused = failure(fetcher(site), f"{site.root}/no-such-place")
    assert (refused.status, refused.retry_after_seconds) == (503, None)
    assert "LOCATION_NOT_FOUND" in refused.body
    assert failure(fetcher(site), f"{site.root}/nowhere").code == "http_404"


def test_a_redirect_without_a_place_is_no_answer() -> None:
    with WebPages({"/odd": Answer(302)}) as site:
        assert failure(fetcher(site), f"{site.root}/odd").status == 502


def test_a_server_that_is_not_there_is_502() -> None:
    with WebPages() as gone:
        root, one = gone.root, fetcher(gone)
    assert failure(one, f"{root}/salt").status == 502


def test_a_name_that_nobody_knows_is_502() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        raise OSError(f"{host}:{port}")

    assert failure(Fetcher(Gate(resolve)), "http://no.example/").code == "host_not_found"
    assert failure(Fetcher(Gate(answering())), "http://no.example/").code == "host_not_found"


def test_a_server_that_says_nothing_is_504_after_the_whole_time() -> None:
    async def main() -> ToolError:
        hung_up = asyncio.Event()

        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()
            await writer.wait_closed()
            hung_up.set()

        server = await asyncio.start_server(silent, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        one = Fetcher(Gate(loopback_ports=frozenset({port})), seconds=0.05)
        async with server:
            with pytest.raises(ToolError) as caught:
                await one.get(f"http://127.0.0.1:{port}/", HTML)
            await hung_up.wait()
        return caught.value

    assert asyncio.run(main()).status == 504


def test_only_the_place_that_the_user_configured_is_trusted(site: WebPages) -> None:
    one = Fetcher(Gate())
    place = ("http", "127.0.0.1", site.port)
    assert get(one, f"{site.root}/salt", trusted=place).url == f"{site.root}/salt"
    with WebPages() as other, pytest.raises(ToolError) as caught:
        get(one, f"{site.root}/to?u={other.root}/canary", trusted=place)
    assert caught.value.code == "address_forbidden"
    assert other.requests == []
