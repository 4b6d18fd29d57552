"""Values that say all that is wanted in another shape; texts that stand for content."""

import json
from typing import Any

import pytest

from libriscribe2.replies import read


def schema(required: list[str], **properties: Any) -> dict[str, Any]:
    """An object of these properties."""
    return {"type": "object", "properties": properties, "required": required}


TEXT = {"type": "string"}
COUNT = {"type": "integer"}
TEXTS = {"type": "array", "items": TEXT}
CHAPTER = schema(["number", "title"], number=COUNT, title=TEXT)
CHAPTERS = schema(["chapters"], chapters={"type": "array", "items": CHAPTER})
PEOPLE = schema(
    ["people"], people={"type": "array", "items": schema(["name"], name=TEXT, age=COUNT)}
)
SHEET = schema(
    ["words"], words=COUNT, score={"type": "integer", "maximum": 10}, note=TEXT, tags=TEXTS
)
CONCEPT = schema(["title", "premise"], title=TEXT, premise=TEXT, genre=TEXT, tags=TEXTS)
TWO = {"chapters": [{"number": 1, "title": "Sel"}, {"number": 2, "title": "Gel"}]}


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("72,000 words", 72_000),
        ("72.000 ord", 72_000),
        ("1 200 000 sanaa", 1_200_000),
        ("９０", 90),
        ("**90**", 90),
        ("3万字", 30_000),
        ("90", 90),
        ("300,000원", 300_000),
        ("3조", 3 * 10**12),
        ("90 mila", None),
        ("2 million", None),
        ("60-70", None),
        ("60 or 70", None),
        ("a few", None),
        ("72.5", None),
        ("7/10", None),
    ],
)
def test_OV_54_an_amount_is_read_where_it_is_one_number(said: str, value: int | None) -> None:
    answer = read(json.dumps({"words": said}), SHEET)
    assert (answer.value["words"] if answer.value else None) == value


def test_OV_54_a_share_of_the_most_is_a_number() -> None:
    assert read('{"words": 1, "score": "7/10"}', SHEET).value == {"words": 1, "score": 7}
    assert not read('{"words": 1, "score": "7/20"}', SHEET).ok


@pytest.mark.parametrize(
    "reply",
    [
        '[{"number": 1, "title": "Sel"}, {"number": 2, "title": "Gel"}]',
        '{"number": 1, "title": "Sel"}\n{"number": 2, "title": "Gel"}',
        'Luku 1: {"title": "Sel"}\nLuku 2: {"title": "Gel"}',
        '### Chương 1\n```json\n{"title": "Sel"}\n```\n### Chương 2\n```json\n{"title": "Gel"}\n```',
        '{"chapters": {"kap. 1": {"title": "Sel"}, "kap. 2": {"title": "Gel"}}}',
        '{"chapter_1": {"title": "Sel"}, "chapter_2": {"title": "Gel"}}',
        '{"chapters": [{"number": "Rozdział 1", "title": "Sel"}, {"number": "Rozdział 2", "title": "Gel"}]}',
        '{"chapters": [{"number": "제1장", "title": "Sel"}, {"number": "제2장", "title": "Gel"}]}',
    ],
)
def test_OV_54_items_that_are_counted_elsewhere_are_the_list(reply: str) -> None:
    assert read(reply, CHAPTERS).value == TWO


@pytest.mark.parametrize(
    "reply",
    [
        'Luku 1: {"title": "Sel"}\nLuku 3: {"title": "Gel"}',
        '{"number": 1, "title": "Sel"}\n{"number": 1, "title": "Gel"}',
        '{"chapters": {"kap. 1": {"number": 2, "title": "Sel"}, "kap. 2": {"number": 1, "title": "A"}}}',
        '{"number": 1, "title": "Sel"}\n{"number": 2, "title": "Ge',
        '{"title": "Sel", "Title": "Gel", "premise": "Snow."}',
    ],
)
def test_OV_29_parts_that_contradict_each_other_are_no_value(reply: str) -> None:
    wanted = CONCEPT if "premise" in reply else CHAPTERS
    assert not read(reply, wanted).ok


