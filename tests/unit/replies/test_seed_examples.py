"""The designs' own examples of sections, tool calls and search pages, by the item that they prove."""

import json
from pathlib import Path
from typing import Any

import pytest

import libriscribe2
from libriscribe2.parsing.sections import multi_section_parser
from libriscribe2.parsing.tool_calls import parse_llm_response
from libriscribe2.replies.tool_calls import EXECUTING
from libriscribe2.research.web.result_pages import parse_search_results

PLAN = "[\u7814\u7a76\u8ba1\u5212]"
CHAPTERS = "[\u7ae0\u8282\u5927\u7eb2]"
PLAN_BODY = "1. Literature review on AI safety\n2. Interview experts\n3. Conduct experiments"
CHAPTERS_BODY = "Chapter 1: Introduction\nChapter 2: Background\nChapter 3: Methodology"
BOTH = f"\n{PLAN}\n{PLAN_BODY}\n\n{CHAPTERS}\n{CHAPTERS_BODY}\n"
SINGLE = (
    "\nSome introductory text...\n===========\nContent to extract\nMore content...\n"
    "===========\n\nFooter text\n"
)
PAGES = Path(__file__).parents[2] / "cases" / "search_results"
READ = {"name": "read_file", "arguments": {"path": "x.txt"}}
SEARCH = {"name": "search", "arguments": {"q": "test"}}
CALLS_TAG = '<function_calls>[{"name": "list_dir", "arguments": {"path": "."}}]</function_calls>'


def sections(reply: str, *headers: str, **options: Any) -> dict[str, Any]:
    return dict(multi_section_parser(reply, list(headers), **options))


def envelope(**fields: Any) -> str:
    return json.dumps(fields)


def called(reply: str) -> list[tuple[str, dict[str, Any]]]:
    found = parse_llm_response(reply).tool_calls or []
    return [(call.name, call.arguments) for call in found]


def page(name: str) -> dict[str, Any]:
    return dict(parse_search_results((PAGES / name / "in.txt").read_text(encoding="utf-8")))


def test_mp_02_mp_12_both_sections_come_back_in_the_requested_order() -> None:
    wanted = {PLAN: PLAN_BODY, CHAPTERS: CHAPTERS_BODY}
    assert sections(BOTH, PLAN, CHAPTERS) == {"status": "success", "sections": wanted}
    assert list(sections(BOTH, CHAPTERS, PLAN)["sections"]) == [CHAPTERS, PLAN]


def test_mp_04_mp_05_all_headers_have_to_be_there_and_the_missing_are_named() -> None:
    result = sections(f"{PLAN}\ntext", PLAN, CHAPTERS, "[More]")
    assert result["status"] == "error"
    assert "Missing required section" in result["feedback"]
    assert result["feedback"].index(CHAPTERS) < result["feedback"].index("[More]")


def test_mp_06_any_header_is_enough_in_any_mode() -> None:
    result = sections(f"{PLAN}\ntext", PLAN, CHAPTERS, match_mode="ANY")
    assert result["sections"] == {PLAN: "text"}
    none = sections("nothing here", PLAN, match_mode="ANY")
    assert none["status"] == "error"
    assert "No sections found" in none["feedback"]


def test_mp_07_a_mention_in_prose_is_no_header() -> None:
    assert sections("The [Plan] follows", "[Plan]")["status"] == "error"
    assert sections("## [Plan]\ntext", "[Plan]")["sections"] == {"[Plan]": "text"}


def test_mp_08_a_header_in_a_pattern_needs_no_literal_mention() -> None:
    result = sections("Section 1: A\na\nSection 2: B\nb", r"Section \d+:.*", regex_mode=True)
    assert result["sections"] == {"Section 1: A": "a", "Section 2: B": "b"}


def test_mp_10_mp_11_the_real_section_wins_over_echoes_before_and_behind_it() -> None:
    before = f"I will write {PLAN} and {CHAPTERS}:\n{PLAN}\n{CHAPTERS}\n{BOTH}"
    behind = f"{BOTH}\nAs promised in\n{PLAN}\n(see above)"
    for reply in (before, behind):
        assert sections(reply, PLAN, CHAPTERS)["sections"][PLAN] == PLAN_BODY


def test_mp_13_an_empty_section_is_an_error_that_names_it() -> None:
    result = sections("[Plan]\n\n[Outline]\nO", "[Plan]", "[Outline]")
    assert result["status"] == "error"
    assert "[Plan]" in result["feedback"]


