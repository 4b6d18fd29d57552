"""A run on the screen: live lines on a terminal, one plain line per unit in a pipe."""

import io

import pytest
from tests.support.screen import Screen, Terminal, event

from libriscribe2.cli.render import Renderer


def test_quiet_has_no_live_lines() -> None:
    screen = Screen(Terminal, quiet=True)
    with screen.renderer.live():
        screen.renderer.render_event(event("stage.start", stage="concept"))
    assert screen.talk == ""


def test_in_a_pipe_a_run_is_one_plain_line_for_each_finished_unit() -> None:
    screen = Screen()
    with screen.renderer.live():
        for told in (
            event("stage.start", stage="concept", unit="concept.json", reason="missing"),
            event("llm.call", stage="concept", calls=1),
            event("stage.end", stage="concept", unit="concept.json", seconds=3),
        ):
            screen.renderer.render_event(told)
    assert screen.talk == "\u2713 Concept: 3s (missing)\n"
    assert screen.data == ""


def test_on_a_terminal_a_run_has_live_lines_that_go_away() -> None:
    times = iter([0.0, 10.0])
    screen = Screen(Terminal, clock=lambda: next(times, 82.0))
    with screen.renderer.live():
        screen.renderer.render_event(event("stage.start", stage="concept", unit="concept.json"))
    assert "1m 12s" in screen.talk
    assert "Concept" in screen.talk
    assert screen.talk.endswith("\x1b[2K")


def test_a_line_of_talk_stands_above_lines_that_know_of_it() -> None:
    screen = Screen(Terminal, clock=lambda: 0.0)
    end = event("stage.end", stage="chapters", chapter=1, unit="chapters/01.md", words=998)
    with screen.renderer.live():
        before = len(screen.talk)
        screen.renderer.render_event(end)
        told = screen.talk[before:]
    assert "Chapter 1: 998 words" in told
    assert "\u2713" in told
    assert "998 words · 0 calls" in told


def test_arriving_text_is_shown_in_the_live_lines_only() -> None:
    screen, pipe = Screen(Terminal), Screen()
    for each in (screen, pipe):
        with each.renderer.live():
            each.renderer.on_text("chapters/01", "It was a dark night")
    assert "It was a dark night" in screen.talk
    assert pipe.talk + pipe.data == ""


def test_events_as_json_on_a_terminal_end_the_live_lines() -> None:
    screen = Screen(Terminal)
    with screen.renderer.live():
        screen.renderer.render_event_json(event("run.start"))
        before = screen.talk
        screen.renderer.render_event_json(event("run.end"))
    assert screen.talk == before
    assert len(screen.data.splitlines()) == 2


def test_events_as_json_in_a_pipe_leave_the_live_lines_on_the_terminal() -> None:
    out, err = io.StringIO(), Terminal()
    renderer = Renderer(out, err)
    with renderer.live():
        renderer.render_event_json(event("llm.call", calls=1, cost_usd=0.0))
    assert "1 call " in err.getvalue()
    assert out.getvalue().count("\n") == 1


def test_the_cursor_is_never_left_hidden() -> None:
    screen = Screen(Terminal)
    with screen.renderer.live():
        assert screen.talk.rfind("\x1b[?25h") > screen.talk.rfind("\x1b[?25l")
    assert screen.talk.rfind("\x1b[?25h") > screen.talk.rfind("\x1b[?25l")


def test_live_lines_end_with_the_error_that_ends_the_run() -> None:
    def run() -> None:
        with screen.renderer.live():
            raise KeyboardInterrupt

    screen = Screen(Terminal)
    with pytest.raises(KeyboardInterrupt):
        run()
    screen.renderer.data("after")
    assert screen.data == "after\n"


def test_the_live_lines_go_away_before_the_process_ends_at_once() -> None:
    screen = Screen(Terminal)
    with screen.renderer.live():
        screen.renderer.on_text("chapters/ch01/scene01", "It was a dark night")
        screen.renderer.end_live()
        ended = screen.talk
        assert ended.endswith("\x1b[2K")


def test_a_dumb_terminal_has_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    screen = Screen(Terminal)
    with screen.renderer.live():
        screen.renderer.render_event(event("stage.end", stage="concept", seconds=2))
    assert screen.talk == "\u2713 Concept: 2s\n"


def test_a_second_run_starts_with_empty_live_lines() -> None:
    screen = Screen(Terminal)
    for _ in range(2):
        with screen.renderer.live():
            screen.renderer.render_event(event("llm.call", calls=1, cost_usd=0.0))
    assert "2 calls" not in screen.talk