@pytest.mark.parametrize("title", ["Kapitler 2–9", "第2章〜第9章", "2-9"])
def test_OV_29_an_item_that_stands_for_several_leaves_them_out(title: str) -> None:
    first = {"number": 1, "title": "Sel"}
    reply = json.dumps({"chapters": [first, {"number": 2, "title": title}]})
    assert not read(reply, CHAPTERS).ok
    other = json.dumps({"chapters": [first, {"number": 2, "title": "1914–1918"}]})
    assert read(other, CHAPTERS).ok


def test_what_is_said_between_a_value_and_its_repetition_changes_nothing() -> None:
    reply = json.dumps({"title": "Tide", "premise": "Snow falls on the quay."})
    between = "En gang til, denne gangen uten noe rundt seg, så det er lettere å kopiere:"
    assert read(f"{reply}\n\n{between}\n{reply}", CONCEPT).ok
    assert not read(f"{reply}\n\n{between}", CONCEPT).ok


@pytest.mark.parametrize(
    ("reply", "ok"),
    [
        ('"title": "Tide",\n"premise": "Snow falls on the quay."', True),
        ('"title": "Tide",\n"tags": ["sne"]', False),
        ('Bölüm 1/3:\n{"title": "Tide", "premise": "Snow."}', False),
        ('Bölüm 3/3:\n{"title": "Tide", "premise": "Snow."}', True),
        ('{"title": "Tide", "premise": "Snow."}\n[{"op": "remove", "path": "/title"}]', False),
        (
            '{"title": "Tide", "premise": "Snow.", "tags": "Yelken rüzgârla dolar ve kopar gider."}',
            True,
        ),
    ],
)
def test_OV_29_parts_and_patches_are_no_whole_value(reply: str, *, ok: bool) -> None:
    assert read(reply, CONCEPT).ok is ok


def test_OV_54_a_key_that_names_its_item_goes_into_it() -> None:
    reply = '{"people": {"Signe Holt": {"age": 40}, "Per": {"age": null}}}'
    assert read(reply, PEOPLE).value == {
        "people": [{"name": "Signe Holt", "age": 40}, {"name": "Per"}]
    }


def test_OV_54_members_that_count_are_items_of_their_list() -> None:
    reply = '{"title": "T", "premise": "P", "tag1": "sjø", "tag_2": "salt"}'
    assert not read(reply.replace("tag_2", "tag_3"), CONCEPT).ok
    reply = reply.replace("tag_2", "tag2")
    assert read(reply, CONCEPT).value == {"title": "T", "premise": "P", "tags": ["sjø", "salt"]}


