"""The value that the exporters work from."""

from pathlib import Path

import pytest
from tests.support.hand_made import HandMade, book_of, png

from libriscribe2.errors import IncompleteError, ProjectError
from libriscribe2.exporters.book_reading import (
    chapter_of,
    first_heading,
    identifier_of,
    last_change,
)
from libriscribe2.exporters.disclosure import shares, written_by
from libriscribe2.exporters.web_text import WebText
from libriscribe2.project.records import Record

CONCEPT = (
    '{"concept": {"title": "Found", "logline": "In short.", "description": "Long."},'
    ' "keywords": {"primary_keywords": ["sea"], "genre_keywords": ["sea", "slow"]}}'
)


def test_EX_2_the_authors_words_win_over_the_concepts(tmp_path: Path) -> None:
    made = HandMade(tmp_path).chapters("# A\n").write("concept.json", CONCEPT)
    book = made.brief(
        author="Mira\n Okubo", genre="Mystery", series="Tides", series_number=2
    ).read()
    assert (book.title, book.author, book.description) == ("Found", "Mira Okubo", "In short.")
    assert book.keywords == ("Mystery", "sea", "slow")
    assert (book.series, book.series_number) == ("Tides", "2")
    assert made.brief(title="Mine", identifier="urn:isbn:9780306406157").read().title == "Mine"
    assert made.read().identifier == "urn:isbn:9780306406157"


def test_EX_2_the_identifier_stays_and_is_the_books_own(tmp_path: Path) -> None:
    first = book_of(tmp_path / "a", "# A\n").identifier
    assert first == book_of(tmp_path / "a", "# B\n").identifier
    assert first.startswith("urn:uuid:")
    records = [{"t": "run", "id": "a1", "at": "2026-01-01T00:00:00Z"}]
    assert identifier_of(records, "x") == identifier_of([*records, {"t": "run"}], "y")
    assert identifier_of(records, "x") != identifier_of([{**records[0], "id": "a2"}], "x")


def test_EX_2_the_date_is_that_of_the_last_change(tmp_path: Path) -> None:
    done = {"t": "done", "at": "2026-01-01T00:00:00Z"}
    assert last_change([done, {"t": "run", "at": "2027-01-01T00:00:00Z"}]) == 1_767_225_600
    assert last_change([{"t": "write", "at": "soon"}]) == last_change([])


def test_EX_2_missing_chapters_are_named(tmp_path: Path) -> None:
    made = HandMade(tmp_path).brief().chapters("# A\n", None, "# C\n", None)
    with pytest.raises(IncompleteError, match="not finished") as caught:
        made.read()
    assert "chapters 2, 4" in caught.value.why
    assert "--partial" in caught.value.fix
    book = made.read(partial=True)
    assert ([part.title for part in book.parts], book.missing) == (["A", "C"], (2, 4))


@pytest.mark.parametrize("partial", [True, False])
def test_EX_2_a_book_without_a_chapter_is_no_book(tmp_path: Path, *, partial: bool) -> None:
    made = HandMade(tmp_path).brief()
    with pytest.raises(IncompleteError, match="No chapter") as caught:
        made.read(partial=partial)
    assert "--partial" not in caught.value.fix
    with pytest.raises(IncompleteError, match="No chapter"):
        made.chapters(None).read(partial=partial)


def test_EX_2_a_list_of_sources_comes_last(tmp_path: Path) -> None:
    made = HandMade(tmp_path).brief().chapters("# A\n").write("references.md", "1. A book\n")
    assert [part.title for part in made.read().parts] == ["A", "References"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# A *b* &amp; c #\n\nx", "A b & c"),
        ("\n\nA\n===\n\nx", "A"),
        ("## Not this\n", None),
        ("Text\n\n# Later\n", None),
        ("#\n\nx", None),
    ],
)
def test_EX_2_the_heading_of_a_chapter_is_its_title(text: str, title: str | None) -> None:
    assert first_heading(text) == title


def test_EX_2_a_chapter_without_a_heading_gets_the_planned_title_as_it_is() -> None:
    part = chapter_of("chapters/01.md", "Text.\n", "*A* [b] #")
    assert (first_heading(part.text), part.title, part.added) == ("*A* [b] #", "*A* [b] #", 2)
    assert part.text.endswith("Text.\n")


