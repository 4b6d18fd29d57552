"""A call counts by its place and its members; no word of any language decides."""

import json
from typing import Any

import pytest

from libriscribe2.parsing.tool_calls import parse_llm_response
from libriscribe2.replies import calls
from libriscribe2.replies.cleanup import extract_with_report

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
        "// {}",
        "# {}",
        "~~{}~~",
        "Megengeded? Ez lenne a hívás:\n\n{}\n\nVárom a válaszodat.",
    ],
)
def test_RP_34_a_call_within_other_text_or_beside_a_question_does_not_run(
    frame: str, call: str
) -> None:
    assert _calls(frame.replace("{}", call)) == []


def test_RP_34_a_result_that_the_model_made_up_ends_the_reply() -> None:
    turns = "<|start_header_id|>{}<|end_header_id|>\n\n{}"
    result = turns.format("ipython", '{"output": "Tåke, 9 grader"}<|eot_id|>')
    answer = turns.format("assistant", "Det blir tåke, mener meteorologen i dag.")
    reply = f"<|python_tag|>{BARE}<|eom_id|>{result}{answer}"
    assert _calls(reply) == [("read_file", {"path": "a.md"})]


@pytest.mark.parametrize("call", [BARE, TAGS, FENCE])
@pytest.mark.parametrize(
    "lead", ["", "1. read\n2. write\n\n", "Mara potrafi pisać.\n\n", "まず資料を読みます。\n\n"]
)
def test_RP_34_a_call_on_its_own_lines_runs_behind_any_words(lead: str, call: str) -> None:
    assert _calls(lead + call) == [("read_file", {"path": "a.md"})]


@pytest.mark.parametrize(
    "reply",
    [
        f'{{"dry_run": true, "would_call": {BARE}, "message": "Bekreft"}}',
        f"Hvilken fil?<|im_end|>\n<|im_start|>user\na.md<|im_end|>\n<|im_start|>assistant\n{TAGS}",
        f"Hvilken fil?<end_of_turn>\n<start_of_turn>user\na.md<end_of_turn>\n{TAGS}",
        f"Hvilken fil?<|end|><|user|>a.md<|end|><|assistant|>{TAGS}",
        f"Rapporten er lagret.\n\nUser: les a.md\nAssistant: Ja.\n{TAGS}",
        f"<|im_start|>user\nLes.<|im_end|>\n<|im_start|>assistant\n{TAGS}<|im_end|>\n"
        "<|im_start|>user\ntakk<|im_end|>\n<|im_start|>assistant\nFerdig.<|im_end|>",
        'Final Answer: 42\n\nQuestion: mer?\nAction: read_file\nAction Input: {"path": "a.md"}',
        'Action: read_file\nAction Input: {"path": "a.md"}\nObservation: Sol.\nFinal Answer: Sol.',
        '{"name": "read_file", "arguments": {"path": "a.md"}, "ts": "08:00", "exit": 0}',
        '{"tool_calls": [{"name": "read_file", "arguments": {"path": "a.md"}, "result_count": 2}]}',
        f"@@ -1 +1 @@\n-{TAGS}\n+{TAGS}",
        f"{TAGS}\n\nJeg venter på «ja».",
        f"Når du sier «ja», kjører jeg dette:\n\n{TAGS}\n\nFør det skjer ingenting.",
        f"Kryss av:\n\n- [ ] {TAGS}\n- [x] {TAGS}",
        '<|channel|>commentary to=functions.read_file<|message|>{"path": "a.md"}<|call|>'
        "<|channel|>final<|message|>Vent, mente du b.md?<|return|>",
        f"{TAGS}\n\n可以吗?您确认后我才运行。",
        f"Trinn 1\n{TAGS}\n\nTrinn 2, for eksempel omtrent som\n{TAGS}\n\nIngenting av dette kjøres før i morgen.",
        f'Eksempel:\n\n{FENCE}\n\nSvar:\n\n```json\n{{"ok": true}}\n```\n\nDette er ikke kjørt, det viser bare formatet.',
        f"<navn_paa_verktoey>\n<felt>verdi</felt>\n...\n</navn_paa_verktoey>\n\nFor eksempel:\n\n{TAGS}",
        '{"name": "search", "arguments": {"query": "SELECT ... FROM ... WHERE ..."}}',
    ],
)
def test_RP_34_what_a_report_or_an_invented_turn_holds_does_not_run(reply: str) -> None:
    assert _calls(reply) == []


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>\nUser: les a.md\n</think>\n{TAGS}",
        f"Loggen:\n```\nUser: hei\n```\n\n{TAGS}",
        '<think>\nFinal Answer: nei\n</think>\nAction: read_file\nAction Input: {"path": "a.md"}',
        "['read_file(path=\"a.md\")']",
        '[{"read_file": {"path": "a.md"}}]',
        '```[read_file(path="a.md")]```',
        '[read\\_file(pa\\_th="a.md")]'.replace("pa\\_th", "path"),
    ],
)
def test_RP_34_what_only_looks_like_another_turn_or_is_spelt_oddly_runs(reply: str) -> None:
    assert _calls(reply) == [("read_file", {"path": "a.md"})]