def test_OV_54_objects_with_one_text_are_texts() -> None:
    reply = '{"title": "T", "premise": "P", "tags": [{"tag": "sjø"}, {"tag": "salt"}]}'
    whole = {"title": "T", "premise": "P", "tags": ["sjø", "salt"]}
    assert read(reply, CONCEPT).value == whole


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "<navnet på boken>"},
        {"title": "[kitabın adı]"},
        {"premise": "【ここに物語】"},
        {"premise": "{premise}"},
        {"title": "(jméno)", "premise": "(dvě věty)"},
        {"title": "–", "premise": "–"},
        {"title": "n.a.", "premise": "n.a."},
        {"tags": ["slovo 1", "slovo 2", "slovo 3"]},
        {"tags": ["θάλασσα", "… (και άλλα)"]},
        {"premise": "Sne.\n\n(resten er uændret)"},
        {"premise": "Śnieg. [... dalej bez zmian ...] Koniec."},
        {"premise": "lorem ipsum dolor sit amet"},
    ],
)
def test_OV_29_a_text_that_stands_for_content_is_a_placeholder(fields: dict[str, Any]) -> None:
    reply = json.dumps({"title": "Tide", "premise": "Snow falls on the quay.", **fields})
    answer = read(reply, CONCEPT)
    assert answer.refusal is not None
    assert answer.refusal.kind == "placeholder"


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "Tide (1)"},
        {"premise": "He wrote [sic] on it, then (twice) tore it up."},
        {"premise": "She read <b>aloud</b>."},
        {"premise": "a < b and b > c"},
        {"tags": ["1984", "2001"]},
        {"tags": ["room 1", "room 3"]},
        {"title": "Oslo", "genre": "Oslo noir"},
        {"title": "garage", "premise": "garage"},
        {"premise": "He said “[...] and no more”."},
        {"premise": "(Whispering.) Come closer."},
    ],
)
def test_OV_29_what_only_looks_like_a_placeholder_is_content(fields: dict[str, Any]) -> None:
    whole = {"title": "Tide", "premise": "Snow falls on the quay.", **fields}
    assert read(json.dumps(whole), CONCEPT).value == whole


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"words": 05}', {"words": 5}),
        ('{"words": 72,000, "note": "å"}', {"words": 72_000, "note": "å"}),
        ('{"words": 72 000}', {"words": 72_000}),
        ('{"words": ９}', {"words": 9}),
        (r'{"words": 1, "note": "A\_b \[c\] \$5 \& d"}', {"words": 1, "note": "A_b [c] $5 & d"}),
        (r'{"words": 1, "note": "a\.b \d"}', {"words": 1, "note": r"a\.b \d"}),
        ("{« words » : 1, « note » : « Le sel »}", {"words": 1, "note": "Le sel"}),
        ('{"words": 1, "tags": ["sjø", Salt og is]}', {"words": 1, "tags": ["sjø", "Salt og is"]}),
        ('{"words": 1, "tags": ["sjø", og så videre]}', None),
        ('{"words": 1, "tags": ["sjø", ještě tři další]}', None),
        ('{"words": 1, "tags": ["海", 以下同様に続く]}', None),
    ],
)
def test_OV_31_numbers_marks_and_bare_texts(reply: str, value: object) -> None:
    assert read(reply, SHEET).value == value


@pytest.mark.parametrize(
    ("remark", "weighs"),
    [
        ("Rettelse: Signe er 43.", True),
        ("Signe burde være yngre.", True),
        ("title: Flod", True),
        ("1. Ingen flere merknader.", False),
        ("Hyvää lukemista!", False),
    ],
)
def test_OV_29_a_remark_that_speaks_of_the_value_is_asked_about(
    remark: str, *, weighs: bool
) -> None:
    reply = '{"title": "Signe Holt", "premise": "Snow falls on the quay."}'
    assert read(f"{reply}\n\n{remark}", CONCEPT).ok is not weighs


@pytest.mark.parametrize(
    "reply",
    [
        '{"title": "A", "premise": "Snow.", "title": "B"}',
        '{"title": "A", "premise": "Snow.", "Title": "B"}',
        '{"title": "<tittel>", "premise": "Snow."}',
        '{"title": "XX", "premise": "XX"}',
        '{"title": "**Tide**", "premise": "Snow *falls*."}',
        '{"title": "A", "premise": "Snow.", "genre": null, "tags": null}',
        '{"title": "A", "premise": "Snow.", "tags": ["tag 1", "tag 2"]}',
    ],
)
def test_the_quick_way_of_a_clean_reply_is_as_strict_as_the_slow_one(reply: str) -> None:
    quick, slow = read(reply, CONCEPT), read(f"Værsågod:\n\n{reply}", CONCEPT)
    assert (quick.ok, quick.value) == (slow.ok, slow.value)
    kinds = [one.refusal.kind if one.refusal else "" for one in (quick, slow)]
    assert kinds[0] == kinds[1]


@pytest.mark.parametrize(
    ("titles", "summaries", "ok"),
    [
        (("Part 1", "Part 2"), ("Day 1", "Day 2"), True),
        (("Title 1", "Title 2"), ("Summary 1", "Summary 2"), False),
        (("Chapter 1", "Chapter 2"), ("The sea is cold.", "He leaves."), True),
    ],
)
def test_OV_29_texts_that_only_count_are_no_content(
    titles: tuple[str, str], summaries: tuple[str, str], ok: bool
) -> None:
    pairs = enumerate(zip(titles, summaries, strict=True), 1)
    items = [{"number": at, "title": one, "summary": other} for at, (one, other) in pairs]
    assert read(json.dumps({"chapters": items}), CHAPTERS).ok is ok


