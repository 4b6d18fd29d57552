"""A text is looked at while it comes, in whole paragraphs and not too often."""

import pytest
from tests.unit.quality.prose import fresh

from libriscribe2.quality.listening import MOST, STEP, Listener, at_first

TEXT = "\n\n".join(fresh(n, 40) for n in range(60))


@pytest.mark.parametrize("size", [1, 7, 500, STEP, len(TEXT)])
def test_every_look_is_at_whole_paragraphs_and_there_is_one_for_each_step(size: int) -> None:
    seen: list[str] = []
    listener = Listener(seen.append)
    for start in range(0, len(TEXT), size):
        listener(TEXT[start : start + size])
    assert all(TEXT.startswith(f"{one}\n\n") for one in seen)
    assert len(seen) <= len(TEXT) // STEP + 1
    assert len(TEXT) - len(seen[-1]) <= 2 * STEP
    assert seen == sorted(seen, key=len)


def test_a_text_without_paragraphs_and_one_without_end_cost_little() -> None:
    seen: list[str] = []
    listener = Listener(seen.append)
    for _ in range(MOST // 100):
        listener("word " * 40)
    assert seen == []
    for _ in range(MOST // 100):
        listener("\n\n" + "word " * 40)
    assert len(seen) <= 2


def test_a_paragraph_longer_than_a_step_is_not_looked_at_with_every_piece() -> None:
    seen: list[str] = []
    listener = Listener(seen.append)
    long = "She went on and on about the lamp. " * 200
    text = f"One.\n\n{long}\n\n{long}\n\nThe end."
    for start in range(0, len(text), 4):
        listener(text[start : start + 4])
    assert seen == ["One.", f"One.\n\n{long}"]


def test_work_is_done_once_at_the_first_piece() -> None:
    done: list[int] = []
    heard = at_first(lambda: done.append(1))
    assert done == []
    heard("One")
    heard(" two.")
    assert done == [1]


def test_a_look_that_fails_costs_no_reply_and_is_the_last() -> None:
    looks: list[str] = []

    def look(text: str) -> None:
        looks.append(text)
        raise ZeroDivisionError

    listener = Listener(look)
    for start in range(0, len(TEXT), STEP):
        listener(TEXT[start : start + STEP])
    assert len(looks) == 1
    heard = at_first(lambda: look("once"))
    heard("One")
    heard(" two.")
    assert looks[1:] == ["once"]
