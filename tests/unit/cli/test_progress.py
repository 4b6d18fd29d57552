"""A run's events as lines of a log and as live lines."""

from typing import Any

import pytest
from tests.support.screen import event

from libriscribe2.cli.render import Progress, event_line
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


def after(*events: Event) -> Progress:
    progress = Progress()
    for told in events:
        progress = progress.after(told)
    return progress


def test_nothing_has_happened_yet() -> None:
    assert Progress().lines(0) == ("0 words · 0 calls · 0 tokens · $0.00 · 0.0s",)


def test_open_units_are_shown_by_stage() -> None:
    progress = after(
        chapter("stage.start", 2),
        event("stage.start", stage="world", unit="world.json"),
        chapter("stage.start", 1),
        chapter("stage.start", 3),
        chapter("stage.end", 3, words=850),
        chapter("stage.skipped", 4),
        chapter("stage.failed", 5),
    )
    assert progress.lines(72) == (
        "chapters 1, 2 (2 done)",
        "world",
        "850 words · 0 calls · 0 tokens · $0.00 · 1m 12s",
    )


def test_only_chapters_count_as_words() -> None:
    progress = after(
        chapter("stage.end", 1, words=998),
        event("stage.end", stage="summaries", unit=".libriscribe/summaries/01.md", words=100),
        event("stage.end", stage="manuscript", unit="manuscript.md", words=1_005),
    )
    assert progress.lines(0)[-1].startswith("998 words · ")


def test_the_reason_of_an_open_unit_is_remembered() -> None:
    progress = after(chapter("stage.start", 1, reason="missing"))
    assert progress.reason(chapter("stage.end", 1)) == "missing"
    assert progress.reason(chapter("stage.end", 2)) == ""


def test_a_wait_is_shown_until_something_comes() -> None:
    wait = event("llm.wait", stage="concept", seconds=5, reason="rate limit")
    assert "Concept: waiting 5s (rate limit)" in after(wait).lines(0)
    assert after(wait, event("llm.call", calls=1)).waiting == ""
    assert after(wait, chapter("stage.end", 1)).waiting == ""


def call(usd: float | None, calls: int = 1) -> Event:
    return event("llm.call", calls=calls, cost_usd=usd, tokens={"in": 10, "out": 5})


@pytest.mark.parametrize(
    ("calls", "text"),
    [
        ([call(0.25), call(0.25)], "2 calls · 30 tokens · $0.5000"),
        ([call(None), call(None)], "2 calls · 30 tokens · cost unknown"),
        ([call(0.25), call(None)], "2 calls · 30 tokens · at least $0.2500, 1 call unpriced"),
        ([call(None, calls=0)], "0 calls · 15 tokens · $0.00"),
    ],
)
def test_XC_13_an_unknown_price_is_not_added_as_zero(calls: list[Event], text: str) -> None:
    assert text in after(*calls).lines(0)[-1]


def test_the_end_of_one_arriving_text_is_followed_until_it_is_whole() -> None:
    progress = Progress().with_piece("a", "It was ").with_piece("b", "Other").with_piece("a", "n")
    assert progress.lines(0)[0] == "It was n"
    assert progress.after(event("llm.call", unit="b")).arriving == "It was n"
    for end in (event("llm.call", unit="a"), event("llm.wait"), chapter("stage.end", 1)):
        ended = progress.after(end)
        assert ended.arriving == ""
        assert ended.with_piece("b", "New").arriving == "New"


def test_a_long_text_shows_its_last_line_only() -> None:
    (line, _) = Progress().with_piece("a", "x" * 500 + "\x1b[2J\nend").lines(0)
    assert len(line) <= 70
    assert line.endswith("x[2J end")


def test_other_events_change_nothing() -> None:
    assert after(event("run.start"), event("run.failed", words=3)) == Progress()