def test_mp_14_mp_18_text_between_dividers_comes_back_without_headers() -> None:
    wanted = {"status": "success", "data": "Content to extract\nMore content..."}
    assert multi_section_parser(SINGLE) == wanted
    assert multi_section_parser(SINGLE, []) == wanted


@pytest.mark.parametrize("reply", ["no divider", "one\n=====\nonly"])
def test_mp_16_fewer_than_two_dividers_are_an_error(reply: str) -> None:
    result = multi_section_parser(reply)
    assert result["status"] == "error"
    assert "No content divider found" in result["feedback"]


def test_mp_17_nothing_between_dividers_is_an_error() -> None:
    assert multi_section_parser("=====\n\n=====")["status"] == "error"


def test_rp_03_a_clean_envelope_calls() -> None:
    reply = envelope(toolCalls=[READ], needsMoreWork=True)
    assert called(reply) == [("read_file", {"path": "x.txt"})]
    assert parse_llm_response(reply).needs_more_work is True


def test_rp_04_a_clean_envelope_may_only_say_something() -> None:
    found = parse_llm_response(envelope(content="The answer is 42", needsMoreWork=False))
    assert (found.content, found.tool_calls, found.needs_more_work) == (
        "The answer is 42",
        None,
        False,
    )


def test_rp_05_rp_21_a_tagged_list_calls_and_means_more_work() -> None:
    found = parse_llm_response(CALLS_TAG)
    assert called(CALLS_TAG) == [("list_dir", {"path": "."})]
    assert (found.needs_more_work, found.content) == (True, EXECUTING)


def test_rp_06_text_beside_the_tag_stays() -> None:
    content = parse_llm_response(f"I will list that directory.\n{CALLS_TAG}").content
    assert content is not None
    assert "I will list that directory" in content


@pytest.mark.parametrize("prefix", ["", "ant" + "ml:"])
@pytest.mark.parametrize("wrapped", [True, False])
def test_rp_07_rp_08_every_invoke_is_a_call_with_and_without_wrapper(
    *, prefix: str, wrapped: bool
) -> None:
    def invoke(path: str) -> str:
        inner = f'<{prefix}parameter name="path">{path}</{prefix}parameter>'
        return f"<{prefix}invoke name='read_file'>{inner}</{prefix}invoke>"

    reply = invoke("a.txt") + invoke("b.txt")
    if wrapped:
        reply = f"<{prefix}function_calls>{reply}</{prefix}function_calls>"
    assert called(reply) == [("read_file", {"path": "a.txt"}), ("read_file", {"path": "b.txt"})]


def test_rp_09_rp_23_values_of_tags_are_typed_where_they_are_json() -> None:
    reply = (
        '<function_calls><invoke name="search_web"><parameter name="query">weather today'
        '</parameter><parameter name="num_results">5</parameter></invoke></function_calls>'
    )
    assert called(reply) == [("search_web", {"query": "weather today", "num_results": 5})]
    assert parse_llm_response(reply).content == EXECUTING


@pytest.mark.parametrize("tag", ["json", "", "javascript"])
def test_rp_10_json_in_a_fence_calls(tag: str) -> None:
    inner = envelope(toolCalls=[{"name": "test", "arguments": {}}], needsMoreWork=True)
    assert called(f"Here is the result:\n```{tag}\n{inner}\n```") == [("test", {})]


def test_rp_12_json_after_text_calls() -> None:
    reply = f"I will help you with that.\n\n{envelope(toolCalls=[SEARCH], needsMoreWork=True)}"
    assert called(reply) == [("search", {"q": "test"})]


def test_rp_14_a_bare_call_object_calls() -> None:
    found = parse_llm_response(json.dumps(READ))
    assert called(json.dumps(READ)) == [("read_file", {"path": "x.txt"})]
    assert (found.content, found.needs_more_work) == ("", True)


def test_rp_17_an_empty_reply_is_empty_content() -> None:
    assert parse_llm_response("").content == ""


def test_rp_18_damaged_json_is_its_own_text() -> None:
    reply = '{"toolCalls": [{"name": "test"'
    found = parse_llm_response(reply)
    assert (found.content, found.tool_calls) == (reply, None)


