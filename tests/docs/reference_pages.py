"""Pages made from the code: settings, exit codes, files and their JSON Schemas. Run as a program it writes them anew."""

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel
from tests.docs.help_page import PAGE, ROOT
from tests.docs.help_page import page as commands_page

from libriscribe2 import errors
from libriscribe2.cli.mcp import skill_text
from libriscribe2.cli.table import COMMANDS
from libriscribe2.engine.stages import all_stages
from libriscribe2.errors import LibriScribeError
from libriscribe2.llm.backends.recorded import Recording
from libriscribe2.models.answers import AnswersFile
from libriscribe2.models.brief import Brief
from libriscribe2.models.notes import SourcesFile
from libriscribe2.models.story import SeriesFile
from libriscribe2.observe.events import Event
from libriscribe2.settings import Settings

FOLDER: Final = ROOT / "docs" / "reference"

_MADE: Final = "Written by `make docs` from the code; do not edit."
_ATTRIBUTES: Final = re.compile(r"^ +Attributes:\n(.*?)(?=^ {0,4}\S|\Z)", re.DOTALL | re.MULTILINE)
_ATTRIBUTE: Final = re.compile(r"^ {8}(\w+): (.*?)(?=^ {8}\w+: |\Z)", re.DOTALL | re.MULTILINE)
_FIXED: Final[Mapping[str, tuple[type[BaseModel], str]]] = {
    "book.toml": (Brief, "the table `[book]`: what the author asked for"),
    "research/sources.json": (SourcesFile, "what was read for the book"),
    "research/answers.json": (AnswersFile, "how far each question is answered"),
    ".libriscribe/series.json": (SeriesFile, "what a series shares"),
    ".libriscribe/events.jsonl": (Event, "a line of it: something that happened in a run"),
    "recording.json": (Recording, "a recording (`record`)"),
}


def pages() -> dict[Path, str]:
    """Every page with its text."""
    return {
        PAGE: commands_page(),
        FOLDER / "settings.md": _settings(),
        FOLDER / "exit-codes.md": _exit_codes(),
        FOLDER / "files.md": _files(),
        ROOT / "share" / "skill" / "SKILL.md": skill_text(),
        ROOT / "share" / "man" / "libriscribe2.1": _manual(),
        **{
            FOLDER / "schemas" / f"{_schema_name(file)}": _schema(shape, file)
            for file, (shape, _) in _shapes().items()
        },
    }


def _manual() -> str:
    """The page of `man libriscribe2`."""
    lines = [
        ".TH LIBRISCRIBE2 1",
        ".SH NAME",
        r"libriscribe2 \- turn a premise into a finished book",
        ".SH SYNOPSIS",
        r".B libriscribe2",
        r"[\-\-quiet] [\-\-debug] \fICOMMAND\fR [\fIOPTIONS\fR]",
        ".SH DESCRIPTION",
        "A book is a folder of Markdown and JSON. Every reply of a model is kept before it is read,",
        "and none is paid for twice.",
        r"\fBlibriscribe2\fR \fICOMMAND\fR \fB\-\-help\fR shows the options of a command.",
        ".SH COMMANDS",
    ]
    for entry in COMMANDS:
        if not entry.hidden:
            lines += [".TP", rf".B {entry.name}", entry.help.replace("-", r"\-")]
    lines.append(".SH EXIT STATUS")
    for code, told in sorted(_codes().items()):
        lines += [".TP", rf".B {code}", re.sub(r"`\w+`: ", "", told[0])]
    return "\n".join(lines) + "\n"


def _told(model: type[BaseModel]) -> dict[str, str]:
    """What the docstring of a shape says of its fields."""
    found = _ATTRIBUTES.search((model.__doc__ or "") + "\n")
    pairs = _ATTRIBUTE.findall(found[1]) if found else ()
    return {name: " ".join(text.split()) for name, text in pairs}


def _rows(model: type[BaseModel], before: str = "") -> Iterator[tuple[str, str, str]]:
    """Name, default and meaning of every setting."""
    told = _told(model)
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _rows(inner, f"{before}{name}.")
        else:
            default = field.get_default(call_default_factory=True)
            plain = "" if default is None or default in ("", (), {}) else str(default)
            yield f"{before}{name}", plain, told.get(name, "")


def _settings() -> str:
    lines = [
        f"# All settings\n\n{_MADE} How they are layered: [settings-layers.md](settings-layers.md).\n",
        "| setting | default | what it is |",
        "|---|---|---|",
    ]
    for name, default, meaning in _rows(Settings):
        value = f"`{default}`" if default else ""
        lines.append(f"| `{name}` | {value} | {meaning.replace('|', '/')} |")
    lines.append(
        "\nEach is also a variable: `LIBRISCRIBE2_` and the name in capitals, with two underscores "
        "for each point."
    )
    return "\n".join(lines) + "\n"


def _codes() -> dict[int, list[str]]:
    """What each exit code means."""
    kinds = [
        one
        for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, LibriScribeError)
    ]
    rows: dict[int, list[str]] = {0: ["Done."], errors.EXIT_INTERRUPTED: ["Interrupted."]}
    for kind in kinds:
        first = (inspect.getdoc(kind) or "").partition("\n")[0]
        rows.setdefault(kind.exit_code, []).append(f"`{kind.slug}`: {first}")
    return rows


def _exit_codes() -> str:
    lines = [
        f"# Exit codes\n\n{_MADE}\n",
        "| code | what it means; the name in `--json` |",
        "|---|---|",
    ]
    lines += [f"| {code} | {'<br>'.join(told)} |" for code, told in sorted(_codes().items())]
    return "\n".join(lines) + "\n"


def _shapes() -> dict[str, tuple[type[BaseModel], str]]:
    """Every file with its shape."""
    made = {
        agent.writes: (agent.shape, (agent.shape.__doc__ or "").partition("\n")[0])
        for agent in all_stages()
        if agent.shape is not None and agent.writes.endswith(".json")
    }
    return {**made, **_FIXED}


def _schema_name(file: str) -> str:
    plain = file.removeprefix(".libriscribe/").replace("*", "NN").rpartition(".")[0]
    return plain.replace("/", "-") + ".schema.json"


def _schema(shape: type[BaseModel], file: str) -> str:
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": f"{file}, written by make docs",
        **shape.model_json_schema(),
    }
    return json.dumps(schema, ensure_ascii=False, indent=1) + "\n"


def _files() -> str:
    lines = [
        f"# Files and their shapes\n\n{_MADE} Where they lie: [project.md](project.md).\n",
        "| file | what it is | JSON Schema |",
        "|---|---|---|",
    ]
    for file, (_, text) in sorted(_shapes().items()):
        name = _schema_name(file)
        lines.append(f"| `{file}` | {text} | [{name}](schemas/{name}) |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
