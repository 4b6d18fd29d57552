"""Which refused calls are worth another try, and with what."""

import pytest
from tests.support.chain import capability, judges, scripted

from libriscribe2.research.diagnosis import (
    Corrector,
    ErrorAnalyzer,
    corrected,
    legacy_should_attempt_ai_correction,
)

CONVERT = capability("convert", to="string", amount="number")


async def should(corrector: Corrector, status: int, message: str = "x") -> bool:
    return await corrector.should_attempt_ai_correction(status, message, message, {"amount": -1})


async def test_pb_54_the_four_branches_of_the_hook() -> None:
    assert await should(Corrector(None), 422, "expected number, got string")
    assert not await should(Corrector(None), 422, "connection refused")
    broken, _ = scripted("no idea", "no idea")
    assert not await should(Corrector(ErrorAnalyzer(broken)), 422)
    unasked, _ = scripted()
    assert not await should(Corrector(ErrorAnalyzer(unasked)), 429)
    for verdict in (True, False):
        model, _ = scripted(judges(should_retry=verdict))
        assert await should(Corrector(ErrorAnalyzer(model)), 422) is verdict


@pytest.mark.parametrize(
    "message",
    [
        "json: cannot unmarshal string into field",
        "Type mismatch in 'lat'",
        "expected number",
        "amount must be positive",
        "field 'to' is required",
        "value out of range",
    ],
)
def test_pb_55_the_older_rule_knows_messages_about_values(message: str) -> None:
    assert legacy_should_attempt_ai_correction(message)


@pytest.mark.parametrize("message", ["connection refused", "timeout after 3 s", "City not found"])
def test_pb_55_the_older_rule_leaves_other_messages(message: str) -> None:
    assert not legacy_should_attempt_ai_correction(message)


def test_pb_55_the_older_rule_believes_a_tool_that_calls_itself_retryable() -> None:
    assert legacy_should_attempt_ai_correction("odd", '{"retryable" : true}')
    assert not legacy_should_attempt_ai_correction("odd", '{"retryable": false}')


async def test_pb_55_by_the_older_rule_one_question_gives_the_values() -> None:
    model, _ = scripted(judges(should_retry=False, amount=1))
    corrector = Corrector(ErrorAnalyzer(model), by_rule=True)
    assert await should(corrector, 422, "amount must be positive")
    assert corrector.judged is not None
    assert corrector.judged.suggested_changes == {"amount": 1}
    assert not await should(corrector, 404, "not found")
    assert corrector.judged.suggested_changes is None


def test_pb_47_only_known_parameters_that_change_are_taken_in_their_types() -> None:
    given = {"to": "USD", "amount": 1.0}
    suggested = {"to": "USD", "amount": "2", "evil": True}
    assert corrected(given, suggested, CONVERT) == {"amount": 2.0}
    assert corrected(given, {"amount": "many"}, CONVERT) == {}
    assert corrected(given, None, CONVERT) == {}
