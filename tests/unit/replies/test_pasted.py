"""What a person copied from a chat window: the answers in it, and what the window put around them."""

import pytest

from libriscribe2.replies.pasted import going_on, parts_of, pasted_json, pasted_prose, stops_inside

PROSE, JSON = True, False
SUMMARY = "The keeper rows out, finds the book and does not come back before the light goes out."
ONE, TWO = '{"a": 1}', '{"b": {"c": 2}}'
ALL = {1: SUMMARY, 2: ONE, 3: TWO}


@pytest.mark.parametrize(
    "text",
    [
        f"=== 1 ===\n{SUMMARY}\n\n=== 2 ===\n{ONE}\n\n=== 3 ===\n{TWO}",
        f"Sure, here they are:\n\n**=== 1 ===**\n\n{SUMMARY}\n\n## === 2 ===\n{ONE}\n=== Task 3 ===\n{TWO}",
        f"```\n=== 1 ===\n{SUMMARY}\n=== 2 ===\n{ONE}\n=== 3 ===\n{TWO}\n```",
        f"```text\n=== 1 ===\n{SUMMARY}\n```\n```json\n=== 2 ===\n{ONE}\n```\n```json\n=== 3 ===\n{TWO}\n```",
        f"### Task 1\n\n{SUMMARY}\n\n### Task 2\n\n{ONE}\n\n### Task 3: story bible\n\n{TWO}",
        f"{SUMMARY}\n\n```json\n{ONE}\n```\n\n```json\n{TWO}\n```",
        f"{SUMMARY}\n\n{ONE}\n\n{TWO}\n\nLet me know if you want changes.",
        f"{SUMMARY}\n\n=== 2 ===\n{ONE}\n\n{TWO}",
        f"=== 1 ===\n{SUMMARY}\n=== 2 ===\njson\nCopy code\n{ONE}\n=== 3 ===\n{TWO}",
    ],
)
def test_answers_are_told_apart_however_the_window_marks_them(text: str) -> None:
    found = parts_of(text, (PROSE, JSON, JSON))
    assert found[1] == SUMMARY
    assert ONE in found[2]
    assert TWO not in found[2]
    assert TWO in found[3]


@pytest.mark.parametrize(
    ("opening", "heading", "offer"),
    [
        ("Selvfølgelig, her er de:", "### Oppgave {}", "Si fra om noe skal endres."),
        ("Elbette, işte hepsi:", "**Görev {}**", "Devam edeyim mi?"),
    ],
)
def test_answers_are_told_apart_in_every_language(opening: str, heading: str, offer: str) -> None:
    blocks = [f"{heading.format(n)}\n```json\n{one}\n```" for n, one in enumerate((ONE, TWO), 1)]
    assert parts_of("\n\n".join([opening, *blocks, offer]), (JSON, JSON)) == {
        1: ONE,
        2: TWO,
    }
    numbered = f"{opening}\n\n=== 1 ===\n{SUMMARY}\n\n=== 2 ===\n{ONE}"
    assert parts_of(numbered, (PROSE, JSON)) == {1: SUMMARY, 2: ONE}
    assert pasted_prose(f"{SUMMARY}\n\n{heading}") == f"{SUMMARY}\n\n{heading}"


def test_a_fence_around_each_answer_stays_whole() -> None:
    text = f"=== 1 ===\n```json\n{ONE}\n```\n\n=== 2 ===\n```json\n{TWO}\n```"
    assert parts_of(text, (JSON, JSON)) == {1: f"```json\n{ONE}\n```", 2: f"```json\n{TWO}\n```"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"=== 2 ===\n{TWO}", {2: TWO}),
        (f"=== 1 ===\n{ONE}\n=== 3 ===\n{TWO}", {1: ONE, 3: TWO}),
        ("=== 1 ===\n\n=== 2 ===\n", {}),
        ("I am sorry, I cannot help with that.", {}),
        ("", {}),
        (f"=== 7 ===\n{ONE}", {}),
    ],
)
def test_what_is_missing_is_nobodys(text: str, found: dict[int, str]) -> None:
    assert parts_of(text, (JSON, JSON, JSON)) == found


def test_a_single_answer_is_taken_whole_and_its_number_goes() -> None:
    assert parts_of(f"=== 1 ===\n\n{SUMMARY}", (PROSE,)) == {1: SUMMARY}
    assert parts_of(f"{SUMMARY}\n", (PROSE,)) == {1: SUMMARY}


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("Here's the chapter:\n\nThe sea was high.", "The sea was high."),
        ("Sure! Here is Chapter 3, written in full:\n\nThe sea.", "The sea."),
        ("ChatGPT said:\nThe sea.", "The sea."),
        ("markdown\nCopy code\nThe sea.", "The sea."),
        ("Thought for 12s\n\nThe sea.", "The sea."),
        ("The sea.\n\nWould you like me to continue with Chapter 4?", "The sea."),
        (
            "The sea.\n\n---\n\nHe came.\n\n\u2e3b\n\nShe.",
            "The sea.\n\n* * *\n\nHe came.\n\n* * *\n\nShe.",
        ),
        ("---\n\nThe sea.\n\n---", "The sea."),
    ],
)
def test_the_windows_own_words_go(text: str, prose: str) -> None:
    assert pasted_prose(text) == prose


@pytest.mark.parametrize(
    "prose",
    [
        "Okay, he said. The rest was wind.\n\nHe went.",
        "Sure enough, the boat was there.\n\nHe went.",
        "Here is where the road ended.\n\nHe stood.",
        "The text on the wall said:\n\nKeep out.",
        "Thought for the day: rain.\n\nHe went.",
        "He left.\n\nLet me know when you get there.",
        "\u201cWould you like me to stay?\u201d\n\n\u201cNo.\u201d",
    ],
)
def test_an_authors_words_stay(prose: str) -> None:
    assert pasted_prose(prose) == prose


@pytest.mark.parametrize(
    ("before", "text", "joined"),
    [
        ("The old man walked to the", "The old man walked to the door.", " door."),
        ("The old man walked to the", "door and left.", " door and left."),
        ("He sat and", "and waited.", " waited."),
        ("She lived on sand", "and waited.", " and waited."),
        ("", "A beginning.", "A beginning."),
    ],
)
def test_a_text_goes_on_where_the_window_cut_it(before: str, text: str, joined: str) -> None:
    assert going_on(before, text) == joined


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("He walked down to the boat and", True),
        ("He walked down to the boat, the rope,", True),
        ("He walked down to the boat.", False),
        ("He walked down to the boat and \u2014", False),
        ("\u201cHe walked down to the boat.\u201d", False),
        ("He walked.\n\nThe End", False),
        ("He walked down to the boat\u2026", False),
    ],
)
def test_a_cut_text_stops_inside_a_sentence(text: str, cut: bool) -> None:
    assert stops_inside(text) is cut


def test_backslashes_of_markdown_go_from_json() -> None:
    assert (
        pasted_json('{"tags": \\["a\\_b"\\], "n": "x\\n\\\\[y"}')
        == '{"tags": ["a_b"], "n": "x\\n\\\\[y"}'
    )
