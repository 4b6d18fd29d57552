"""On which line a quote stands."""

from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.research.quotes import line_of_quote

TEXT = "# One\n\nShe lit *her own* lamp,\nand the __great__ light\nwent round.\n"


def test_a_quote_is_found_on_the_line_where_it_begins() -> None:
    assert line_of_quote("and the great light went round", TEXT) == 4
    assert line_of_quote("She lit her own lamp, and the", TEXT) == 3
    assert line_of_quote("She lit *her own* lamp", TEXT) == 3


def test_another_word_is_another_quote() -> None:
    assert line_of_quote("She lit his own lamp", TEXT) is None
    assert line_of_quote("lit her ow", TEXT) is None


@given(st.lists(st.from_regex(r"[a-z]{3,8}( [a-z]{3,8}){3,6}", fullmatch=True), min_size=1))
def test_every_line_is_found_where_it_stands_first(lines: list[str]) -> None:
    lines = [
        f"line {number} {line}" for number, line in enumerate(lines)
    ]  # none goes on in the next
    text = "\n\n".join(f"*{line}*" for line in lines)
    found = [line_of_quote(line, text) for line in lines]
    assert all(at is not None and line in text.split("\n")[at - 1]
               for at, line in zip(found, lines, strict=True))  # fmt: skip


def test_emphasis_inside_a_word_does_not_end_it() -> None:
    text = "It was most un*believable stories* that\nhe told of believable stories."
    assert line_of_quote("believable stories", text) == 2
