"""The list of commands: what `--help` shows, where each is found, and words that are gone."""

from dataclasses import dataclass
from typing import Final

_ROOM: Final = "libriscribe2.cli"


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """One command.

    Attributes:
        name: What the user types.
        target: `module:attribute` of a function or a Typer app.
        help: The first line of its help.
        hidden: Whether listings leave it out: older names.
    """

    name: str
    target: str
    help: str
    hidden: bool = False


COMMANDS: Final = (
    CommandEntry("create", f"{_ROOM}.book_new:create", "Write a new book from a premise."),
    CommandEntry(
        "import",
        f"{_ROOM}.import_book:import_book",
        "Take over a manuscript that was written elsewhere.",
    ),
    CommandEntry("resume", f"{_ROOM}.book_resume:resume", "Go on with a book where it stopped."),
    CommandEntry("redo", f"{_ROOM}.redo:redo", "Write a stage, or one chapter of it, again."),
    CommandEntry(
        "status", f"{_ROOM}.status:status", "Show every part of a book with its state and reason."
    ),
    CommandEntry(
        "estimate",
        f"{_ROOM}.estimate:estimate",
        "Say what it would take to finish a book: calls, tokens, cost.",
    ),
    CommandEntry(
        "replay",
        f"{_ROOM}.replay:replay",
        "Rebuild a book from its journal, or ask a recorded prompt again.",
    ),
    CommandEntry(
        "chapter", f"{_ROOM}.chapter:app", "List the chapters of a book, and change their order."
    ),
    CommandEntry("adopt", f"{_ROOM}.status:adopt", "Take edited files as the new base."),
    CommandEntry(
        "check",
        f"{_ROOM}.check:check",
        "Say what is wrong with a book's files, its story or its plan.",
    ),
    CommandEntry(
        "view",
        f"{_ROOM}.view:view",
        "Open a page with the book and every call, or write it to a folder.",
    ),
    CommandEntry(
        "debug", f"{_ROOM}.debug:app", "Look at what the models answered, and what was made of it."
    ),
    CommandEntry(
        "report",
        f"{_ROOM}.report:report",
        "Measure a book: continuity, repetition, openings and endings, length, plan, names, voice.",
    ),
    CommandEntry("why", f"{_ROOM}.why:why", "Show from what a scene was written."),
    CommandEntry(
        "compare",
        f"{_ROOM}.compare:compare",
        "Put the metrics of two drafts of a book beside each other.",
    ),
    CommandEntry(
        "research",
        f"{_ROOM}.research:app",
        "Look a question up in sources or on the web, and look at the notes.",
    ),
    CommandEntry(
        "citations", f"{_ROOM}.citations:app", "Check that the notes of a book still hold."
    ),
    CommandEntry(
        "export", f"{_ROOM}.export:export", "Make a book into files that a reader can hold."
    ),
    CommandEntry(
        "batch", f"{_ROOM}.batch:app", "Write many books: queue them, run them, see how they stand."
    ),
    CommandEntry(
        "demo", f"{_ROOM}.demo:demo", "Write a short book with the stand-in author, without a key."
    ),
    CommandEntry(
        "config", f"{_ROOM}.listings:config", "Show the settings in force and where they come from."
    ),
    CommandEntry(
        "models", f"{_ROOM}.listings:models", "Show which model does what, and which could."
    ),
    CommandEntry("agents", f"{_ROOM}.listings:agents", "List the stages that make a book."),
    CommandEntry("tools", f"{_ROOM}.listings:tools", "List the tools of the tool chains."),
    CommandEntry("doctor", f"{_ROOM}.doctor:doctor", "Check that everything is in place."),
    CommandEntry("create-book", f"{_ROOM}.book_new:create", "Same as `create`.", hidden=True),
    CommandEntry("format", f"{_ROOM}.export:export", "Same as `export`.", hidden=True),
    CommandEntry("book-stats", f"{_ROOM}.status:status", "Same as `status`.", hidden=True),
)

_SETTINGS: Final = "settings stand in .env, `libriscribe2 config path` and the project's book.toml"
_MODELS: Final = "name a model with --model, or one per stage below [models] in book.toml"

GONE_OPTIONS: Final = {
    "--config-file": _SETTINGS,
    "--env-file": ".env in the working folder is read",
    "--log-file": "a book's log is .libriscribe/run.log in its folder; --log-level says how much",
    "--output-dir": "set LIBRISCRIBE2_PROJECTS_DIR to the folder that holds your books",
    "--skip-error": "leave it out; `libriscribe2 resume` goes on after a failure",
    "--user": "leave it out; no tags are sent to the provider",
    "--default-model": _MODELS,
    "--model-config": _MODELS,
    "--llm": _MODELS,
    "--show-logs": "a book's log is .libriscribe/run.log in its folder",
    "--chapter-number": "write --chapter",
    "--output-format": "write --format",
}
"""The option, and what to do without it."""

_REDO: Final = "`libriscribe2 redo PROJECT STAGE` writes a stage or a chapter again"

GONE_COMMANDS: Final = {
    "bench": "`python -m bench.continuity` in the repository plants faults and counts what is found",
    "start": "`libriscribe2 create` asks where nothing is given",
    "generate-title": "set auto_title = true in book.toml, then `libriscribe2 resume PROJECT`",
    **dict.fromkeys(("concept", "outline", "characters", "worldbuilding", "write", "edit"), _REDO),
}
"""The command, and what to type without it."""
