"""Covers: many designs, each of a book's own, with type that can be read."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from tests.support.exported import made
from tests.support.hand_made import HandMade, book_of, png

from libriscribe2.errors import ConfigError
from libriscribe2.exporters.covers import all_covers, cover_name
from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.typesetting import Job, cover_picture, typeset
from libriscribe2.models.brief import Edition

pytestmark = pytest.mark.slow


def drawn(book: ExportBook, folder: Path, names: tuple[str, ...]) -> dict[str, bytes]:
    folder.mkdir()
    jobs = [Job("front.typ", f"{name}.png", cover=name, scale=0.05) for name in names]
    typeset(book, folder, jobs)
    return {name: (folder / f"{name}.png").read_bytes() for name in names}


def test_EX_6_every_design_is_drawn_and_looks_different(tmp_path: Path) -> None:
    names = tuple(all_covers())
    assert len({name.partition("-")[0] for name in names}) >= 12
    found = drawn(book_of(tmp_path, "# A\n", author="M. Okubo"), tmp_path / "a", names)
    assert len({*found.values()}) == len(names)


def test_EX_6_a_cover_follows_genre_and_title_and_stays(tmp_path: Path) -> None:
    book = book_of(tmp_path, "# A\n", genre="Cosy mystery")
    assert cover_name(book) == cover_name(replace(book))
    titles = [replace(book, title=f"Title {n}") for n in range(40)]
    mysteries = {cover_name(one).partition("-")[0] for one in titles}
    assert mysteries == {"city", "block", "maze", "frame"}
    assert {cover_name(one).partition("-")[2] for one in titles} == {"dark", "light"}
    unknown = {cover_name(replace(one, genre="Roman")).partition("-")[0] for one in titles}
    assert len(unknown) > 9
    facts = {cover_name(replace(one, genre="", is_of_facts=True)) for one in titles}
    assert not any(one.startswith("stars") for one in facts)


def test_EX_6_a_design_can_be_chosen_and_a_wrong_one_is_told(tmp_path: Path) -> None:
    book = book_of(tmp_path, "# A\n")
    chosen = replace(book, edition=Edition(cover="tide-light"))
    assert cover_name(chosen) == "tide-light"
    assert cover_name(replace(book, edition=Edition(cover="tide"))).startswith("tide-")
    for wrong in ("no", "tide-blue", "picture"):
        with pytest.raises(ConfigError, match="There is no cover"):
            cover_name(replace(book, edition=Edition(cover=wrong)))


def test_EX_6_type_is_set_on_the_picture_of_the_author_where_that_is_wanted(tmp_path: Path) -> None:
    project = HandMade(tmp_path).write("images/c.png", png(160, 256))
    book = project.brief(cover="images/c.png", title="Salt").chapters("# A\n").read()
    (tmp_path / "a").mkdir()
    name, jobs = cover_picture(book, tmp_path / "a")
    assert jobs == []
    assert (tmp_path / "a" / name).read_bytes() == png(160, 256)
    lettered = replace(book, edition=Edition(cover="picture"))
    (tmp_path / "b").mkdir()
    name, jobs = cover_picture(lettered, tmp_path / "b")
    typeset(lettered, tmp_path / "b", jobs)
    assert (tmp_path / "b" / name).read_bytes() != png(160, 256)


@pytest.mark.parametrize("tone", [0, 128, 255])
@pytest.mark.parametrize("title", ["Salt", "The Long and Winding History of a Small Lamp at Sea"])
def test_EX_6_type_stays_legible_on_any_picture(title: str, tone: int, tmp_path: Path) -> None:
    plain = io.BytesIO()
    Image.new("L", (160, 256), tone).save(plain, "png")
    project = HandMade(tmp_path).write("images/c.png", plain.getvalue())
    book = project.brief(cover="images/c.png", title=title, author="Mira Okubo").chapters("# A\n")
    lettered = replace(book.read(), edition=Edition(cover="picture"))
    (tmp_path / "b").mkdir()
    name, jobs = cover_picture(lettered, tmp_path / "b")
    typeset(lettered, tmp_path / "b", jobs)
    with Image.open(tmp_path / "b" / name) as picture:
        grey = picture.convert("L")
    lines = [grey.crop((0, y, grey.width, y + 1)).tobytes() for y in range(grey.height)]
    lettered_rows = [min(line) for line in lines if max(line) > 250 and min(line) < 250]
    assert len(lettered_rows) > 100
    # White on a grey of 118 has a contrast of 4.6 to 1, as WCAG asks of text.
    assert max(lettered_rows) <= 118


def test_EX_6_the_sheet_shows_all_covers(tmp_path: Path) -> None:
    book = book_of(tmp_path, "# A\n")
    sheet = made(book, tmp_path / "a", "covers").read_bytes()
    assert sheet.startswith(b"\x89PNG")
    assert made(book, tmp_path / "b", "covers").read_bytes() == sheet
