"""What the siblings of a damaged part show, and what words beside a value say against it."""

import json
from typing import Any

import pytest

from libriscribe2.replies import calls, read

TEXT = {"type": "string"}
COUNT = {"type": "integer"}


def shape(**properties: Any) -> dict[str, Any]:
    """An object that needs all of these properties."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def several(items: dict[str, Any]) -> dict[str, Any]:
    """A list of these items."""
    return {"type": "array", "items": items}


ROWS = shape(rows=several({"type": "array"}))
CREW = shape(crew=several(shape(name=TEXT, task=TEXT)))
PARTS = shape(parts=several(shape(number=COUNT, title=TEXT)))
POEM = shape(prompt=TEXT, reason=TEXT)
VERDICT = shape(verdict={"enum": ["pass", "fail", "revise"]}, score=COUNT)
TWO_ROWS = {"rows": [["kala", 1], ["lintu", 2], ["karhu", 3]]}
TWO_MEN = {"crew": [{"name": "Ósk", "task": "stýrir"}, {"name": "Jón", "task": "eldar"}]}
IN_PARTS = {"parts": [{"number": 1, "title": "Sel"}, {"number": 2, "title": "Net"}]}
SCROLL = {"prompt": "Eine Rolle", "reason": "Es ist ein Gedicht"}


@pytest.mark.parametrize(
    ("reply", "wanted", "value"),
    [
        ('{"rows": [["kala", 1], "lintu", 2], ["karhu", 3]]}', ROWS, TWO_ROWS),
        ('{"rows": [["kala", 1], ["lintu", 2, ["karhu", 3]]}', ROWS, TWO_ROWS),
        ('{"rows": [["kala", 1]], ["lintu", 2], ["karhu", 3]]}', ROWS, TWO_ROWS),
        (
            '{"crew": [{"name": "Ósk", "task": "stýrir"}, "name": "Jón", "task": "eldar"}]}',
            CREW,
            TWO_MEN,
        ),
        (
            '{"crew": ["name": "Ósk", "task": "stýrir"}, {"name": "Jón", "task": "eldar"}]}',
            CREW,
            TWO_MEN,
        ),
        (
            '{"crew": [{"name": "Ósk", "task": "stýrir}, {"name": "Jón", "task": "eldar}]}',
            CREW,
            TWO_MEN,
        ),
        (
            '{"crew": [{"name": "Ósk, "task": "stýrir"}, {"name": "Jón", "task": "eldar"}]}',
            CREW,
            TWO_MEN,
        ),
        (
            '{"parts": [{"number": 1, "title": "Sel"}],\n{"number": 2, "title": "Net"}]}',
            PARTS,
            IN_PARTS,
        ),
        (
            '[{"number": 1, "title": "Sel"}],\n{"number": 2, "title": "Net"}]',
            several(shape(number=COUNT, title=TEXT)),
            IN_PARTS["parts"],
        ),
        (
            '{"crew": {"name": "Ósk", "task": "stýrir"}, {"name": "Jón", "task": "eldar"}}',
            CREW,
            TWO_MEN,
        ),
        ('{"rows": [["a", 1], ["b", kala"]]}', ROWS, {"rows": [["a", 1], ["b", "kala"]]}),
    ],
)
def test_OV_30_siblings_show_where_a_mark_is_missing(
    reply: str, wanted: dict[str, Any], value: Any
) -> None:
    assert read(reply, wanted).value == value


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ('{"rows": [["kala", 1], "lintu"], ["karhu", 3]]}', ROWS),
        ('{"rows": ["kala", 1], ["lintu", 2]]}', ROWS),
        ('{"prompt": "nutzt {name}, "reason": "x"}', POEM),
        ('{"crew": ["name": "Ósk", "task": "stýrir"]}', CREW),
        ('{"crew": {"name": "Ósk", "task": "stýrir"}, {"verkur": "Jón", "task": "eldar"}}', CREW),
        ('{"parts": [{"number": 1, "title": "Sel"}]},\n{"number": 2, "title": "Net"}]}', PARTS),
    ],
)
def test_OV_31_where_they_show_nothing_the_value_is_refused(
    reply: str, wanted: dict[str, Any]
) -> None:
    assert read(reply, wanted).refusal is not None


FENCED = (
    '"```json\\n{\\"prompt\\": \\"Eine Rolle\\", \\"reason\\": \\"Es ist ein Gedicht\\"}\\n```"'
)


@pytest.mark.parametrize(
    "frame",
    [
        '{"output": %s}',
        '{"id": "gen-1", "choices": [{"index": 0, "message": {"role": "assistant", "content": %s}}]}',
        '{"candidates": [{"content": {"parts": [{"text": %s}], "role": "model"}}]}',
        '[{"type": "text", "text": %s}]',
    ],
)
def test_OV_32_an_answer_fenced_in_a_string_is_unwrapped(frame: str) -> None:
    assert read(frame % FENCED, POEM).value == SCROLL
    damaged = FENCED.replace("}\\n", ",}\\n")
    assert read(frame % damaged, POEM).value == SCROLL


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (r'{"text": "die Hälfte \( \frac{1}{2} \)"}', r"die Hälfte \( \frac{1}{2} \)"),
        (r'{"text": "$\frac{\text{a}}{2}$"}', r"$\frac{\text{a}}{2}$"),
        (r'{"text": "\bmeri\b"}', r"\bmeri\b"),
        (r'{"text": "\frac{a}{b} + \sqrt{c}"}', r"\frac{a}{b} + \sqrt{c}"),
    ],
)
def test_OV_30_a_form_feed_or_backspace_is_a_lost_backslash(reply: str, text: str) -> None:
    answer = read(reply, shape(text=TEXT))
    assert answer.value == {"text": text}
    assert "invalid_escape" in [one.name for one in answer.report.repairs]


def test_OV_31_a_tab_beside_one_dollar_is_a_tab() -> None:
    both = read(
        '{"a": "\\\\frac", "b": "5 $\\tepler", "c": "\\frac{1}{2}"}', shape(a=TEXT, b=TEXT, c=TEXT)
    )
    assert both.value == {"a": "\\frac", "b": "5 $\tepler", "c": "\\frac{1}{2}"}


NUMBERED = '{"parts": [{"number": 1, "title": "Sel"}, {"number": 2, "title": "Net"}, {"number": 2, "title": "Tau"}]}'
VALUE = '{"verdict": "pass", "score": 7}'


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        (VALUE.replace("7", "7 // vai 8?\n"), VERDICT),
        (VALUE.replace("7", "7 /* lieber 8？ */"), VERDICT),
        (NUMBERED, PARTS),
        (f"**Verdict: fail.** Alku on hidas.\n\n{VALUE}", VERDICT),
        (f"Score: 4\n\n{VALUE}", VERDICT),
        ('**ok: false**, kaksi puuttuu.\n\n{"ok": true}', shape(ok={"type": "boolean"})),
        (
            '结论：退回\n\n{"结论": "通过"}',
            shape(结论={"type": "string", "enum": ["通过", "退回"]}),
        ),
        (f"Osa 1 av 3\n\n{json.dumps(IN_PARTS)}", PARTS),
        ('{"prompt": "YOUR_PROMPT_HERE", "reason": "YOUR_REASON"}', POEM),
        (f"{VALUE}\n\nAlso fail.", VERDICT),
        (f"{VALUE}\n\nMe silti toivoisimme että se", VERDICT),
        (f"Tässä 2 . 10 :\nTässä ovat osat 2 von 10:\n{json.dumps(IN_PARTS)}", PARTS),
        (f"以下是10章中的前2章：\n{json.dumps(IN_PARTS)}", PARTS),
        ('{"prompt": "Kello löi. [loput kappaleet ennallaan]", "reason": "kello"}', POEM),
    ],
)
def test_OV_29_what_stands_beside_a_value_is_held_against_it(
    reply: str, wanted: dict[str, Any]
) -> None:
    assert read(reply, wanted).refusal is not None


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        (VALUE.replace("7", "7 // hyvä\n"), VERDICT),
        (NUMBERED.replace("number", "issue").replace("title", "fix"), {"type": "object"}),
        (f"Verdict: pass\nScore: 7\n\n{VALUE}", VERDICT),
        (f"Ob pass, fail oder revise:\n\n{VALUE}", VERDICT),
        (f"Osat 2 ja loput, 500 sanaa:\n{json.dumps(IN_PARTS)}", PARTS),
        (f"{VALUE}\n\nToivottavasti tämä auttaa!", VERDICT),
    ],
)
def test_OV_29_what_agrees_with_it_is_not(reply: str, wanted: dict[str, Any]) -> None:
    assert read(reply, wanted).refusal is None


TOOLS: dict[str, dict[str, Any]] = {
    "haku": {"properties": {"sana": TEXT, "n": COUNT}, "required": ["sana"]},
    "kello": {"properties": {}},
    "lue": {"properties": {"polku": TEXT}, "required": ["polku"]},
}


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        (
            "<tool_call>kello</tool_call>\n<tool_call>lue\n<arg_key>polku</arg_key>\n<arg_value>a.md</arg_value>",
            [("kello", {}), ("lue", {"polku": "a.md"})],
        ),
        (
            "<tool_call>lue\n<arg_key>polku</arg_key>\n<arg_value>a</arg_value>\n<tool_call>kello</tool_call>",
            [("lue", {"polku": "a"}), ("kello", {})],
        ),
        *(
            (
                f"<function=haku>\n<parameter=sana>\nmeri\n{end}\n</function>",
                [("haku", {"sana": "meri"})],
            )
            for end in (
                "</parameter1>",
                "</parameter/>",
                "</ parameter>",
                "</parameters>",
                "</parameter=sana>",
                "</parameter>\n</parameter>",
            )
        ),
        ("<function=lue>\n<parameter=polku>\na.md\n</parameter>\n", [("lue", {"polku": "a.md"})]),
        (
            'functions.haku:0{"sana": "a"}functions.kello:1{}',
            [("haku", {"sana": "a"}), ("kello", {})],
        ),
        (
            '{"name": "multi_tool_use.parallel", "arguments": {"tool_uses": [{"recipient_name": '
            '"functions.haku", "parameters": {"sana": "a"}}, {"recipient_name": "kello", "parameters": {}}]}}',
            [("haku", {"sana": "a"}), ("kello", {})],
        ),
        (
            "<|channel|>commentary to=multi_tool_use.parallel <|constrain|>json<|message|>"
            '{"tool_uses": [{"recipient_name": "functions.lue", "parameters": {"polku": "a"}}]}<|call|>',
            [("lue", {"polku": "a"})],
        ),
        (
            'Haen luvut.\n\n```xml\n<tool_call>\n{"name": "lue", "arguments": {"polku": "a"}}\n</tool_call>\n```',
            [("lue", {"polku": "a"})],
        ),
        ('```tool_code\n# kello()  # ei vielä\nlue(polku="a")\n```', [("lue", {"polku": "a"})]),
        (
            "Luen sen.\n\n```tool\nTOOL_NAME: haku\nBEGIN_ARG: sana\nmeri\nja maa\nEND_ARG\nBEGIN_ARG: n\n3\nEND_ARG\n```",
            [("haku", {"sana": "meri\nja maa", "n": 3})],
        ),
        ('<toolcall><lue>{"polku": "a"}</lue></toolcall>', [("lue", {"polku": "a"})]),
        (
            "<|tool_call:begin|>k1<|tool_call:name|>lue<|tool_call:args|>"
            '{"polku": "a"}<|tool_call:end|>',
            [("lue", {"polku": "a"})],
        ),
        ('<tool name="haku" sana="meri" n="3"/>', [("haku", {"sana": "meri", "n": 3})]),
        (
            "<__function=lue>\n<__parameter=polku>a</__parameter>\n</__function>",
            [("lue", {"polku": "a"})],
        ),
        ("<tool_call><lue><polku>a</polku></lue></tool_call>", [("lue", {"polku": "a"})]),
        (
            '<|tool_call_start|>[lue(polku="a")]<|tool_call_end|>Luen nyt tiedoston rivit läpi.',
            [("lue", {"polku": "a"})],
        ),
    ],
)
def test_RP_31_calls_in_worn_notations_run(
    reply: str, wanted: list[tuple[str, dict[str, Any]]]
) -> None:
    found = calls(reply, TOOLS).tool_calls or []
    assert [(one.name, one.arguments) for one in found] == wanted


@pytest.mark.parametrize(
    "reply",
    [
        "<tool_call>haku\n<arg_key>sana</arg_key>\n<arg_value>a</arg_value>",
        "<function=haku>\n<parameter=sana>\nmeri\n</parameter>\n",
        'Muoto on tämä:\n\n```xml\n<tool_call>\n{"name": "kello", "arguments": {}}\n</tool_call>\n```',
        '```tool_code\n# lue(polku="a")\n```',
        "```tool\nTOOL_NAME: haku\nBEGIN_ARG: sana\nmeri",
        '<tool_call>\n{"name": "kello", "arguments": {}}\n</tool_call>\n\nEi, odota, en tee sitä.',
        '`functions.haku:0{"sana": "a"}`',
        '```python\n"""<tool_call>{"name": "kello", "arguments": {}}</tool_call>"""\n```',
        '{"name": "lue", "arguments": {"polku": "a"',
    ],
)
def test_RP_34_what_is_cut_off_shown_or_withdrawn_does_not(reply: str) -> None:
    assert not calls(reply, TOOLS).tool_calls


CHAPTER = shape(chapter_no=COUNT, title=TEXT, text=TEXT)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Der Turm", "Niemand kam herauf. (der ganze Rest bleibt wie zuvor)"),
        ("Věž", "Nikdo nepřišel. (zbytek kapitoly zůstává beze změny)"),
        ("桥", "他走到桥头。（未完待续，此处省略两千字）"),
        ("Chapter title", "Nobody came up."),
    ],
)
def test_OV_30_last_words_in_brackets_and_names_of_fields_are_no_content(
    title: str, text: str
) -> None:
    value = {"chapter_no": 1, "title": title, "text": text}
    assert read(json.dumps(value, ensure_ascii=False), CHAPTER).value is None


@pytest.mark.parametrize(
    "text",
    [
        "Nikdo nepřišel. (Zbytek dne zůstal beze změny.)",
        "He bowed. (exit left)",
        "Das Kapitel heißt Text, sonst nichts.",
    ],
)
def test_OV_30_a_sentence_in_brackets_and_two_words_are_content(text: str) -> None:
    value = {"chapter_no": 1, "title": "A title of its own", "text": text}
    assert read(json.dumps(value, ensure_ascii=False), CHAPTER).value == value


def test_OV_30_escaped_underscores_in_keys_are_markdown() -> None:
    reply = r'{"chapter\_no": 1, "title": "Věž", "text": "Nikdo."}'
    assert read(reply, CHAPTER).value == {"chapter_no": 1, "title": "Věž", "text": "Nikdo."}
