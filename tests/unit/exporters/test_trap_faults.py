"""Chapters that cannot be made into a file: named with their line, in bounded time."""

from pathlib import Path

import pytest
from tests.support.exported import made
from tests.support.hand_made import HandMade, book_of

from libriscribe2.errors import ConfigError, ProjectError
from libriscribe2.exporters.pandoc import Pandoc, PandocError, convert, find_pandoc, stage
from libriscribe2.exporters.typesetting import Job, cover_picture, typeset


def test_EX_3_the_line_up_to_which_pandoc_fails_is_found(tmp_path: Path) -> None:
    script = tmp_path / "pandoc"
    fails = 'for last; do :; done\nif grep -q BAD "$last"; then echo a fault >&2; exit 1; fi\n'
    script.write_text(f"#!/bin/sh\n{fails}", encoding="utf-8")
    script.chmod(0o700)
    lines = [f"line {number}" for number in range(2, 40)]
    bad = "\n".join([*lines[:20], "BAD", *lines[20:]])
    book = book_of(tmp_path, "# A\n\nfine\n", f"# B\n{bad}\n", bad)
    staging = tmp_path / "staging"
    staging.mkdir()
    with pytest.raises(ProjectError) as caught:
        convert(Pandoc(script), book, staging, stage(book, staging), ("--to", "html"))
    assert caught.value.why == "chapters/02.md, line 22: a fault"


@pytest.mark.soak
def test_EX_3_a_chapter_that_pandoc_cannot_read_is_named_with_its_line(tmp_path: Path) -> None:
    # The prepass takes the cause away, so the text is put past it.
    book = book_of(tmp_path, "# A\n\nfine\n", "# B\n\nfine\n")
    staging = tmp_path / "staging"
    staging.mkdir()
    circle = "# B\n\nsee [^1]\n\n[^1]: text [^1]\n\nmore\n"
    bad = type(book.parts[1])("chapters/02.md", "B", circle)
    hostile = type(book)(
        book.name, book.title, book.language, book.identifier, 0, (book.parts[0], bad)
    )
    with pytest.raises(ProjectError) as caught:
        convert(
            Pandoc(find_pandoc().program, megabytes=40),
            hostile,
            staging,
            stage(hostile, staging),
            ("--to", "html", "--output", "x"),
        )
    assert "chapters/02.md, line 5" in caught.value.why
    assert "40 MiB" in caught.value.why


@pytest.mark.slow
def test_EX_3_a_conversion_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    book = book_of(tmp_path, "# A\n")
    staging = tmp_path / "staging"
    staging.mkdir()
    names = stage(book, staging)
    (staging / names[0]).write_text("see [^1]\n\n[^1]: text [^1]\n", encoding="utf-8")
    with pytest.raises(PandocError, match="longer than 1 seconds"):
        Pandoc(find_pandoc().program, megabytes=4000).run(
            staging, names, ("--to", "html"), seconds=1
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["html", "epub", "docx", "pdf"])
def test_EX_3_a_paragraph_of_two_megabytes_is_named_at_once(tmp_path: Path, name: str) -> None:
    book = book_of(tmp_path, "# A\n\nfine\n", "No heading.\n\n" + "word and more. " * 140_000)
    with pytest.raises(ProjectError, match=r"chapters/02\.md") as caught:
        made(book, tmp_path / "a", name)
    assert "line 3" in caught.value.why


@pytest.mark.slow
def test_EX_2_a_missing_letter_is_named_and_no_box_is_printed(tmp_path: Path) -> None:
    book = book_of(tmp_path, "# A\n\nfine\n\nHere 中 is\n")
    staging = tmp_path / "staging"
    staging.mkdir()
    names = stage(book, staging)
    convert(find_pandoc(), book, staging, names, ("--to", "typst", "--output", "body.typ"))
    cover, jobs = cover_picture(book, staging)
    job = Job("book.typ", "book.pdf", accessible=True)
    with pytest.raises(ConfigError, match=r"'中' \(U\+4E2D CJK") as caught:
        typeset(book, staging, [*jobs, job], more={"front": cover}, system_fonts=False)
    assert "chapters/01.md, line 5" in caught.value.why
    assert "fonts-noto-cjk" in caught.value.fix


def test_EX_2_a_missing_letter_of_the_title_is_found_on_the_cover(tmp_path: Path) -> None:
    pytest.importorskip("typst")
    book = HandMade(tmp_path).brief(title="中").chapters("# A\n").read()
    staging = tmp_path / "staging"
    staging.mkdir()
    with pytest.raises(ConfigError, match="U\\+4E2D") as caught:
        typeset(book, staging, cover_picture(book, staging)[1], system_fonts=False)
    assert "title page" in caught.value.why
