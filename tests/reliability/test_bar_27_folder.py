"""Bar 27: a folder of somebody else is safe to open.

Again: .venv/bin/pytest -m "slow or not slow" tests/reliability/test_bar_27_folder.py
"""

import os
import shutil
import sys
from pathlib import Path
from typing import Final

import pytest
from tests.support.bars import Bar
from tests.support.desk import Desk, Ran
from tests.support.hand_made import HandMade, png
from tests.support.hostile_files import CANARY
from tests.support.openai_server import OpenAIServer
from tests.support.strange_folder import left_in, pack, variables
from tests.support.watch import Watch, can_watch

from libriscribe2.models.brief import Brief
from libriscribe2.settings.layers import KnownKeys
from libriscribe2.settings.loading import load_for_project
from libriscribe2.settings.schema import Settings

BAR: Final = Bar(27, 27, "test_bar_27_folder.py")
USERS: Final = "sk-the-users-own-key"
THEIRS: Final = "sk-of-the-folder"
NO_PORT: Final = 9
NOWHERE: Final = f"http://127.0.0.1:{NO_PORT}"
OWN_PROGRAMS: Final = ("python", "python3", "pandoc", "uname")
"""What exports and the library of the provider start, from the folders of the user's `PATH`."""

SAFE: Final = ("-P", "-m", "libriscribe2")
SECRET: Final = f"The {CANARY} of the house is that its key lies under the third stone."

COMMANDS: Final[tuple[tuple[int, tuple[str, ...]], ...]] = (
    (0, ("status", "book")),
    (7, ("redo", "book", "concept", "--model", "openai/x")),
    (0, ("research", "book", "When does salt melt?", "--mock")),
    (0, ("export", "book", "--format", "epub,pdf,docx")),
    (0, ("batch", "add", "rows.jsonl")),
    (0, ("batch", "run", "--mock")),
)
"""What somebody does with such a folder, with the exit code of each without a network."""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path / "desk")
    desk.folder.mkdir()
    return desk


@pytest.fixture
def users(desk: Desk) -> Desk:
    """A desk whose user has a key of her own, and no network."""
    desk.environment |= {
        "OPENAI_API_KEY": USERS,
        "HTTPS_PROXY": NOWHERE,
        "NO_PROXY": "127.0.0.1",
        "LIBRISCRIBE2_LLM__RETRIES": "0",
    }
    return desk


def test_bar_27_01_each_variable_of_the_folder_is_ignored_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = variables(tmp_path, "http://evil.example")
    for name, value in given.items():
        (tmp_path / ".env").write_text(f"\n{name}='{value}'\n", encoding="utf-8")
        environ = {"OPENAI_API_KEY": USERS}
        loaded = load_for_project(None, environ=environ, flags={}, folder=tmp_path)
        assert environ == {"OPENAI_API_KEY": USERS}, name
        assert loaded.settings == Settings(), name
        assert f"{name} (line 2)" in loaded.warnings[0]
    assert len(given) >= 80
    BAR.tell(capsys, f"{len(given)} variables of a .env, each alone: 0 count")


