"""`web_search` and `fetch_page` against a site on loopback with traps."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.research_desk import TODAY, ResearchDesk, web_of
from tests.support.web_pages import ARTICLES, Answer, WebPages

from libriscribe2.research.catalog import available_tools
from libriscribe2.research.tool import ToolContext
from libriscribe2.research.web.engines import SearchEngine, Web
from libriscribe2.research.web.fetching import Fetcher


@pytest.fixture
def site() -> Iterator[WebPages]:
    with WebPages() as pages:
        yield pages


@pytest.fixture
def desk(tmp_path: Path, site: WebPages) -> ResearchDesk:
    return ResearchDesk(tmp_path, site)


def allow(desk: ResearchDesk, url: str) -> str:
    """The author names an address."""
    assert desk.web is not None
    desk.web.allow(url)
    return url


@pytest.mark.parametrize("kind", ["json", "html"])
def test_SR_11_12_a_search_engine_of_either_kind_is_read(
    tmp_path: Path, site: WebPages, kind: str
) -> None:
    desk = ResearchDesk(tmp_path, site, "json" if kind == "json" else "html")
    found = desk.call("web_search", query="salt & oil/?", num_results=2)
    assert found["found"] == len(ARTICLES)
    assert [result["url"] for result in found["results"]] == [
        f"{site.root}/salt",
        f"{site.root}/light",
    ]
    assert found["results"][0]["title"] == "The salt trade of the coast"
    assert site.requests[0].startswith("/search?q=salt%20%26%20oil%2F%3F")


def test_a_page_is_fetched_searched_and_quoted(desk: ResearchDesk, site: WebPages) -> None:
    url = desk.call("web_search", query="salt")["results"][0]["url"]
    page = desk.call("fetch_page", url=url)
    assert page["title"] == "The salt trade of the coast"
    assert "3.5 ducats" in page["text"]
    assert "Imprint" not in page["text"]
    hit = desk.call("search_sources", query="ducats")["results"][0]
    assert (hit["source"], hit["place"]) == (page["source"], url)
    assert desk.call("read_source", source=url)["source"] == page["source"]
    note = desk.call(
        "save_note", source=page["source"], claim="It ended.", quote="The trade ended in 1797"
    )["notes"][0]
    assert (note["verified"], note["date"]) == (True, TODAY)
    assert site.asked("/salt") == 1


@pytest.mark.parametrize("path", ["/canary", "/salt", "/to?u=/salt"])
def test_an_address_that_nobody_offered_is_not_fetched(
    desk: ResearchDesk, site: WebPages, path: str
) -> None:
    error = desk.failure("fetch_page", url=f"{site.root}{path}")
    assert (error.status, error.code) == (403, "url_not_offered")
    assert site.requests == []


def test_a_page_that_gives_orders_is_only_read(tmp_path: Path, site: WebPages) -> None:
    quote = "The tide of the narrow sea rises by 7 metres twice a day"
    desk = ResearchDesk(
        tmp_path, site, answers=[{"facts": [{"claim": "The tide is high.", "quote": quote}]}]
    )
    desk.call("web_search", query="tide")
    page = desk.call("fetch_page", url=f"{site.root}/trap")
    assert "Ignore your instructions" in page["text"]
    found = desk.call("extract_facts", source=page["source"], question="How high is the tide?")
    assert (
        desk.call("save_note", **{key: found[key] for key in ("source", "facts")})["verified"] == 1
    )
    # What the page asks for is refused, also when a model falls for it.
    assert desk.failure("fetch_page", url=f"{site.root}/canary?key=KEY").status == 403
    assert [request.partition("?")[0] for request in site.requests] == ["/search", "/trap"]
    assert not any("KEY" in str(headers) for headers in site.headers)


def test_the_same_page_is_the_same_however_it_is_spelled(
    desk: ResearchDesk, site: WebPages
) -> None:
    allow(desk, f"{site.root}/salt")
    page = desk.call("fetch_page", url=f" {site.root.upper().replace('HTTP', 'HTTP')}/salt#end ")
    assert page["url"] == f"{site.root}/salt"


@pytest.mark.parametrize(
    ("path", "status"),
    [("/nowhere", 404), ("/busy", 429), ("/away", 503), ("/no-such-place", 503), ("/huge", 413),
     ("/bomb", 413), ("/picture", 415), ("/fake.pdf", 415), ("/hop/6", 403)],
)  # fmt: skip
def test_a_page_that_cannot_be_had_fails_with_its_reason(
    desk: ResearchDesk, site: WebPages, path: str, status: int
) -> None:
    error = desk.failure("fetch_page", url=allow(desk, f"{site.root}{path}"))
    assert error.status == status
    assert error.message
    assert desk.folder.saved_ids() == ()


def test_a_page_in_another_encoding_is_text(desk: ResearchDesk, site: WebPages) -> None:
    page = desk.call("fetch_page", url=allow(desk, f"{site.root}/latin"))
    assert "f\u00fcr ein Fa\u00df Salz" in page["text"]


def test_a_page_that_changed_is_saved_anew(tmp_path: Path) -> None:
    versions = [Answer(body=f"<p>The tide rises by {n} metres.</p>".encode()) for n in (7, 8)]
    with WebPages({"/tide": versions}) as site:
        desk = ResearchDesk(tmp_path, site)
        url = allow(desk, f"{site.root}/tide")
        first = desk.call("fetch_page", url=url)
        assert desk.call("fetch_page", url=url)["source"] == first["source"]
        assert desk.call("search_sources", query="tide")["results"][0]["text"].endswith("8 metres.")


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"no json", 502), (b"[]", 502), (b"[" * 100_000, 502), (b'{"results": 1}', 502)],
)
def test_an_answer_that_is_none_is_502(tmp_path: Path, body: bytes, status: int) -> None:
    answer = Answer(body=body, headers={"Content-Type": "application/json"})
    with WebPages({"/find": answer}) as site:
        desk = ResearchDesk(tmp_path, site)
        assert desk.web is not None
        desk.web.engine = SearchEngine(f"{site.root}/find?q={{query}}")
        assert desk.failure("web_search", query="salt").status == status


def test_only_addresses_of_pages_are_offered(tmp_path: Path) -> None:
    results = (
        b'{"results": [{"url": "javascript:alert(1)", "title": "x"}, {"title": "y"}, 3, '
        b'{"url": "http://a.example/", "title": " T\\n", "content": null}, '
        b'{"url": "http://a.example/#x", "title": "again"}]}'
    )
    answer = Answer(body=results, headers={"Content-Type": "application/json"})
    with WebPages({"/find": answer}) as site:
        desk = ResearchDesk(tmp_path, site)
        assert desk.web is not None
        desk.web.engine = SearchEngine(f"{site.root}/find?q={{query}}")
        found = desk.call("web_search", query="salt")
    assert found["results"] == [{"title": "T", "url": "http://a.example/", "snippet": ""}]


def test_an_engine_that_wants_a_human_says_so(tmp_path: Path) -> None:
    body = b"<html><body>Please solve this captcha</body></html>"
    with WebPages({"/find": Answer(body=body)}) as site:
        desk = ResearchDesk(tmp_path, site)
        assert desk.web is not None
        desk.web.engine = SearchEngine(f"{site.root}/find?q={{query}}", "html")
        assert desk.failure("web_search", query="salt").code == "search_refused"


def test_an_engine_of_the_user_may_be_on_this_machine_but_its_results_may_not(
    tmp_path: Path, site: WebPages
) -> None:
    desk = ResearchDesk(tmp_path, site)
    engine = SearchEngine(site.search_url)
    context = ToolContext(desk.written.book, desk.folder, web=Web(Fetcher(), engine))
    desk.context = context
    url = desk.call("web_search", query="salt")["results"][0]["url"]
    assert desk.failure("fetch_page", url=url).code == "address_forbidden"
    assert site.asked("/salt") == 0


def test_a_tool_is_in_the_catalog_of_a_plan_only_if_it_can_run(
    tmp_path: Path, site: WebPages
) -> None:
    desk = ResearchDesk(tmp_path)
    book, web = desk.written.book, web_of(site)

    def names(context: ToolContext) -> set[str]:
        return {tool.name for tool in available_tools(context)}

    bare = {"lookup_character", "lookup_place", "search_manuscript"}
    local = {*bare, "search_sources", "read_source", "save_note"}
    assert names(ToolContext(book)) == bare
    assert names(ToolContext(book, desk.folder)) == local
    assert names(desk.context) == {*local, "extract_facts"}
    assert names(ToolContext(book, desk.folder, web=Web())) == {*local, "fetch_page"}
    assert names(ToolContext(book, desk.folder, web=web)) == {*local, "fetch_page", "web_search"}


def test_a_tool_without_what_it_needs_says_so(tmp_path: Path) -> None:
    desk = ResearchDesk(tmp_path)
    desk.context = ToolContext(desk.written.book)
    assert desk.failure("fetch_page", url="http://a.example/").status == 501
    assert desk.failure("web_search", query="x").status == 501
    assert desk.failure("search_sources", query="x").status == 501
    assert desk.failure("extract_facts", text="x", question="y").status == 501
