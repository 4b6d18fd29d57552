"""`libriscribe2 answer`: a book whose model is a chat window goes on, reply by reply."""

import os
import shlex
import shutil
import subprocess
import sys
from typing import Annotated, Final

import typer

from libriscribe2.app import AppOptions
from libriscribe2.cli.frame import (
    Frame,
    JsonOption,
    ModelOptions,
    ProjectArgument,
    ProjectNameOption,
    UntilOption,
    command,
    model_for,
)
from libriscribe2.cli.pasting import copied, pasted
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import command_line, run_book
from libriscribe2.commands.runs import OpenBook, RunRequest, going_on, open_book
from libriscribe2.documents.decoding import decode
from libriscribe2.errors import EXIT_INTERRUPTED, UsageError
from libriscribe2.exporters.pandoc import environment
from libriscribe2.llm.backends.manual import Paste, Pastes, as_record
from libriscribe2.llm.providers import MANUAL_MODEL
from libriscribe2.llm.session import ReplyAwaitedError
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings import Settings
from libriscribe2.wording import counted

_MOST_BYTES: Final = 16_000_000
_KEYS: Final = "epnq"
_HELP: Final = (
    "Paste the answer here and press Enter. Or type a letter and Enter: e opens your editor, p prints "
    "the text, n copies all of it for a new chat, q leaves."
)


@command
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
    as_json: JsonOption = False,
    *,
    options: ModelOptions,
) -> int:
    """Write a book with a chat window: copy each request, paste its reply.

    For books begun with --model manual. The next request is copied to the clipboard. Paste it into
    any chat, then paste the answer here: the book goes on to the next request. From a pipe,
    standard input is one reply. The exit code is 5 as long as requests wait.

    Example: libriscribe2 answer my-book < reply.txt
    """
    renderer = frame.renderer
    paths = frame.project(project, project_name, options)
    settings = _settings(frame, options, paths)
    with open_book(paths) as (store, brief):
        book = OpenBook(store, brief, settings, model_for(settings), AppOptions(command_line()))
        request = going_on(until, refresh=False)(store, brief)
        table = _Table(renderer, paths, whole=new_chat, quiet=show or as_json)
        done = table.go_on(book, request)
        if not done and (show or as_json):
            table.show(as_json=as_json)
        elif not done:
            done = table.take_all(book, request, editor=editor)
        elif as_json:
            renderer.data_json({"waiting": []})
    return 0 if done else ReplyAwaitedError.exit_code


def _settings(frame: Frame, options: ModelOptions, paths: ProjectPaths) -> Settings:
    """The project's settings; where no model of it is a chat window, `manual` is the model.

    A book whose model is another one was asked to go on by hand, and must not ask that one.
    """
    settings = frame.settings(options, paths)
    models = (settings.models.default, *settings.models.stages().values())
    if (
        options.model
        or options.mock
        or any(MANUAL_MODEL in (one.model, *one.fallbacks) for one in models)
    ):
        return settings
    return frame.settings(ModelOptions(model=MANUAL_MODEL), paths)


