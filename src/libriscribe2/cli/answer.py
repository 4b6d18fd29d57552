"""`libriscribe2 answer`: a book whose model is a chat window goes on, reply by reply."""

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from libriscribe2.cli.approval import Approval, editor_words, plan_due
from libriscribe2.cli.frame import (
    Frame,
    ModelOptions,
    ProjectArgument,
    ProjectNameOption,
    UntilOption,
    command_with_json,
)
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import held_book, run_book, tell_whereabouts
from libriscribe2.commands.by_hand import pastes_left, settings_by_hand, waiting_requests
from libriscribe2.commands.runs import PLAN_STAGE, OpenBook, Prepare, going_on
from libriscribe2.documents.decoding import decode
from libriscribe2.engine.engine import RunRequest
from libriscribe2.errors import EXIT_INTERRUPTED, UsageError
from libriscribe2.exporters.pandoc import environment
from libriscribe2.llm.backends.manual import Pastes
from libriscribe2.llm.backends.paste import Paste, as_record
from libriscribe2.llm.session import ReplyAwaitedError
from libriscribe2.prose import shorten
from libriscribe2.replies.pasted import parts_of
from libriscribe2.wording import clean, counted

_PROGRAMS: Final = (
    ("pbcopy", "", ()),
    ("clip.exe", "", ()),
    ("wl-copy", "WAYLAND_DISPLAY", ("--type", "text/plain;charset=utf-8")),
    ("xclip", "DISPLAY", ("-selection", "clipboard")),
    ("xsel", "DISPLAY", ("--clipboard", "--input")),
)
"""Programs that fill the clipboard, the variable without which each is of no use, its arguments."""

_DESKTOP: Final = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR")
_PATIENCE: Final = 5.0
_MOST_BY_TERMINAL: Final = 74_000
"""Most bytes that terminals take for their clipboard (OSC 52), before they are encoded."""

_START, _END, _EOT = b"\x1b[200~", b"\x1b[201~", b"\x04"
_DOT: Final = b"\n.\n"
_ECHOED: Final = 3
"""Most bytes that are shown as typed; a paste is only counted."""


