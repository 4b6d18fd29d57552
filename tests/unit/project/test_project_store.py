import errno
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.project_faults import FailingOps, QuickOps

from libriscribe2.errors import ProjectError, StorageError, UsageError
from libriscribe2.project.lock import Machine
from libriscribe2.project.paths import CONCEPT, OUTLINE, ProjectPaths, chapter_file
from libriscribe2.project.project_view import ArtifactState
from libriscribe2.project.store import ProjectStore


def write(store: ProjectStore, name: str, text: str, **inputs: str) -> None:
    store.write(name, text, step=name, inputs=inputs, params={"model": "m"}, keys=["k"])


def edit(store: ProjectStore, name: str, data: bytes) -> None:
    (store.paths.root / name).write_bytes(data)


def kind(store: ProjectStore, name: str, **inputs: str) -> str:
    return store.state(name, inputs).kind


def test_a_new_project_says_its_format(store: ProjectStore) -> None:
    assert store.paths.format.read_text(encoding="utf-8") == "2\n"


@pytest.mark.parametrize("name", ["notes.txt", "book.toml"])
def test_a_folder_that_holds_something_is_no_place_for_a_new_book(
    paths: ProjectPaths, name: str
) -> None:
    paths.root.mkdir(parents=True)
    (paths.root / name).write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="not empty"):
        ProjectStore.create(paths)
    assert [path.name for path in paths.root.iterdir()] == [name]


def test_a_creation_that_was_interrupted_can_be_done_again(
    paths: ProjectPaths, machine: Machine
) -> None:
    ProjectStore.create(paths, machine).close()
    ProjectStore.create(paths, machine).close()


def test_only_a_project_can_be_opened(paths: ProjectPaths) -> None:
    with pytest.raises(ProjectError, match="no project"):
        ProjectStore.open(paths)
    paths.root.mkdir(parents=True)
    with pytest.raises(ProjectError, match="no project"):
        ProjectStore.peek(paths)
    assert list(paths.root.iterdir()) == []


@pytest.mark.parametrize("name", ["book.toml", "project_data.json"])
def test_a_project_without_records_can_be_opened(
    paths: ProjectPaths, machine: Machine, name: str
) -> None:
    paths.root.mkdir(parents=True)
    (paths.root / name).write_text("", encoding="utf-8")
    with ProjectStore.open(paths, machine) as store:
        edit(store, CONCEPT, b"{}")
        assert kind(store, CONCEPT) == "edited"


def test_a_file_is_fresh_until_an_input_changes(store: ProjectStore) -> None:
    assert kind(store, CONCEPT, a="1") == "missing"
    write(store, CONCEPT, "{}", a="1", b="1")
    assert store.state(CONCEPT, {"a": "1", "b": "1"}) == ArtifactState("fresh")
    changed = store.state(CONCEPT, {"b": "2", "c": "1", "a": "1"})
    assert changed == ArtifactState("stale", ("b", "c"), came=("c",))
    assert store.state(CONCEPT, {"a": "1", "b": None}) == ArtifactState(
        "stale", ("b",), gone=("b",)
    )


def test_an_input_that_is_missing_then_and_now_is_no_change(store: ProjectStore) -> None:
    store.write(CONCEPT, "{}", step="concept", inputs={"world.json": None}, params={})
    assert store.state(CONCEPT, {}) == ArtifactState("fresh")


def test_XC_05_the_journal_knows_before_the_file_changes(
    paths: ProjectPaths, machine: Machine
) -> None:
    with ProjectStore.create(paths, machine) as store:
        assert isinstance(machine.ops, QuickOps)
        machine.ops.calls.clear()
        write(store, CONCEPT, "{}")
        expected = ["write", "fsync"]
        expected += ["open", "write", "fsync", "replace", "open", "fsync"]
        assert machine.ops.calls == [*expected, "write"]
    assert machine.ops.calls == [*expected, "write", "fsync"]


def test_the_authors_edit_is_never_overwritten(store: ProjectStore) -> None:
    write(store, chapter_file(1), "ours\n")
    edit(store, chapter_file(1), b"mine\n")
    assert kind(store, chapter_file(1), changed="2") == "edited"
    with pytest.raises(ProjectError, match="was edited"):
        write(store, chapter_file(1), "ours again\n")
    assert (store.paths.root / chapter_file(1)).read_bytes() == b"mine\n"