def test_RP_34_a_dialogue_may_be_an_argument() -> None:
    call = "<function=search>\n<parameter=query>\nAlice\nUser: hei\n</parameter>\n</function>"
    assert _calls(call) == [("search", {"query": "Alice\nUser: hei"})]


def test_RP_33_a_long_name_or_an_odd_bound_breaks_nothing() -> None:
    assert _calls("[" + "a." * 400 + 'search(query="x")]') == []
    odd = {"search": {"properties": {"n": {"type": "integer", "minimum": None}}, "required": None}}
    found = calls('{"name": "search", "arguments": {"n": 3}}', odd).tool_calls or []
    assert [one.arguments for one in found] == [{"n": 3}]


def test_RP_30_an_element_of_the_parameters_name_stays_in_it() -> None:
    page = "<function=search><parameter=query><query>x</query></parameter></function>"
    assert _calls(page) == [("search", {"query": "<query>x</query>"})]


def test_RP_34_a_prompt_that_a_server_repeats_is_no_reply() -> None:
    prompt = "<|im_start|>system\nSei knapp.<|im_end|>\n<|im_start|>user\nLies a.md<|im_end|>\n"
    assert _calls(f"{prompt}<|im_start|>assistant\n{TAGS}") == [("read_file", {"path": "a.md"})]


def test_RP_34_a_struck_section_of_calls_does_not_run() -> None:
    call = "<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{}<|tool_call_end|>"
    section = f"<|tool_calls_section_begin|>{call}<|tool_calls_section_end|>"
    section = section.replace("{}", '{"path": "a.md"}')
    assert _calls(section) == [("read_file", {"path": "a.md"})]
    assert _calls(f"~~{section}~~") == []


def test_RP_30_a_member_that_holds_all_arguments_is_unwrapped() -> None:
    assert _calls('read_file(parameters={"path": "a.md"})') == [("read_file", {"path": "a.md"})]


@pytest.mark.parametrize(
    "call",
    [
        "<tool_call>read_file<arg_key>path</arg_key>a.md</arg_value></tool_call>",
        "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.md</arg_value>\n</tool_cal",
    ],
)
def test_RP_30_a_tag_that_is_missing_or_torn_loses_no_whole_argument(call: str) -> None:
    assert _calls(call) == [("read_file", {"path": "a.md"})]


def test_RP_30_a_parameter_closed_by_its_own_name_loses_that_tag() -> None:
    call = '<invoke name="search">\n<parameter name="query">sjø</query>\n<parameter name="limit">3'
    assert _calls(f"{call}</parameter>\n</invoke>") == [("search", {"query": "sjø", "limit": 3})]


@pytest.mark.parametrize("tag", ["think", "thinking", "seed:think", "scratchpad"])
def test_RP_34_reasoning_is_the_same_for_values_and_calls(tag: str) -> None:
    assert _calls(f"<{tag}>\n{TAGS}\n</{tag}>\nDone.") == []


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "read_file", "path": "a.md"}',
        '{"name": "read_file", "arguments": {}, "path": "a.md"}',
    ],
)
def test_RP_30_arguments_elsewhere_in_the_object_are_used(text: str) -> None:
    assert _calls(f"<tool_call>{text}</tool_call>") == [("read_file", {"path": "a.md"})]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"name": "read_file", "datei": "a.md"}', "`datei` outside its arguments"),
        ('{"name": "read_file", "tool_args": {"path": "a.md"}}', "`tool_args` outside"),
        ('{"name": "read_file", "payload": "{\\"path\\": \\"a.md\\"}"}', "`payload` outside"),
        (
            '{"name": "read_file", "arguments": {"path": "Lumi. [... loput ennallaan ...]"}}',
            "is a placeholder",
        ),
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


