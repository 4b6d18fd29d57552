"""Pages made from the code: settings, exit codes, files and their JSON Schemas. Run as a program it writes them anew."""

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from pydantic import BaseModel
from tests.docs.help_page import PAGE, ROOT
from tests.docs.help_page import page as commands_page
from tests.support.desk import Desk

from libriscribe2 import errors
from libriscribe2.cli.process import EXIT_CLOSED_PIPE
from libriscribe2.cli.table import COMMANDS
from libriscribe2.cli.view import skill_text
from libriscribe2.engine.stages import all_stages
from libriscribe2.errors import LibriScribeError, ProjectError
from libriscribe2.forecast.quote import Quote
from libriscribe2.llm.backends.recorded import Recording
from libriscribe2.models.brief import Brief
from libriscribe2.models.notes import AnswersFile, SourcesFile
from libriscribe2.models.story import SeriesFile
from libriscribe2.models.tooling import Plan, RunRecord
from libriscribe2.observe.events import Event
from libriscribe2.settings.schema import Settings

FOLDER: Final = ROOT / "docs" / "reference"
CHANGES: Final = ROOT / "CHANGELOG.md"

OUTSIDE: Final[Mapping[str, str]] = {
    "~/.config/libriscribe2/config.toml": "your settings; `libriscribe2 config path` says where it is",
    "~/.config/libriscribe2/keys.json": "keys of providers (`keys`), readable by you alone (0600)",
    "~/.local/state/libriscribe2/projects/": "where each book was seen last, and the end of its "
    "journal then: a copy that was put back is noticed by it",
    "~/.local/state/libriscribe2/rescue/": "replies that were paid for when the book's disk was full; "
    "the next start of the book takes them",
    "~/.local/state/libriscribe2/trusted/": "checksums of the `.env` files that you trust (`trust`)",
    "~/.local/state/libriscribe2/rates.sqlite": "requests of the last minutes, where a rate limit is set",
    "./projects/": "books, unless a command names another folder (`projects_dir`)",
    "./debug/": "every attempt with prompt and raw reply (`debug_dir`); nothing depends on it",
    "./batches/": "logs and reports of batches (`batches_dir`)",
}
"""What the program writes, beside a book's own folder."""

_MADE: Final = "Written by `make docs` from the code; do not edit."
_ALSO: Final = {
    0: "`check --book-review` and `check --report`, whatever they find",
    3: "`check`: something would stop a run. `doctor` ends with the code of what it found first",
    5: "a check found errors: `check --story` a contradiction, `check --plan` a broken rule, "
    "`check --citations` a note or statement without support; `debug replay`: a reply would be read "
    "differently; `answer`: replies are still waited for",
}
"""What commands say by a code whose error nothing raised."""