def test_rp_19_rp_20_marks_come_before_envelopes_and_envelopes_before_other_objects() -> None:
    marked = f"{envelope(toolCalls=[SEARCH])}\n{CALLS_TAG}"
    assert ("list_dir", {"path": "."}) in called(marked)
    assert called(f'{{"a":1}} {envelope(toolCalls=[SEARCH])}') == [("search", {"q": "test"})]


def test_rp_22_the_example_of_groq() -> None:
    reply = (
        '<function_calls>\n[{"name": "read_file", "arguments": {"path": "/etc/hosts"}}]\n'
        "</function_calls>"
    )
    found = parse_llm_response(reply).model_dump(by_alias=True, exclude_none=True)
    assert found == {
        "content": "Executing tools",
        "toolCalls": [{"name": "read_file", "arguments": {"path": "/etc/hosts"}}],
        "needsMoreWork": True,
    }


def test_rp_24_the_example_in_markdown() -> None:
    call = {"name": "web_search", "arguments": {"q": "latest news"}}
    inner = envelope(toolCalls=[call], needsMoreWork=True)
    reply = f"I'll search for that information.\n```json\n{inner}\n```"
    found = parse_llm_response(reply).model_dump(by_alias=True, exclude_none=True)
    assert found == {"toolCalls": [call], "needsMoreWork": True}


def test_rp_25_token_marks_and_their_json_leave_the_content() -> None:
    reply = (
        '<|tool_calls_section_begin|><|tool_call_begin|>{"name": "test", "arguments": {}}'
        "<|tool_call_end|><|tool_calls_section_end|>"
    )
    assert called(reply) == [("test", {})]
    assert parse_llm_response(reply).content == "Executing tools"


def test_rp_27_text_with_a_fence_comes_back_as_it_is() -> None:
    reply = 'Use this:\n```python\nprint("hi")\n```\nDone.'
    assert parse_llm_response(reply).content == reply


def test_rp_28_braces_in_prose_and_strings_hide_nothing() -> None:
    inner = envelope(content="open brace { in text", toolCalls=[SEARCH])
    assert called(f"ok :-}} {inner}") == [("search", {"q": "test"})]


def test_rp_30_a_call_inside_a_string_is_data() -> None:
    text = "write <invoke name='rm'><parameter name='p'>/</parameter></invoke> to call"
    call = {"name": "write_file", "arguments": {"text": text}}
    assert called(envelope(toolCalls=[call])) == [("write_file", {"text": text})]


def test_rp_32_a_list_of_calls_calls_them_all() -> None:
    reply = json.dumps([READ, SEARCH])
    assert [name for name, _ in called(reply)] == ["read_file", "search"]


@pytest.mark.parametrize(("said", "wanted"), [(True, True), (False, False), (None, None)])
def test_rp_35_whether_work_goes_on_has_three_answers(
    *, said: bool | None, wanted: bool | None
) -> None:
    fields = {"content": "x"} if said is None else {"content": "x", "needsMoreWork": said}
    reply = envelope(**fields) if said is not None else "x"
    assert parse_llm_response(reply).needs_more_work is wanted


def test_rp_37_only_the_parser_knows_the_tags_of_tool_calls() -> None:
    root = Path(libriscribe2.__file__).parent
    knowing = {
        path.relative_to(root).parts[0]
        for path in root.rglob("*.py")
        if "function_calls" in path.read_text(encoding="utf-8")
    }
    assert knowing <= {"replies"}


@pytest.mark.parametrize(
    "name", ["google_two_results", "google_link_inside_heading", "bing_results"]
)
def test_sr_03_results_have_title_address_and_snippet(name: str) -> None:
    result = page(name)
    assert result["status"] == "success"
    for item in result["data"]:
        assert item.title
        assert item.url.startswith("http")
    assert any(item.snippet for item in result["data"])


@pytest.mark.parametrize("name", ["google_featured_snippet", "bing_featured"])
def test_sr_04_the_answer_above_the_results_is_told_apart(name: str) -> None:
    result = page(name)
    assert result["featured_snippet"]
    assert result["featured_snippet"] not in result["data"]


@pytest.mark.parametrize("name", ["google_chinese_next_page", "google_two_results", "bing_results"])
def test_sr_05_the_next_page_is_an_absolute_address_and_no_result(name: str) -> None:
    result = page(name)
    assert result["next_page"].startswith("http")
    assert result["next_page"] not in [item.url for item in result["data"]]