SEARCH = {
    "etsi": {
        "type": "object",
        "properties": {"sana": {"type": "string"}, "k": {"type": "integer", "minimum": 1}},
        "required": ["sana"],
    }
}
FIND = '{"name": "etsi", "arguments": {"sana": "kalat"}}'
TAGGED = f"<tool_call>\n{FIND}\n</tool_call>"


@pytest.mark.parametrize(
    "reply",
    [
        f"Haluatko, että haen tämän? Odotan lupaa.\n{FIND}",
        f"Θέλετε να το ψάξω; Περιμένω.\n{TAGGED}",
        f"Je, nitafute hili? Nasubiri idhini yako.\n```json\n{FIND}\n```",
        f"Kaksi tapaa, kumpi sopii?\n1. {FIND}\n2. {FIND.replace('kalat', 'linnut')}",
        f"Näin kutsu kirjoitetaan (malli, ei ajeta):\n{TAGGED}",
        f"Tehdyt haut:\n1. {FIND} → 4 osumaa\n2. {FIND} → ok",
        f"Kirjoitit: {json.dumps(FIND)}. Vastaus on kolme.",
        FIND.replace("kalat", "HAKU_SANA"),
        FIND.replace('"kalat"', '"kalat", "k": -2'),
        f"1:\n```json\n{FIND}\n```\n2:\n```json\n{FIND.replace('kalat', 'linnut')}\n```\nKumpi?",
        f"1:\n```json\n{FIND}\n```\n2:\n```json\n{FIND.replace('kalat', 'linnut')}\n```\nValitse.",
        f"{TAGGED}\n\nEi, peru tämä haku, en sitä enää tarvitse.",
        f"Valmista.<|im_end|>\n<|im_start|>user\n{TAGGED}<|im_end|>",
        '```python\nimport os\nos.remove("kalat")\n```',
        '```python\nmuu(sana="kalat")\n```',
    ],
)
def test_a_call_that_is_asked_about_shown_or_unfit_does_not_run(reply: str) -> None:
    assert not calls(reply, SEARCH).tool_calls


@pytest.mark.parametrize(
    "reply",
    [
        f"Mitä seuraavaksi? Haen sillä välin:\n\n{TAGGED}",
        f"<think>Haenko kalat?</think>\n{FIND}",
        '```python\netsi(sana="kalat")\n```',
        f"<tool_call>{FIND.replace(chr(34), '&quot;')}</tool_call>",
        f'{{"thought": "Ensin kalat.", "tool": {FIND}}}',
        'commentary to=functions.etsi <|constrain|>json<|message|>{"sana": "kalat"}',
        'analysisHaen sen.assistantcommentary to=functions.etsi json{"sana": "kalat"}',
        '<|from|>assistant\n<|recipient|>etsi\n<|content|>{"sana": "kalat"}<|stop|>',
        '>>>all\nHaen sen.\n>>>etsi\n{"sana": "kalat"}',
        '<|assistant|>etsi\n{"sana": "kalat"}<|observation|>',
        '<|tool calls begin|><|tool call begin|>function<|tool sep|>etsi\n```json\n{"sana": "kalat"}\n'
        "```<|tool call end|><|tool calls end|>",
    ],
)
def test_a_call_in_an_odd_place_that_is_its_own_runs(reply: str) -> None:
    found = calls(reply, SEARCH).tool_calls or []
    assert [(one.name, one.arguments) for one in found] == [("etsi", {"sana": "kalat"})]


def test_a_message_stands_once_in_the_text_whatever_becomes_of_the_call_behind_it() -> None:
    said = "<|channel|>final<|message|>Lue pois.<|end|>"
    taken_back = calls(f"{said}\n{TAGGED}\nHaenko sen?", SEARCH)
    assert not taken_back.tool_calls
    assert (taken_back.content or "").count("Lue pois.") == 1
    alone = calls(f"{said} ja niin edelleen.", SEARCH)
    assert (alone.content, alone.issues) == ("Lue pois.\n\nja niin edelleen.", ())


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<|begin_of_thought|>", "<|end_of_thought|>"),
        ("<|inner_prefix|>", "<|inner_suffix|>"),
        ("<|channel>thought", "<channel|>"),
        ("◁think▷", "◁/think▷"),
        ("<seed:think>", "</seed:think>"),
    ],
)
def test_a_draft_in_reasoning_neither_runs_nor_counts_as_the_value(
    opening: str, closing: str
) -> None:
    draft = FIND.replace("kalat", "linnut")
    text = f"{opening}\n{draft}\n{closing}\n{FIND}"
    found = calls(text, SEARCH).tool_calls or []
    assert [one.arguments for one in found] == [{"sana": "kalat"}]
    assert extract_with_report(text).value == json.loads(FIND)