def test_OV_29_a_number_twice_and_one_left_out_is_no_whole_list() -> None:
    for numbers in ((1, 2, 3, 3, 5), (1, 2, 3, 4, 3)):
        items = [{"number": n, "title": f"T{n}x"} for n in numbers]
        refused = read(json.dumps({"chapters": items}), CHAPTERS).refusal
        assert refused is not None
        assert refused.kind == "counted_twice"
        assert "number 3 is twice in chapters" in refused.feedback


def test_OV_29_a_draft_and_its_revision_are_not_joined() -> None:
    draft, final = (
        "\n".join(json.dumps({"number": n, "title": f"{word}{n}"}) for n in range(1, count + 1))
        for word, count in (("Sel", 2), ("Salt", 3))
    )
    assert not read(f"Utkast:\n{draft}\n\nFerdig:\n{final}", CHAPTERS).ok


def test_OV_29_a_hole_in_brackets_is_no_list_and_an_empty_list_no_rival() -> None:
    assert not read('{"title": "T", "premise": "Snow.", "tags": "[list of tags]"}', CONCEPT).ok
    assert read('{"tags": ["a", "b"], "errors": []}', TEXTS).value == ["a", "b"]


@pytest.mark.parametrize(
    "reply",
    [
        '{"title": "ally\\",\n "premise": "y"}',
        '{"title": "Ash\\",\n "premise": "one.\',\n "z": She said \\"Go,\\" and so."\n}',
    ],
)
def test_OV_30_a_text_torn_at_an_escaped_quote_is_refused(reply: str) -> None:
    assert not read(reply, CONCEPT).ok


def test_OV_54_a_unit_that_its_field_names_is_no_factor() -> None:
    catch = schema(["weight_kg", "item"], weight_kg={"type": "number"}, item=TEXT)
    for written in ("48.5 kg", '"48.5 kg"'):
        answer = read(f'{{"item": "Anchor chain", "weight_kg": {written}}}', catch)
        assert answer.value == {"item": "Anchor chain", "weight_kg": 48.5}


def test_OV_54_fields_have_full_width_colons_and_yaml_has_remarks() -> None:
    concept = {"title": "夜航灯", "premise": "雪"}
    assert read("title：夜航灯\n**premise**：雪", CONCEPT).value == concept
    notes = 'words: 3   # utkast\nnote: "Snø" # arbeidstittel'
    assert read(notes, SHEET).value == {"words": 3, "note": "Snø"}
    assert read("words: 3\nnote: Nr 5 # B", SHEET).value == {"words": 3, "note": "Nr 5 # B"}
    assert not read("words: 3 # or 4?\nnote: Snø", SHEET).ok


def test_OV_29_a_number_among_chinese_characters_is_a_number_of_a_remark() -> None:
    refused = read(f"{json.dumps(TWO)}\n\n第2章还需要再改。", CHAPTERS).refusal
    assert refused is not None
    assert refused.kind == "remark"


def test_OV_30_half_a_character_is_refused() -> None:
    for reply in (
        '{"title": "Tide \\ud83c", "premise": "Snow."}',
        '{"title": "T", "premise": "\ud83c"}',
    ):
        refused = read(reply, CONCEPT).refusal
        assert refused is not None
        assert refused.kind == "lone_surrogate"
    assert read('{"title": "Tide \\ud83c\\udf05", "premise": "Snow."}', CONCEPT).ok


def test_OV_29_lines_of_objects_with_a_quantity_of_one_are_a_list() -> None:
    items = [
        {"name": "plane", "age": 1},
        {"name": "clamp", "age": 18},
        {"name": "chisel", "age": 11},
    ]
    reply = "\n".join(map(json.dumps, items))
    assert read(reply, PEOPLE).value == {"people": items}


def test_OV_29_a_list_in_a_text_is_read_in_pythons_spelling() -> None:
    reply = """{"title": "T", "premise": "Snow.", "tags": "['mare', 'sale']"}"""
    answer = read(reply, CONCEPT)
    assert answer.value
    assert answer.value["tags"] == ["mare", "sale"]


