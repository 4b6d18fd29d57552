"""Replies that must not become a value, and what is said to the model about them."""

import pytest

from libriscribe2.replies.cleanup import extract_with_report

REFUSED: list[tuple[str, str]] = [
    ("", "empty"),
    (" \u200b\n", "empty"),
    ("I'm sorry, but I can't help with {that}.", "no_json"),
    ("Title: The Storm\nLogline: a story", "no_json"),
    ("a { color: red } in a sentence", "syntax"),
    ("as shown in [1], it rains", "no_json"),
    ('<!DOCTYPE html><html><script>var x = {"a": 1};</script></html>', "markup_document"),
    ('<think>I could say {"a": 1}', "unclosed_reasoning"),
    ('So. <think>I could say {"a": 1}', "unclosed_reasoning"),
    ('<think>{"a": 1}</think>', "empty"),
    ('{"a": "cut in the str', "cut_off"),
    ('{"a": "x", "b', "cut_off"),
    ('{"a": "x", "b":', "cut_off"),
    ('{"a": "x",', "cut_off"),
    ('{"a": 12', "cut_off"),
    ('{"a": tru', "cut_off"),
    ('{"a": "x \\', "cut_off"),
    ('{"a": [1, 2', "cut_off"),
    ('```json\n{"a": ["x", "y\n```', "cut_off"),
    ('```json\n{"a":\n```', "cut_off"),
    ('{"a": [{"b": "x"}\n```', "cut_off"),
    ('{"a": ["x", ...]}', "ellipsis"),
    ('{"a": ["x" ... ]}', "ellipsis"),
    ('{"a": 1, ...}', "ellipsis"),
    ('{"a": ...}', "ellipsis"),
    ('{"a": 1, …}', "ellipsis"),
    ('{"a": 1 // ... more fields\n}', "ellipsis"),
    ('{"a": 100 * price}', "arithmetic"),
    ('{"a": 100 * 3}', "arithmetic"),
    ('{"a": 2 + 3}', "arithmetic"),
    ('{"a": price * 2}', "arithmetic"),
    ('{"a": len(items)}', "arithmetic"),
    ('{"a": "x" + name}', "arithmetic"),
    ('{"a": "x" * 3}', "arithmetic"),
    ('{"a": {{title}}}', "template"),
    ('{"a": <title>}', "template"),
    ('{"a": x{{y}}}', "template"),
    ('{"a": `${title}`}', "template"),
    ('{"b": 1, {{title}}: 2}', "template"),
    ('{"a": 1, "a": 2}', "conflicting_keys"),
    ("{'a': 1, 'a': 2}", "conflicting_keys"),
    ("{'a': {'b': 1}, 'a': {'b': 2}}", "conflicting_keys"),
    ('{"a": NaN}', "not_a_number"),
    ('{"a": -Infinity,}', "not_a_number"),
    ('{"a": "x" "y"}', "ambiguous"),
    ('{"a": "Stop" [sic],\n"b": 1}', "ambiguous"),
    ('{"a": "He said "hi", "b": "x" and "c": "y""}', "ambiguous"),
    ('{"a": "$\\alpha + \\nu$"}', "ambiguous"),
    ('{"a": "0]', "ambiguous"),
    ('{""a"": 1}', "ambiguous"),
    ('{"a": "..."}', "placeholder"),
    ('{"a": ["x", "y", "..."]}', "placeholder"),
    ('{"title": "<title>"}', "placeholder"),
    ('{"title": "[Your title]"}', "placeholder"),
    ('{"title": "[what it is called]", "n": 1}', "placeholder"),
    ('{"title": "title", "logline": "Logline"}', "placeholder"),
    ('{"title": "string", "logline": "string"}', "placeholder"),
    ('{"title": "{{title}}"}', "placeholder"),
    ("[" * 5_000, "too_deep"),
    ('{"a":' * 5_000, "too_deep"),
    ('{"a": ' + "1" * 5_000 + "}", "number_too_long"),
    ('{"a": 1e999,}', "number_too_long"),
    ('{"a": }', "syntax"),
    ('{"a": , "b": 1}', "syntax"),
    ('{"a": 1, @}', "syntax"),
    ('"a": 1, "b": [1, 2', "cut_off"),
    ("x" * 8_000_001, "too_large"),
    ('{"a":1} ' * 20_001, "too_large"),
]


