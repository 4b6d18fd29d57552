"""What went wrong in the first novel that a real model wrote here, on that novel: `locked-key`.

Findings 3 and 4 have further tests of this name in `test_what_chapters_know.py` and
`tests/flow/test_mending.py`; L1, L2 and L5 of the laws of context hold 1, 2 and 9 everywhere.
"""

import re
from pathlib import Path

import pytest
from tests.recorded.conftest import Asked
from tests.support.desk import Desk, ProjectFolder
from tests.support.recorded_books import block, played

BOOK = "locked-key"
SCENES = [f"chapters/ch{chapter:02d}/scene{scene:02d}" for chapter in range(1, 5)
          for scene in range(1, 4)]  # fmt: skip


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    own = Desk(tmp_path_factory.mktemp("desk"))
    played(own, BOOK)
    return own


@pytest.fixture(scope="module")
def book(desk: Desk) -> ProjectFolder:
    return desk.project(BOOK)


def readings(book: ProjectFolder) -> list[dict[str, object]]:
    return [book.json(f".libriscribe/canon/{number:02d}.json") for number in range(1, 5)]


def test_finding_1_what_the_chapter_before_changed_is_told_and_what_it_ended_is_not(
    asked: Asked,
) -> None:
    third, fourth = asked(BOOK)["chapters/ch03/scene01"], asked(BOOK)["chapters/ch04/scene02"]
    stated = block(third, "facts") + block(third, "state")
    assert "never opened" not in stated
    assert "unbroken" not in stated
    assert "Hester opens and reads the letter" in block(third, "timeline")
    state = block(fourth, "state")
    assert "Alasdair Crane, learns: Hester has found the letter" in state
    assert "Does not know that she found" not in fourth
    assert "cheque for twice the fee, both ears" in state


def test_finding_1_every_scene_has_all_summaries_whole_and_the_last_scene_before_its_chapter(
    asked: Asked, book: ProjectFolder
) -> None:
    told = [str(one["summary"]) for one in readings(book)]
    texts = book.chapters()
    for step in SCENES[3:]:
        number, prompt = int(step[11:13]), asked(BOOK)[step]
        story = block(prompt, "story_so_far")
        assert all(summary.strip() in story for summary in told[: number - 1])
        before = texts[number - 2].split("\n* * *\n")[-1].strip()
        assert before in block(prompt, "text_before")


def test_finding_2_a_cast_of_six_is_taken_at_once_and_each_has_a_card_where_they_appear(
    asked: Asked, desk: Desk, book: ProjectFolder
) -> None:
    assert "at least 3 characters" in asked(BOOK)["characters"]
    asked_once = [one for one in book.records("sent") if one["step"] == "characters"]
    assert len(asked_once) == 1
    cast = [one["name"] for one in book.json("characters.json")["characters"]]
    assert cast[3:] == ["Davy Tulloch", "Iris Lacey", "Edmund Crane"]
    cards = block(asked(BOOK)["chapters/ch03/scene03"], "characters")
    for scene in book.json("scenes.json")["chapters"][2]["scenes"]:
        assert all(f'"name":"{name}"' in cards for name in scene["characters"])
    assert '"name":"Constable Petrie"' in cards  # whom no plan had: the reading of chapter 1 did
    assert "is not in the cast" not in desk.run("check", BOOK, "--plan", expect=None).out


def test_finding_3_the_plan_is_made_and_read_with_the_rules_of_its_world(asked: Asked) -> None:
    rule = "The causeway can be walked from two hours before low water"
    for step in ("outline", "scenes/ch01-04", "scenes/review"):
        prompt = asked(BOOK)[step]
        assert rule in prompt, step
        assert "It is November" in prompt, step
    outline = asked(BOOK)["outline"]
    assert "once friends with Nan Tulloch" in outline
    assert "From wanting mercy to asking for none" in outline
    assert "4 chapters of about 1,500 words each" in outline


def test_finding_3_scenes_of_neighbouring_chapters_are_planned_with_each_other_in_view(
    asked: Asked,
) -> None:
    plans = [step for step in asked(BOOK) if re.fullmatch(r"scenes/ch[\d-]+", step)]
    assert plans == ["scenes/ch01-04"]
    assert "Each chapter goes on from the last scene of the one before" in asked(BOOK)[plans[0]]


def test_finding_4_an_edit_asks_what_changed_and_writes_no_chapter_anew(
    tmp_path: Path,
) -> None:
    own = Desk(tmp_path / "desk")
    book = played(own, BOOK)
    before = book.text("chapters/01.md")
    book.write("chapters/01.md", before.replace("Six.", "Four.", 1))
    assert book.text("chapters/01.md") != before
    said = own.run("resume", BOOK, "--refresh", "--dry-run").err.replace("\n", " ")
    assert "Besides, --refresh would read 1 chapter that you changed (a call each)" in said
    assert "patch at most 3 later chapters" in said


