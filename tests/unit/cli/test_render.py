"""What reaches the two streams, in a pipe and on a terminal."""

import io
import json
import re

import pytest
from tests.support.screen import Screen, Terminal, event

from libriscribe2.cli.render import Renderer, use_utf8
from libriscribe2.errors import ConfigError, LibriScribeError
from libriscribe2.observe.events import Event

SGR = re.compile(r"\x1b\[[0-9;]*m")
EVIL = [
    f"{opening}{payload}{closing}"
    for opening in ("", "[bold]", "[/bold]", "[link=http://evil]", ":smile:", "[/x]")
    for payload in (
        "\x1b]52;c;ZXZpbA==\x07",
        "\x1b]8;;http://evil\x1b\\",
        "\x1b[2J",
        "\x1bc",
        "\x9b31m",
        "\x9d0;title\x9c",
        "\u202egnp.exe",
        "\u2066\u2069",
        "\x00\x08\x0b\x0c\r",
        "\x7f",
        "\ud800",
    )
    for closing in ("", "text", "\x1b", "[")
]


def say_everything(screen: Screen, text: str) -> None:
    """One text through every door of the renderer."""
    say = screen.renderer
    say.data(text)
    say.data_json({text: [text]})
    say.table(("column",), [[text], [text]])
    say.panel(text, {text: text})
    say.note(text)
    say.warning(text)
    say.error(LibriScribeError(text, text, text))
    say.as_json = True
    say.error(LibriScribeError(text, text, text))
    say.as_json = False
    say.render_event_json(event("stage.failed", stage=text, message=text))
    with say.live():
        say.render_event(event("stage.start", stage=text, unit=text, reason=text))
        say.render_event(event("llm.wait", stage=text, message=text))
        say.on_text(text, text)
        say.render_event(event("stage.failed", stage=text, message=text))


def test_a_command_on_a_terminal_is_one_line_however_narrow_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    screen, command = Screen(Terminal), f"libriscribe2 create 'A {'very ' * 20}long premise'"
    screen.renderer.note(f"To skip the questions next time: {command}")
    screen.renderer.error(LibriScribeError("What " * 20, fix=f"Run `{command}`."))
    screen.renderer.warning("word " * 20)
    lines = SGR.sub("", screen.talk).splitlines()
    assert command in lines
    assert f"`{command}`." in lines
    assert all(len(line) <= 40 for line in lines if command not in line)


def test_more_than_200_evil_strings_are_tried() -> None:
    assert len(set(EVIL)) > 200


def test_evil_text_in_a_pipe_writes_no_control_character() -> None:
    screen = Screen()
    for text in EVIL:
        say_everything(screen, text)
    written = screen.data + screen.talk
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", written)
    assert "[link=http://evil]" in written
    assert ":smile:" in written


def test_evil_text_on_a_terminal_writes_no_escape_but_richs_own() -> None:
    screen = Screen(Terminal)
    for text in EVIL[::3]:
        say_everything(screen, text)
    written = SGR.sub("", screen.data + screen.talk)
    own = re.compile(r"\x1b\[(?:\?25[lh]|2K|\d*A)")
    assert "\x1b" not in own.sub("", written)
    assert not re.search(r"[\x07\x08\x7f-\x9f\u202a-\u202e\u2066-\u2069]", written)


def test_data_goes_to_stdout_and_talk_to_stderr() -> None:
    screen = Screen()
    screen.renderer.data("text\twith a tab")
    screen.renderer.note("a note")
    assert screen.data == "text\twith a tab\n"
    assert screen.talk == "a note\n"


def test_a_long_line_is_not_cut_in_a_pipe() -> None:
    screen = Screen()
    screen.renderer.data("x " * 200)
    screen.renderer.note("y " * 200)
    screen.renderer.table(("a", "b"), [["z " * 200, 1]])
    assert [len(text.splitlines()) for text in (screen.data, screen.talk)] == [3, 1]


def test_a_table_in_a_pipe_is_tab_separated() -> None:
    screen = Screen()
    screen.renderer.table(("key", "value"), [["a", 1], ["b\tc\nd", None]])
    assert screen.data == "key\tvalue\na\t1\nb c d\tNone\n"