_ATTRIBUTES: Final = re.compile(r"^Attributes:\n(.*?)(?=^\S|\Z)", re.DOTALL | re.MULTILINE)
_ATTRIBUTE: Final = re.compile(r"^ {4}(\w+): (.*?)(?=^ {4}\w+: |\Z)", re.DOTALL | re.MULTILINE)
_FIXED: Final[Mapping[str, tuple[type[BaseModel], str]]] = {
    "book.toml": (Brief, "the table `[book]`: what the author asked for"),
    "research/sources.json": (SourcesFile, "what was read for the book"),
    "research/answers.json": (AnswersFile, "how far each question is answered"),
    ".libriscribe/series.json": (SeriesFile, "what a series shares"),
    ".libriscribe/events.jsonl": (Event, "a line of it: something that happened in a run"),
    "research/plan.json": (Plan, "the last plan of research"),
    "research/run.json": (RunRecord, "what came of each step of that plan"),
    ".libriscribe/quote.json": (Quote, "the last estimate"),
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
    """The page of `man libriscribe2`; its date is that of the version in the changelog."""
    version, day = re.findall(r"(?m)^## \[(.+?)\] - (\S+)", CHANGES.read_text(encoding="utf-8"))[0]
    shown = [(entry.name, entry.help) for entry in COMMANDS if not entry.hidden]
    codes = [(str(code), " ".join(texts)) for code, texts in sorted(_codes().items())]
    variables = [
        ("LIBRISCRIBE2_*", "Settings: sections in capitals, joined by two underscores."),
        ("OPENAI_API_KEY, ANTHROPIC_API_KEY, ...", "Keys of providers; see `libriscribe2 keys`."),
        ("XDG_CONFIG_HOME, XDG_STATE_HOME", "Where configuration and state are; see FILES."),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "Where traces go; without it there are none."),
        ("NO_COLOR", "No colours, whatever it says."),
    ]
    options = [
        ("--version, -V", "Print the version and end."),
        ("--quiet, -q", "Print only warnings and errors."),
        ("--debug", "Show the traceback of an error."),
        ("--help, -h", "Show the commands, or the options of a command, and end."),
    ]
    parts = [
        f'.TH LIBRISCRIBE2 1 "{day}" "LibriScribe2 {version}"',
        ".SH NAME",
        r"libriscribe2 \- turn a premise into a finished book",
        ".SH SYNOPSIS",
        r".B libriscribe2",
        r"[\-\-quiet] [\-\-debug] \fICOMMAND\fR [\fIOPTIONS\fR]",
        ".SH DESCRIPTION",
        "A book is a folder of Markdown and JSON. Every reply of a model is kept before it is read,",
        "and none is paid for twice.",
        r"\fBlibriscribe2\fR \fICOMMAND\fR \fB\-\-help\fR shows the options of a command.",
        *_listed("OPTIONS", options),
        *_listed("COMMANDS", shown),
        *_listed("EXIT STATUS", codes),
        *_listed("ENVIRONMENT", variables),
        *_listed("FILES", OUTSIDE.items()),
        ".SH SEE ALSO",
        r"\fBpandoc\fR(1). All settings, files and commands: the documentation that comes with the",
        "program, in docs/ of its source package.",
    ]
    return "\n".join(parts) + "\n"


def _listed(heading: str, rows: Iterable[tuple[str, str]]) -> list[str]:
    """A section of the manual: names, each with what is said of it."""
    lines = [f".SH {heading}"]
    for name, text in rows:
        plain = re.sub(r"`\w+`: ", "", text).replace("-", r"\-")
        lines += [
            ".TP",
            f".B {name}".replace("-", r"\-").replace("~", r"\(ti"),
            re.sub("`(.+?)`", r"\\fB\1\\fR", plain),
        ]
    return lines


def _told(model: type[BaseModel]) -> dict[str, str]:
    """What the docstring of a shape says of its fields."""
    found = _ATTRIBUTES.search((inspect.getdoc(model) or "") + "\n")
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
    rows: dict[int, list[str]] = {
        0: ["Done."],
        errors.EXIT_INTERRUPTED: ["Interrupted."],
        EXIT_CLOSED_PIPE: ["Whoever read the output stopped reading."],
    }
    for kind in kinds:
        first = (inspect.getdoc(kind) or "").partition("\n")[0]
        if kind is LibriScribeError:
            first = "A fault of the program; please report it."
        rows.setdefault(kind.exit_code, []).append(f"`{kind.slug}`: {first}")
    return rows


def _exit_codes() -> str:
    example = json.dumps(ProjectError("There is no project 'x' in projects.").as_record())
    lines = [
        f"# Exit codes\n\n{_MADE}\n",
        "With `--json` an error is an object too, the last line of standard **error**, after remarks",
        "such as `model: ...`; standard output has the values or the events alone:\n",
        f"```json\n{example}\n```\n",
        "| code | what it means; the name in `error` | also, without an error |",
        "|---|---|---|",
    ]
    lines += [
        f"| {code} | {'<br>'.join(told)} | {_ALSO.get(code, '')} |"
        for code, told in sorted(_codes().items())
    ]
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
    lines += [
        "\n## Outside a book's folder\n",
        "On Linux; `XDG_CONFIG_HOME` and `XDG_STATE_HOME` move the first two folders, and other systems "
        "have their own places for them. What an earlier version keeps in `~/.local/state/libriscribe` "
        "is used where it is. Nothing else is written outside the folder of a book.\n",
        "| path | what it is |",
        "|---|---|",
        *(f"| `{path}` | {text} |" for path, text in OUTSIDE.items()),
    ]
    return "\n".join(lines) + "\n"