def test_OV_29_a_list_that_has_to_be_there_skips_no_number() -> None:
    reply = json.dumps({"chapters": [{"number": n, "title": f"T{n}x"} for n in (1, 2, 9)]})
    selection = {**CHAPTERS, "required": []}
    for text in (reply, f"Værsågod:\n\n{reply}"):
        refused = read(text, CHAPTERS).refusal
        assert refused is not None
        assert refused.kind == "counting_gap"
        assert "number 9 follows 2 in chapters" in refused.feedback
        answer = read(text, selection)
        assert answer.ok
        assert "counting_gap" in answer.report.issues


@pytest.mark.parametrize(
    ("count", "ok"),
    [
        ("total_chapters", False),
        ("antallChapters", False),
        ("chapter_number", True),
        ("scenes_per_chapter", True),
        ("words", True),
    ],
)
def test_OV_29_a_list_has_as_many_items_as_its_object_says(count: str, ok: bool) -> None:
    for said, whole in ((10, ok), (2, True)):
        assert read(json.dumps({count: said, **TWO}), CHAPTERS).ok is whole


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("12,400.50", 12_400.5),
        ("£240", 240),
        ("0,25", 0.25),
        ("278.7 (i tusen)", None),
        ("1.250 kr", 1250),
        ("85 %", None),
        ("12 (of 40)", None),
    ],
)
def test_OV_54_an_amount_without_quotes_is_read_as_with_them(
    written: str, value: float | None
) -> None:
    price = schema(["price", "item"], price={"type": "number"}, item=TEXT)
    for reply in (
        f'{{"price": {written}, "item": "laks"}}',
        f'{{"price": {written}\n, "item": "laks"\n}}',
    ):
        answer = read(reply, price)
        assert (answer.value["price"] if answer.value else None) == value


@pytest.mark.parametrize(
    "reply",
    [
        '{{"chapters": [{{"number": 1, "title": "Sel"}}, {{"number": 2, "title": "Gel"}}]}}',
        '{"chapters": \\[{"number": 1, "title": "Sel"}, {"number": 2, "title": "Gel"}\\]}',
        '{"chapters": [{"number": 1, "title": "Sel"},\n  (en kort bemerkning)\n  '
        '{"number": 2, "title": "Gel"}]}',
        f"{json.dumps(TWO)}\n\n【4:0†kilde.pdf】",
    ],
)
def test_OV_54_marks_of_templates_and_markdown_are_taken_off(reply: str) -> None:
    assert read(reply, CHAPTERS).value == TWO


def test_OV_29_two_lists_that_differ_are_no_answer() -> None:
    words = {"type": "array", "items": TEXT}
    assert read('Ett:\n["sel", "hval"]\n\nTo:\n["ravn", "hval"]', words).value is None
    assert read('["sel", "hval"]\n\n["sel", "hval"]', words).value == ["sel", "hval"]


def test_OV_29_a_comment_alone_in_a_list_stands_for_its_items() -> None:
    for comment in ("// fylles ut senere\n", "/* 未定 */", "(som før)\n", '"a",\n(og flere)\n'):
        assert read(f'{{"words": 1, "tags": [\n{comment}]}}', SHEET).value is None


def test_OV_29_one_word_in_capitals_for_all_items_is_a_filler() -> None:
    assert read('{"words": 4, "tags": ["TBA", "TBA"]}', SHEET).value is None
    assert read('{"words": 4, "tags": ["ja", "ja"]}', SHEET).ok


def test_OV_31_what_stands_in_a_field_of_the_answer_is_no_answer() -> None:
    frame = schema(["intent", "slots"], intent=TEXT, slots={"type": "object"})
    inner = '{"intent": "sted", "slots": {"by": "Bergen"}}'
    assert read(f'{{"": "reise", "slots": {{"til": {inner}}}}}', frame).value is None
    assert read(f'{{"svar": {inner}}}', frame).ok


@pytest.mark.parametrize(
    ("tags", "value"),
    [
        ('{"sel", "hval"}', ["sel", "hval"]),
        ('("sel", "hval")', ["sel", "hval"]),
        ('[\n("sel"),\n("hval")\n]', ["sel", "hval"]),
        ('","', None),
        ('"]["', None),
    ],
)
def test_OV_54_a_set_of_texts_is_a_list_and_marks_alone_are_none(
    tags: str, value: list[str] | None
) -> None:
    answer = read(f'{{"words": 1, "tags": {tags}}}', SHEET)
    assert (answer.value["tags"] if answer.value else None) == value


