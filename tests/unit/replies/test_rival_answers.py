"""Replies with two whole answers: the announced one, or a refusal where nobody says which counts."""

import pytest
from pydantic import BaseModel

from libriscribe2.replies import read
from libriscribe2.replies.cleanup import extract_with_report


class Concept(BaseModel):
    title: str
    logline: str
    subtitle: str = ""


FIRST = '{"title": "The Salt Clerk", "logline": "A clerk counts the drowned."}'
SECOND = '{"title": "The Salt Ledger", "logline": "A clerk counts his brother."}'
REPAIRED = SECOND.replace('."}', '.",}')
LONGER = FIRST.replace("}", ', "subtitle": "A novel"}')


@pytest.mark.parametrize(
    "reply",
    [
        f"Option 1:\n{FIRST}\n\nOption 2:\n{SECOND}",
        f"{FIRST}\n\n{SECOND}",
        f"```json\n{FIRST}\n```\n```json\n{SECOND}\n```",
        f"1. {FIRST}\n2. {SECOND}",
        f"{FIRST}\n\nor alternatively\n\n{REPAIRED}",
        f"{REPAIRED}\n\n{REPAIRED.replace('brother', 'sister')}",
        f"Here is the result:\n{FIRST}\n\nThe logline is thin. Let me mend it:\n{SECOND}",
        f"{LONGER}\n\nWithout a subtitle:\n\n{SECOND}",
        f"{SECOND}\n\nAn earlier draft was: {FIRST}",
        f"{LONGER}\n\nFinal version:\n{SECOND}",
        f"{FIRST}\n\nFinal version:\n{REPAIRED}",
        f"{FIRST}\n\nFinal version:\n\n~~~\n{SECOND}\n~~~",
        f"```json\n{FIRST}\n```\n\nThis is flat. Corrected:\n\n```json\n{SECOND}\n```",
    ],
)
def test_two_answers_that_differ_are_refused(reply: str) -> None:
    report = extract_with_report(reply, Concept)

    assert report.value is None
    assert report.refusal is not None
    assert report.refusal.kind == "several_items"


@pytest.mark.parametrize(
    "reply",
    [
        f"A thin one like {FIRST} would not do.\n\n```json\n{SECOND}\n```",
        f"{REPAIRED.replace('brother', 'sister')}\n\nThat had a stray comma.\n\n{SECOND}",
        f"{SECOND}\n\nThe same again: {SECOND}",
    ],
)
def test_a_failed_attempt_and_an_example_in_a_sentence_are_no_rivals(reply: str) -> None:
    report = extract_with_report(reply, Concept)

    assert report.refusal is None
    assert report.value == {"title": "The Salt Ledger", "logline": "A clerk counts his brother."}


def test_without_a_schema_the_first_of_several_objects_counts() -> None:
    report = extract_with_report(f"{FIRST}\n\n{SECOND}")

    assert report.value == {"title": "The Salt Clerk", "logline": "A clerk counts the drowned."}


@pytest.mark.parametrize(
    ("reply", "before", "after"),
    [
        ('Other: {"foo": 3}\n\n{"t": "The storm"}', "Other:", ""),
        ('{"t": "The storm"} ok. {"z": 1}', "", "ok."),
        ('One {"z": 1} two {"y": 2}\n{"t": "The storm"}\nDone.', "One\n\ntwo", "Done."),
    ],
)
def test_what_is_said_beside_a_value_holds_no_other_value(
    reply: str, before: str, after: str
) -> None:
    report = read(reply, {"properties": {"t": {"type": "string"}}, "required": ["t"]}).report
    assert (report.value, report.before, report.after) == ({"t": "The storm"}, before, after)