def test_EX_2_only_sound_pictures_of_the_project_count(tmp_path: Path) -> None:
    made = HandMade(tmp_path).brief().chapters("# A\n")
    made.write("images/a.png", png()).write("images/cut.png", png()[:-20])
    made.write("images/b.jpg", b"\xff\xd8\xff\xe0 jpeg \xff\xd9").write("images/c.png", b"no")
    made.write("images/d.svg", b"<svg/>").write(".hidden/e.png", png()).write(
        "exports/f.png", png()
    )
    made.write("images/g.gif", b"GIF89a...;")
    (made.paths.root / "images" / "link.png").symlink_to(tmp_path / "elsewhere.png")
    assert list(made.read().images) == ["images/a.png", "images/b.jpg", "images/g.gif"]


@pytest.mark.parametrize("cover", ["images/none.png", "images/bad.png", "../out.png", "book.toml"])
def test_EX_2_a_cover_that_cannot_be_used_is_told(tmp_path: Path, cover: str) -> None:
    made = HandMade(tmp_path).brief(cover=cover).chapters("# A\n").write("images/bad.png", b"no")
    with pytest.raises(ProjectError) as caught:
        made.read()
    assert caught.value.what


def test_EX_2_who_wrote_what_is_counted_by_stage_and_model() -> None:
    def call(key: str, step: str, model: str, day: int) -> list[Record]:
        at = f"2026-01-0{day}T00:00:00Z"
        done: Record = {"t": "done", "k": key, "completion": {"model": model}, "at": at}
        return [{"t": "sent", "k": key, "step": step, "model": "asked"}, done]

    records: list[Record] = [
        *call("1", "chapters/1/scene1", "m", 1),
        *call("2", "chapters/2/scene1", "m", 3),
        *call("3", "chapters/2/scene2", "other", 3),
        {"t": "done", "k": "unknown", "completion": {"model": "m"}},
    ]
    found = [(one.stage, one.model, one.replies, one.first, one.last) for one in shares(records)]
    assert found == [
        ("chapters", "m", 2, "2026-01-01", "2026-01-03"),
        ("chapters", "other", 1, "2026-01-03", "2026-01-03"),
    ]
    pasted = call("3", "chapters/2/scene2", "manual", 3)
    assert written_by([*records, *pasted], "", "en") == (
        "Written with LibriScribe2 by m, other, a language model in a chat window."
    )


def test_EX_2_files_that_the_outline_does_not_have_are_named(tmp_path: Path) -> None:
    made = HandMade(tmp_path).brief().chapters("# A\n", "# B\n")
    assert made.read().unplanned == ()
    for name in ("10", "03", "notes", "1"):
        made.write(f"chapters/{name}.md", "# Extra\n")
    book = made.read()
    assert sorted(book.unplanned) == [f"chapters/{name}.md" for name in ("03", "1", "10", "notes")]
    assert [part.title for part in book.parts] == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Dear H.,\nI shall not\ncome back.", 2),
        ("> Roses are red\n> and so is the sea\n\nText.", 1),
        ("- milk\n- two lamps\n  and oil", 1),
        ("| a |\n|---|\n| b |\n\n```\na\nb\n```", 0),
        (
            "A line that an editor broke where the window was at its\nend, as editors do with lines.",
            0,
        ),
        ("A line that an editor broke where the window was at its\nend, and\na line of verse.", 2),
        ("He said so.\n\n" + "long " * 40 + f"\n{'second ' * 8}\nthird", 2),
        ("one  \ntwo\\\nthree", 1),
    ],
)
def test_EX_1_lines_that_were_written_as_lines_stay_lines(text: str, kept: int) -> None:
    read = chapter_of("a.md", f"# A\n\n{text}\n", "A").text
    assert read.count("  \n") == kept
    assert read.split() == ["#", "A", *text.split()]


def test_EX_1_verse_signs_and_small_capitals_are_set_as_such() -> None:
    text = "::: {.verse #x}\na\n\nb\n:::\n\n::: note\nplain\n:::\n\n[The *Times*]{.smallcaps} [x]{.y}\n"
    html = WebText({}).chapter(text, 1)
    assert '<div class="verse">\n<p>a</p>\n<p>b</p>\n</div>' in html
    assert "<p>plain</p>" in html
    assert ":::" not in html
    assert '<span class="smallcaps">The <em>Times</em></span>' in html
