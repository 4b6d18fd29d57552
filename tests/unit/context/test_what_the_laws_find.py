"""The laws of context find what is planted in a prompt, and nothing in a sound one."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.support.context_changes import Change, Needed
from tests.support.context_laws import RecordedScene, Source, findings, speakers_of

from libriscribe2.context.prompt_parts import ShownPart

PLAN = "Ada rows out to the lamp at dusk; the oil is gone, and so is the keeper's book."
SUMMARY = "Ada found the key in the sand. Ben swore that it was his. She kept the key all the same."
BEFORE = "The key lay in the sand.\n\nAda picked it up, and Ben saw her do it."
DRAFT = "The boat was cold. Nobody had bailed it since the storm.\nAda bailed."
TEXT = "“You have my key,” said Ben.\n\nAda laughed. Carl would have known whose it was."
CARDS = [{"name": "Ada Orr", "role": "keeper"}, {"name": "Ben Hale", "now": ["Looks for his key"]}]


def prompt_of(**parts: str) -> str:
    return "".join(f"\n\n<{name}>\n{body}\n</{name}>" for name, body in parts.items())


def parts_of(**fits: Any) -> tuple[ShownPart, ...]:
    return tuple(ShownPart(name=name, size=100, fit=fit) for name, fit in fits.items())


SHOWN: Mapping[str, str] = {
    "cast": "- Carl Moss: the old keeper",
    "characters": json.dumps(CARDS),
    "facts": "- the key, other: of brass (chapter 1)",
    "story_so_far": f"Chapter 1: {SUMMARY}",
    "text_before": DRAFT,
    "scene": json.dumps({"summary": PLAN, "characters": ["Ada Orr", "Ben Hale"]}),
}
SCENE = RecordedScene(
    chapter=2,
    number=2,
    budget=10_000,
    parts=parts_of(story_so_far="whole", scene="whole", text_before="whole"),
    prompt=prompt_of(**SHOWN),
    text=TEXT,
    bears=(Source("plan", PLAN), Source("summary", SUMMARY), *(Source("draft", DRAFT),)),
    sources=(Source("plan", PLAN), Source("summary", SUMMARY)),
    lists={"plan characters": ["Ada Orr", "Ben Hale"], "beats": ["The boat", "The oil", "Ben"]},
    prose=(*BEFORE.split("\n"), *DRAFT.split("\n")),
    people=("Ada Orr", "Ben Hale", "Carl Moss"),
    present=("Ada Orr", "Ben Hale"),
)
TAKEN = Change(
    id="k1",
    kind="holds",
    who="the key",
    change="Ada has the key.",
    place=(1, 1),
    quote="Ada picked it up",
    old=((("key",), ("with ben", "ben has")),),
    new=((("key",), ("ada", "she"), ("has", "kept")),),
    needed=(Needed((2, 2), "“You have my key,”"),),
)


def shown(scene: RecordedScene = SCENE, /, **parts: str) -> RecordedScene:
    return replace(scene, prompt=prompt_of(**{**SHOWN, **parts}))


def broken(scene: RecordedScene, *changes: Change) -> list[str]:
    return [f"{one.law} {one.about}" for one in findings(scene, changes)]


def test_a_sound_context_breaks_no_law() -> None:
    scene = replace(SCENE, bears=tuple(one for one in SCENE.bears if one.label != "draft"))
    assert broken(scene) == []


def test_a_summary_that_is_cut_between_sentences_is_neither_whole_nor_without_need() -> None:
    scene = shown(story_so_far="Chapter 1: " + SUMMARY.partition(" She")[0])
    assert broken(replace(scene, bears=SCENE.bears[:2])) == [
        "L1 story_so_far: summary",
        "L3 shortened: summary",
    ]
    assert broken(replace(scene, bears=(), parts=parts_of(story_so_far="cut"))) == []


def test_where_there_is_no_room_what_bears_on_the_scene_may_be_shortened() -> None:
    scene = replace(shown(story_so_far="Chapter 1: Ada has it."), bears=SCENE.bears[:2])
    assert broken(scene) == ["L3 left out: summary"]
    assert broken(replace(scene, budget=310)) == []


@pytest.mark.parametrize(
    ("end", "laws"), [("", ["L1", "L2"]), (" […]", ["L1"]), ("…", ["L1"]), (" and more", [])]
)
def test_a_sentence_may_only_be_cut_where_that_is_said(end: str, laws: list[str]) -> None:
    scene = shown(replace(SCENE, bears=()), scene=json.dumps({"summary": PLAN[:52] + end}))
    assert [one.partition(" ")[0] for one in broken(scene)] == laws


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (DRAFT.partition("\n")[0], False),
        ("Nobody had bailed it since the storm.\nAda bailed.", False),
        ("had bailed it since the storm.\nAda bailed.", True),
        ("The boat was cold. Nobody had bailed it", True),
        ("Chapter 1: Ada picked it up, and Ben saw her do it.", False),
        (
            "Its end: Nobody had bailed it since the storm. / picked it up, and Ben saw her do it.",
            True,
        ),
    ],
)
def test_prose_begins_and_ends_with_a_sentence(text: str, *, cut: bool) -> None:
    laws = {one[:2] for one in broken(shown(replace(SCENE, bears=()), text_before=text))}
    assert laws == ({"L1", "L2"} if cut else set())


def test_a_colon_of_the_text_is_no_label() -> None:
    line = "She saw by the light of the lamp that it was a key: somebody had lost it in the sand."
    scene = replace(SCENE, bears=(), prose=(line,))
    assert broken(shown(scene, text_before=f"Chapter 1: {line}")) == []


def test_a_part_may_stand_in_several_places_and_text_in_none() -> None:
    prompt = prompt_of(**{**SHOWN, "text_before": "The boat was cold."}) + SUMMARY
    more = prompt_of(text_before="Ada bailed.")
    bears = (Source("draft", "The boat was cold."), Source("draft", "Ada bailed."))
    assert broken(replace(SCENE, bears=bears, prompt=prompt + more)) == []
    bare = prompt_of(**{**SHOWN, "story_so_far": ""}) + f"\n\n{SUMMARY}"
    assert broken(replace(SCENE, bears=SCENE.bears[:2], prompt=bare)) == []


def test_a_list_that_is_called_whole_has_all_its_items() -> None:
    scene = shown(replace(SCENE, bears=()), scene=json.dumps({"beats": ["The boat", "The oil"]}))
    assert broken(scene) == ["L1 scene: beats"]


def test_a_fact_may_be_told_by_the_words_of_the_book() -> None:
    fact = Source("the boat", "has not been bailed", quote="Nobody had bailed it since the storm.")
    assert broken(replace(SCENE, bears=(fact,))) == []
    assert broken(replace(SCENE, bears=(replace(fact, quote=""),))) == ["L3 left out: the boat"]


def test_the_first_scene_knows_the_last_words_before() -> None:
    scene = replace(SCENE, bears=(), before=BEFORE, text="")
    assert broken(scene) == ["L4 the end of the chapter before"]
    assert broken(shown(scene, text_before=BEFORE)) == []


def test_whoever_speaks_has_a_card_and_whoever_is_named_a_line() -> None:
    scene = replace(SCENE, bears=())
    assert broken(shown(scene, cast="", characters=json.dumps(CARDS[:1]))) == [
        "L5 Ben Hale",
        "L5 Carl Moss",
    ]
    assert broken(
        shown(scene, characters="", cast="- Ada Orr: a\n- Ben Hale: b\n- Carl Moss: c")
    ) == [
        "L5 Ada Orr",
        "L5 Ben Hale",
    ]
    assert broken(replace(scene, text="“No,” Dora said.")) == ["L5 Dora"]


def test_a_card_that_speaks_of_somebody_is_not_theirs() -> None:
    cards = [{"name": "Ada Orr", "conflict": "Ben Hale wants his key"}]
    scene = shown(replace(SCENE, bears=()), characters=json.dumps(cards))
    assert broken(scene) == ["L5 Ben Hale"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("“No,” said Ada. The lamp went out.", ["Ada"]),
        ("“No?” asked old Ben Hale.", []),
        ("“No,” Ada Orr said.", ["Ada Orr"]),
        ("„Nein“, sagte Anna.", ["Anna"]),
        ("Ada said, “No.”", ["Ada"]),
        ("“No.” The lamp went out. He called her the Lamp.", []),
        ("“No,” Then said nothing; then it rained.", []),
    ],
)
def test_a_speaker_is_a_name_beside_what_is_said(text: str, names: list[str]) -> None:
    assert speakers_of(text) == names


def test_what_has_changed_is_not_told_as_it_was() -> None:
    scene = shown(replace(SCENE, bears=()), facts="- the key, possession: with Ben (chapter 1)")
    assert broken(scene, TAKEN) == ["L6 k1 old: Ada has the key."]
    assert broken(replace(scene, chapter=1, number=1), TAKEN) == []
    told = f"{SHOWN['text_before']}\nBen has the key, thought Ada."
    assert broken(shown(replace(SCENE, bears=()), text_before=told), TAKEN) == []


def test_the_card_says_whose_state_it_tells() -> None:
    gone = replace(TAKEN, old=((("ben",), ("looks for",)),), needed=())
    scene = replace(SCENE, bears=())
    untold = replace(gone, new=((("key",), ("sold",)),), quote="She sold it")
    assert broken(scene, untold) == ["L6 k1 old: Ada has the key."]
    assert broken(scene, gone) == []  # it is as planned, and the story so far tells the rest


def test_a_change_that_the_scene_needs_is_told_or_stands_in_the_text() -> None:
    scene = replace(SCENE, bears=())
    bare = shown(scene, story_so_far="Chapter 1: They quarrel.")
    assert broken(scene, TAKEN) == []
    assert broken(bare, TAKEN) == ["L6 k1 lacks: Ada has the key."]
    assert broken(replace(bare, number=3), TAKEN) == []
    assert broken(shown(scene, story_so_far="", passages=BEFORE), TAKEN) == []
