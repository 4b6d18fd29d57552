import errno
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libriscribe2.errors import ConfigError, ProjectError, StorageError
from libriscribe2.project.book_file import read_book_toml, write_book_toml

TEXT = st.text(st.characters(exclude_categories=["Cs"])).map(
    lambda text: text.replace("\r\n", "\n").replace("\r", "")
)
TABLE = st.dictionaries(
    st.text("abcXYZ_-09", min_size=1), TEXT | st.integers(0, 10**9) | st.booleans()
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "book" / "book.toml"


def test_what_is_written_is_read(path: Path) -> None:
    brief = {"premise": "One\ntwo", "title": "", "words": 0, "worldbuilding": True}
    models = {"default": "offline", "concept": ["a", "b"], "outline": {"model": "c"}}
    write_book_toml(path, brief, {"debug_dir": "d", "models": models})
    assert read_book_toml(path) == {"debug_dir": "d", "book": brief, "models": models}


def test_a_new_file_explains_itself(path: Path) -> None:
    write_book_toml(path, {"premise": "A road of salt.", "chapters": "3"}, {})
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# What you asked for.")
    assert 'premise = "A road of salt." # the idea, in your words\n' in text
    assert 'chapters = "3" # 10 or 8-12' in text


def test_a_file_that_was_cut_is_told_though_it_is_toml(path: Path) -> None:
    write_book_toml(path, {"premise": "P", "words": 800, "title": "T"}, {"models": {"a": "b"}})
    whole = path.read_bytes()
    assert whole.endswith(b"\n# End of book.toml.\n")
    told = set[int]()
    for length in range(len(whole) - 2):
        path.write_bytes(whole[:length])
        with suppress(ProjectError, ConfigError):
            assert read_book_toml(path) == {}
            told.add(length)
    assert max(told) < whole.index(b"[book]"), "of the comments at the top so much may be left"


def test_the_last_line_stays_the_last(path: Path) -> None:
    write_book_toml(path, {"premise": "P"}, {})
    write_book_toml(path, {"title": "T"}, {"models": {"default": "offline"}})
    text = path.read_text(encoding="utf-8")
    assert text.count("# End of book.toml.") == 1
    assert text.endswith('default = "offline"\n\n# End of book.toml.\n')
    assert read_book_toml(path)["models"] == {"default": "offline"}


def test_a_text_of_several_lines_stands_on_several_lines(path: Path) -> None:
    write_book_toml(path, {"premise": 'One.\n"""Two"""\n'}, {})
    assert 'premise = """One.\n' in path.read_text(encoding="utf-8")


def test_a_change_keeps_the_authors_comments_and_other_keys(path: Path) -> None:
    path.parent.mkdir()
    old = '# mine\ntop = 1\n[book]\ntitle = "A" # keep\ntone = "dry"\ngenre = "x"\n[models]\na = "b"\n'
    path.write_text(old, encoding="utf-8")
    changes = {"title": "B", "tone": None, "genre": "x", "premise": "P", "author": None}
    write_book_toml(path, changes, {"models": {"c": "d"}, "log_level": "INFO"})
    assert read_book_toml(path) == {
        "top": 1,
        "log_level": "INFO",
        "book": {"title": "B", "genre": "x", "premise": "P"},
        "models": {"a": "b", "c": "d"},
    }
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# mine\n")
    assert 'title = "B" # keep' in text


def test_a_plain_value_gives_way_to_a_table(path: Path) -> None:
    write_book_toml(path, {}, {"models": "x"})
    write_book_toml(path, {}, {"models": {"default": "y"}})
    assert read_book_toml(path)["models"] == {"default": "y"}


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(TABLE, TABLE, TABLE)
def test_any_brief_survives_being_written_and_changed(
    path: Path, first: dict[str, Any], second: dict[str, Any], table: dict[str, Any]
) -> None:
    path.unlink(missing_ok=True)
    write_book_toml(path, first, {})
    assert read_book_toml(path) == {"book": first}
    write_book_toml(path, second, {"models": table})
    assert read_book_toml(path) == {"book": first | second, "models": table}


def test_a_file_of_an_author_may_have_a_mark_and_windows_line_ends(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b'\xef\xbb\xbf[book]\r\ntitle = "A"\r\n')
    assert read_book_toml(path) == {"book": {"title": "A"}}
    write_book_toml(path, {"genre": "x"}, {})
    assert read_book_toml(path) == {"book": {"title": "A", "genre": "x"}}


def test_values_that_only_toml_has_are_handed_on(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("[book]\ntitle = 2025-01-12\n", encoding="utf-8")
    assert read_book_toml(path) == {"book": {"title": date(2025, 1, 12)}}


@pytest.mark.parametrize(
    ("text", "place", "why"),
    [
        ("[book]\ntitle = The Sea\n", "line 2, 'title'", "Invalid value"),
        ('[book]\ntitle = "a"\ntitle = "b"\n', "line 3, 'title'", "overwrite"),
        ("[book\n", "line 1, '[book'", "Expected"),
        ('[book]\n\ntitle = "never closed\n', "line 3, 'title'", ""),
        ('a = """never closed', "is not TOML", "end of document"),
        (f"a = {'[' * 5000}", "book.toml", ""),
    ],
)
def test_a_mistake_is_told_with_file_line_and_key(
    path: Path, text: str, place: str, why: str
) -> None:
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    for act in (lambda: read_book_toml(path), lambda: write_book_toml(path, {}, {})):
        with pytest.raises(ConfigError) as caught:
            act()
        assert str(path) in caught.value.what
        assert place in caught.value.what
        assert why in caught.value.why
        assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(("data", "told"), [(b"", "empty"), (b"[book]\n\xff", "not UTF-8")])
def test_a_file_that_is_no_text_is_told(path: Path, data: bytes, told: str) -> None:
    path.parent.mkdir()
    path.write_bytes(data)
    with pytest.raises(ProjectError, match=told):
        read_book_toml(path)


def test_a_missing_file_is_told_with_the_next_command(path: Path) -> None:
    with pytest.raises(ProjectError, match="missing") as caught:
        read_book_toml(path)
    assert "libriscribe2 create" in caught.value.fix


def test_a_folder_in_place_of_the_file_is_told(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StorageError) as caught:
        read_book_toml(path)
    assert isinstance(caught.value.__cause__, OSError)
    assert caught.value.__cause__.errno == errno.EISDIR