@pytest.mark.parametrize(
    "reply",
    [
        '<tool_call>etsi {"sana": "kalat"}</tool_call>',
        "<tool_call>etsi\n<arg_key>sana</arg_key></arg_key>\n<arg_value>kalat</arg_value>\n"
        "</tool_call>",
        '<‖DSML‖invoke name="etsi"><‖DSML‖parameter name="sana">kalat</‖DSML‖parameter>'
        "</‖DSML‖invoke>",
        '<||DSML||invoke name="etsi"><||DSML||parameter name="sana">kalat</||DSML||parameter>'
        "</||DSML||invoke>",
        "<start_function_call>call:etsi(sana:<escape>kalat<escape>)<end_function_call>",
        '<|tool_call>call:etsi(sana=<|"|>kalat<|"|>)<tool_call|>',
    ],
)
def test_odd_spellings_of_the_notations_are_read(reply: str) -> None:
    found = calls(reply, SEARCH).tool_calls or []
    assert [(one.name, one.arguments) for one in found] == [("etsi", {"sana": "kalat"})]


def test_an_action_without_parameters_needs_no_input() -> None:
    found = calls("Ajatus: katson.\nAction: lista\nAction Input: None", {"lista": {}}).tool_calls
    assert [(one.name, one.arguments) for one in found or []] == [("lista", {})]


QUERY: dict[str, Any] = {
    "search": SCHEMAS["search"],
    "write": {"properties": {"text": {"type": "string"}}},
    "tune": {"properties": {"params": {"type": "object"}}, "required": ["params"]},
}
GLM = "<tool_call>search<arg_key>query</arg_key><arg_value>fog</arg_value>"


@pytest.mark.parametrize(
    "reply",
    [
        '[TOOL_CALLS]search{"query": "fog"}\n\nDo not run it, please wait.',
        'Action: search\nAction Input: {"query": "fog"}\n\nI did not run this, as you had asked.',
        'He said "find the fog".\n\n[TOOL_CALLS]search{"query": "fog"}\n\nOne moment.',
        "```python\nexample = \"search(query='fog')\"\n```",
        '```tool_code\nwrite(text=f"""\n<tool_call>{"name": "search", "arguments": {"query": "fog"}}'
        '</tool_call>\n""")\n```',
        f"{GLM}<|im_end|><arg_key>limit</arg_key><arg_value>5</arg_value></tool_call>",
        f"{GLM}<|im_end|>",
        """<tool_call>{"name": "tune", "arguments": {"params": "{'a': 50 /* TODO */}"}}</tool_call>""",
        '<tool_call>{"name": "tune", "arguments": {"params": "{\\"path\\": \\"a, \\"old\\": b\\"}"}}'
        "</tool_call>",
    ],
)
def test_RP_34_what_is_put_off_shown_torn_or_guessed_does_not_run(reply: str) -> None:
    assert calls(reply, QUERY).tool_calls is None


@pytest.mark.parametrize(
    "reply",
    [
        '<tool_calls>{"tool_calls": [{"name": "search", "arguments": {"query": "fog"}}]}</tool_calls>',
        '</think>\nsearch\n{"query": "fog"}\n</tool_call>',
        '{\\"name\\": \\"search\\", \\"arguments\\": {\\"query\\": \\"fog\\"}}',
        '<document>\nThe sea.\n\n<tool_call>{"name": "search", "arguments": {"query": "fog"}}</tool_call>',
        '[TOOL_CALLS]search{"query": "fog"}\n\nlooking it up',
    ],
)
def test_RP_34_a_call_with_half_of_its_marks_runs(reply: str) -> None:
    (call,) = calls(reply, QUERY).tool_calls or []
    assert (call.name, call.arguments) == ("search", {"query": "fog"})


def test_RP_34_elements_of_any_depth_raise_nothing() -> None:
    mark, value = "]<]minimax[>[", "x"
    for number in range(500):
        value = f"{mark}<a{number}>{value}{mark}</a{number}>"
    call = f'{mark}<invoke name="tune">{mark}<params>{value}{mark}</params>{mark}</invoke>'
    assert calls(f"{mark}<tool_call>{call}{mark}</tool_call>", QUERY).tool_calls is None