JSON_PAGE: Final = FOLDER / "json.md"
_OUTPUTS: Final[Mapping[str, str]] = {
    "books": "One entry per book. `state`: `finished`, or what comes next; `waiting`: requests that "
    "wait for a pasted reply.",
    "status demo": "`units` has each file of the book: `state` is `missing`, `fresh`, `stale` (out of "
    "date), `edited`, `old` (by an older program) or `again` (a `redo` asked for it); `runs`: whether "
    "`resume` makes it. `cost_usd` is null where a price is unknown.",
    "chapter list demo": "The chapters of the outline; `words` is 0 before one is written.",
    "check demo": "A finding has the same keys in every check: `rule`, `severity` (`error`, `warning` "
    "or `note`), `message`, `file`, `line` (0: the whole file), `quote`, `fix`, `allowed` (by the "
    "author). Here `place` is the part of the file, and `what` and `stops` are older names of "
    "`message` and of the severity `error`. `sound`: nothing would stop a run.",
    "check demo --story": "`place` is the place of the finding, `other` the one it contradicts, or "
    "null. `verdicts` counts what a model decided (`--evaluate`). `--book-review` and a book of facts "
    "have the same keys.",
    "check demo --plan": "`place` is the place in words. `unused`: lines of `allow` that no finding "
    "needs.",
    "check demo --report": "`figures` are the metrics; `human` bounds what published books have; "
    "`level` is `ok`, `amber` or `red`, or null where no range is known.",
    "why demo ch3.s1": "What the scene was written from: `size` in characters, `fit` says what of a "
    "part found room.",
    "debug list demo": "A dump per attempt; continuations of a long text have none. `state`: "
    "[review.md](../review.md#states-and-issues-of-a-call).",
    "note demo 2 Tenser.": "Where the note is; `new`: it did not say so before; `written`: what it is "
    "about is there already, and `redo` writes it again.",
    "note demo --list": "The notes of the book.",
    "redo demo 3 --dry-run": "The estimate; `total` as in `estimate`. `kept`, `replaced`: texts of "
    "the author's own that would stay, or be replaced.",
    "export demo md": "The files that were made; `error` is null or as any error.",
}
"""What a reading command prints, by the words to type in a folder with the book of `demo`."""

_LONG: Final = 72


def json_page(folder: Path) -> str:
    """The page of `--json`, with examples made in a folder."""
    desk = Desk(folder)
    desk.run("demo")
    book = desk.project("demo")
    book.write("chapters/02.md", book.text("chapters/02.md") + "\nThe lamp went out.\n")
    parts = [
        f"# What `--json` prints\n\n{_MADE} Run by a test on the book of `libriscribe2 demo`, with a "
        "line added to chapter 2; lists are cut to their first entry, long texts to their beginning.\n",
        "A reading command prints one value. A command that writes (`create`, `resume`, `redo`, "
        "`demo`) prints an event per line, as in [events.jsonl](../review.md#eventsjsonl), of the "
        "shape of [events.schema.json](schemas/events.schema.json). Errors go to standard error: "
        "[exit-codes.md](exit-codes.md). Keys may be added, none is renamed or taken away.\n",
    ]
    for words, told in _OUTPUTS.items():
        value = desk.run(*words.split(), "--json", expect=None).value
        example = json.dumps(_in_short(value), ensure_ascii=False, indent=1)
        parts.append(f"## {words}\n\n{told}\n\n```json\n{example}\n```\n")
    return "\n".join(parts)


def _in_short(value: Any) -> Any:
    """A value with one entry of each list, the beginning of each text, and no time of today."""
    if isinstance(value, dict):
        return {name: 0 if name == "seconds" else _in_short(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_in_short(one) for one in value[:1]]
    if not isinstance(value, str):
        return value
    timeless = re.sub(r"^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d", "2026-11-23T09:00:00", value)
    return timeless if len(timeless) <= _LONG else f"{timeless[:_LONG]}..."


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        (Path(made) / "desk").mkdir()
        JSON_PAGE.write_text(json_page(Path(made) / "desk"), encoding="utf-8")
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
