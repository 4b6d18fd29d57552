"""The page `docs/cli.md`: the help of every command. Run as a program it writes the page anew."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from typer.testing import CliRunner

from libriscribe2.cli.root import LazyCommand, app
from libriscribe2.cli.table import COMMANDS, Entry

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "cli.md"
PROGRAM: Final = "libriscribe2"

_HEAD: Final = """# The command line

Written by `make docs` from each command's `--help`; do not edit.
"""
_WIDTH: Final = "80"


def page() -> str:
    """The whole page."""
    shown = [entry for entry in COMMANDS if not entry.hidden]
    commands = [words for entry in shown for words in _words(entry)]
    older = [f"`{entry.name}` ({entry.help.lower()})" for entry in COMMANDS if entry.hidden]
    parts = [_HEAD, _section(()), *map(_section, commands)]
    return "\n".join(parts) + f"\nOlder names: {', '.join(older).replace('.)', ')')}.\n"


def help_of(*words: str) -> str:
    """What `libriscribe2 WORDS --help-all` shows on a terminal of fixed width."""
    asked = "--help-all" if words else "--help"
    result = CliRunner().invoke(
        app, [*words, asked], prog_name=PROGRAM, env={"COLUMNS": _WIDTH, "TERM": "dumb"}
    )
    assert result.exit_code == 0, result.output
    lines = (line.rstrip() for line in result.stdout.splitlines())
    return "\n".join(lines).strip() + "\n"


def loaded(entry: Entry) -> Any:
    """The command behind an entry of the table."""
    return LazyCommand(entry).load()


def _words(entry: Entry) -> Iterator[tuple[str, ...]]:
    """A command, and the commands below it where it is a group."""
    yield (entry.name,)
    for name in getattr(loaded(entry), "commands", {}):
        yield (entry.name, name)


def _section(words: tuple[str, ...]) -> str:
    """One command with its help."""
    return f"\n## {' '.join((PROGRAM, *words))}\n\n```text\n{help_of(*words)}```\n".lstrip("\n")


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
