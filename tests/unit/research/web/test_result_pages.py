from dataclasses import fields
from time import process_time
from typing import cast

import pytest

from libriscribe2.research.web.result_pages import (
    SearchResultItem,
    decode_bing_target,
    parse_search_results,
    real_url,
)

PAGE = "".join(
    f'<div class="g"><a href="https://{host}/"><h3>{host}</h3></a></div>'
    for host in ("a.example", "b.example", "c.example")
)


def test_SR_01_item_fields() -> None:
    names = [field.name for field in fields(SearchResultItem)]
    assert names == ["title", "url", "snippet", "site_info", "link_id"]


def test_SR_07_filter_keeps_what_it_accepts() -> None:
    result = parse_search_results(PAGE, url_filter=lambda url: "b." in url)
    assert [item.title for item in result["data"]] == ["b.example"]
    assert {**result}["filtered_count"] == 2


def test_SR_08_link_ids_are_distinct() -> None:
    ids = [item.link_id for item in parse_search_results(PAGE)["data"]]
    assert len(set(ids)) == 3


def test_SR_10_no_text_is_an_error() -> None:
    assert parse_search_results(cast("str", None))["status"] == "error"


def test_SR_06_bing_target() -> None:
    assert decode_bing_target("a1aHR0cHM6Ly9leGFtcGxlLm9yZy8") == "https://example.org/"
    assert decode_bing_target("a1!!!") is None
    assert decode_bing_target("") is None


def test_SR_06_other_redirects_keep_the_link_when_they_lead_nowhere() -> None:
    assert real_url("/url?q=/search", "https://www.google.com/") == (
        "https://www.google.com/url?q=/search"
    )
    assert real_url("http://[bad", "https://a.example/") is None
    assert real_url("https://duckduckgo.com/about", "") == "https://duckduckgo.com/about"
    broken = "https://duckduckgo.com/l/?uddg=http%3A%2F%2F%5Bbad"
    assert real_url(broken, "") == broken


def test_SR_10_a_broken_declaration_hides_no_result() -> None:
    for broken in ("<![\n", "<![%a b]"):
        found = parse_search_results(f"<html>{PAGE}{broken}{PAGE}</html>")
        assert [item.title for item in found["data"]] == ["a.example", "b.example", "c.example"]
        assert parse_search_results(broken)["status"] == "error"


@pytest.mark.parametrize(
    "junk",
    ["<!-- a --> <!-- b -- c --!><!-->", "<script>if (a < b) '<!--' </script >", "<STYLE>a{}</STYLE>",
     "&#; &#x; a &# b", "x" * 30_000, "\ud800 &#xd800; \x00"],
)  # fmt: skip
def test_SR_10_what_a_page_does_not_show_hides_no_result(junk: str) -> None:
    found = parse_search_results(f"<html>{junk}{PAGE}{junk}</html>")
    assert [item.title for item in found["data"]] == ["a.example", "b.example", "c.example"]


def test_SR_10_markup_that_never_ends_hides_only_what_is_behind_it() -> None:
    for broken in ("<!-- ", "<script>", "<a href='"):
        found = parse_search_results(f"<html>{PAGE}{broken}{PAGE}")
        assert [item.title for item in found["data"]] == ["a.example", "b.example", "c.example"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["{<!--", "<a <", "<![", "<?", "&#", "<think>", '<div class="g">', '<div class="g"><h3>', "<b x='",
     "<li><a href='http://x.example/'>"],
)  # fmt: skip
def test_SR_10_a_hostile_page_costs_linear_time_and_memory(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    start = process_time()
    assert parse_search_results(text)["status"] in {"success", "error"}
    assert process_time() - start < 5


def test_SR_10_boxes_inside_boxes_are_searched_once() -> None:
    nested = f'<div class="g"><b><div class="g"><b>{PAGE}</b></div></b><i>more</i></div>'
    found = parse_search_results(nested + PAGE.replace("example", "test"))
    assert len(found["data"]) == 6


def test_SR_09_scheme_is_lower_case_and_control_characters_are_no_address() -> None:
    assert real_url("httpS://w.example/A", "https://g.example/") == "https://w.example/A"
    assert real_url("https://w.example/a\x00b", "https://g.example/") is None
    assert real_url(" /A ", "HTTPS://g.example/") == "https://g.example/A"


@pytest.mark.parametrize("label", ["Seuraava sivu", "Επόμενη", "Næste"])
def test_SR_05_the_next_page_is_found_by_the_engines_mark_in_any_language(label: str) -> None:
    marked = f'<a id="pnnext" href="/search?start=10">{label}</a>'
    found = {**parse_search_results(PAGE + marked)}
    assert found["next_page"] == "https://www.google.com/search?start=10"
    page = PAGE.replace('class="g"', 'class="hit"').replace("div", "article")
    linked = f'<a rel="next" href="https://a.example/2">{label}</a>'
    assert {**parse_search_results(page + linked)}["next_page"] == "https://a.example/2"