@pytest.mark.slow
def test_bar_27_02_nothing_of_the_folder_runs_and_nothing_is_sent(
    users: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    users.written("--research")
    HandMade(users.folder).write(
        "research/sources/salt.md", "# Salt\n\nSalt melts at 801 degrees.\n"
    )
    (users.folder / "rows.jsonl").write_text(
        '{"name": "row", "premise": "A coast", "chapters": "1", "words": 200}\n', encoding="utf-8"
    )
    watch = Watch(users.folder.parent / "trace")
    with OpenAIServer() as witness:
        given = pack(users.folder, witness.root)
        for code, words in COMMANDS:
            ran = users.run_apart(*words, expect=code, program=SAFE, under=watch.under)
            assert _ignored(ran, given), words
            assert list(left_in(users.folder)) == [], words
            assert USERS not in ran.out + ran.err
        _viewed(users, watch)
        assert witness.requests == []
    assert list(left_in(users.folder)) == []
    names = {Path(one).name for one in watch.programs()}
    assert names <= {Path(sys.executable).name, *OWN_PROGRAMS}
    assert not [one for one in watch.programs() if Path(one).is_relative_to(users.folder)]
    assert watch.addresses() <= {("127.0.0.1", NO_PORT)}, "the proxy of the user"
    written = [path for path in users.folder.parent.rglob("*") if path.is_file()]
    assert not [path for path in written if USERS.encode() in path.read_bytes()]
    count = len(COMMANDS) + 1
    figure = f"{len(given)} variables, {count} commands: 0 programs of the folder, 0 requests"
    seen = f"a watch saw {', '.join(sorted(names))}" if can_watch() else "strace cannot watch here"
    BAR.tell(capsys, f"{figure}; {seen}")


@pytest.mark.slow
def test_bar_27_02_the_witnesses_see_what_a_trusted_folder_does(users: Desk) -> None:
    users.written("--until", "concept")
    canary = users.folder / "canary"
    canary.write_text(f"#!/bin/sh\necho ran > {users.folder}/ran-program\n", encoding="utf-8")
    canary.chmod(0o700)
    with OpenAIServer() as witness:
        (users.folder / ".env").write_text(
            f"BROWSER={canary}\nOPENAI_BASE_URL={witness.url}\n", encoding="utf-8"
        )
        told = users.run("trust")
        assert "BROWSER (line 1), OPENAI_BASE_URL (line 2)" in told.err
        ran = users.run_apart("redo", "book", "concept", "--model", "openai/x", program=SAFE)
        assert "ignored" not in ran.err
        assert {one.headers["authorization"] for one in witness.requests} == {f"Bearer {USERS}"}
        watch = Watch(users.folder.parent / "trace")
        _viewed(users, watch)
        assert list(left_in(users.folder)) == ["ran-program"]
        assert not can_watch() or str(canary) in watch.programs()
        witness.requests.clear()
        with (users.folder / ".env").open("a", encoding="utf-8") as file:
            file.write("# changed\n")
        ran = users.run_apart(
            "redo", "book", "concept", "--model", "openai/x", expect=7, program=SAFE
        )
        assert "It has changed since you trusted it." in ran.err
        assert witness.requests == []


@pytest.mark.slow
@pytest.mark.parametrize("own_key", [True, False])
@pytest.mark.parametrize(
    "name", ["OPENAI_BASE_URL", "OPENAI_API_BASE", "LIBRISCRIBE2_LLM__BASE_URL"]
)
def test_bar_27_03_an_address_of_the_folder_takes_the_folders_key_alone(
    users: Desk, name: str, own_key: bool
) -> None:
    users.written("--until", "concept")
    if not own_key:
        users.environment["OPENAI_API_KEY"] = None
    with OpenAIServer() as witness:
        (users.folder / ".env").write_text(
            f"OPENAI_API_KEY={THEIRS}\n{name}={witness.url}\n", encoding="utf-8"
        )
        redo = ("redo", "book", "concept", "--model", "openai/x")
        ran = users.run_apart(*redo, expect=7 if own_key else 0, program=SAFE)
        sent = {one.headers["authorization"] for one in witness.requests}
    if own_key:
        assert sent == set()
        assert f"{name} (line 2)" in ran.err
    else:
        assert sent == {f"Bearer {THEIRS}"}
        assert f"line 2: requests go to {witness.root} ({name})" in ran.err


def test_bar_27_04_no_address_of_a_book_is_asked(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    tried = 0
    with OpenAIServer() as witness:
        url = f"{witness.url}/x"
        resume = ("resume", "book", "--mock", "--until", "concept")
        for name in sorted(set(Brief.model_fields) - {"premise"}):
            _begun(desk, f'[book]\npremise = "A coast"\n{name} = "{url}"\n')
            for words in (resume, ("export", "book", "-f", "html,md", "--partial")):
                ran = desk.run(*words, expect=None)
                assert ran.code in (0, 2, 3, 5), (name, ran)
            tried += 1
        for key in KnownKeys(("chapters",)).all():
            for value in (f'"{url}"', f'["openai/x", "oobabooga/{url}"]'):
                _begun(desk, f'{key} = {value}\n[book]\npremise = "A coast"\n')
                assert f"`{key.removesuffix('.model')}" in desk.run(*resume, expect=3).err
                tried += 1
        assert witness.requests == []
    BAR.tell(capsys, f"{tried} addresses in book.toml: 0 asked")


def _begun(desk: Desk, text: str) -> None:
    """A book that holds one chapter and this book.toml."""
    shutil.rmtree(desk.folder / "projects", ignore_errors=True)
    HandMade(desk.folder).brief().chapters("# A\n\nText.\n").write("book.toml", text)


PROMPT: Final = (
    "---\nversion: 1\n---\n## system\n$premise {outside} ${outside} {{{{ include('{outside}') }}}} "
    "@{outside} ![x]({outside}) <file>{outside}</file> $(cat {outside}) {{0.__class__}}\n"
    "## user\n$premise\n"
)


def test_bar_27_05_prompts_of_the_folder_bring_no_file_with_them(
    desk: Desk, tmp_path: Path
) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text(SECRET, encoding="utf-8")
    author = desk.written("--until", "concept")
    del author
    for name in ("concept", "outline", "scene", "chapters"):
        HandMade(desk.folder).write(f"prompts/{name}.md", PROMPT.format(outside=outside))
    ran = desk.run("redo", "book", "concept", "--mock", expect=None)
    assert ran.code in (0, 3, 5), ran
    assert _carrying(desk.folder) == []


LINKED: Final = ("samples", "research/sources", "images", "exports", "prompts", "cover.png")


@pytest.mark.parametrize("link", LINKED)
def test_bar_27_06_a_link_out_of_the_folder_is_not_followed(
    desk: Desk, tmp_path: Path, link: str
) -> None:
    outside = tmp_path / "outside"
    (outside / "folder").mkdir(parents=True)
    for name, data in (("own.md", SECRET.encode()), ("own.png", png() + SECRET.encode())):
        (outside / "folder" / name).write_bytes(data)
    desk.written("--research")
    root = desk.project().root
    if link == "cover.png":
        toml = (root / "book.toml").read_text(encoding="utf-8")
        toml = toml.replace('cover = ""', 'cover = "cover.png"')
        (root / "book.toml").write_text(toml, encoding="utf-8")
    place = root / link
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(exist_ok=True)
    target = outside / "folder" / ("own.png" if link == "cover.png" else "")
    place.symlink_to(target)
    before = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    for words in (
        *(("status", "book"), ("resume", "book", "--mock", "--rewrite", "--yes")),
        *(("export", "book", "-f", "html,epub"), ("research", "book", "Salt?", "--mock")),
    ):
        ran = desk.run(*words, expect=None)
        assert ran.code in (0, 3, 5, 6), (words, ran)
        assert {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()} == before
    assert _carrying(desk.folder) == []


_EXPORT: Final = ("export", "book", "-f", "html")
DEVICES: Final[dict[str, tuple[str, ...]]] = {
    "book.toml": _EXPORT,
    "chapters/01.md": _EXPORT,
    "images/cover.png": _EXPORT,
    "prompts/concept.md": ("redo", "book", "concept", "--mock"),
    ".libriscribe/journal.jsonl": _EXPORT,
    ".libriscribe/format": ("check", "book"),
    ".libriscribe/pending": ("chapter", "list", "book"),
    ".libriscribe/events.jsonl": ("report", "book"),
    ".libriscribe/run.log": ("research", "book", "Why?", "--mock"),
    ".libriscribe/lock": _EXPORT,
    "../../debug/book/0001-concept-try1.json": ("debug", "list", "book"),
    "../../.env": ("check", "book"),
    "../../batches/default/batch.jsonl": ("batch", "run", "--mock"),
}
"""What of a folder may be a pipe, and a command that reads it besides `status` and `resume`."""


@pytest.mark.slow
@pytest.mark.parametrize("name", DEVICES)
def test_bar_27_07_a_pipe_is_not_waited_for(desk: Desk, name: str) -> None:
    desk.written()
    place = Path(os.path.normpath(desk.project().root / name))
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    for words in (("status", "book"), ("resume", "book", "--mock"), DEVICES[name]):
        with desk.running(*words) as process:
            out, err = process.communicate()
        assert process.returncode in (0, 3, 5, 6), (words, out, err)
        assert len([line for line in err.splitlines() if line.startswith("error")]) <= 1


def _ignored(ran: Ran, given: dict[str, str]) -> bool:
    """Whether a command said once what it ignores, with the first and the last line."""
    told = [line for line in ran.err.splitlines() if ".env: ignored: " in line]
    return len(told) == 1 and "(line 1)" in told[0] and len(given) > 0


def _viewed(desk: Desk, watch: Watch) -> None:
    """Open the pages as a user does, until the browser was looked for."""
    with desk.running("view", "book", program=SAFE, under=watch.under) as process:
        assert process.stderr is not None
        line = ""
        while "Ctrl-C" not in line:
            line = process.stderr.readline()
            assert line


def _carrying(folder: Path) -> list[Path]:
    """The files of a folder that hold the secret from outside."""
    return [
        path
        for path in folder.rglob("*")
        if path.is_file()
        and path.resolve().is_relative_to(folder)
        and CANARY.encode() in path.read_bytes()
    ]
