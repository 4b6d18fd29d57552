"""Tests of passages that are spoiled on purpose, and of passages of one length."""

from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.checks.calibration import spoilt
from libriscribe2.checks.passage_pairs import SHORTEST, WINDOW, equal_windows

PARAGRAPHS = [
    f"Ada carried lamp number {n} up the stairs. Wren counted {n + 3} steps behind her. "
    "Neither of them spoke until the door was shut."
    for n in range(8)
]
PASSAGE = "\n\n".join(PARAGRAPHS)
TEXTS = st.lists(st.text("ab .\n", min_size=1, max_size=300), max_size=20).map("\n\n".join)


def test_every_kind_of_damage_is_done_to_a_passage_with_two_people() -> None:
    made = spoilt(PASSAGE, ["Ada Quell", "Wren Holt", "Nobody Here"])
    assert set(made) == {
        "shuffled paragraphs",
        "a half told twice",
        "stock phrases",
        "cut ending",
        "padding",
        "swapped names",
    }
    assert sorted(made["shuffled paragraphs"].split("\n\n")) == sorted(PARAGRAPHS)
    assert made["a half told twice"].count(PARAGRAPHS[0]) == 2
    assert PASSAGE.startswith(made["cut ending"])
    assert made["cut ending"][-1].isalpha()
    assert 1.35 < len(made["padding"]) / len(PASSAGE) < 1.6
    assert "Wren carried lamp number 7" in made["swapped names"]
    assert "Ada carried lamp number 0" in made["swapped names"]


def test_names_of_whom_one_is_there_cannot_change_places() -> None:
    assert "swapped names" not in spoilt(PASSAGE, ["Ada Quell", "Somebody Else"])


@given(TEXTS)
def test_nothing_is_called_spoilt_that_is_the_same(text: str) -> None:
    assert text not in spoilt(text, ["a b", "b a"]).values()


@given(TEXTS, TEXTS, st.sampled_from(["beginning", "end"]))
def test_windows_are_parts_of_their_texts_and_of_one_length(
    ours: str, theirs: str, where: str
) -> None:
    found = equal_windows(ours, theirs, where)  # type: ignore[arg-type]
    if found is None:
        return
    assert found[0] in ours
    assert found[1] in theirs
    assert max(map(len, found)) <= WINDOW
    assert min(map(len, found)) * 2.2 >= max(map(len, found))


def test_windows_of_chapters_end_with_their_paragraphs() -> None:
    long = "# Title\n\n" + "\n\n".join(PARAGRAPHS * 8)
    head, tail = equal_windows(long, PASSAGE), equal_windows(long, PASSAGE, "end")
    assert head is not None
    assert tail is not None
    assert head[0].startswith("Ada carried lamp number 0")
    assert all(one.endswith("shut.") for one in (*head, *tail))
    assert equal_windows(long, "a" * (SHORTEST - 1)) is None
