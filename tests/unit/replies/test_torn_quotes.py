"""Strings whose two quotes do not belong together, or of which one is lost."""

from typing import Any

import pytest
from pydantic import BaseModel

from libriscribe2.replies.cleanup import extract_with_report


@pytest.mark.parametrize(
    "reply",
    [
        """{"name": "Alvise', "role": "steward"}""",
        """{\n  "name": "Alvise',\n  "role": "steward"\n}""",
        """{\n  "name": 'Alvise",\n  "role": "steward"\n}""",
        """{"role": "steward", "name": "Kit's boat',\n "age": "9"}""",
        '{"name": „Wer nich will“, sagt Wiebke.", "role": "lead"}',
        '{"name": “Leave,” she said.", "role": "lead"}',
        '{"name": ""出身于“纸坊”，家道中落", "role": "lead"}',
        '{"name": "出身于“纸坊”，家道中落"", "role": "lead"}',
        '{"title": 1848, or: The Wrong Barricade", "role": "lead"}',
        '{"name": "half a \\u00", "role": "lead",}',
    ],
)
def test_torn_strings_are_refused(reply: str) -> None:
    report = extract_with_report(reply)

    assert report.value is None
    assert report.refusal is not None


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"name": Slash\\\\Back", "role": "lead"}', {"name": "Slash\\Back", "role": "lead"}),
        ('{"name": "he „knows" it", "role": "lead"}', {"name": 'he „knows" it', "role": "lead"}),
        ('{"name": “Kit", "role": "lead"}', {"name": "Kit", "role": "lead"}),
        ('{"name": "Kit snakket.""\n, "role": "lead"}', {"name": "Kit snakket.", "role": "lead"}),
        (
            '{"name": "Kit "snakket.""\n, "role": "lead"}',
            {"name": 'Kit "snakket."', "role": "lead"},
        ),
        ('{"name": "Kit,\n "role": "lead"}', {"name": "Kit", "role": "lead"}),
        (
            '{"name": "at C:\\data\\u00", "role": "lead"}',
            {"name": "at C:\\data\\u00", "role": "lead"},
        ),
    ],
)
def test_what_can_be_told_is_read(reply: str, value: dict[str, Any]) -> None:
    report = extract_with_report(reply)

    assert report.value == value
    assert not report.lossy


@pytest.mark.parametrize(
    "reply",
    [
        '"{\\"name\\": \\"The Cipher\\", \\"says\\": \\"it reads <think>no</think> aloud\\"}"',
        '{name": "The Cipher", "says": "it reads <think>no</think> aloud"}',
    ],
)
def test_a_reasoning_tag_inside_a_damaged_value_is_content(reply: str) -> None:
    report = extract_with_report(reply)

    assert report.value == {"name": "The Cipher", "says": "it reads <think>no</think> aloud"}


@pytest.mark.parametrize(
    "reply",
    [
        '{"name": "Gate", "says": "A sign {it said "no"} hangs over the gate',
        '{"name": "Gate", "says": "It reads `if (a) { return "x"; }` aloud, then',
        '{"name": "Gate", "rules": ["A sign {it said "no"} hangs over the gate',
    ],
)
def test_a_quotation_in_brackets_does_not_end_a_string_that_is_cut_off(reply: str) -> None:
    report = extract_with_report(reply)

    assert report.value is None


@pytest.mark.parametrize(
    "reply",
    [
        '{"says": "It said "no", "name": "Gate"}',
        '{\n "says": "It said "no",\n "name": "Gate"\n}',
        '{"name": "Gate", "says": "It said "no"}',
        '{"name": "Gate", "says": "It said "no"}\nThat is all.',
        '{"rules": ["It said "no"], "name": "Gate"}',
    ],
)
def test_one_quote_does_not_end_a_quotation_and_its_string(reply: str) -> None:
    report = extract_with_report(reply)

    assert report.value is None
    assert report.refusal is not None
    assert report.refusal.kind == "ambiguous"


class Entry(BaseModel):
    name: str
    says: str


@pytest.mark.parametrize("last", ['It said "', "It said: “", "她说“", 'It said ("'])
def test_a_quote_that_begins_a_quotation_ends_no_value_without_its_bracket(last: str) -> None:
    report = extract_with_report(f'```json\n{{"name": "Gate", "says": "{last}\n```', Entry)

    assert report.value is None or report.lossy


def test_a_value_in_a_closed_fence_may_lack_its_last_bracket() -> None:
    report = extract_with_report('```json\n{"name": "Gate", "says": "Closed"\n```', Entry)

    assert report.value == {"name": "Gate", "says": "Closed"}
    assert not report.lossy


@pytest.mark.parametrize(
    "reply",
    [
        '{"rules": ["Never whistle, "Pay, then ask", "Say "ice" once"]}',
        '{"rules": [\n  "Never whistle",\n  "Pay, then ask,\n  "Say "ice" once"\n]}',
        '{says: "It said \\"no\\"., rules: ["Never whistle", "Say \\"ice\\" once"]}',
        "{'cast': [\n  'Mara,\n  'Joss'\n], 'words': 9}",
        '{"cast": \n  "Mara"\n  "Joss"\n], "words": 9}',
        '{cast: [\n  "Mara",\n  "Joss"\n  ,\n  words: 900\n}',
    ],
)
def test_a_string_or_list_that_may_have_swallowed_the_next_item_is_refused(reply: str) -> None:
    report = extract_with_report(reply)

    assert report.value is None or report.lossy


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"scar": "a 12" scar", "age": "30",}', {"scar": 'a 12" scar', "age": "30"}),
        ('{"rules": ["Say "ice" once", "Pay"]}', {"rules": ['Say "ice" once', "Pay"]}),
        ("{'cast': [\n  'Mara',\n  'Joss'\n], 'words': 9}", {"cast": ["Mara", "Joss"], "words": 9}),
        ("{cast: [Chapter 1: the gate, Joss]}", {"cast": ["Chapter 1: the gate", "Joss"]}),
    ],
)
def test_what_only_resembles_a_swallowed_item_is_read(reply: str, value: dict[str, Any]) -> None:
    assert extract_with_report(reply).value == value
