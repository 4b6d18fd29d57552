"""`libriscribe2 mcp`: the program as tools of other programs, and as a skill of theirs."""

from typing import Annotated, Final

import typer

from libriscribe2.cli.frame import Frame, command
from libriscribe2.cli.table import COMMANDS, FIRST

_HEAD: Final = """---
name: libriscribe2
description: Plan, write, check, change and export books with the command line program libriscribe2.
---

# LibriScribe2

A book is a folder with Markdown and JSON. Use the program for whatever concerns several files; edit \
chapters and plans directly where the author asks for words of yours: an edited file is never \
written over.

- Look first: `libriscribe2 status BOOK`, `why BOOK ch3.s1`, `check BOOK --story`, `check BOOK \
--report`. They cost nothing and change nothing. Every command that reads takes `--json`.
- `create`, `resume`, `redo` and `revise` pay a model. Run them with `--dry-run` first, show the \
estimate, and set `--max-cost` to what the author agreed to.
- Say what should be different with `note BOOK 7 "..."` or `redo BOOK 7 --note "..."`; afterwards \
`resume BOOK --refresh` mends what an edit made untrue elsewhere.
- Errors say what, why and what to type. Exit codes: 0 done, 2 usage, 3 configuration or project, \
4 key or model, 5 not finished or findings, 6 disk, 7 provider, 8 budget, 9 in use.
- `libriscribe2 COMMAND --help` has the options.

## Commands

| command | what it does |
|---|---|
"""


@command
def mcp(
    frame: Frame,
    skill: Annotated[
        bool, typer.Option("--skill", help="Print a SKILL.md for agents with a shell instead.")
    ] = False,
) -> None:
    """Offer your books to another program as tools, by the Model Context Protocol.

    The other program starts it and talks to it over its standard streams, in the folder of your
    books. Nothing is paid before an estimate was returned and a cap was named.
    """
    if skill:
        frame.renderer.data(skill_text().rstrip("\n"))
        return
    from libriscribe2.commands.mcp_server import serve  # noqa: PLC0415 - `--skill` needs no extra

    serve()


def skill_text() -> str:
    """The SKILL.md, from the table of commands."""
    shown = {entry.name: entry for entry in COMMANDS if not entry.hidden}
    order = [*FIRST, *(name for name in shown if name not in FIRST)]
    return _HEAD + "".join(f"| `{name}` | {shown[name].help} |\n" for name in order)
