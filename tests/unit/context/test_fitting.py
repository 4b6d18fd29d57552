"""Parts give way by rank, and only as far as they have to."""

from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.context.prompt_parts import NEVER, Part, Rendered, fitted
from libriscribe2.prose import shorten, weigh

texts = st.text(alphabet="abc d\n\u00e9\u6c34.", max_size=400)


def part(name: str, rank: int, text: str, budget: int) -> Part:
    def render(room: int) -> Rendered:
        shown = shorten(text, room)
        return Rendered(shown, cut=shown != text)

    return Part(name, budget, rank, render)


ranked = st.lists(
    st.tuples(st.integers(0, 10), texts, st.integers(0, 500)), min_size=1, max_size=12
)


@given(ranked, st.integers(0, 2_000))
def test_T4_nothing_gives_way_before_what_has_a_lower_rank_is_gone(
    made: list[tuple[int, str, int]], budget: int
) -> None:
    parts = [part(str(at), rank, text, room) for at, (rank, text, room) in enumerate(made)]
    done = fitted(parts, budget)
    assert [one.part for one in done] == parts
    for one in done:
        full = one.part.render(one.part.budget)
        if not one.trimmed:
            assert one.shown == full
            continue
        assert one.part.rank != NEVER
        assert weigh(one.shown.text) < weigh(full.text)
        lower = [other for other in done if NEVER < other.part.rank < one.part.rank]
        assert not any(other.shown.text for other in lower)


@given(ranked, st.integers(0, 2_000))
def test_T4_the_budget_holds_unless_what_is_never_trimmed_takes_more(
    made: list[tuple[int, str, int]], budget: int
) -> None:
    parts = [part(str(at), rank, text, room) for at, (rank, text, room) in enumerate(made)]
    done = fitted(parts, budget)
    left = [one.shown.text for one in done if one.part.rank != NEVER]
    assert sum(weigh(one.shown.text) for one in done) <= budget or not any(left)


def test_T4_only_as_much_goes_as_has_to() -> None:
    parts = [part("one", 1, "a " * 50, 100), part("two", 2, "b " * 50, 100)]
    assert [len(one.shown.text) for one in fitted(parts, 200)] == [100, 100]
    assert [len(one.shown.text) for one in fitted(parts, 150)] == [47, 100]
    assert [len(one.shown.text) for one in fitted(parts, 60)] == [0, 57]