def copied(text: str) -> str:
    """Put a text into the clipboard; how, or "" where there is none.

    Over SSH and in a terminal alone the terminal itself is asked, which never says what it did.
    """
    for program, variable, arguments in _PROGRAMS:
        found = shutil.which(program)
        if not found or not Path(found).is_absolute() or (variable and variable not in os.environ):
            continue
        coded = text.encode("utf-16-le" if program == "clip.exe" else "utf-8", "replace")
        env = environment(*_DESKTOP, LC_CTYPE="UTF-8")
        try:
            done = subprocess.run(
                (found, *arguments),
                input=coded,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=env,
                timeout=_PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            return program
    data = text.encode("utf-8", "replace")
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return ""
    if len(data) > _MOST_BY_TERMINAL:
        return ""
    sys.stderr.write(f"\x1b]52;c;{base64.b64encode(data).decode()}\x07")
    sys.stderr.flush()
    return "terminal"


def pasted(keys: str) -> str:
    """What is pasted into the terminal, up to Enter after the paste, Ctrl-D or a line with a dot.

    A line may be longer than what a terminal collects of one, so it is read as it comes. Only
    what is typed by hand is shown.

    Args:
        keys: Letters each of which, alone on the first line, ends the reading too.

    Raises:
        KeyboardInterrupt: Ctrl-C; nothing is kept.
    """
    alone = {f"{key}\n".encode() for key in keys}
    buffer = b""
    with _as_it_comes() as descriptor:
        while data := os.read(descriptor, 65_536):
            buffer += data
            if len(buffer) <= _ECHOED:
                sys.stderr.write(clean(data.decode("utf-8", "replace")).rstrip("\n"))
            else:
                ends = "Enter" if _END in buffer else "Ctrl-D"
                sys.stderr.write(f"\r{len(buffer.split()):,} words; {ends} takes them. ")
            sys.stderr.flush()
            typed = buffer in alone or buffer.endswith((_DOT, _END + b"\n"))
            if typed or _EOT in buffer:
                break
    text = buffer.partition(_EOT)[0].replace(_START, b"").replace(_END, b"")
    return text.removesuffix(_DOT).decode("utf-8", "replace")


@contextmanager
def _as_it_comes() -> Iterator[int]:
    """Standard input byte by byte and unseen, with pastes marked as such, while the block runs."""
    descriptor = sys.stdin.fileno()
    if sys.platform == "win32":
        yield descriptor
        return
    import termios  # noqa: PLC0415 - Windows has none

    before = termios.tcgetattr(descriptor)
    mode = [*before[:3], before[3] & ~(termios.ICANON | termios.ECHO), *before[4:]]
    termios.tcsetattr(descriptor, termios.TCSADRAIN, mode)
    sys.stderr.write("\x1b[?2004h")
    sys.stderr.flush()
    try:
        yield descriptor
    finally:
        sys.stderr.write("\x1b[?2004l\n")
        sys.stderr.flush()
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


_MOST_BYTES: Final = 16_000_000
_TURN: Final = 400
"""Most characters of a new turn that are shown."""

_ASKING: Final = ("revise", "ask", "learn")
"""Steps that are called as their commands."""

_KEYS: Final = "epnq?"
_HELP: Final = (
    "Paste the answer here and press Enter, or Ctrl-D. Or type a letter and Enter: e opens your "
    "editor, p prints the request, n copies all of it for a new chat, q leaves."
)
_AGAIN: Final = "Paste the answer here and press Enter (? lists the letters)."


@command_with_json
def answer(
    frame: Frame,
    project: ProjectArgument = None,
    project_name: ProjectNameOption = None,
    editor: Annotated[
        bool, typer.Option("--editor", "-e", help="Take the reply from $EDITOR.")
    ] = False,
    show: Annotated[bool, typer.Option("--show", help="Only print the text to paste.")] = False,
    new_chat: Annotated[
        bool, typer.Option("--new-chat", help="All of a conversation, for a new chat.")
    ] = False,
    until: UntilOption = None,
    *,
    options: ModelOptions,
) -> None:
    """Write a book with a chat window: copy each request, paste its reply.

    For books begun with --model manual. The next request is copied to the clipboard. Paste it into
    any chat, then paste the answer here: the book goes on to the next request. From a pipe,
    standard input is one reply. The exit code is 5 as long as requests wait.

    Example: libriscribe2 answer my-book < reply.txt
    """
    renderer, paths = frame.renderer, frame.project(project, project_name, options)
    settings = settings_by_hand(frame.settings(options, paths), paths)

    def work(prepare: Prepare) -> None:
        """Run until all is made, or the user leaves."""
        with held_book(paths, settings) as book:
            table = _Table(renderer, book, prepare(book.store, book.brief), whole=new_chat)
            done = table.go_on()
            if show or renderer.as_json:
                table.show()
            elif done or table.take_all(editor=editor):
                done = True
        if not done:
            raise typer.Exit(ReplyAwaitedError.exit_code)

    asks = _is_typed() and not (show or renderer.as_json or until)
    if asks and plan_due(paths):
        work(going_on(PLAN_STAGE, refresh=False))
        Approval(renderer, paths, settings, work).of_plan()
    else:
        work(going_on(until, refresh=False))
    if not (show or renderer.as_json):
        tell_whereabouts(renderer, paths)


def _is_typed() -> bool:
    """Whether somebody sits at a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


class _Table:
    """Where requests are shown and replies taken.

    Args:
        renderer: Shows them.
        book: The project, held by this process.
        request: What is asked of each run.
        whole: Whether a conversation is given from its beginning.
    """

    def __init__(
        self, renderer: Renderer, book: OpenBook, request: RunRequest, *, whole: bool
    ) -> None:
        self._renderer = renderer
        self._book = book
        self._request = request
        self._paths = book.store.paths
        self._whole = whole
        self._waiting: list[Paste] = []
        self._is_helped = False

    def go_on(self) -> bool:
        """Run until a reply is missing; whether none is.

        What another command asked, such as a review, waits after the book; it replays by that one.

        Raises:
            LibriScribeError: The run failed; finished parts are kept.
        """
        try:
            run_book(self._renderer, self._book, self._request, brief=True)
        except ReplyAwaitedError:
            self._waiting = waiting_requests(self._book.store)
            return False
        asked = waiting_requests(self._book.store)
        self._waiting = [one for one in asked if self._is_of_another(one)]
        return not self._waiting

    def _is_of_another(self, paste: Paste) -> bool:
        """Whether another command asks: no stage of the book does."""
        return paste.stage not in {stage.name for stage in self._request.stages}

    def show(self) -> None:
        """What waits: the text of the first, or all as JSON."""
        if self._renderer.as_json:
            self._renderer.data_json({"waiting": [self._record(one) for one in self._waiting]})
        elif self._waiting:
            self._renderer.data(self._text(self._waiting[0]))

    def _record(self, paste: Paste) -> dict[str, Any]:
        return {**as_record(paste), "words": len(self._text(paste).split())}

    def _text(self, paste: Paste) -> str:
        return Pastes(self._paths).text_of(paste, whole=self._whole)

    def take_all(self, *, editor: bool) -> bool:
        """Take reply after reply; whether the book is finished.

        Raises:
            UsageError: What came through a pipe is no reply.
            typer.Exit: Ctrl-C.
        """
        done, typed = False, _is_typed()
        while not done:
            paste = self._waiting[0]
            try:
                text = self._asked(paste, editor=editor) if typed else self._piped(paste)
            except KeyboardInterrupt as error:
                self._renderer.warning("Interrupted. Nothing of this reply was kept.")
                raise typer.Exit(EXIT_INTERRUPTED) from error
            if text:
                Pastes(self._paths).keep_reply(paste, text)
                self._tell_taken(paste, text)
                done = self.go_on()
            if not typed or not text:
                break
        if not done:
            self._tell_left()
        return done

    def _tell_taken(self, paste: Paste, text: str) -> None:
        """How much came, and what of several answers is missing."""
        told = f"Taken: {counted(len(text.split()), 'word')}."
        lacks = [n + 1 for n in range(len(paste.keys)) if n + 1 not in parts_of(text, paste.prose)]
        if lacks:
            told += f" Not found: {', '.join(map(str, lacks))} of {len(paste.keys)}; asked again."
        if self._is_of_another(paste):
            who = f"`libriscribe2 {paste.stage}`" if paste.stage in _ASKING else "the command"
            told += f" Now run {who} again, which asked."
        self._renderer.note(told)

    def _tell_left(self) -> None:
        paste, wait = self._waiting[0], len(self._waiting)
        self._tell_why(Pastes(self._paths), paste)
        waits = "1 request waits" if wait == 1 else f"{wait:,} requests wait"
        self._renderer.note(
            f"{waits} for a reply, of about {self._left():,} that are left; the next is "
            f"{paste.file}. Continue with `libriscribe2 answer {self._paths.called}`."
        )

    def _left(self) -> int:
        """About how many pastes the book still takes, the one that is asked for included."""
        left = pastes_left(self._request.stages, self._book.brief, self._book.store)
        return max(len(self._waiting), left)

    def _piped(self, paste: Paste) -> str:
        """The reply on standard input; "" where there is nothing.

        Raises:
            UsageError: It is no reply.
        """
        data = sys.stdin.buffer.read(_MOST_BYTES)
        text = decode(data)[0].strip() if data.strip() else ""
        why = Pastes(self._paths).objection(paste, text) if text else ""
        if why:
            raise UsageError(
                f"This is not a reply to {paste.file}", why, "Paste the chat's answer."
            )
        if not text:
            self._renderer.note("Nothing came on standard input.")
        return text

    def _asked(self, paste: Paste, *, editor: bool) -> str:
        """The reply from the terminal or the editor; "" where the user leaves."""
        pastes = Pastes(self._paths)
        text = "n" if self._whole else ""
        while True:
            if text in {"", "n"}:
                self._tell(pastes, paste, whole=text == "n")
            elif text == "?":
                self._renderer.note(_HELP)
            elif text == "p":
                self._renderer.data(pastes.text_of(paste, whole=self._whole))
            elif text == "q":
                return ""
            elif text != "e":
                why = pastes.objection(paste, text)
                if not why:
                    return text
                self._renderer.warning(f"{why} {_AGAIN}")
            text = self._edited(pastes, paste) if editor else pasted(_KEYS).strip()
            editor = text == "e"

    def _tell(self, pastes: Pastes, paste: Paste, *, whole: bool) -> None:
        """What is asked for, where its text is, and what to do."""
        more = self._left() - 1
        others = f" (about {more:,} more after it)" if more else ""
        self._renderer.note(f"\n{paste.name}: {paste.about}{others}")
        text = pastes.text_of(paste, whole=whole)
        goes_on = not whole and self._tell_why(pastes, paste)
        size = counted(len(text.split()), "word")
        where = "the chat that gave that answer" if goes_on else "a chat, best a new one"
        match copied(text):
            case "":
                told = f"Paste {paste.file} ({size}, below its line) into {where}."
            case "terminal":
                told = (
                    f"The request ({size}) was sent to the terminal's clipboard; else it is in "
                    f"{paste.file}. Paste it into {where}."
                )
            case _:
                told = f"The request ({size}) is in the clipboard. Paste it into {where}."
        self._renderer.note(f"{told}\n{_AGAIN if self._is_helped else _HELP}")
        self._is_helped = True

    def _tell_why(self, pastes: Pastes, paste: Paste) -> bool:
        """Why something is asked for once more; false where it is asked for the first time."""
        text = pastes.text_of(paste, whole=False)
        again = text != pastes.text_of(paste, whole=True)
        if again:
            self._renderer.note(f"The last answer is not enough: {shorten(text, _TURN)}")
        return again

    def _edited(self, pastes: Pastes, paste: Paste) -> str:
        """The reply as the user's editor leaves it; "?" where there is no editor."""
        words = editor_words(self._renderer)
        if not words:
            return "?"
        path = self._paths.resolve(paste.reply_file)
        path.touch()
        env = environment("TERM", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR")
        subprocess.run([*words, str(path)], env=env, check=False)
        return pastes.reply_of(paste)
