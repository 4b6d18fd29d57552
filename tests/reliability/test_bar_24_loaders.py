"""Bar 24, threat 13: data are read and never obeyed, by the program, a spreadsheet or an installer.

Again: .venv/bin/pytest tests/reliability/test_bar_24_loaders.py
"""

import ast
import csv
import io
import json
import re
import shutil
import tomllib
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.support.bars import Bar
from tests.support.dead_page import live_in_html
from tests.support.desk import Desk
from tests.support.hostile import SCRIPTS

import libriscribe2
from libriscribe2.batch.batch_report import report_of, write_report
from libriscribe2.batch.folders import BatchPaths
from libriscribe2.batch.progress import Batch, Ended, added, ended, started
from libriscribe2.batch.rows import Row
from libriscribe2.project.texts import MAX_JSON_BYTES

BAR: Final = Bar(24, 24, "test_bar_24_loaders.py")
SOURCES: Final = Path(libriscribe2.__file__).parent
ROOT: Final = Path(__file__).parents[2]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


FORBIDDEN_CALLS: Final = frozenset(
    {
        *("eval", "exec", "compile", "__import__", "os.system", "os.popen", "tempfile.mktemp"),
        *("yaml.load", "yaml.unsafe_load", "yaml.full_load", "marshal.loads", "ssl._create_"),
        *("importlib.util.spec_from_file_location", "runpy.run_path", "runpy.run_module"),
        *("ssl._create_unverified_context", "os.execv", "os.execvp", "os.spawnl"),
    }
)
FORBIDDEN_MODULES: Final = frozenset(
    {
        *(
            "pickle",
            "cPickle",
            "dill",
            "shelve",
            "marshal",
            "yaml",
            "cloudpickle",
            "joblib",
            "jsonpickle",
        )
    }
)
FORBIDDEN_METHODS: Final = frozenset({"extractall", "format_map", "from_string"})
PARSING: Final = frozenset({"fromstring", "parse", "iterparse", "XML"})
"""Allowed of `defusedxml`, which is imported as `ElementTree`."""

ENVIRONMENTS: Final = frozenset({"Environment", "SandboxedEnvironment"})
LOOKED_AT: Final = frozenset(
    {
        "llm/fallbacks.py: sentence.format",  # a sentence of a table of the module
        "checks/gates/repeats.py: why.format",  # likewise
        "settings/trust.py: Environment without autoescape",  # variables; it fills in nothing
        "documents/epub_reader.py: etree.fromstring",  # with a parser of HTML, which asks nobody
    }
)
"""What the scan cannot see to be harmless."""


