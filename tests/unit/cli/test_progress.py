"""A run's events as lines of a log and as live lines."""

from typing import Any

import pytest
from tests.support.screen import event

from libriscribe2.cli.progress import RunView
from libriscribe2.cli.render import event_line
from libriscribe2.commands.run_progress import Scale
from libriscribe2.observe.events import Event


def chapter(name: str, number: int, **fields: Any) -> Event:
    unit = f"chapters/{number:02d}.md"
    return event(name, stage="chapters", chapter=number, unit=unit, **fields)


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (event("run.start", message="3 chapters"), None),
        (event("stage.start", stage="concept"), None),
        (event("llm.call", stage="concept", calls=1), None),
        (event("stage.skipped", stage="concept", reason="fresh"), "Concept: skipped (fresh)"),
        (chapter("stage.end", 3, words=850, seconds=72), "\u2713 Chapter 3: 850 words, 1m 12s"),
        (
            event("stage.failed", stage="concept", message="No reply.", reason="timeout"),
            "\u2717 Concept: failed: No reply.",
        ),
        (
            event("llm.wait", stage="concept", seconds=12, reason="rate", message="429"),
            "Concept: waiting 12s (rate: 429)",
        ),
        (event("llm.wait", seconds=12, message="429"), "Waiting 12s (429)"),
        (event("run.failed", calls=2, cost_usd=0.5), "Stopped: 2 calls, $0.5000, 0.0s"),
        (
            event("run.end", words=2, calls=3, tokens={"in": 4, "out": 5}, seconds=6),
            "Finished: 2 words, 3 calls, 9 tokens, cost unknown, 6s",
        ),
        (event("run.end", calls=1, cost_usd=0.0), "Finished: 1 call, $0.00, 0.0s"),
        (
            event("run.interrupted", message="`resume` goes on"),
            "Interrupted: 0.0s: `resume` goes on",
        ),
    ],
)
def test_an_event_is_one_line_or_none(told: Event, line: str | None) -> None:
    assert event_line(told) == line


def test_the_line_of_a_finished_unit_says_why_it_ran() -> None:
    told = chapter("stage.end", 3)
    assert event_line(told, reason="outline.json changed") == (
        "\u2713 Chapter 3: 0.0s (outline.json changed)"
    )
    own = chapter("stage.end", 3, reason="its own")
    assert "(its own)" in str(event_line(own, reason="another"))


def test_a_hostile_message_stays_one_harmless_line() -> None:
    line = event_line(event("stage.failed", stage="x", message="a\nb\x1b[2J\u202ec"))
    assert line == "\u2717 X: failed: a b[2Jc"


SCALE = Scale(chapters=lambda: 3, words=3_000, usd=1.5, seconds=600)


def after(*events: Event, scale: Scale = SCALE) -> RunView:
    view = RunView(scale)
    for told in events:
        _ = list(view.receive(told, event_line(told)))
    return view


def shown(view: RunView, seconds: float = 0, width: int = 120) -> list[str]:
    return [line.plain for line in view.lines(seconds, width)]


def kept(*events: Event, scale: Scale = SCALE) -> list[str]:
    """What stays on the screen."""
    view = RunView(scale)
    return [line.plain for told in events for line in view.receive(told, event_line(told))]


def test_one_bar_says_how_far_the_book_is() -> None:
    view = after(chapter("stage.end", 1, words=1_000), call(0.25), chapter("stage.start", 2))
    head, bar = shown(view, 300)
    assert head == "Chapter 2 of 3"
    assert bar.strip("\u2501") == (
        " 1,000 of 3,000 words \u00b7 1 call \u00b7 $0.2500 of ~$1.50 \u00b7 about 10m 00s left"
    )
    assert bar.count("\u2501") == 40


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_the_bar_leaves_room_for_the_echo_of_an_interrupt(width: int) -> None:
    bar = shown(after(chapter("stage.end", 1, words=1_000)), width=width)[-1]
    assert len(bar) <= width - 5 or "\u2501" not in bar


def test_nothing_is_known_of_a_run_without_a_scale() -> None:
    assert shown(RunView(Scale()), 72) == ["0 words \u00b7 0 calls \u00b7 $0.00 \u00b7 1m 12s"]


