"""The parts of the offline author: reading a premise, English, people, episodes, drafts."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.llm.backend import Request
from libriscribe2.llm.offline import english
from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.draft import compose
from libriscribe2.llm.offline.episodes import PHASES, episodes, fits, phase_of, recognise
from libriscribe2.llm.offline.field_slots import field_slots
from libriscribe2.llm.offline.grammar import Grammar
from libriscribe2.llm.offline.material import read_material
from libriscribe2.llm.offline.people import (
    invented,
    people_named,
    pronoun_cue,
    region_of,
    short_name,
)
from libriscribe2.llm.offline.phrases import banks, sections, typographic
from libriscribe2.llm.offline.plot import chapter_events, planned_events
from libriscribe2.llm.offline.premise import key_sentence, read_premise
from libriscribe2.llm.offline.story import Story, in_prose, located, read_story
from libriscribe2.llm.offline_author import answer


def story_of(premise: str, more: str = "") -> Story:
    text = f"<premise>{premise}</premise>{more}"
    return read_story(read_material(Request("s", "m", ({"role": "user", "content": text},))))


def test_dice_throw_the_same_on_every_machine() -> None:
    dice = Dice("a", 1)
    assert [dice.below(1000) for _ in range(4)] == THROWS
    assert sorted(Dice("s").shuffled(range(50))) == list(range(50))
    assert {Dice(n).between(3, 5) for n in range(60)} == {3, 4, 5}
    assert Dice("ab", "c")._state != Dice("a", "bc")._state


THROWS = [985, 430, 806, 581]


@pytest.mark.parametrize(
    ("premise", "hero", "settings_", "things"),
    [
        ("A lighthouse keeper on a drowned coast", "lighthouse keeper", ("the drowned coast",), ()),
        ("The last librarian on Mars finds a map.", "last librarian", ("Mars",), ("the map",)),
        ("A spy hides in a village until her past knocks at it", "spy", ("the village",), ()),
        ("When the rains fail, two sisters leave.", "", (), ("the rains",)),
        ("A newly orphaned girl gets a letter", "newly orphaned girl", (), ("the letter",)),
        ("A king loses a ring", "king", (), ("the ring",)),
        ("A diver drowned in a lake", "diver", ("the lake",), ()),
        ("A clerk suddenly", "clerk", (), ()),
        ("A sister plans the white wedding", "sister", (), ("the white wedding",)),
        ("dragons", "", (), ()),
        ("Fog. At the beginning Hester Ferreira wants to be left in peace.", "", (), ()),
    ],
)
def test_a_premise_gives_hero_setting_and_things(
    premise: str, hero: str, settings_: tuple[str, ...], things: tuple[str, ...]
) -> None:
    found = read_premise(premise)
    assert (found.hero, found.settings, found.things) == (hero, settings_, things)


@pytest.mark.parametrize(
    ("premise", "names"),
    [
        ("Ada Okafor, a detective, is lost.", ("Ada Okafor",)),
        ("A pianist named Tom Reyes plays on.", ("Tom Reyes",)),
        ("A Victorian maid meets an English lord.", ()),
        ("Monday in the city is a day for Ruth.", ("Ruth",)),
        ("Tom, a baker, sells Tom's shop.", ("Tom",)),
        ("When Brynhild Olsen sleeps, the sea rises.", ("Brynhild Olsen",)),
    ],
)
def test_a_premise_names_its_people(premise: str, names: tuple[str, ...]) -> None:
    assert read_premise(premise).names == names


@pytest.mark.parametrize(
    ("premise", "topic"),
    [
        ("A non-fiction book about sourdough", "sourdough"),
        ("How to keep bees in a small garden", "keeping bees"),
        ("A history of the Silk Road for curious teenagers", "the Silk Road"),
        ("The founder's handbook: raising money without tears", "raising money"),
        ("Sourdough baking for busy families", "sourdough baking"),
        ("NASA and the moon", "NASA and the moon"),
        ("The tides", "the tides"),
        ("How small towns can build bicycle lanes that people use", "building bicycle lanes"),
        ("How anyone could learn to draw", "drawing"),
        ("Why rivers flood", "the question of why rivers flood"),
        ("How cities die", "the question of how cities die"),
        ("What the Romans ate", "the question of what the Romans ate"),
    ],
)
def test_a_premise_gives_the_topic_of_a_book_of_facts(premise: str, topic: str) -> None:
    assert read_premise(premise).topic == topic


@pytest.mark.parametrize(
    "premise", ["Ein Mann und das Meer in der Nacht", "Un voleur à Paris la nuit"]
)
def test_other_languages_are_not_read_as_english(premise: str) -> None:
    found = read_premise(premise)
    assert (found.hero, found.names, found.things) == ("", (), ())
    assert answer(
        Request("s", "m", ({"role": "user", "content": f"<premise>{premise}</premise>"},))
    )


@pytest.mark.parametrize(
    "premise",
    [
        "Ein Leuchtturmwärter findet das Logbuch von morgen",
        "Une gardienne de phare trouve le Journal du lendemain",
        "Смотритель маяка находит Журнал завтрашнего дня",
    ],
)
def test_nouns_of_other_languages_are_nobodys_names(premise: str) -> None:
    description = f"{premise}. At the beginning Ada Reyes waits."
    concept = f"<concept>{json.dumps({'description': description})}</concept>"
    for cast in (story_of(premise, concept).cast, story_of("", concept).cast):
        assert cast[0].name == "Ada Reyes"
        assert not {word for person in cast for word in person.name.split()} & set(premise.split())


def test_the_key_sentence_is_enough_and_not_too_much() -> None:
    assert key_sentence("Fog. A ship comes in at last tonight. More.") == (
        "Fog. A ship comes in at last tonight."
    )
    assert len(key_sentence("word " * 500).split()) == 60


@given(st.text(max_size=300))
@settings(max_examples=60, deadline=None)
def test_no_premise_stops_the_author(premise: str) -> None:
    message = {"role": "user", "content": f"<premise>{premise}</premise> Write 60 words."}
    assert answer(Request("s", "m", (message,))).strip()


def test_a_concept_leads_to_the_same_book_as_its_premise() -> None:
    premise = "A nurse in Berlin finds a key. It fits nothing."
    concept = (
        '<concept>{"description": "A nurse in Berlin finds a key. At the beginning ..."}</concept>'
    )
    alone = read_story(read_material(Request("s", "m", ({"role": "user", "content": concept},))))
    assert (alone.cast, alone.things, alone.places) == (
        story_of(premise).cast,
        story_of(premise).things,
        story_of(premise).places,
    )


def test_a_hero_is_introduced_by_role() -> None:
    for premise, opening in (("The last nurse on Mars", "the last nurse "), ("A nurse", "nurse ")):
        story = story_of(premise)
        event = chapter_events(story, 2, 3, 1)[0]
        slots = field_slots(story, replace(event, lead=story.cast[0]))
        assert slots["hero"] == opening + story.cast[0].name
        other = field_slots(story, replace(event, lead=story.cast[1]))
        assert other["hero"] == story.cast[1].name


def test_kind_follows_the_book_and_then_the_premise() -> None:
    assert not story_of("How to keep bees").fiction
    assert story_of("How to keep bees", "<book>kind: fiction</book>").fiction
    assert not story_of("A fox", "<book>kind: non-fiction</book>").fiction


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("a apple and an bear", "an apple and a bear"),
        ("A hour, an unicorn, a user", "An hour, a unicorn, a user"),
        ("an one-way street", "a one-way street"),
        ("a unnamed heir", "an unnamed heir"),
    ],
)
def test_articles_fit_the_next_word(text: str, right: str) -> None:
    corrected = english.right_articles(text)
    assert corrected == right


def test_english_helpers() -> None:
    assert english.sentence("“so,” she said. he left") == "“So,” she said. He left"
    assert english.capitalised("“…”") == "“…”"
    assert english.title_case("what the keeper knew of") == "What the Keeper Knew Of"
    assert english.joined([]) == ""
    assert english.joined(["a"]) == "a"
    assert english.joined(["a", "b", "c"]) == "a, b and c"
    assert [english.gerund(v) for v in ("bake", "run", "keep", "die", "see")] == [
        "baking",
        "running",
        "keeping",
        "dying",
        "seeing",
    ]
    assert [w for w in ("bees", "glass", "people", "news", "bus") if english.is_plural(w)] == [
        "bees",
        "people",
    ]
    assert english.plain("The  Sea .") == "the Sea"
    assert english.plain("Lagos") == "Lagos"
    assert english.shorten("one two three", 8) == "one two"
    assert english.shorten("abcdefgh", 3) == "abc"
    assert english.shorten("abc", 3) == "abc"


def test_places_take_their_article_and_preposition() -> None:
    assert in_prose("The Records Room") == "the Records Room"
    assert in_prose("tide market") == "the tide market"
    assert in_prose("der Turm") == "der Turm"
    assert located("Lagos") == "in Lagos"
    assert located("Mars") == "on Mars"
    assert located("The North Gate") == "at the North Gate"
    assert located("the drowned coast") == "on the drowned coast"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Dr. Ruth Calder", "Ruth"),
        ('Joel "Fish" Brandt', "Joel"),
        ("The Keeper", "The Keeper"),
        ("Captain", "Captain"),
        ("Eze, Ngozi", "Eze"),
    ],
)
def test_short_names(name: str, short: str) -> None:
    assert short_name(name) == short


def test_people_keep_apart_and_have_pronouns() -> None:
    pair = people_named(["Ann Eze", "Ann Ude"])
    assert [person.short for person in pair] == ["Ann Eze", "Ann Ude"]
    told = people_named(["Wen", "Sam Holt"], ["He walks.", "She sings."])
    assert [person.pronouns["he"] for person in told] == ["he", "she"]
    assert people_named(["Wen"], cue="she")[0].female
    assert people_named(["Petra Nowak"], ["He walks."])[0].female
    assert people_named(["Rosa"])[0].female
    assert pronoun_cue("he and she") == ""
    assert region_of("A thief in Tokyo") == "japan"
    assert region_of("nowhere") == "default"


def test_invented_names_run_out_only_after_all_pairs() -> None:
    taken = ["Ruth Calder"]
    names = list(invented("default", "she", Dice("n"), taken))
    bank = banks("names")
    given = [*bank["default.she"], *bank["default.he"]]
    pairs = {f"{name} {family}" for name in given for family in bank["default.family"]}
    assert len(names) == len(set(names))
    assert set(names) <= pairs - {"Ruth Calder"}
    assert names[0].split()[0] in bank["default.she"]
    assert len({name[0] for name in names[:12]}) == 12


def test_phases_run_from_begin_to_end() -> None:
    assert [phase_of(n, 12) for n in range(1, 13)] == sorted(
        (phase_of(n, 12) for n in range(1, 13)), key=PHASES.index
    )
    assert {phase_of(n, 12) for n in range(1, 13)} == set(PHASES)
    assert phase_of(1, 1) == "middle"
    assert phase_of(2, 2) == "end"


@pytest.mark.parametrize(
    ("file", "premise"), [("episodes", "A fox on Mars"), ("lessons", "How to dive")]
)
def test_every_episode_is_recognised_in_its_own_words(file: str, premise: str) -> None:
    story = story_of(premise)
    found = {
        event.episode.title: event
        for number in range(1, 41)
        for event in chapter_events(story, number, 40, 12)
    }
    assert len(found) == len(episodes(file))
    for event in found.values():
        plan = event.plan(story)
        assert [hit.episode for hit in recognise(file, plan["summary"])] == [event.episode]
        assert fits(event.episode.conflict, plan["conflict"])
        assert "{" not in "".join(plan.values())


def test_planned_events_follow_the_chapters_summary() -> None:
    story = story_of("A fox on Mars")
    told = chapter_events(story, 2, 6, 3)
    summary = " ".join(event.plan(story)["summary"] for event in told)
    planned = planned_events(story, summary, 2, 6, 5)
    assert [event.episode for event in planned[:2]] == [event.episode for event in told[:2]]
    assert planned[-1].episode == told[-1].episode
    assert len({event.episode for event in planned}) == 5
    assert len(planned_events(story, summary, 2, 6, 1)) == 1
    assert len(planned_events(story, "Nothing known.", 2, 6, 2)) == 2


@pytest.mark.parametrize(
    "premise",
    ["A fox on Mars", "A fox learns to paint a map without fire", "Ein Fuchs und der Mond im See"],
)
def test_every_slot_of_the_phrases_is_known(premise: str) -> None:
    """A misspelt slot would raise; every entry of every bank comes out whole."""
    for kind in ("fiction", "non-fiction"):
        for turn in range(12):
            scene = f'{{"number": {turn + 1}, "of": 12, "goal": "To go", "conflict": "x", "outcome": "y"}}'
            text = (
                f"<book>kind: {kind}</book><premise>{premise}</premise>"
                f'<chapter>{{"number": {turn + 1}, "of": 12, "title": "T"}}</chapter>'
                f"<scene>{scene}</scene>Write 2,500 words."
            )
            reply = answer(Request("s", "m", ({"role": "user", "content": text},)))
            assert "{" not in reply


def test_phrases_are_entered_once() -> None:
    for file in ("fiction", "essay", "motifs", "notes", "talk", "fields", "names", "subjects"):
        names = [name for name, _ in sections(file)]
        assert len(names) == len(set(names)), file
        for name, lines in sections(file):
            assert lines, f"{file}: {name} is empty"
            if not name.startswith(("tag", "age")):
                assert len(lines) == len(set(lines)), f"{file}: {name} repeats a line"


def test_straight_quotes_become_typographic() -> None:
    assert typographic('"It\'s (“so” or "so")"') == "“It’s (“so” or “so”)”"


def test_grammar_agrees_in_number_and_repeats_late() -> None:
    found = Grammar({"x": ("a", "b", "c")}, {"n": lambda: "egg"}, seed="s", plural=True)
    assert found.finish("{t:it is|they are} {a:n}.") == "They are an egg."
    assert sorted(found.draw("x") for _ in range(3)) == ["a", "b", "c"]
    assert not found.has("y")
    with pytest.raises(KeyError):
        found.expand("{nowhere}")


def test_neighbouring_turns_begin_at_different_entries() -> None:
    bank = {"x": tuple("abcdefg")}
    first = [Grammar(bank, {}, seed="s", turn=turn).draw("x") for turn in range(7)]
    assert len(set(first)) == 7


class Stubborn:
    """A writer that has one sentence only."""

    shares = (0.5, 0.2)

    def head(self) -> list[str]:
        return ["One two three."]

    def body(self) -> Iterator[str]:
        return iter(["One two three."])

    def tail(self) -> list[str]:
        return ["One two three."]

    def filler(self) -> str:
        return "One two three."


def test_a_writer_without_words_ends_and_never_repeats() -> None:
    assert compose(Stubborn(), 500) == "One two three."
    assert compose(Stubborn(), 500, known=("One two three. More.",)) == ""


def test_banks_of_several_files_come_together() -> None:
    assert {"opening", "talk"} <= banks("fiction", "talk").keys()