def test_OV_51_numbers_alone_are_texts() -> None:
    value = {"words": 4, "tags": ["1", "2", "3", "4"]}
    assert read(json.dumps(value), SHEET).value == value


@pytest.mark.parametrize("key", ["examples", "default"])
def test_OV_51_what_a_schema_shows_as_values_is_no_schema(key: str) -> None:
    odd = {**schema(["words"], words=COUNT), key: [{"required": [{"x": 1}]}]}
    assert read('{"words": 3}', odd).value == {"words": 3}


def test_OV_51_a_type_that_is_no_word_breaks_nothing() -> None:
    listed = schema(["words"], words=COUNT)
    assert read('{"words": {"type": ["integer", "null"]}}', listed).value is None


@pytest.mark.parametrize(
    ("reply", "ok"),
    [
        (
            '{"status": "feil", "melding": "ordgrensen er nådd", "data": {"title": "A", "premise": "B"}}',
            False,
        ),
        (
            '{"状態": "却下", "理由": "原作と同じため", "data": {"title": "A", "premise": "B"}}',
            False,
        ),
        (
            '{"thought": "Jeg velger en kort tittel.", "answer": {"title": "A", "premise": "B"}}',
            True,
        ),
        ('{"status": "ok", "data": {"title": "A", "premise": "B"}}', True),
    ],
)
def test_OV_29_a_wrapper_that_says_why_it_failed_holds_no_answer(reply: str, *, ok: bool) -> None:
    assert read(reply, CONCEPT).ok is ok


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ('"words": "2400 sanaa"', {"words": 2400}),
        ('"words": "700 words"', {"words": 700}),
        ('"words": "Wörds 7"', None),
        ('"words": "Words 7"', {"words": 7}),
        ('"words": "80 mil"', None),
        ('"words": "80 rijeci"', None),
        ('"words": 1, "score": "7 pontos"', {"words": 1, "score": 7}),
        ('"words": 1, "score": 7 pistettä', {"words": 1, "score": 7}),
    ],
)
def test_OV_54_a_unit_is_left_out_where_it_cannot_multiply(
    member: str, value: dict[str, int] | None
) -> None:
    assert read(f"{{{member}}}", SHEET).value == value


@pytest.mark.parametrize(
    "reply",
    [
        '{"luku1": {"number": 1, "title": "Sel"}, "luku2": {"number": 2, "title": "Gel"}}',
        '{"第1章": {"title": "Sel"}, "第2章": {"title": "Gel"}}',
        '{"1. fejezet": {"title": "Sel"}, "2. fejezet": {"title": "Gel"}}',
    ],
)
def test_OV_54_members_that_count_are_the_one_list_that_is_missing(reply: str) -> None:
    assert read(reply, CHAPTERS).value == TWO


@pytest.mark.parametrize(
    "reply",
    [
        '{"luku1": {"number": 1, "title": "Sel"}, "luku3": {"number": 3, "title": "Gel"}}',
        'Luku 1: {"number": 1, "title": "Sel"}\n\nLuku 2: (tulossa)\n\nLuku 3: {"number": 3, "title": "Gel"}',
        '{"number": 1, "title": "Sel"}\n\nAce mai târziu: al doilea\n\n{"number": 3, "title": "Gel"}',
    ],
)
@pytest.mark.parametrize("bare", [False, True])
def test_OV_29_a_row_with_a_hole_is_no_list(reply: str, bare: bool) -> None:
    assert not read(reply, CHAPTERS["properties"]["chapters"] if bare else CHAPTERS).ok


