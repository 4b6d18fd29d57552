"""Rules over the text itself: passages told twice, weekdays beside dates."""

import pytest
from tests.unit.checks.prose import chapter, fresh

from libriscribe2.checks.continuity.story_rules import Story, findings_in
from libriscribe2.models.findings import Finding


def found(*paragraphs: str, language: str = "English") -> list[Finding]:
    """What is found in a book of one paragraph a chapter."""
    chapters = [chapter(n, text) for n, text in enumerate(paragraphs, start=1)]
    story = Story([], chapters=chapters, language=language)
    return [one for one in findings_in(story) if one.rule in ("R15", "R16")]


def test_a_scene_told_twice_in_much_the_same_words_is_found() -> None:
    scene = fresh(1, 160).split()
    again = " ".join(word if at % 8 else f"other{at}" for at, word in enumerate(scene))
    (only,) = found(" ".join(scene), fresh(2, 160), again)
    assert (only.rule, only.severity, only.where.file) == ("R15", "warning", "chapters/03.md")
    assert only.other is not None
    assert only.other.file == "chapters/01.md"


def test_a_phrase_that_comes_again_is_no_scene_told_twice() -> None:
    refrain = " ".join(fresh(9, 12).split())
    texts = [f"{refrain} {fresh(n, 160)}" for n in range(1, 5)]
    assert found(*texts) == []


@pytest.mark.parametrize(
    ("texts", "rules"),
    [
        (["It was Tuesday, 17 July.", "On Thursday, 18 July, he came."], ["R16"]),
        (["It was Tuesday, 17 July.", "On Wednesday, July 18th, he came."], []),
        (["It was Tuesday, 17 July.", "Spring.", "On Thursday, 18 July, he came."], []),
        (["It was Monday, 26 February.", "On Saturday, 2 March, he came."], []),
        (["Friday, June 26, 1774."], ["R16"]),
        (["Sunday, June 26, 1774."], []),
        (["Tuesday, April 1, 1712."], []),
        (["Monday, 31 April."], []),
    ],
)
def test_a_weekday_goes_with_its_date(texts: list[str], rules: list[str]) -> None:
    assert [one.rule for one in found(*texts)] == rules
    assert found(*texts, language="German") == []
