"""Person and tense of a chapter."""

from tests.unit.checks.prose import chapter

from libriscribe2.checks.text_figures import narration_drift, narration_of

PAST = "She walked to the door and looked at him. He was late, and he said nothing to her. " * 10
PRESENT = "She walks to the door and is cold. He is late, and he has nothing to tell her. " * 10
FIRST = "I walked to the door and my hand was cold. I looked at the lamp and said nothing. " * 10


def test_person_and_tense_are_those_of_the_narration() -> None:
    assert (narration_of(chapter(1, PAST)).person, narration_of(chapter(1, PAST)).tense) == (
        "third",
        "past",
    )
    assert narration_of(chapter(1, PRESENT)).tense == "present"
    assert narration_of(chapter(1, FIRST)).person == "first"


def test_a_narrator_who_tells_of_others_changes_no_person() -> None:
    watched = "He stood there, and she gave him his lamp. They had it. " * 9 + "I saw them. " * 4
    pages = [chapter(n, watched if n == 4 else FIRST) for n in range(1, 8)]
    assert (narration_of(pages[3]).person, narration_drift(pages)) == (None, [])


def test_what_people_say_does_not_count() -> None:
    spoken = chapter(1, PAST, *['"I am here and I have my lamp," he said.'] * 30)
    assert narration_of(spoken) == narration_of(chapter(1, PAST))


def test_a_short_text_says_nothing() -> None:
    assert narration_of(chapter(1, "I am here.")).person is None


def test_the_chapter_that_is_told_otherwise_is_found() -> None:
    pages = [chapter(n, PRESENT if n == 4 else PAST) for n in range(1, 8)]
    (drift,) = narration_drift(pages)
    assert drift.chapter.number == 4
    assert drift.message == "told in the present tense, the book in the past tense"


def test_two_voices_that_take_turns_are_meant() -> None:
    pages = [chapter(n, FIRST if n % 2 else PAST) for n in range(1, 9)]
    assert narration_drift(pages) == []