def test_an_edit_is_kept_even_where_it_is_an_older_text_of_ours(store: ProjectStore) -> None:
    write(store, chapter_file(1), "first\n")
    write(store, chapter_file(1), "second\n")
    edit(store, chapter_file(1), b"first\n")
    assert kind(store, chapter_file(1)) == "edited"


def test_a_reformatted_file_is_ours_and_stays_as_it_is(store: ProjectStore) -> None:
    write(store, CONCEPT, '{"a": 1}')
    layout = b'\xef\xbb\xbf{\r\n  "a": 1\r\n}\r\n'
    edit(store, CONCEPT, layout)
    assert kind(store, CONCEPT) == "fresh"
    write(store, CONCEPT, '{"a": 1}', new="input")
    assert (store.paths.root / CONCEPT).read_bytes() == layout
    assert kind(store, CONCEPT, new="input") == "fresh"


def test_a_crash_between_announcement_and_replacement_leaves_an_old_file(
    paths: ProjectPaths, machine: Machine
) -> None:
    with ProjectStore.create(paths, machine) as store:
        write(store, CONCEPT, '"first"')
        write(store, OUTLINE, '"first"')
    broken = replace(machine, ops=FailingOps(1, code=errno.EIO, names=("exchange",)))
    with ProjectStore.open(paths, broken) as store:
        with pytest.raises(StorageError, match="Cannot write"):
            write(store, CONCEPT, '"second"')
        assert kind(store, CONCEPT) == "old"
        assert store.read_text(CONCEPT) == '"first"'
        write(store, CONCEPT, '"second"')
        assert kind(store, CONCEPT) == "fresh"


def test_an_author_can_give_a_file_back(store: ProjectStore) -> None:
    write(store, CONCEPT, '"ours"', a="1")
    edit(store, CONCEPT, b'"mine"')
    store.adopt(CONCEPT)
    assert kind(store, CONCEPT, a="1") == "fresh"
    assert kind(store, CONCEPT, a="2") == "stale"
    store.adopt(CONCEPT, {"a": "2"})
    assert kind(store, CONCEPT, a="2") == "fresh"
    write(store, CONCEPT, '"ours again"')
    assert store.read_text(CONCEPT) == '"ours again"'


def test_a_file_without_history_can_be_given_too(store: ProjectStore) -> None:
    edit(store, CONCEPT, b'"mine"')
    store.adopt(CONCEPT)
    assert kind(store, CONCEPT) == "fresh"
    with pytest.raises(ProjectError, match="missing"):
        store.adopt(OUTLINE)


def test_what_goes_to_the_trash_is_kept_under_names_of_its_own(store: ProjectStore) -> None:
    write(store, chapter_file(1), "one\n")
    names = [store.trash(chapter_file(1)) for _ in range(3)]
    assert names == [
        ".libriscribe/trash/20250112T103000Z-chapters_01.md",
        ".libriscribe/trash/20250112T103000Z-2-chapters_01.md",
        ".libriscribe/trash/20250112T103000Z-3-chapters_01.md",
    ]
    assert [store.read_text(name) for name in names if name] == ["one\n"] * 3
    assert store.trash(OUTLINE) is None


def test_an_imported_text_counts_as_the_authors(store: ProjectStore) -> None:
    write(store, CONCEPT, '"ours"')
    store.import_text(CONCEPT, '"mine"')
    store.import_text(CONCEPT, '"mine"')
    assert kind(store, CONCEPT) == "edited"
    assert store.read_text(CONCEPT) == '"mine"'
    assert [path.read_text(encoding="utf-8") for path in store.paths.trash.iterdir()] == ['"ours"']


def test_a_text_that_utf8_cannot_hold_changes_nothing(store: ProjectStore) -> None:
    write(store, chapter_file(1), "good\n")
    with pytest.raises(ProjectError, match="UTF-8"):
        write(store, chapter_file(1), "half \ud83d\n")
    assert store.read_text(chapter_file(1)) == "good\n"
    assert kind(store, chapter_file(1)) == "fresh"


def test_names_that_lead_out_are_refused_everywhere(store: ProjectStore) -> None:
    for act in (store.read_text, store.sha, store.exists, store.trash, store.adopt):
        with pytest.raises(ProjectError, match="not the name"):
            act("../x")
    with pytest.raises(ProjectError, match="not the name"):
        write(store, "../x", "text")
    with pytest.raises(ProjectError, match="not the name"):
        store.import_text("../x", "text")