def test_a_table_on_a_terminal_is_drawn() -> None:
    screen = Screen(Terminal)
    screen.renderer.table(("key", "value"), [["a", 1]])
    assert SGR.sub("", screen.data).split() == ["key", "value", "a", "1"]
    assert "\t" not in screen.data


def test_a_panel_in_a_pipe_is_names_and_values() -> None:
    screen = Screen()
    screen.renderer.panel("Statistics", {"words": "2,550", "cost": "cost unknown"})
    assert screen.data == "words: 2,550\ncost: cost unknown\n"


def test_a_panel_on_a_terminal_has_its_title() -> None:
    screen = Screen(Terminal)
    screen.renderer.panel("Statistics", {"words": "2,550"})
    assert "Statistics" in screen.data
    assert "2,550" in screen.data


def test_colour_by_force_draws_no_table_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    screen = Screen()
    screen.renderer.table(("a",), [["b"]])
    screen.renderer.error(ConfigError("what"))
    with screen.renderer.live():
        screen.renderer.render_event(event("stage.start", stage="concept"))
    assert screen.data == "a\nb\n"
    assert SGR.search(screen.talk)
    assert SGR.sub("", screen.talk) == "error: what.\n"


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    screen = Screen(Terminal)
    screen.renderer.error(ConfigError("what", "why", "fix"))
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", screen.talk)


def test_an_error_is_one_line_in_a_pipe() -> None:
    screen = Screen()
    screen.renderer.error(ConfigError("The file\nis odd", "It is cut.", "Mend it"))
    assert screen.talk == "error: The file is odd. why: It is cut. fix: Mend it\n"
    assert screen.data == ""


def test_an_error_is_three_lines_on_a_terminal() -> None:
    screen = Screen(Terminal)
    screen.renderer.error(ConfigError("The file is odd.", "It is cut.", "Mend it."))
    shown = SGR.sub("", screen.talk).splitlines()
    assert shown == ["error: The file is odd.", "  why: It is cut.", "  fix: Mend it."]


def test_an_error_says_only_what_is_known() -> None:
    screen = Screen()
    screen.renderer.error(ConfigError("what"))
    assert screen.talk == "error: what.\n"


def test_an_error_as_json_is_one_line_on_stderr() -> None:
    screen = Screen(Terminal)
    error = ConfigError("Größe\nfehlt", "why " * 50, "fix")
    screen.renderer.as_json = True
    screen.renderer.error(error)
    assert screen.talk.count("\n") == 1
    assert json.loads(screen.talk) == error.as_record()
    assert screen.data == ""


def test_json_data_reads_back_unchanged() -> None:
    value = {"text": "\x1b\x9b\u202e é 日本 \ud800", "long": "x " * 200}
    screen = Screen(Terminal)
    screen.renderer.data_json(value)
    assert json.loads(screen.data) == value


def test_an_event_as_json_is_one_line_that_reads_back() -> None:
    told = event("llm.call", stage="concept", tokens={"in": 1, "out": 2})
    screen = Screen()
    screen.renderer.render_event_json(told)
    assert screen.data.count("\n") == 1
    record = json.loads(screen.data)
    assert record["tokens"] == {"in": 1, "out": 2}
    assert record["cost_usd"] is None
    assert Event.model_validate(record) == told


def test_quiet_leaves_warnings_and_errors() -> None:
    screen = Screen(quiet=True)
    screen.renderer.note("note")
    screen.renderer.render_event(event("stage.end", stage="concept", seconds=2))
    screen.renderer.warning("careful")
    screen.renderer.error(ConfigError("what"))
    assert screen.talk == "warning: careful\nerror: what.\n"


def test_a_traceback_is_shown_even_when_quiet_and_cannot_steer_the_terminal() -> None:
    screen = Screen(quiet=True)
    screen.renderer.trace("Traceback\n  [bold]x\x1b[2J\n")
    assert screen.talk == "Traceback\n  [bold]x[2J\n"


def test_a_stream_of_another_encoding_writes_utf8_and_never_fails() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="cp1252")
    use_utf8(stream, io.StringIO())
    stream.write("日本 \ud800")
    stream.flush()
    assert raw.getvalue() == "日本 ?".encode()


def test_without_streams_the_process_streams_are_used(capsys: pytest.CaptureFixture[str]) -> None:
    renderer = Renderer()
    renderer.data("data")
    renderer.note("talk")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("data\n", "talk\n")
