"""Words of the original LibriScribe2's command line that are gone, and what serves instead."""

from typing import Final

_SETTINGS: Final = "settings stand in .env, `libriscribe2 config path` and the project's book.toml"
_MODELS: Final = "name a model with --model, or one per stage below [models] in book.toml"

OPTIONS: Final = {
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

COMMANDS: Final = {
    "start": "`libriscribe2 create` asks where nothing is given",
    "generate-title": "set auto_title = true in book.toml, then `libriscribe2 resume PROJECT`",
    **dict.fromkeys(("concept", "outline", "characters", "worldbuilding", "write", "edit"), _REDO),
}
"""The command, and what to type without it."""
