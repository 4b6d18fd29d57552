"""What an author writes into a plan by hand is told without bending it, and spread over scenes."""

import json

import pytest

from libriscribe2.llm.backend import Request
from libriscribe2.llm.offline.given import given_events, given_items
from libriscribe2.llm.offline.material import read_material
from libriscribe2.llm.offline.plot import chapter_events
from libriscribe2.llm.offline.story import Story, read_story
from libriscribe2.llm.offline.telling import MOST_WORDS, clipped, told
from libriscribe2.llm.offline.tense import in_the_past

PREMISE = "A lighthouse keeper on a drowned coast"
BEATS = ["Ottoline hears breathing under the stair", "She lifts the boards and finds the whale"]
LONG = (
    "The harbour master, who has been drinking since noon because the tide table is wrong again, "
    "tells everyone on the quay that the sea owes him money."
)


def story_of(premise: str = PREMISE) -> Story:
    text = f"<premise>{premise}</premise><book>\nkind: fiction\n</book>"
    return read_story(read_material(Request("s", "m", ({"role": "user", "content": text},))))


@pytest.mark.parametrize(
    ("now", "then"),
    [
        (BEATS[0], "Ottoline heard breathing under the stair"),
        (BEATS[1], "She lifted the boards and found the whale"),
        ("Ada tells lies, and nobody believes her", "Ada told lies, and nobody believed her"),
        ("Ada cannot sleep and does not try", "Ada could not sleep and did not try"),
        ("The guard who knows it takes long walks", "The guard who knew it took long walks"),
        ("He worries, watches and carries on", "He worried, watched and carried on"),
        ("Ottoline opens the door and zarks", None),
        ("They find the whale", None),
        ("Ada says: “I know.”", None),
        ("Er kommt nach Hause", None),
        ("", None),
    ],
)
def test_a_sentence_is_put_into_the_past_only_where_that_is_certain(
    now: str, then: str | None
) -> None:
    assert in_the_past(now) == then


@pytest.mark.parametrize(
    "text", [LONG, "word " * 5_000, "长" * 5_000, "a, " * 900, "{braces} and {more}", " ", "…"]
)
@pytest.mark.parametrize("past", [True, False])
def test_no_part_of_a_plan_is_longer_than_a_reader_would_notice(text: str, past: bool) -> None:
    parts = told(text, lambda: "Q: {part}", past=past)
    assert all(len(part.split()) <= MOST_WORDS + 1 for part in parts)
    assert all("{" not in part for part in parts)
    assert len(clipped(text).split()) <= MOST_WORDS


def test_what_can_be_told_is_told_and_the_rest_is_quoted() -> None:
    assert told(BEATS[0], lambda: "", past=True) == ["Ottoline heard breathing under the stair."]
    assert told("Er kommt nach Hause.", lambda: "“{part}”", past=True) == ["“Er kommt nach Hause”"]
    assert told(LONG, lambda: "{part}", past=True)[-1].endswith("that the sea owed him money")


def test_beats_by_hand_are_spread_over_the_scenes_with_their_people() -> None:
    story = story_of()
    chapter = {
        "summary": "Ottoline Frost finds a live whale.",
        "beats": BEATS,
        "pov": "Ottoline Frost",
    }
    events = given_events(story, chapter, 2, 6, 5)
    plans = [event.plan(story) for event in events]
    assert [plan["summary"] for plan in (plans[0], plans[3])] == [f"{beat}." for beat in BEATS]
    assert {event.lead.name for event in events} == {"Ottoline Frost"}
    assert all(event.other in story.cast for event in events)
    assert len({json.dumps(plan) for plan in plans}) == 5
    assert "{" not in json.dumps([list(plan.values()) for plan in plans])


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_there_are_as_many_events_as_scenes(count: int) -> None:
    story = story_of()
    known = chapter_events(story, 2, 6, 2)
    mixed = [known[0].plan(story)["summary"], *BEATS, "A {brace} is found", "Die Tür geht auf"]
    for beats in (BEATS, mixed, ["x" * 400]):
        assert len(given_events(story, {"beats": beats}, 2, 6, count)) == count


def test_a_plan_of_the_offline_author_is_not_taken_for_the_authors() -> None:
    story = story_of()
    told_of = [event.plan(story)["summary"] for event in chapter_events(story, 2, 6, 3)]
    chapter = {"summary": " ".join(told_of), "beats": told_of}
    assert given_items(story, chapter) == []
    cut = [f"{beat[:70]}…" for beat in told_of]
    assert given_items(story, {**chapter, "beats": cut}) == []
    more = {**chapter, "beats": [*told_of, BEATS[0]]}
    assert BEATS[0] in given_items(story, more)
