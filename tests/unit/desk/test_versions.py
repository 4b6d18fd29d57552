"""Earlier texts of a chapter at the desk: the one that is looked at is the one that is put back."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from tests.support.desk import Desk
from tests.support.desk_server import DeskServer, csrf_of, desk_server

TEXTS: Final = ("Amber", "Basalt", "Cobalt")
CHAPTER: Final = "/b/book/read/1"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskServer]:
    """A book whose first chapter was changed at the desk three times, and so has three versions."""
    folder = tmp_path_factory.mktemp("shelf")
    Desk(folder).written()
    with desk_server(folder) as server:
        for text in TEXTS:
            form = {"csrf": csrf_of(server), "paragraph": "1", "text": text}
            form["seen"] = seen_at(server, CHAPTER)
            assert server.ask(CHAPTER, "POST", form).status == 303
        yield server


def seen_at(desk: DeskServer, address: str) -> str:
    """The version of the chapter that a page was made from."""
    found = re.search(r'name="seen" value="([^"]+)"', desk.ask(address).body)
    assert found is not None
    return found[1]


def text_of(desk: DeskServer) -> str:
    return (desk.folder / "projects" / "book" / "chapters" / "01.md").read_text("utf-8")


@pytest.mark.parametrize("version", ["1", "2", "3"])
def test_the_version_that_is_looked_at_is_put_back(desk: DeskServer, version: str) -> None:
    listed = re.findall(rf'href="{CHAPTER}/was/(\d+)"', desk.ask(CHAPTER).body)
    assert listed == ["3", "2", "1"]
    wanted = Desk(desk.folder).run("versions", "book", "1", version).out
    (own,) = [one for one in TEXTS if one in wanted] or ["<del>"]  # the first text is the model's
    address = f"{CHAPTER}/was/{version}"
    shown = desk.ask(address).body
    assert own in "".join(re.findall("<del>.*?</del>", shown, re.DOTALL))
    form = {"csrf": csrf_of(desk), "seen": seen_at(desk, address)}
    assert desk.ask(address, "POST", form).status == 303
    assert f"{text_of(desk)}\n" == wanted


@pytest.mark.parametrize("version", ["0", "4", "last"])
def test_a_version_that_is_not_there_is_neither_shown_nor_put_back(
    desk: DeskServer, version: str
) -> None:
    before, address = text_of(desk), f"{CHAPTER}/was/{version}"
    for answer in (desk.ask(address), desk.ask(address, "POST", {"csrf": csrf_of(desk)})):
        assert answer.status in (400, 404)
        assert "There is no version" in answer.body
    assert text_of(desk) == before


def test_nothing_is_put_back_over_a_chapter_that_was_changed_meanwhile(desk: DeskServer) -> None:
    address = f"{CHAPTER}/was/1"
    form = {"csrf": csrf_of(desk), "seen": seen_at(desk, address)}
    path = desk.folder / "projects" / "book" / "chapters" / "01.md"
    path.write_text("# One\n\nWritten in an editor.\n", "utf-8")
    answer = desk.ask(address, "POST", form)
    assert answer.status == 409
    assert "Written in an editor." in answer.body
    assert text_of(desk) == "# One\n\nWritten in an editor.\n"
    assert desk.ask(address, "POST", form | {"seen": seen_at(desk, address)}).status == 303