def test_the_manifest_outlives_the_process(paths: ProjectPaths, machine: Machine) -> None:
    with ProjectStore.create(paths, machine) as first:
        write(first, CONCEPT, "{}", a="1")
        first.again("chapters")
        first.note_run("r1", version="0.1.0", command="resume")
        known = first.manifest
    with ProjectStore.open(paths, machine) as second:
        assert second.manifest.files == known.files
        assert second.manifest.generation("chapters/ch01") == 1
        assert second.journal.found.records[-1]["cmd"] == "resume"


def test_without_its_journal_every_file_is_the_authors(
    paths: ProjectPaths, machine: Machine
) -> None:
    with ProjectStore.create(paths, machine) as store:
        write(store, CONCEPT, "{}")
    paths.journal.unlink()
    with ProjectStore.open(paths, machine) as store:
        assert kind(store, CONCEPT) == "edited"


def test_leftovers_of_a_crash_are_deleted_and_nothing_else(
    paths: ProjectPaths, machine: Machine
) -> None:
    ProjectStore.create(paths, machine).close()
    paths.debug.mkdir(parents=True)
    (paths.root / "chapters").mkdir()
    dead = [paths.root / "chapters" / ".01.md.77.tmp", paths.debug / ".0001-a-try1.json.77.tmp"]
    kept = [paths.root / "notes.tmp", paths.root / ".hidden"]
    for path in (*dead, *kept):
        path.write_text("x", encoding="utf-8")
    ProjectStore.open(paths, machine).close()
    assert [path.exists() for path in (*dead, *kept)] == [False, False, True, True]


def test_damage_is_told_once_and_loudly(
    paths: ProjectPaths, machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    with ProjectStore.create(paths, machine) as store:
        write(store, CONCEPT, "{}")
    data = paths.journal.read_bytes()
    paths.journal.write_bytes(b"x" + data[1:])
    with ProjectStore.open(paths, machine) as store:
        assert store.damaged == 1
    (message,) = caplog.messages
    assert "1 damaged record skipped" in message
    assert str(paths.trash) in message


def test_looking_takes_no_lock_and_writes_nothing(paths: ProjectPaths, machine: Machine) -> None:
    with ProjectStore.create(paths, machine) as store:
        write(store, CONCEPT, "{}")
        paths.journal.write_bytes(paths.journal.read_bytes() + b"deadbeef {torn")
        before = {path: path.stat().st_mtime_ns for path in paths.root.rglob("*")}
        view = ProjectStore.peek(paths)
        assert view.state(CONCEPT, {}).kind == "fresh"
        assert view.damaged == 0
        assert {path: path.stat().st_mtime_ns for path in paths.root.rglob("*")} == before


def test_looking_works_before_there_is_a_journal(paths: ProjectPaths) -> None:
    paths.root.mkdir(parents=True)
    paths.book_toml.write_text("", encoding="utf-8")
    assert ProjectStore.peek(paths).manifest.files == {}


@pytest.mark.parametrize("look", [ProjectStore.open, ProjectStore.peek])
def test_a_newer_format_is_refused_in_one_line(
    paths: ProjectPaths, machine: Machine, look: object
) -> None:
    ProjectStore.create(paths, machine).close()
    paths.format.write_text("3\n", encoding="utf-8")
    with pytest.raises(ProjectError, match="newer version") as caught:
        ProjectStore.open(paths, machine) if look is ProjectStore.open else ProjectStore.peek(paths)
    assert "\n" not in caught.value.what
    assert caught.value.why == "its records have format 3; this version reads up to 2"


def test_a_format_that_is_no_number_is_refused(paths: ProjectPaths, machine: Machine) -> None:
    ProjectStore.create(paths, machine).close()
    paths.format.write_bytes(b"\xff?")
    with pytest.raises(ProjectError, match="number of a format"):
        ProjectStore.open(paths, machine)


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace"])
def test_a_folder_that_takes_nothing_is_an_error_before_any_call(
    paths: ProjectPaths, machine: Machine, call: str
) -> None:
    readonly = replace(machine, ops=FailingOps(1, code=errno.EROFS, names=(call,)))
    with pytest.raises(StorageError) as caught:
        ProjectStore.create(paths, readonly)
    assert caught.value.why == "Read-only file system"
    assert "make it writable" in caught.value.fix


def test_a_file_in_place_of_the_projects_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "book").write_text("", encoding="utf-8")
    paths = ProjectPaths(tmp_path / "book", tmp_path / "debug")
    with pytest.raises(StorageError, match="Cannot read"):
        ProjectStore.create(paths)
