"""The table of commands: names, modules, help, headings, and the older names of all of it."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Entry:
    """One command.

    Attributes:
        name: What the user types.
        help: The first line of its help.
        group: The heading below which help lists it.
        at: Its module in this room, or `module:attribute` of a function or a Typer app; what is left
            out is called like the command.
        hidden: Whether listings leave it out: older names.
    """

    name: str
    help: str
    group: str = "Change a book"
    at: str = ""
    hidden: bool = False

    @property
    def target(self) -> str:
        """`module:attribute` of what is run."""
        module, _, attribute = self.at.partition(":")
        return f"{module or self.name}:{attribute or self.name}"


_CLOSER: Final = "Look closer"
_MANY: Final = "Many books"
_SET_UP: Final = "Set up"

FIRST: Final = ("create", "resume", "redo", "status", "view", "check", "export", "books")
"""The commands that help lists first, in this order."""

COMMANDS: Final = (
    Entry("create", "Write a new book from a premise."),
    Entry(
        "import", "Import a manuscript that was written elsewhere.", at="import_book:import_book"
    ),
    Entry("resume", "Continue a book where it stopped."),
    Entry("answer", "Write a book with a chat window: copy each request, paste its reply."),
    Entry("redo", "Write a chapter, a scene or a stage again."),
    Entry("revise", "Change something in a chapter, and leave the rest as it is.", at="author"),
    Entry(
        "versions",
        "List the earlier versions of a chapter, show one, or put one back.",
        at="author",
    ),
    Entry("note", "Tell the models what you want of a book, a chapter or a scene.", at="author"),
    Entry("status", "Show the files of a book with their states and the reasons."),
    Entry(
        "replay",
        "Rebuild a book from its journal, or send a recorded prompt again.",
        _CLOSER,
        at="resume",
    ),
    Entry("ask", "Ask about a book, and get an answer with quotes and proposals."),
    Entry(
        "learn",
        "Find habits in your edits, and take those that you accept into the style sheet.",
        at="ask",
    ),
    Entry("rename", "Change the name of a person or place in every file of a book.", at="author"),
    Entry("pick", "Take one of the variants that `redo --variants` wrote, or show them."),
    Entry("chapter", "List and reorder the chapters of a book.", at="chapter:app"),
    Entry("accept", "Accept your edits as current.", at="status"),
    Entry("check", "Find problems in a book's files, its story or its plan."),
    Entry("desk", "Plan, write, change and finish your books in the browser.", at="view"),
    Entry("view", "Open a page with the book and every call, or export it."),
    Entry(
        "debug",
        "Inspect the replies of the models and how they were read.",
        _CLOSER,
        at="debug:app",
    ),
    Entry("why", "Show the context a scene was written from.", _CLOSER, at="debug"),
    Entry(
        "research",
        "Research a question in your sources or on the web, and show the notes.",
        _CLOSER,
        at="research:app",
    ),
    Entry("export", "Export a book as Markdown, HTML, EPUB, Word and PDF."),
    Entry("cover", "Have a model paint a picture for the cover of a book.", at="author"),
    Entry(
        "batch", "Write many books: queue them, run them, see their status.", _MANY, at="batch:app"
    ),
    Entry("record", "Keep a finished book's replies, to write it again from them.", _CLOSER),
    Entry("demo", "Replay a recorded novel, reply by reply, without a key.", _SET_UP, at="record"),
    Entry(
        "config",
        "Show the settings, models, stages and tools, and their origin.",
        _SET_UP,
        at="listings",
    ),
    Entry("books", "List your books: title, words, state, cost, last change."),
    Entry(
        "keys",
        "Keep the keys of providers, such as OpenAI's, for all your books.",
        _SET_UP,
        at="listings:keys_app",
    ),
    Entry("trust", "Let a folder's .env set everything, until it changes.", _SET_UP, at="listings"),
    Entry(
        "mcp",
        "Offer your books to another program as tools, by the Model Context Protocol.",
        _SET_UP,
        at="view",
    ),
    Entry("doctor", "Check that everything is in place.", _SET_UP, at="listings"),
    Entry("estimate", "Same as `resume --dry-run`.", at="resume", hidden=True),
    Entry("adopt", "Same as `accept`.", at="status:accept", hidden=True),
    Entry("report", "Same as `check --report`.", hidden=True),
    Entry("compare", "Same as `check --compare`.", at="report", hidden=True),
    Entry("citations", "Same as `check --citations`.", at="research", hidden=True),
    Entry("models", "Same as `config models`.", at="listings", hidden=True),
    Entry("agents", "Same as `config agents`.", at="listings", hidden=True),
    Entry("tools", "Same as `config tools`.", at="listings", hidden=True),
    Entry("create-book", "Same as `create`.", at="create:create", hidden=True),
    Entry("format", "Same as `export`.", at="export:export", hidden=True),
    Entry("book-stats", "Same as `status`.", at="status:status", hidden=True),
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
