"""The four rates, with what they were counted from."""

from typing import Any

from libriscribe2.project.dumps import Rate, reply_rates


def dump(**fields: Any) -> dict[str, Any]:
    clean = {"agent_name": "A", "model": "m", "content_type": "json", "feedback": ""}
    return {**clean, "extraction_method": "direct_parse", "formatting_issues": [], **fields}


DUMPS = [
    dump(),
    dump(formatting_issues=["markdown_code_blocks"]),
    dump(extraction_method="failed", feedback="no JSON", formatting_issues=["surrounding_text"]),
    dump(agent_name="B", feedback="title: Field required"),
    dump(content_type="prose", extraction_method="text"),
]


def test_OV_46_the_four_rates_have_numerators_and_denominators() -> None:
    rates = [rate for rate in reply_rates(DUMPS, calls=6, filtered=1) if not rate.agent]
    assert rates == [
        Rate("content_filtering_occurrence", 1, 6),
        Rate("json_extraction_success", 3, 4),
        Rate("validation_failure", 1, 3),
        Rate("cleanup_effectiveness", 1, 2),
    ]


def test_OV_46_the_rates_are_told_per_agent_and_model() -> None:
    rates = reply_rates(DUMPS, calls=6, filtered=0)
    assert Rate("json_extraction_success", 2, 3, "A", "m") in rates
    assert Rate("validation_failure", 1, 1, "B", "m") in rates


def test_a_dump_of_another_format_counts_for_nothing() -> None:
    assert reply_rates([{}], calls=0, filtered=0)[1] == Rate("json_extraction_success", 0, 0)