class _Table:
    """Where requests are shown and replies taken.

    Args:
        renderer: Shows them.
        paths: The project.
        whole: Whether a conversation is given from its beginning.
        quiet: Whether the run before says nothing.
    """

    def __init__(
        self, renderer: Renderer, paths: ProjectPaths, *, whole: bool, quiet: bool
    ) -> None:
        self._renderer = renderer
        self._paths = paths
        self._whole = whole
        self._quiet = quiet
        self._waiting: list[Paste] = []

    def go_on(self, book: OpenBook, request: RunRequest) -> bool:
        """Run until a reply is missing; whether none is.

        Raises:
            LibriScribeError: The run failed; finished parts are kept.
        """
        try:
            run_book(self._renderer, book, request, as_json=False, brief=self._quiet)
        except ReplyAwaitedError:
            self._waiting = Pastes(self._paths).waiting(book.store.manifest)
            return False
        finally:
            self._quiet = True
        return True

    def show(self, *, as_json: bool) -> None:
        """What waits: the text of the first, or all as JSON."""
        pastes = Pastes(self._paths)
        if as_json:
            self._renderer.data_json({"waiting": [as_record(one) for one in self._waiting]})
        else:
            self._renderer.data(pastes.text_of(self._waiting[0], whole=self._whole))

    def take_all(self, book: OpenBook, request: RunRequest, *, editor: bool) -> bool:
        """Take reply after reply; whether the book is finished.

        Raises:
            UsageError: What came through a pipe is no reply.
            typer.Exit: Ctrl-C.
        """
        done, typed = False, sys.stdin.isatty() and sys.stderr.isatty()
        while not done:
            paste = self._waiting[0]
            try:
                text = self._asked(paste, editor=editor) if typed else self._piped(paste)
            except KeyboardInterrupt as error:
                self._renderer.warning("Interrupted. Nothing of this reply was kept.")
                raise typer.Exit(EXIT_INTERRUPTED) from error
            if not text:
                break
            Pastes(self._paths).keep_reply(paste, text)
            self._renderer.note(f"Taken: {counted(len(text.split()), 'word')}.")
            done = self.go_on(book, request)
            if not typed:
                break
        if not done:
            self._tell_left()
        return done

    def _tell_left(self) -> None:
        paste = self._waiting[0]
        wait = "request waits" if len(self._waiting) == 1 else "requests wait"
        self._renderer.note(
            f"{len(self._waiting):,} {wait}; the next is {paste.file}. Continue with "
            f"`libriscribe2 answer {self._paths.called}`."
        )

    def _piped(self, paste: Paste) -> str:
        """The reply on standard input; "" where there is nothing.

        Raises:
            UsageError: It is no reply.
        """
        data = sys.stdin.buffer.read(_MOST_BYTES)
        text = decode(data)[0].strip() if data.strip() else ""
        why = Pastes(self._paths).objection(paste, text) if text else ""
        if why:
            raise UsageError(f"This is no reply to {paste.file}", why, "Paste the chat's answer.")
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
            elif text == "p":
                self._renderer.data(pastes.text_of(paste, whole=self._whole))
            elif text == "q":
                return ""
            elif text != "e" and (why := pastes.objection(paste, text)):
                self._renderer.warning(f"{why} {_HELP}")
            elif text != "e":
                return text
            text = self._edited(pastes, paste) if editor else pasted(_KEYS).strip()
            editor = text == "e"

    def _tell(self, pastes: Pastes, paste: Paste, *, whole: bool) -> None:
        """What is asked for, where its text is, and what to do."""
        text = pastes.text_of(paste, whole=whole)
        goes_on = not whole and text != pastes.text_of(paste, whole=True)
        more = len(self._waiting) - 1
        others = f" ({counted(more, 'other')} wait)" if more else ""
        self._renderer.note(f"\n{paste.name}: {paste.about}{others}")
        size = counted(len(text.split()), "word")
        where = "the chat that gave the last answer" if goes_on else "a chat"
        match copied(text):
            case "":
                told = f"Paste {paste.file} ({size}, below its line) into {where}."
            case "terminal":
                told = (
                    f"The request ({size}) was sent to your terminal's clipboard; if it is not there, "
                    f"copy it from {paste.file}. Paste it into {where}."
                )
            case _:
                told = f"The request ({size}) is in the clipboard. Paste it into {where}."
        self._renderer.note(f"{told}\n{_HELP}")

    def _edited(self, pastes: Pastes, paste: Paste) -> str:
        """The reply as the user's editor leaves it.

        Raises:
            UsageError: There is no editor.
        """
        words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
        found = shutil.which(words[0]) if words else None
        if found is None:
            raise UsageError("No editor is set", fix="Set EDITOR, or paste the reply.")
        path = self._paths.resolve(paste.reply_file)
        path.touch()
        env = environment("TERM", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR")
        subprocess.run([found, *words[1:], str(path)], env=env, check=False)
        return pastes.reply_of(paste)