@pytest.mark.parametrize(
    ("reply", "kind"), REFUSED, ids=[f"{kind}-{at}" for at, (_, kind) in enumerate(REFUSED)]
)
def test_OV_29_refused_with_a_reason(reply: str, kind: str) -> None:
    report = extract_with_report(reply)
    assert not report.ok
    assert report.refusal is not None
    assert report.refusal.kind == kind, report.refusal


@pytest.mark.parametrize("reply", [reply for reply, _ in REFUSED if len(reply) < 1_000])
def test_TR_09_feedback_is_written_to_the_model(reply: str) -> None:
    refusal = extract_with_report(reply).refusal
    assert refusal is not None
    assert "Your" in refusal.feedback
    assert refusal.feedback.endswith("complete and valid, and nothing else.")
    assert len(refusal.feedback) < 600
    assert refusal.reason


def test_none_is_refused_like_an_empty_reply() -> None:
    report = extract_with_report(None)
    assert report.refusal is not None
    assert report.refusal.kind == "empty"


def test_the_place_is_quoted_with_line_and_column() -> None:
    refusal = extract_with_report('{\n  "a": 1,\n  "price": 100 * 3\n}').refusal
    assert refusal is not None
    assert "line 3, column 12" in refusal.feedback
    assert '"price": 100 * 3' in refusal.feedback


def test_PR_16_strict_mode_carries_the_decoders_own_message() -> None:
    report = extract_with_report('{"steps": [1, 2,]}', strict=True)
    assert report.value is None
    assert report.refusal is not None
    assert "line 1 column" in report.refusal.reason
    assert report.refusal.position in {15, 16}


@pytest.mark.parametrize(
    "reply",
    ['{"a": 1,}', "{'a': 1}", '{"a": 1 /* c */}', '{"a": [1}', '{\\"a\\": 1}', '"a": 1}'],
)
def test_PR_06_strict_mode_repairs_nothing(reply: str) -> None:
    assert extract_with_report(reply, strict=True).value is None


@pytest.mark.parametrize(
    "reply",
    [
        '{"a": 1}',
        'Plan:\n```json\n{"a": 1}\n```\nGo.',
        'So {"a": 1} it is',
        '"{\\"a\\": 1}"',
        '> {"a":\n> 1}',
        '<think>x</think>{"a": 1}',
    ],
)
def test_PR_04_strict_mode_unwraps_what_is_around(reply: str) -> None:
    assert extract_with_report(reply, strict=True).value == {"a": 1}


def test_PR_05_arithmetic_is_never_evaluated() -> None:
    reply = '{"amount": 100 * "{{step-1.response.price}}"}'
    for strict in (True, False):
        assert extract_with_report(reply, strict=strict).value is None


def test_a_small_example_never_stands_for_a_broken_answer() -> None:
    broken = '{"title": "Storm", "chapters": [{"n": 1, "t": "Rain"}, {"n": 2, "t": 100 * 3}]}'
    assert extract_with_report(f'Like {{"n": 1}}:\n{broken}').value is None
    assert extract_with_report(f'{broken}\nRemark: {{"n": 1}}').value is None


def test_B_48_a_broken_try_does_not_hide_the_answer() -> None:
    good = '{"title": "Storm", "logline": "Rain falls."}'
    for bad in ('{"title": 100 * 3}', '{"title": "Sto\n', '{"title": "Storm", "log\n'):
        assert extract_with_report(f"{bad}\n\nSorry, again:\n\n{good}").value is not None


def test_no_part_of_an_unread_whole_is_the_answer() -> None:
    for reply in (
        '{"a": 100 * 3, "b": {"title": "x"}}',
        '**"a"**: {"title": "x"}',
        '- "a": {"title": "x"}',
        '{"n": 1 + 1, "items": [{"title": "x"}]}',
    ):
        assert extract_with_report(reply).value is None