def test_bar_24_13_no_loader_runs_what_it_reads(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing of the program unpickles, evaluates, unpacks an archive or fills in outside text."""
    found, count = [], 0
    for path in sorted(SOURCES.rglob("*.py")):
        count += 1
        tree = ast.parse(path.read_text(encoding="utf-8"))
        name = path.relative_to(SOURCES).as_posix()
        found += [
            f"{name}:{line}: {what}"
            for line, what in _unsafe(tree)
            if f"{name}: {what}" not in LOOKED_AT
        ]
    assert found == []
    BAR.tell(capsys, f"threat 13: {count} files, 0 unsafe loaders")


def test_bar_24_13_the_scan_sees_every_unsafe_loader() -> None:
    for line in (
        *("import pickle", "from yaml import load", "eval(x)", "os.system(x)", "x.format(1)"),
        *("z.extractall()", "subprocess.run(x, shell=True)", "httpx.get(u, verify=False)"),
        *("jinja2.Environment(loader=x)", "Environment(autoescape=False)", "ET.fromstring(x)"),
    ):
        assert list(_unsafe(ast.parse(line))), line


def _unsafe(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None) or ""
            roots = {module.partition(".")[0], *(one.name.partition(".")[0] for one in node.names)}
            if isinstance(node, ast.ImportFrom):
                roots = {module.partition(".")[0]}
            if roots & FORBIDDEN_MODULES:
                yield node.lineno, f"import of {roots & FORBIDDEN_MODULES}"
        if isinstance(node, ast.Call):
            yield from ((node.lineno, what) for what in _unsafe_call(node))


def _unsafe_call(node: ast.Call) -> Iterator[str]:
    called = ast.unparse(node.func)
    given = {one.arg: one.value for one in node.keywords}
    if called in FORBIDDEN_CALLS:
        yield called
    if isinstance(node.func, ast.Attribute):
        yield from _unsafe_method(node.func)
    for name, bad in (("shell", True), ("verify", False)):
        if _is(given.get(name), bad):
            yield f"{called}({name}={bad})"
    if called.rpartition(".")[2] in ENVIRONMENTS and not _is(given.get("autoescape"), True):
        yield f"{called} without autoescape"


def _unsafe_method(method: ast.Attribute) -> Iterator[str]:
    of = ast.unparse(method.value)
    if method.attr in FORBIDDEN_METHODS:
        yield f"{of}.{method.attr}"
    if method.attr == "format" and not _is_constant_text(method.value):
        yield f"{of}.format"
    if method.attr in PARSING and of in ("ET", "etree", "minidom", "sax", "lxml.etree"):
        yield f"{of}.{method.attr}"


def _is(value: ast.expr | None, wanted: bool) -> bool:
    return isinstance(value, ast.Constant) and value.value is wanted


def _is_constant_text(node: ast.expr) -> bool:
    """Whether a text stands in the source: a literal, or a constant or a table of a module."""
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Call):
        return all(isinstance(one, ast.Constant) for one in node.args)
    name = ast.unparse(node).rpartition(".")[2].strip("_")
    return isinstance(node, ast.Constant | ast.JoinedStr) or name.isupper()


def test_bar_24_13_deep_and_long_json_ends_in_one_line(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.written("--research", "--until", "concept")
    book = desk.project()
    deep = '{"figures": ' + "[" * 100_000 + "]" * 100_000 + "}"
    long = '{"figures": "' + "x" * (MAX_JSON_BYTES + 10) + '"}'
    commands = (("status", "book"), ("check", "book"), ("resume", "book", "--until", "outline"))
    more = (("debug", "list", "book"), ("research", "show", "book", "--run"), ("estimate", "book"))
    record = b"%08x " % zlib.crc32(deep.encode()) + deep.encode() + b"\n"
    doors = (
        *(("concept.json", commands[1:]), ("research/notes.json", commands[:2])),
        *(
            (f".libriscribe/{one}", commands[:2])
            for one in ("quote.json", "pending", "events.jsonl")
        ),
        (".libriscribe/journal.jsonl", commands),
        (".libriscribe/research/q-00000000.json", more),
    )
    tried = 0
    for name, tries in doors:
        for text in (deep, long, *([record.decode()] if "journal" in name else [])):
            copy = Desk(shutil.copytree(desk.folder, desk.folder.parent / f"copy-{tried}"))
            path = copy.project().path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            for command in tries:
                _ends_in_one_line(copy, *command)
                tried += 1
            shutil.rmtree(copy.folder)
    for text in (deep, long):
        (book.debug / "0900-x-try1.json").write_text(text, encoding="utf-8")
        for name in ("rows.jsonl", "card.json"):
            (desk.folder / name).write_text(text, encoding="utf-8")
        for command in (
            *(("debug", "list", "book"), ("debug", "replay", "book"), ("debug", "stats", "book")),
            *(("batch", "add", "rows.jsonl"), ("report", "book", "--against", "card.json")),
        ):
            _ends_in_one_line(desk, *command)
            tried += 1
    BAR.tell(
        capsys, f"threat 13: {tried} commands over JSON that is too deep or too long, 0 crashes"
    )


def _ends_in_one_line(desk: Desk, *command: str) -> None:
    ran = desk.run(*command, expect=None)
    assert ran.code in (0, 2, 3, 5, 6), (command, ran.code, ran.err[:500])
    assert len(ran.err) < 4_000, command


def test_bar_24_13_no_cell_of_a_report_is_a_formula(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    formulas = [f"{mark}cmd|' /C calc'!A0" for mark in ("=", "+", "-", "@", "\t=", "\r=", "\n=")]
    harmless = [f"reason {number}" for number in range(len(SCRIPTS) + len(formulas))]
    pages, cells = [], list[str]()
    for kind, texts in (("ours", harmless), ("theirs", [*formulas, *SCRIPTS])):
        batch = Batch()
        for number, text in enumerate(texts):
            name = f"b{number}"
            batch.apply([added(Row(name, text, {"premise": text})), started(name, None)])
            batch.apply([ended(name, Ended("failed", 4, text, text, text))])
        paths = BatchPaths(tmp_path / kind)
        paths.root.mkdir()
        write_report(paths, report_of("b", batch))
        pages.append(live_in_html(paths.report("html").read_text(encoding="utf-8")))
        told = paths.report("csv").read_bytes().decode("utf-8")
        cells = [cell for row in csv.reader(io.StringIO(told, newline="")) for cell in row]
        assert not [cell for cell in cells if re.match(r"[=+\-@\t\r\n]", cell)]
        assert (
            json.loads(paths.report("json").read_text(encoding="utf-8"))["books"][0]["what"]
            == texts[0]
        )
    assert pages[1] - pages[0] == Counter()
    BAR.tell(capsys, f"threat 13: {len(cells)} cells, 0 formulas; {len(SCRIPTS)} payloads, 0 alive")


def test_bar_24_13_every_dependency_is_locked_with_its_hash(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    with (ROOT / "uv.lock").open("rb") as file:
        packages = tomllib.load(file)["package"]
    locked = {one["name"] for one in packages}
    for one in packages:
        if one["source"] == {"editable": "."}:
            continue
        assert one["source"] == {"registry": "https://pypi.org/simple"}, one["name"]
        parts = [*one.get("wheels", []), *([one["sdist"]] if "sdist" in one else [])]
        assert parts, one["name"]
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", part["hash"]) for part in parts), one[
            "name"
        ]
    extras = project["optional-dependencies"].values()
    wanted = [*project["dependencies"], *(one for extra in extras for one in extra)]
    names = {re.match(r"[\w-]+", one)[0].lower() for one in wanted}  # type: ignore[index]
    assert names - {"libriscribe2"} <= locked
    BAR.tell(capsys, f"threat 13: {len(packages)} packages, all with SHA-256 and from one registry")
