import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.editing.splitting import (
    body_of,
    divided_at_break,
    divided_at_paragraph,
    heading_of,
    joined,
    retitled,
    with_heading,
)
from libriscribe2.errors import UsageError

TEXT = "# Tide\n\nOne.\n\nTwo.\n\n* * *\n\nThree.\n\n---\n\nFour.\nFive.\n"


@pytest.mark.parametrize(
    ("text", "heading", "body"),
    [
        (TEXT, "Tide", TEXT[8:].strip()),
        ("\ufeff# Tide \r\n\r\nOne.", "Tide", "One."),
        ("No heading.\n\n# Later\n", None, "No heading.\n\n# Later"),
        ("## Second level\n", None, "## Second level"),
        ("# Alone", "Alone", ""),
    ],
)
def test_a_heading_is_a_first_line_of_the_first_level(
    text: str, heading: str | None, body: str
) -> None:
    assert heading_of(text) == heading
    assert body_of(text) == body


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Tide\n\nTide.\n", "# Ebb\n\nTide.\n"),
        ("\ufeff# Tide\r\n\r\nTide.", "\ufeff# Ebb\r\n\r\nTide."),
        ("# Chapter 3: Tide\n", "# Chapter 3: Ebb\n"),
        ("# Tide", "# Ebb"),
        ("# My own\n\nTide.\n", "# My own\n\nTide.\n"),
        ("Tide.\n", "Tide.\n"),
    ],
)
def test_a_new_title_changes_only_a_heading_that_names_the_old_one(
    text: str, expected: str
) -> None:
    assert retitled(text, "Tide", "Ebb") == expected


def test_joining_drops_the_second_heading_and_keeps_every_word() -> None:
    assert joined("# A\n\nOne.\n\n", "# B\n\nTwo.\n") == "# A\n\nOne.\n\n* * *\n\nTwo.\n"
    assert joined("One.", "Two.") == "One.\n\n* * *\n\nTwo.\n"


@pytest.mark.parametrize(
    ("number", "first", "second", "scene"),
    [
        (1, "# Tide\n\nOne.\n\nTwo.\n", "Three.\n\n---\n\nFour.\nFive.", 1),
        (2, "# Tide\n\nOne.\n\nTwo.\n\n* * *\n\nThree.\n", "Four.\nFive.", 2),
    ],
)
def test_a_chapter_is_divided_at_a_scene_break(
    number: int, first: str, second: str, scene: int
) -> None:
    found = divided_at_break(TEXT, number)
    assert (found.first, found.second, found.scene, found.inside) == (first, second, scene, False)


@pytest.mark.parametrize(
    ("number", "second", "scene", "inside"),
    [
        (2, "Two.\n\n* * *\n\nThree.\n\n---\n\nFour.\nFive.", 1, True),
        (3, "Three.\n\n---\n\nFour.\nFive.", 1, False),
        (4, "Four.\nFive.", 2, False),
    ],
)
def test_a_chapter_is_divided_before_a_paragraph(
    number: int, second: str, scene: int, inside: bool
) -> None:
    found = divided_at_paragraph(TEXT, number)
    assert (found.second, found.scene, found.inside) == (second, scene, inside)
    assert found.first.startswith("# Tide\n\nOne.")
    assert not found.first.rstrip().endswith("* * *")


def test_a_text_whose_heading_stands_on_its_paragraph_has_that_paragraph() -> None:
    found = divided_at_paragraph("# Tide\nOne.\n\nTwo.", 2)
    assert (found.first, found.second) == ("# Tide\nOne.\n", "Two.")


@pytest.mark.parametrize("number", [0, 3])
def test_there_has_to_be_such_a_break(number: int) -> None:
    with pytest.raises(UsageError, match=f"no scene break {number}") as caught:
        divided_at_break(TEXT, number)
    assert caught.value.why == "it has 2"


@pytest.mark.parametrize("number", [1, 5])
def test_there_has_to_be_such_a_paragraph(number: int) -> None:
    with pytest.raises(UsageError, match="paragraph") as caught:
        divided_at_paragraph(TEXT, number)
    assert "it has 4" in caught.value.why


@pytest.mark.parametrize("text", ["# T\n\n* * *\n\nOne.\n", "# T\n\nOne.\n\n* * *\n"])
def test_neither_part_may_be_empty(text: str) -> None:
    with pytest.raises(UsageError, match="empty"):
        divided_at_break(text, 1)


paragraph = st.from_regex(r"[ab][ab .*#_-]{0,10}[ab]", fullmatch=True)


@settings(max_examples=60)
@given(st.lists(paragraph, min_size=2, max_size=6), st.data())
def test_what_was_divided_is_whole_again_when_it_is_joined(
    paragraphs: list[str], data: st.DataObject
) -> None:
    text = with_heading("T", "\n\n* * *\n\n".join(paragraphs))
    number = data.draw(st.integers(1, len(paragraphs) - 1))
    found = divided_at_break(text, number)
    assert joined(found.first, with_heading("U", found.second)) == text
    assert found.scene == number
