import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathvalidate import is_valid_filename

from libriscribe2.errors import ProjectError, StorageError, UsageError
from libriscribe2.project.paths import (
    MAX_NAME_LENGTH,
    ProjectPaths,
    chapter_file,
    check_project_name,
    project_name_from,
    summary_file,
)


def test_names_count_on_with_more_digits() -> None:
    assert [chapter_file(n) for n in (3, 12, 123)] == [
        "chapters/03.md",
        "chapters/12.md",
        "chapters/123.md",
    ]
    assert summary_file(7) == ".libriscribe/summaries/07.md"


@pytest.mark.skipif(os.name != "posix", reason="only POSIX limits descriptors")
def test_an_id_that_cannot_be_read_is_a_storage_error(paths: ProjectPaths) -> None:
    import resource  # noqa: PLC0415 - Windows has none

    paths.id_file.parent.mkdir(parents=True)
    paths.id_file.write_text("a1b2\n", encoding="ascii")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        with pytest.raises(StorageError, match="id"):
            _ = paths.dumps
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert paths.id == "a1b2"


def test_every_file_has_its_place(paths: ProjectPaths) -> None:
    places = (paths.book_toml, paths.format, paths.lock, paths.journal, paths.trash)
    assert [path.relative_to(paths.root).as_posix() for path in places] == [
        "book.toml",
        ".libriscribe/format",
        ".libriscribe/lock",
        ".libriscribe/journal.jsonl",
        ".libriscribe/trash",
    ]


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/../../x", "/etc/passwd", "a\\b", "C:x", "a\0b"]
)
def test_a_name_that_leads_out_is_refused(paths: ProjectPaths, name: str) -> None:
    with pytest.raises(ProjectError, match="not the name of a file"):
        paths.resolve(name)


def test_a_link_that_leads_out_is_refused(paths: ProjectPaths, tmp_path: Path) -> None:
    paths.root.mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (paths.root / "chapters").symlink_to(tmp_path / "secret")
    (paths.root / "outline.json").symlink_to(tmp_path / "secret" / "x")
    (paths.root / "circle").symlink_to(paths.root / "circle")
    for name in ("chapters/01.md", "outline.json", "circle", "circle/x.md"):
        with pytest.raises(ProjectError, match="leads out"):
            paths.resolve(name)


def test_a_link_that_comes_later_is_refused_too(paths: ProjectPaths, tmp_path: Path) -> None:
    (paths.root / "chapters").mkdir(parents=True)
    assert paths.resolve("chapters/01.md").parent == paths.root / "chapters"
    (paths.root / "chapters").rmdir()
    (paths.root / "chapters").symlink_to(tmp_path)
    with pytest.raises(ProjectError, match="leads out"):
        paths.resolve("chapters/01.md")


def test_a_link_that_stays_inside_is_followed(paths: ProjectPaths) -> None:
    (paths.root / "texts").mkdir(parents=True)
    (paths.root / "chapters").symlink_to(paths.root / "texts")
    assert paths.resolve("chapters/01.md") == paths.root / "chapters" / "01.md"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("The Salt Road", "the-salt-road"),
        ("../../etc/passwd", "etc-passwd"),
        ("Éloge de l'ombre", "eloge-de-l-ombre"),
        ("", "book"),
        ("\N{DRAGON}", "book"),
        ("CON", "con-book"),
        ("-rf $(id)", "rf-id"),
    ],
)
def test_a_title_becomes_a_plain_folder_name(title: str, name: str) -> None:
    assert project_name_from(title) == name


def test_a_long_title_loses_words_at_its_end_only() -> None:
    title = "A lighthouse keeper who never once learned to swim unexpectedly has to"
    assert project_name_from(title) == "a-lighthouse-keeper-who-never-once-learned-to-swim"
    assert len(project_name_from("x" * 100)) <= MAX_NAME_LENGTH


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_any_title_gives_a_name_that_every_system_takes(title: str) -> None:
    name = project_name_from(title)
    assert check_project_name(name) == name
    assert len(name) <= MAX_NAME_LENGTH
    assert name == name.casefold() == unicodedata.normalize("NFC", name)
    assert os.sep not in name
    assert is_valid_filename(name, platform="universal")


@pytest.mark.parametrize("name", ["My Book", "a", "x_1-2", "b" * MAX_NAME_LENGTH])
def test_a_good_name_is_taken_as_it_is(name: str) -> None:
    assert check_project_name(name) == name


@pytest.mark.parametrize(
    "name", ["", " ", ".", "..", "a/b", "a.b", " a", "a ", "-a", "é", "NUL", "a\n", "b" * 61]
)
def test_a_bad_name_is_refused_with_a_better_one(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_project_name(name)
    assert repr(project_name_from(name)) in caught.value.fix
