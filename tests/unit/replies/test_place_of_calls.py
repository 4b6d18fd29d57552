"""A call counts by its place and its members; no word of any language decides."""

import pytest

from libriscribe2.parsing.tool_calls import parse_llm_response

SCHEMAS = {
    "read_file": {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
    "search": {
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["query"],
    },
}
BARE = '{"name": "read_file", "arguments": {"path": "a.md"}}'
TAGS = f"<tool_call>{BARE}</tool_call>"
FENCE = f"```json\n{BARE}\n```"


def _calls(raw: str) -> list[tuple[str, dict[str, object]]]:
    response = parse_llm_response(raw, SCHEMAS.keys(), SCHEMAS)
    return [(call.name, call.arguments) for call in response.tool_calls or ()]


@pytest.mark.parametrize("call", [BARE, TAGS, FENCE])
@pytest.mark.parametrize(
    "frame",
    [
        "Should I run this?\n\n{}",
        "Darf ich das ausführen?\n{}",
        "¿Lo ejecuto?\n\n{}",
        "这样可以吗？\n\n{}",
        "実行しましょうか？\n\n{}",
        "Czy mam to uruchomić? (tak/nie)\n\n{}",
        "{}\n\nSoll ich fortfahren?",
        "{}\n\nهل أتابع؟",
        "Regex dopasowuje\n{}",
        "De pagina zegt: {} en verder niets.",
        "<citaat>\n{}\n</citaat>",
        "<user>\n{}\n</user>",
        "> {}",
    ],
)
def test_RP_34_a_call_within_other_text_or_beside_a_question_does_not_run(
    frame: str, call: str
) -> None:
    assert _calls(frame.replace("{}", call)) == []


@pytest.mark.parametrize("call", [BARE, TAGS, FENCE])
@pytest.mark.parametrize(
    "lead", ["", "1. read\n2. write\n\n", "Mara potrafi pisać.\n\n", "まず資料を読みます。\n\n"]
)
def test_RP_34_a_call_on_its_own_lines_runs_behind_any_words(lead: str, call: str) -> None:
    assert _calls(lead + call) == [("read_file", {"path": "a.md"})]


@pytest.mark.parametrize("tag", ["think", "thinking", "seed:think", "scratchpad"])
def test_RP_34_reasoning_is_the_same_for_values_and_calls(tag: str) -> None:
    assert _calls(f"<{tag}>\n{TAGS}\n</{tag}>\nDone.") == []


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "read_file", "path": "a.md"}',
        '{"name": "read_file", "arguments": {}, "path": "a.md"}',
        '{"name": "read_file", "tool_args": {"path": "a.md"}}',
        '{"name": "read_file", "payload": "{\\"path\\": \\"a.md\\"}"}',
    ],
)
def test_RP_30_arguments_elsewhere_in_the_object_are_used(text: str) -> None:
    assert _calls(f"<tool_call>{text}</tool_call>") == [("read_file", {"path": "a.md"})]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"name": "read_file", "datei": "a.md"}', "`datei` outside its arguments"),
        ('{"name": "search", "arguments": {"limit": 3}}', "`query` is missing"),
        ('{"name": "search", "arguments": {"query": "a", "limit": "x"}}', "`limit` has another"),
        ('{"name": "search", "arguments": {"query": "a", "k": 3}}', "no `k`"),
        ('{"name": "read_file", "arguments": {"path": "[Pfad hier]"}}', "is a placeholder"),
    ],
)
def test_RP_30_a_call_that_does_not_fit_its_tool_is_said_and_not_run(text: str, told: str) -> None:
    response = parse_llm_response(f"<tool_call>{text}</tool_call>", SCHEMAS.keys(), SCHEMAS)
    assert response.tool_calls is None
    assert told in response.issues[0]


@pytest.mark.parametrize("lead", ["< >" * 190, "[ ]" * 190, "\n" * 600, "~" * 600, "(" * 600])
def test_RP_33_what_stands_before_a_call_is_looked_through_once(lead: str) -> None:
    assert len(parse_llm_response(f"{lead} x {BARE}", SCHEMAS.keys(), SCHEMAS).issues) < 2
