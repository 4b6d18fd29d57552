"""`view`: the pages from the command line, live and as a folder."""

import errno
import http.client
import json
import shutil
import signal
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.support.desk import Desk
from tests.support.review_book import make_book


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_book(tmp_path_factory.mktemp("view") / "desk")


@pytest.fixture
def book(made: Path, tmp_path: Path) -> Desk:
    return Desk(shutil.copytree(made, tmp_path / "desk"))


def links(page: str) -> set[str]:
    """The files that a page of an export leads to."""
    parts = [
        part.partition('"')[0] for mark in ('href="', 'src="') for part in page.split(mark)[1:]
    ]
    return {urlsplit(part).path for part in parts if urlsplit(part).path}


def test_an_export_replaces_an_earlier_one_and_nothing_else(book: Desk, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = book.run("view", "book", "--export", str(out), "--json").value["pages"]
    of_chapter = len(list(out.glob("read-02*.html")))
    (out / "read-02.html").write_text("old", encoding="utf-8")
    book.project().path("chapters/02.md").unlink()
    second = book.run("view", "book", "--export", str(out), "--json").value["pages"]
    assert second == first - of_chapter
    assert not (out / "read-02.html").exists()
    (out / "mine.txt").write_text("mine", encoding="utf-8")
    refused = book.run("view", "book", "--export", str(out), expect=2)
    assert "is not empty" in refused.err
    assert (out / "mine.txt").read_text(encoding="utf-8") == "mine"
    assert (out / "index.html").exists()
    assert "--port" in book.run("view", "book", "--export", "x", "--port", "8123", expect=2).err


def test_a_project_with_nothing_yet_is_shown(desk: Desk, tmp_path: Path) -> None:
    bare = desk.folder / "projects" / "bare"
    bare.mkdir(parents=True)
    (bare / "book.toml").write_text('[book]\npremise = "A coast."\n', encoding="utf-8")
    desk.run("view", "bare", "--export", str(tmp_path / "out"))
    start = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "No run is recorded yet" in start
    assert "No calls yet" in (tmp_path / "out" / "calls.html").read_text(encoding="utf-8")


def test_damaged_files_do_not_keep_the_rest_from_being_shown(book: Desk, tmp_path: Path) -> None:
    project = book.project()
    project.write("outline.json", "{")
    project.write("chapters/01.md", "")
    project.path("chapters/02.md").write_bytes(b"\xff\xfe\x00")
    project.write("book.toml", project.text("book.toml").replace("premise", "premisse", 1))
    (project.debug / "0900-concept-try1.json").write_bytes(b"\x00\xff")
    book.run("view", "book", "--export", str(tmp_path / "out"))
    told = (tmp_path / "out" / "problems.html").read_text(encoding="utf-8")
    for file in ("outline.json", "chapters/01.md", "chapters/02.md", "book.toml", "0900-concept"):
        assert file in told


def test_there_is_no_project_of_that_name(desk: Desk) -> None:
    assert "There is no project" in desk.run("view", "nobody", expect=3).err
    (desk.folder / "projects" / "empty").mkdir(parents=True)
    assert "There is no project" in desk.run("view", "empty", expect=3).err


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.soak)]
)
def test_the_server_says_where_it_is_and_ends_with_a_signal(
    book: Desk, number: signal.Signals
) -> None:
    with book.running("view", "book", "--no-open") as process:
        assert process.stdout is not None
        address = urlsplit(process.stdout.readline().strip())
        assert (address.hostname, address.path) == ("127.0.0.1", "/enter")
        connection = http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=20)
        connection.request("GET", "/calls?format=json", headers={"X-Token": address.fragment})
        answer = json.loads(connection.getresponse().read())
        connection.close()
        process.send_signal(number)
        out, err = process.communicate()
    assert answer["project"] == "book"
    assert process.returncode == 0, err
    assert "Stopped." in err
    assert "Traceback" not in out + err


@pytest.mark.slow
def test_a_browser_is_started_without_the_token_and_without_keys(book: Desk) -> None:
    browser, seen = book.folder / "browser", book.folder / "seen"
    browser.write_text(f'#!/bin/sh\n(echo "$@"; env) > {seen}.part\nmv {seen}.part {seen}\n')
    browser.chmod(0o700)
    env = {"BROWSER": str(browser), "OPENAI_API_KEY": "sk-canary"}
    with book.running("view", "book", env=env) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        address = urlsplit(process.stdout.readline().strip())
        assert "Ctrl-C" in process.stderr.readline()
        words, _, variables = seen.read_text(encoding="utf-8").partition("\n")
        opened = urlsplit(words)
        assert (opened.netloc, opened.path) == (address.netloc, "/enter")
        assert address.fragment not in words
        assert "sk-canary" not in variables
        connection = http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=20)
        connection.request("POST", "/enter", headers={"X-Token": opened.fragment})
        assert connection.getresponse().status == 204
        connection.close()


def test_a_run_leaves_its_events_for_the_overview(book: Desk, tmp_path: Path) -> None:
    book.project().path("manuscript.md").unlink()
    told = book.run("resume", "book", "--mock", "--json")
    file = book.project().path(".libriscribe/events.jsonl")
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines][-len(told.events) :] == told.events
    assert file.stat().st_mode & 0o777 == 0o600
    book.run("view", "book", "--export", str(tmp_path / "out"))
    assert "Finished" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")


def test_an_export_that_broke_off_can_be_made_again(
    book: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"

    def full(*_arguments: object, **_more: object) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    with monkeypatch.context() as broken:
        broken.setattr(shutil, "copytree", full)
        book.run("view", "book", "--export", str(out), expect=6)
    assert not (out / "index.html").exists()
    book.run("view", "book", "--export", str(out))
    assert (out / "index.html").exists()
