"""The program as tools of other programs, through the official SDK for MCP.

Each tool is a command with `--json` in a process of its own: the locks, the errors and the caps are
those of the command line, and a tool that is cancelled ends its process.
"""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable, Coroutine
from typing import Any, Final

from libriscribe2 import __version__
from libriscribe2.commands.projects import loaded_for, locate, look_at
from libriscribe2.errors import ConfigError, LibriScribeError, UsageError
from libriscribe2.project.artifacts import Book, check_chapter
from libriscribe2.project.paths import chapter_file
from libriscribe2.wording import clean, json_line

Answer = Coroutine[Any, Any, Any]

INSTRUCTIONS: Final = (
    "Books that LibriScribe2 writes. A book is a folder; name it as `books` lists it. Look before you "
    "change: `status`, `plan`, `text`, `why`, `check` and `report` cost nothing and change nothing. "
    "`note` keeps a wish that later requests follow. `redo` pays a model: it first returns the estimate, "
    "and writes only with `confirmed` and a cap that the author agreed to."
)

_FINDINGS: Final = 5
"""The exit code of a check that found something, and of a book that is not finished."""

_LAST_EVENTS: Final = 5


def serve() -> None:
    """Serve on the standard streams until the client hangs up.

    Raises:
        ConfigError: The extra `[mcp]` is not installed.
    """
    try:
        # Slow to import, and an optional extra.
        from mcp.server.mcpserver import MCPServer  # noqa: PLC0415
        from mcp.types import ToolAnnotations  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(
            "The server needs the extra [mcp], which is not installed.",
            fix="`uv tool install 'libriscribe2[mcp]'`, or `pip install 'libriscribe2[mcp]'`.",
        ) from error
    server = MCPServer("libriscribe2", instructions=INSTRUCTIONS, version=__version__)
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    changes = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)
    for tool in READING:
        server.tool(annotations=reads, structured_output=False)(tool)
    for tool in CHANGING:
        server.tool(annotations=changes, structured_output=False)(tool)
    server.run()


async def books() -> Any:
    """List the books: title, words, state, cost, last change."""
    return await _asked("books")


async def status(book: str) -> Any:
    """Show the files of a book with their states and the reasons.

    Args:
        book: Its name.
    """
    return await _asked("status", book)


async def plan(book: str) -> Any:
    """Check the plan of a book against the rules: findings with place and fix.

    Args:
        book: Its name.
    """
    return await _asked("check", book, plan=True)


async def text(book: str, chapter: int) -> Any:
    """Read the text of a chapter.

    Args:
        book: The book's name.
        chapter: The chapter's number.
    """
    try:
        view = look_at(locate(book, None, loaded_for(None, {}).settings))
        check_chapter(chapter, Book(view).chapters())
        return view.read_text(chapter_file(chapter))
    except LibriScribeError as error:
        raise _refused(error) from error


async def why(book: str, scene: str) -> Any:
    """Show the context a scene was written from, and what was left out.

    Args:
        book: The book's name.
        scene: Such as `ch3.s1`.
    """
    return await _asked("why", book, scene)


async def check(book: str) -> Any:
    """Find contradictions between chapters, with the quotes of both places.

    Args:
        book: Its name.
    """
    return await _asked("check", book, story=True)


async def report(book: str) -> Any:
    """Measure the written chapters: repetition, openings, length, names, voice.

    Args:
        book: Its name.
    """
    return await _asked("check", book, report=True)


async def note(book: str, part: str, wish: str) -> Any:
    """Keep what the author wants; later requests follow it.

    Args:
        book: The book's name.
        part: `book`, a stage, a chapter such as `7`, or a scene such as `7.2`.
        wish: What is wanted, in the author's words.
    """
    return await _asked("note", book, part, wish)


async def redo(
    book: str,
    part: str,
    wish: str = "",
    max_cost: float = 0.0,
    confirmed: bool = False,  # noqa: FBT001, FBT002 - the client sends it by name
) -> Any:
    """Write a chapter, a scene or a stage again; without `confirmed` only the estimate is returned.

    Args:
        book: The book's name.
        part: A chapter such as `7`, a scene such as `7.2`, or a stage such as `outline`.
        wish: What should be different; it is kept as a note. "" asks for another attempt.
        max_cost: US dollars that the whole book may have cost then; needed with `confirmed`.
        confirmed: Whether the author has seen the estimate and agreed.
    """
    if not confirmed:
        return await _asked("redo", book, part, dry_run=True)
    if max_cost <= 0:
        raise _refused(
            UsageError("max_cost is needed: what the whole book may cost, in US dollars")
        )
    options = {"note": wish} if wish else {}
    return await _asked("redo", book, part, max_cost=str(max_cost), **options)


READING: Final[tuple[Callable[..., Answer], ...]] = (
    *(books, status, plan, text, why, check, report),
)
CHANGING: Final[tuple[Callable[..., Answer], ...]] = (note, redo)


async def _asked(command: str, *words: str, **options: str | bool) -> Any:
    """What a command says, as plain JSON.

    Raises:
        ToolError: It failed; the message says what, why and what to do.
    """
    named = [f"--{name.replace('_', '-')}" for name in options if options[name] is True]
    given = [
        f"--{name.replace('_', '-')}={value}"
        for name, value in options.items()
        if value is not True
    ]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "libriscribe2", "--quiet", command, "--json", *named, *given),
        *("--", *words),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        env={**os.environ, "LIBRISCRIBE2_NO_INPUT": "true"},
    )
    try:
        out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.terminate()
    if process.returncode not in {0, _FINDINGS} or (process.returncode and not out.strip()):
        raise _refusal(clean(err.decode("utf-8", "replace").strip()))
    return _one_value(out.decode("utf-8"))


def _refused(error: LibriScribeError) -> Exception:
    """A failure in the form in which a command writes it."""
    return _refusal(json_line(error.as_record()))


def _refusal(message: str) -> Exception:
    """A failure whose message the client's model is to read."""
    from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415 - an optional extra

    return ToolError(message)


def _one_value(out: str) -> str:
    """The JSON value that was printed, as it is; of the events of a run, a list of the last ones."""
    try:
        json.loads(out)
    except ValueError:
        return f"[{', '.join(out.splitlines()[-_LAST_EVENTS:])}]"
    return out