def test_chapters_that_are_written_at_once_are_named_and_their_readings_are_not() -> None:
    view = after(
        chapter("stage.start", 2),
        chapter("stage.start", 1),
        event("stage.start", stage="canon", chapter=3, unit=".libriscribe/canon/03.json"),
    )
    assert shown(view)[0] == "Chapters 1, 2 of 3"
    reading = event("stage.start", stage="canon", chapter=3, unit=".libriscribe/canon/03.json")
    assert shown(after(reading))[0] == "Story bible, chapter 3 of 3"


def test_a_chapter_is_one_line_with_a_tick_its_words_and_its_cost() -> None:
    told = (
        chapter("stage.start", 1),
        event("llm.call", stage="chapters", chapter=1, calls=1, cost_usd=0.25),
        chapter("stage.end", 1, words=998, seconds=72, message="0 of 2 patches kept"),
        event("stage.end", stage="canon", chapter=1, unit=".libriscribe/canon/01.json"),
        event("stage.end", stage="summaries", chapter=1, unit=".libriscribe/summaries/01.md"),
    )
    assert kept(*told) == ["\u2713 Chapter 1 of 3: 998 words, 1m 12s, $0.2500; 0 of 2 patches kept"]


def test_all_that_was_skipped_is_one_line() -> None:
    skipped = [chapter("stage.skipped", n, reason="up to date") for n in (1, 2)]
    edited = chapter("stage.skipped", 3, reason="edited by you")
    stale = chapter("stage.skipped", 4, reason="out of date: outline.json changed")
    assert kept(*skipped, edited, stale, chapter("stage.start", 5)) == [
        "\u00b7 2 parts up to date, 1 part edited by you, 1 part out of date"
    ]


def test_a_chapter_that_is_remade_does_not_count_twice() -> None:
    scale = Scale(words=3_000, written={"chapters/01.md": 900, "chapters/02.md": 1_000})
    view = after(chapter("stage.start", 1), scale=scale)
    assert "1,000 of 3,000 words" in shown(view)[-1]
    _ = list(view.receive(chapter("stage.end", 1, words=950), None))
    assert "1,950 of 3,000 words" in shown(view)[-1]


def test_a_wait_is_shown_until_something_comes() -> None:
    wait = event("llm.wait", stage="concept", seconds=5, reason="rate limit")
    assert "waiting 5s: rate limit" in shown(after(wait))
    for later in (call(0.1), chapter("stage.end", 1)):
        assert not any("waiting" in line for line in shown(after(wait, later)))


def call(usd: float | None, calls: int = 1) -> Event:
    return event("llm.call", calls=calls, cost_usd=usd, tokens={"in": 10, "out": 5})


@pytest.mark.parametrize(
    ("calls", "text"),
    [
        ([call(0.25), call(0.25)], "2 calls \u00b7 $0.5000 of ~$1.50"),
        ([call(None), call(None)], "2 calls \u00b7 cost unknown"),
        ([call(0.25), call(None)], "2 calls \u00b7 at least $0.2500, 1 call unpriced"),
        ([call(None, calls=0)], "0 calls \u00b7 $0.00"),
    ],
)
def test_XC_13_an_unknown_price_is_not_added_as_zero(calls: list[Event], text: str) -> None:
    assert text in shown(after(*calls))[-1]


def test_prose_is_shown_as_it_comes_in_the_width_of_the_window() -> None:
    view = after(chapter("stage.start", 2))
    view.piece("chapters/ch02/scene03", "It was a dark night. " * 40)
    view.piece("chapters/ch01/scene01", "Another text.")
    *prose, head, bar = shown(view, width=60)
    assert len(prose) == 3
    assert all(40 < len(line) <= 60 for line in prose[:-1])
    assert "Another" not in " ".join(prose)
    assert head == "Chapter 2 of 3 \u00b7 scene 3"
    assert "200 of 3,000 words" in bar


def test_the_words_of_a_scene_stay_when_the_next_one_begins() -> None:
    view = after(chapter("stage.start", 1))
    view.piece("chapters/ch01/scene01", "One two three.")
    done = event("llm.call", stage="chapters", chapter=1, unit="chapters/ch01/scene01", calls=1)
    _ = list(view.receive(done, None))
    assert "3 of 3,000 words" in shown(view)[-1]
    view.piece("chapters/ch01/scene02", "Four five.")
    assert "5 of 3,000 words" in shown(view)[-1]


def test_a_hostile_text_stays_harmless_lines() -> None:
    view = after(chapter("stage.start", 1))
    view.piece("chapters/ch01/scene01", "x" * 50 + "\x1b[2J\nend\x07")
    assert not any(mark in line for line in shown(view) for mark in "\x1b\x07\n")
