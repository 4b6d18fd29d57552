"""Counts that move from version to version are those of the version alone."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.quality.tally import Tally, alike, alike_at_end

PARTS = st.lists(st.sampled_from(["", "a", "ab", "abba", "c"]), max_size=6)


@given(st.lists(PARTS, min_size=1, max_size=6))
def test_counts_after_any_way_are_those_of_the_last_version(versions: list[list[str]]) -> None:
    tally = Tally[str, str](list, set)
    for parts in versions:
        tally.move_to(parts)
        assert tally.counts == (
            Counter("".join(parts)),
            Counter("".join(map("".join, map(set, parts)))),
        )
        assert tally.has_any(["c"]) == ("c" in parts)
        assert 0 not in tally.counts[0].values()


@given(PARTS, PARTS)
def test_two_sequences_are_alike_as_far_as_their_items_are(
    one: list[str], other: list[str]
) -> None:
    start = alike(one, other)
    end = alike_at_end(one, other, min(len(one), len(other)) - start)
    assert one[:start] == other[:start]
    assert one[len(one) - end :] == other[len(other) - end :]
    assert one[start : start + 1] != other[start : start + 1] or one == other


def test_only_what_came_and_what_went_is_looked_at() -> None:
    seen: list[str] = []

    def letters(part: str) -> str:
        seen.append(part)
        return part

    tally = Tally[str, str](letters)
    tally.move_to(["ab", "c", "d"])
    seen.clear()
    assert tally.move_to(["ab", "e", "d"]) == (("e",), ("c",))
    assert sorted(seen) == ["c", "e"]