@pytest.mark.parametrize(
    "reply",
    [
        '<tool_call>{"name": "laheta", "arguments": "{\\"title\\": \\"Sel\\", \\"premise\\": \\"Lumi.\\"}"}</tool_call>',
        '{"title": "Luonnos", "sisalto": {"title": "Sel", "premise": "Lumi."}}',
        '{"title": "Sel", "premis": "Lumi."}',
        '{"Titlë": "Sel", "prémise": "Lumi."}',
        '{title="Sel", premise="Lumi."}',
        "{title='Sel', premise='Lumi.'}",
        "{:title => 'Sel', :premise => 'Lumi.'}",
        '{"title": u"Sel", "premise": b"Lumi."}',
        '{"title": **"Sel"**, "premise": "Lumi."}',
        '{\n\u200b \u200b"title"\u200f: \u202a"Sel"\u202c,\u2067\n "premise"\u200b\u2069: "Lumi."\ufeff}',
    ],
)
def test_OV_54_a_value_shows_under_odd_marks(reply: str) -> None:
    assert read(reply, CONCEPT).value == {"title": "Sel", "premise": "Lumi."}


def test_OV_54_quotes_with_two_backslashes_are_inner_quotes() -> None:
    reply = '{"title": "Sel", "premise": "\\\\"Tule,\\\\" hän sanoi. \\\\"Heti.\\\\""}'
    wanted = {"title": "Sel", "premise": '"Tule," hän sanoi. "Heti."'}
    assert read(reply, CONCEPT).value == wanted


@pytest.mark.parametrize(
    ("reply", "ok"),
    [
        ('{"title": "Sel", "premise": "Lumi.", "genre": "saga", "tags": ["a", "b"]', True),
        ('{"title": "Sel", "premise": "Lumi.", "genre": "saga", "tags": ["a", "b"]\n', True),
        ('{"title": "Sel", "premise": "Lumi.", "tags": ["a", "b"]', False),
        ('{"title": "Sel", "premise": "Lumi.", "genre": "saga", "tags": ["a", "b"', False),
        ('{"title": "Sel", "tags": ["a"], "genre": "saga", "premise": "Lumi', False),
    ],
)
def test_OV_29_only_the_last_bracket_may_be_missing_where_every_member_is_there(
    reply: str, ok: bool
) -> None:
    assert read(reply, CONCEPT).ok == ok


@pytest.mark.parametrize(
    "reply",
    [
        '{"title": "Sel", "premise": "Lumi.", "genre": "https://..."}',
        '{"title": "Sel", "premise": "Lumi.", "tags": ["Teema A", "Teema B"]}',
    ],
)
def test_OV_29_texts_that_stand_for_content_are_none(reply: str) -> None:
    answer = read(reply, CONCEPT)
    assert answer.refusal is not None
    assert answer.refusal.kind == "placeholder"


def test_OV_54_a_quotation_may_look_like_a_hole() -> None:
    wanted = schema(["quote", "why"], quote=TEXT, why=TEXT)
    value = {"quote": "[...]", "why": "Takki katoaa kolmella sivulla."}
    assert read(json.dumps(value), wanted).value == value
    assert not read('{"quote": "...", "why": "..."}', wanted).ok


def test_OV_54_a_list_of_yaml_within_a_line_is_a_list() -> None:
    reply = 'title: "Sel"\npremise: Lumi.\ntags: [meri, "jää, tuuli", kylmä]'
    tags = ["meri", "jää, tuuli", "kylmä"]
    assert read(reply, CONCEPT).value == {"title": "Sel", "premise": "Lumi.", "tags": tags}


def test_OV_54_a_comma_of_another_script_ends_a_number() -> None:
    reply = '{"words"：7、"note"："描写、丁寧。"}'
    assert read(reply, SHEET).value == {"words": 7, "note": "描写、丁寧。"}


@pytest.mark.parametrize(
    "remark", ["Oikaisu: Annikki jää eloon.", "تعديل: المدينة هي طنجة لا فاس."]
)
def test_OV_29_a_remark_that_names_someone_from_within_a_text_is_asked_about(remark: str) -> None:
    premise = "Vanha kalastaja lähtee merelle vielä kerran ja ottaa mukaan tyttärensä, Annikki ei pelkää. وصلت الأم إلى طنجة ليلا."
    reply = json.dumps({"title": "Sel", "premise": premise}, ensure_ascii=False)
    assert not read(f"{reply}\n\n{remark}", CONCEPT).ok
    assert read(f"{reply}\n\nHyvää jatkoa!", CONCEPT).ok
