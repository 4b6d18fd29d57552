"""Texts whose reading once took time in the square of their length, through every reader."""

import time
from collections.abc import Callable
from typing import Any, Final

import pytest

from libriscribe2.parsing.sections import multi_section_parser
from libriscribe2.parsing.tool_calls import parse_llm_response
from libriscribe2.replies.cleanup import extract_with_report
from libriscribe2.research.web.result_pages import parse_search_results, parsed_page

# Linear work takes a fifth of a second at most, work that grows with the square more than twice
# this limit. The figures themselves are measured by bench/, never here: the machine may be busy.
FAR_TOO_LONG: Final = 3.0
SHORT: Final = 100_000
# What was slow by copying and searching plain text shows only in a long one.
LONG: Final = 400_000
_LIST: Final = {
    "type": "array",
    "items": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
}


def many(unit: str, size: int = SHORT, *, before: str = "", behind: str = "") -> str:
    """A unit again and again; `%d` in it is another number each time."""
    count = size // len(unit)
    parts = (unit.replace("%d", str(at)) for at in range(count))
    return before + ("".join(parts) if "%d" in unit else unit * count) + behind


def name_of(text: str) -> str:
    """A text's beginning and end."""
    return f"{text[:20]} {text[-8:]}"


def assert_soon(read: Callable[[], object]) -> None:
    started = time.process_time()
    read()
    assert time.process_time() - started < FAR_TOO_LONG


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        many('{"a": "<think>"} '),
        many("{", behind="&"),
        many("{", behind='\\"'),
        many("\u200b", before='{"a": 1,x', behind="b"),
        many("\\'", before='{"a": (1, '),
        many("a", before="<|channel|>"),
        many('{"a": "x" "y" 1} '),
        many(" ? ", before='{"a": x', behind="}"),
        many('}]{"}\n<tool_call>f\n', LONG, before="“{", behind="null{"),
        many("[1] " + "a" * 56, LONG),
    ],
    ids=name_of,
)
def test_OV_47_hostile_json_is_read_in_linear_time(text: str) -> None:
    assert_soon(lambda: extract_with_report(text))


def test_OV_47_blanks_between_the_parts_of_a_list_are_looked_at_once() -> None:
    text = many(" ", before='{"a": "1"}', behind='x{"a": "2"}')
    assert_soon(lambda: extract_with_report(text, _LIST))


@pytest.mark.parametrize("digits", [4_300, 4_301, 100_000])
def test_OV_47_a_character_reference_of_many_digits_is_no_number(digits: int) -> None:
    reference = "&#" + "1" * digits + ";"
    assert not extract_with_report("{&quot;a&quot;: " + reference).ok
    call = f'<|open|>call tool="f" index="{reference}"<|sep|><|close|>call<|sep|>'
    calls = parse_llm_response(call).tool_calls
    assert calls is not None
    assert calls[0].name == "f"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        many("<!--" + "a" * 28, LONG, behind="<tool_call -->"),
        many("</s>" + "a" * 29, LONG),
        many("a" * 17 + " <tools> ", LONG),
        many("```py\na\n```\n", LONG),
        many("```xml\n\n```\n<think></think>", LONG),
        "Action: f(\n" * 9_000 + ")" * 9_000,
        many("\\'", before="[f(a="),
        many('<invoke name="f%d"><x>1</x></invoke>', LONG),
        many("<a%d>1</a%d>", LONG, before="<f>", behind="</f>"),
        many("```}'''", LONG),
        many("|", LONG, before='<think>"{```’'),
        many('```\n{"name": %d, }\n```\n', LONG),
        many(" ", before="```\n", behind="x"),
        many("`", before="```\n", behind="x"),
        "~" * SHORT + "a" * SHORT + "`",
        many("\r\n", before="```tool_code\n"),
        many(" ", before="[f(a=1)]", behind="x"),
        many("<a <", LONG),
        many("</s>a%d", LONG),
        many('<!-- Plan:“"a": [<｜tool▁calls▁begin｜>Plan%d', LONG),
    ],
    ids=name_of,
)
def test_RP_33_hostile_marks_are_read_in_linear_time(text: str) -> None:
    assert_soon(lambda: parse_llm_response(text, {"f"}))


@pytest.mark.parametrize(
    "text",
    [
        many('"name"«not <a href="0<start><channel|>'),
        many("<x a='\\'“", before="<p>", behind="<p>"),
        many('"' + "b " * 60 + '<a href="<c>'),
        many("</f>*/", LONG),
    ],
    ids=name_of,
)
def test_OV_47_a_tag_that_never_ends_is_tried_once(text: str) -> None:
    assert_soon(lambda: parse_search_results(text))


@pytest.mark.slow
def test_OV_47_a_page_of_tags_inside_each_other_is_read_in_linear_time() -> None:
    assert_soon(lambda: parse_search_results(many("</f>x<div>", LONG)))
    beside = parsed_page(
        many("<li>a</li><br><img src=a>", before="<div><ul>", behind="</ul></div>")
    )
    assert len(beside.find_all("li")) == SHORT // len("<li>a</li><br><img src=a>")


def test_OV_47_a_page_is_read_behind_a_tag_that_never_ends() -> None:
    results = [
        f'<div class="g"><a href="https://a.example/{at}"><h3>Gulls {at}</h3></a></div>'
        for at in range(2)
    ]
    page: Any = parse_search_results("<p a='>".join(results))
    titles = [item.title for item in page["data"]]
    # Newer parsers read as browsers do: all that follows is in the attribute that never ends.
    assert titles in (["Gulls 0", "Gulls 1"], ["Gulls 0"])


def test_OV_47_lines_shorter_than_any_header_cost_little() -> None:
    assert_soon(lambda: multi_section_parser(many("x\n", LONG), ["[Plan]"]))


def test_OV_47_a_header_of_one_letter_that_stands_for_three_is_found() -> None:
    found = multi_section_parser("ﬃ\ny", ["ffi"])
    assert found.get("sections") == {"ffi": "y"}


def test_RP_33_a_comment_closes_nothing_inside_a_call_behind_it() -> None:
    call = '<tool_call>\n{"name": "f", "arguments": {"a": "-->"}}\n</tool_call>'
    calls = parse_llm_response(f"<!-- <!-- {call}", {"f"}).tool_calls
    assert calls is not None
    assert calls[0].arguments == {"a": "-->"}


def test_RP_33_of_absurdly_many_calls_in_prose_the_first_are_read() -> None:
    call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n'
    response = parse_llm_response(f"Next.\n{call}" * 1_200, {"f"})
    assert len(response.tool_calls or ()) == 999
    assert response.issues == ("The reply has too many marks; its end was not read.",)


def test_RP_34_code_with_quotes_escaped_outside_strings_has_no_end() -> None:
    reply = '[f(a=\\"b")]\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    response = parse_llm_response(reply, {"f"})
    assert response.tool_calls is None
    assert response.issues == ("A tool call is cut off; it was not executed.",)


def test_RP_33_a_value_may_mention_its_own_tag_once_in_a_call() -> None:
    call = "<invoke><tool_name>f</tool_name><parameters><x>a <x> b</x></parameters></invoke>"
    calls = parse_llm_response(call, {"f"}).tool_calls
    assert calls is not None
    assert calls[0].arguments == {"x": "a <x> b"}
