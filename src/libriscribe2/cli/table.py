"""The table of commands: names, modules, help, headings, and the older names of all of it."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Entry:
    """One command.

    Attributes:
        name: What the user types.
        target: `module:attribute` of a function or a Typer app in this room.
        help: The first line of its help.
        group: The heading below which help lists it.
        hidden: Whether listings leave it out: older names.
    """

    name: str
    target: str
    help: str
    group: str = "Change a book"
    hidden: bool = False


_CLOSER: Final = "Look closer"
_MANY: Final = "Many books"
_SET_UP: Final = "Set up"

FIRST: Final = ("create", "resume", "redo", "status", "view", "check", "export", "books")
"""The commands that help lists first, in this order."""

COMMANDS: Final = (
    Entry("create", "create:create", "Write a new book from a premise."),
    Entry("import", "import_book:import_book", "Import a manuscript that was written elsewhere."),
    Entry("resume", "resume:resume", "Continue a book where it stopped."),
    Entry(
        "answer",
        "answer:answer",
        "Write a book with a chat window: copy each request, paste its reply.",
    ),
    Entry("redo", "redo:redo", "Write a chapter, a scene or a stage again."),
    Entry("revise", "author:revise", "Change something in a chapter, and leave the rest as it is."),
    Entry(
        "versions",
        "author:versions",
        "List the earlier versions of a chapter, show one, or put one back.",
    ),
    Entry("note", "author:note", "Tell the models what you want of a book, a chapter or a scene."),
    Entry("status", "status:status", "Show the files of a book with their states and the reasons."),
    Entry(
        "replay",
        "resume:replay",
        "Rebuild a book from its journal, or send a recorded prompt again.",
        _CLOSER,
    ),
    Entry("ask", "ask:ask", "Ask about a book, and get an answer with quotes and proposals."),
    Entry(
        "learn",
        "ask:learn",
        "Find habits in your edits, and take those that you accept into the style sheet.",
    ),
    Entry(
        "rename", "author:rename", "Change the name of a person or place in every file of a book."
    ),
    Entry(
        "pick",
        "pick:pick",
        "Take one of the variants that `redo --variants` wrote, or show them.",
    ),
    Entry("chapter", "chapter:app", "List and reorder the chapters of a book."),
    Entry("accept", "status:accept", "Accept your edits as current."),
    Entry("check", "check:check", "Find problems in a book's files, its story or its plan."),
    Entry("desk", "view:desk", "Plan, write, change and finish your books in the browser."),
    Entry("view", "view:view", "Open a page with the book and every call, or export it."),
    Entry(
        "debug", "debug:app", "Inspect the replies of the models and how they were read.", _CLOSER
    ),
    Entry("why", "debug:why", "Show the context a scene was written from.", _CLOSER),
    Entry(
        "research",
        "research:app",
        "Research a question in your sources or on the web, and show the notes.",
        _CLOSER,
    ),
    Entry("export", "export:export", "Export a book as Markdown, HTML, EPUB, Word and PDF."),
    Entry("cover", "author:cover", "Have a model paint a picture for the cover of a book."),
    Entry("batch", "batch:app", "Write many books: queue them, run them, see their status.", _MANY),
    Entry(
        "record",
        "record:record",
        "Keep a finished book's replies, to write it again from them.",
        _CLOSER,
    ),
    Entry(
        "demo",
        "record:demo",
        "Replay a recorded novel, reply by reply, without a key.",
        _SET_UP,
    ),
    Entry(
        "config",
        "listings:config",
        "Show the settings, models, stages and tools, and their origin.",
        _SET_UP,
    ),
    Entry("books", "books:books", "List your books: title, words, state, cost, last change."),
    Entry(
        "keys",
        "listings:keys_app",
        "Keep the keys of providers, such as OpenAI's, for all your books.",
        _SET_UP,
    ),
    Entry(
        "trust", "listings:trust", "Let a folder's .env set everything, until it changes.", _SET_UP
    ),
    Entry(
        "mcp",
        "view:mcp",
        "Offer your books to another program as tools, by the Model Context Protocol.",
        _SET_UP,
    ),
    Entry("doctor", "listings:doctor", "Check that everything is in place.", _SET_UP),
    Entry("estimate", "resume:estimate", "Same as `resume --dry-run`.", hidden=True),
    Entry("adopt", "status:accept", "Same as `accept`.", hidden=True),
    Entry("report", "report:report", "Same as `check --report`.", hidden=True),
    Entry("compare", "report:compare", "Same as `check --compare`.", hidden=True),
    Entry("citations", "research:citations", "Same as `check --citations`.", hidden=True),
    Entry("models", "listings:models", "Same as `config models`.", hidden=True),
    Entry("agents", "listings:agents", "Same as `config agents`.", hidden=True),
    Entry("tools", "listings:tools", "Same as `config tools`.", hidden=True),
    Entry("create-book", "create:create", "Same as `create`.", hidden=True),
    Entry("format", "export:export", "Same as `export`.", hidden=True),
    Entry("book-stats", "status:status", "Same as `status`.", hidden=True),
)

_SETTINGS: Final = "settings are in .env, `libriscribe2 config path` and the project's book.toml"
_MODELS: Final = "name a model with --model, or one per stage below [models] in book.toml"

GONE_OPTIONS: Final = {
    "--config-file": _SETTINGS,
    "--env-file": ".env in the working folder is read",
    "--log-file": "a book's log is .libriscribe/run.log in its folder; --log-level says how much",
    "--output-dir": "set LIBRISCRIBE2_PROJECTS_DIR to the folder that holds your books",
    "--skip-error": "leave it out; `libriscribe2 resume` continues after a failure",
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
    "bench": "`python -m bench.continuity` in the repository seeds errors and counts how many are found",
    "start": "`libriscribe2 create` asks when no premise is given",
    "generate-title": "set auto_title = true in book.toml, then `libriscribe2 resume PROJECT`",
    **dict.fromkeys(("concept", "outline", "characters", "worldbuilding", "write", "edit"), _REDO),
}
"""The command, and what to type without it."""

RENAMED_OPTIONS: Final = {
    "create": {
        "--canon": "--story-bible",
        "--no-canon": "--no-story-bible",
        "--all": "--stage=all",
        "--generate-concept": "--stage=concept",
        "--generate-characters": "--stage=characters",
        "--generate-worldbuilding": "--stage=world",
        "--generate-outline": "--stage=outline",
        "--write-chapters": "--stage=chapters",
        "--format-book": "--stage=manuscript",
    },
    "check": {"--judge": "--evaluate"},
    "compare": {"--judge": "--evaluate"},
    "redo": {"--force": "--replace-mine"},
}
"""Older names of options, by command; help does not list them."""

FAMILIES: Final = {
    "check": {"--report": "report", "--compare": "compare", "--citations": "citations check"}
}
"""Options of a command that stand for another one, whose words follow."""

SHOWN_OPTIONS: Final = {
    "create:create": (
        *("title", "genre", "book_kind", "language", "chapters", "words", "samples", "model"),
        *("project_name", "until", "yes", "dry_run"),
    )
}
"""What `--help` shows of a command with many options; `--help-all` shows all."""