def test_finding_5_a_beat_is_judged_by_who_reads_and_not_by_words_in_common(
    asked: Asked, desk: Desk
) -> None:
    told = asked(BOOK)
    for number in range(1, 5):
        critique = told[f"chapters/ch{number:02d}/critique1"]
        assert "Beat 1: " in block(critique, "plan")
        assert '"happens"' in critique
    assert not [step for step, prompt in told.items() if "% of its words" in prompt]
    assert not [step for step in told if "patches" in step and '"kind":"beat"' in told[step]]
    assert "P22" not in desk.run("check", BOOK, "--plan", expect=None).out
    assert "beats found" not in desk.run("report", BOOK).out


def test_finding_6_a_patch_with_straight_apostrophes_is_found_and_takes_on_the_typography(
    asked: Asked, book: ProjectFolder
) -> None:
    assert "chapters/ch01/critique2" not in asked(BOOK)
    text = book.text("chapters/01.md")
    assert "’" in text
    assert "'" not in text


def test_finding_6_a_reader_is_shown_the_names_that_earlier_chapters_were_noted_under(
    asked: Asked,
) -> None:
    ledger = block(asked(BOOK)["canon/ch04"], "ledger")
    assert "nails in the middle window, count: 5 nails left" in ledger
    assert "cheque for twice the fee" in ledger


def test_finding_7_the_critic_is_shown_what_it_is_asked_about(asked: Asked) -> None:
    for number in range(1, 5):
        prompt = asked(BOOK)[f"chapters/ch{number:02d}/critique1"]
        assert "Hester needs forty-five" in block(prompt, "rules")
        assert block(prompt, "places")
        plan = block(prompt, "plan")
        assert plan.count('"exit_state":') == 3
        assert plan.split("\n")[-2].endswith("}")  # the last scene's plan is whole
        assert re.search(r"Length: [\d,]+ words of about \d+ that were wanted\.", plan)
        assert number == 1 or block(prompt, "story_so_far")
        assert all(f"`{kind}`" in prompt for kind in ("viewpoint", "tense", "voice", "pace"))
        assert '"enum":["",' not in prompt


def test_finding_8_the_first_and_the_last_scene_of_a_book_have_words_of_their_own(
    asked: Asked,
) -> None:
    first, middle, last = (asked(BOOK)[SCENES[at]] for at in (0, 4, -1))
    task = "Write this scene in about "
    words = [prompt[prompt.rindex(task) :] for prompt in (first, middle, last)]
    assert ["It opens the book" in one for one in words] == [True, False, False]
    assert ["It ends the book" in one for one in words] == [False, False, True]
    assert ["goes on from the text before" in one for one in words] == [False, True, True]
    assert ["where the next scene can begin" in one for one in words] == [True, True, False]


def test_finding_8_person_tense_and_every_voice_stand_in_each_request_of_prose(
    asked: Asked,
) -> None:
    for step in SCENES:
        style = block(asked(BOOK)[step], "style")
        assert re.search(r"^person: .+\ntense: .+\ndistance: .+\nspelling: .+", style)
        assert "Davy Tulloch speaks: " in style
        assert "Passage 2:" in style


def test_finding_9_a_line_that_is_shown_has_its_end_or_says_that_it_goes_on(asked: Asked) -> None:
    for step in SCENES:
        for name in ("cast", "state", "story_so_far", "promises", "facts"):
            lines = block(asked(BOOK)[step], name).split("\n")
            words = [one.rpartition(" (chapter")[0] or one for one in lines if one]
            cut = [one for one in words if re.search(r"[,;:]$|\b(and|that|in|the|a|of)$", one)]
            assert not cut, (step, name, cut)


def test_finding_10_a_schema_stands_once_lengths_are_round_and_concepts_know_theirs(
    asked: Asked,
) -> None:
    told = asked(BOOK)
    assert not [step for step, prompt in told.items() if prompt.count("<json_schema>") > 1]
    assert not [step for step, prompt in told.items() if prompt.count("CRITICAL FORMAT RULES") > 1]
    wanted = [int(re.findall(r"in about (\d+) words", told[step])[-1]) for step in SCENES]
    assert all(words % 10 == 0 for words in wanted)
    for step in ("concept/draft", "concept/critique", "concept/refine"):
        assert "a 6,000-word book in 4 chapters" in told[step], step
    ending = "it costs her the fee, the operation and the last of her hearing"
    assert [told[step].count(ending) for step in SCENES] == [1] * len(SCENES)
