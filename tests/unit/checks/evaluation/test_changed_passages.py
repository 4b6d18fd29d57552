"""Passages around what two versions of a chapter have differently."""

from tests.unit.checks.prose import fresh

from libriscribe2.checks.passage_pairs import (
    MOST_PASSAGES,
    SHORTEST,
    WINDOW,
    changed_passages,
    sound_passages,
)


def paragraphs(count: int, words: int = 40) -> list[str]:
    return [f"{fresh(number, words).capitalize()}." for number in range(count)]


def chapter(parts: list[str]) -> str:
    return "\n\n".join(["# The Lamp", *parts]) + "\n"


def test_a_change_stands_between_the_same_paragraphs_on_both_sides() -> None:
    draft = paragraphs(12)
    revised = [*draft[:5], "Another sentence stands here.", *draft[6:]]
    (found,) = changed_passages(chapter(revised), chapter(draft))
    ours, theirs = (one.split("\n\n") for one in found)
    assert ours == revised[4:7]
    assert theirs == draft[4:7]
    assert min(map(len, found)) >= SHORTEST


def test_a_paragraph_that_is_gone_or_added_is_a_change() -> None:
    draft = paragraphs(8)
    (found,) = changed_passages(chapter(draft[:3] + draft[4:]), chapter(draft))
    assert found == ("\n\n".join(draft[2:3] + draft[4:5]), "\n\n".join(draft[2:5]))


def test_changes_at_both_ends_of_a_chapter_are_found() -> None:
    draft = paragraphs(12)
    revised = ["A first word.", *draft[1:-1], "A last word."]
    first, last = changed_passages(chapter(revised), chapter(draft))
    assert first[0].startswith("A first word.")
    assert first[1].startswith(draft[0])
    assert last[0].endswith("A last word.")
    assert last[1].endswith(draft[-1])


def test_changes_next_to_each_other_are_one_passage_and_long_ones_stay_apart() -> None:
    draft = paragraphs(12)
    near = [f"{text} More." if n in (4, 6) else text for n, text in enumerate(draft)]
    assert len(changed_passages(chapter(near), chapter(draft))) == 1
    long = paragraphs(12, 400)
    apart = [f"{text} More." if n in (4, 6) else text for n, text in enumerate(long)]
    assert len(changed_passages(chapter(apart), chapter(long))) == 2


def test_of_many_changes_the_largest_are_taken_in_the_order_of_the_text() -> None:
    draft = paragraphs(30)
    sizes = {3: 1, 11: 60, 19: 5, 27: 90}
    revised = [
        f"{text} {fresh(100 + n, sizes[n])}" if n in sizes else text for n, text in enumerate(draft)
    ]
    found = changed_passages(chapter(revised), chapter(draft))
    assert len(found) == MOST_PASSAGES
    assert [draft[n] in theirs for n, (_, theirs) in zip((11, 27), found, strict=True)] == [
        True
    ] * 2


def test_what_is_too_short_to_be_judged_is_left_out() -> None:
    assert changed_passages("# T\n\nOne line.\n", "# T\n\nAnother line.\n") == []
    same = chapter(paragraphs(4))
    assert changed_passages(same, same) == []


def test_sound_passages_are_whole_paragraphs_of_a_bounded_length() -> None:
    parts = paragraphs(60)
    found = sound_passages(chapter(parts), 3)
    assert len(found) == 3
    assert all(SHORTEST <= len(one) <= WINDOW for one in found)
    told = "\n\n".join(found)
    assert chapter(parts).removeprefix("# The Lamp\n\n").startswith(told)
    assert sound_passages("# T\n\nShort.\n", 3) == []
