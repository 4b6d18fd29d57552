"""An editor who changes a Word file with tracked changes, as Word, LibreOffice and Google write them."""

import copy
import io
import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

from lxml import etree

_SPACE: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
W: Final = f"{{{_SPACE}}}"
PROGRAMS: Final = ("word", "libreoffice", "google")
KINDS: Final = (
    *("insert word", "delete word", "replace word", "add sentence", "delete paragraph"),
    *("insert paragraph", "split paragraph", "join paragraphs", "comment", "emphasise"),
)
_WORDS: Final = ("slowly", "the lamp", "“again”", "and 3 more", "well — perhaps", "*starred*")


class WordEditor:
    """Changes a file, and knows what its text then is.

    Args:
        path: The file that was exported.
        seed: For the choice of words.
        program: How the changes are written.
    """

    def __init__(self, path: Path, seed: int, program: str = "word") -> None:
        with ZipFile(path) as archive:
            self._files = {name: archive.read(name) for name in archive.namelist()}
        self._root = etree.fromstring(self._files["word/document.xml"])
        self._dice = random.Random(seed)  # noqa: S311 - the same edits every time
        self._program = program
        self._comments: list[tuple[str, str]] = []
        self._ids = 1000
        body = self._root.find(f"{W}body")
        paragraphs = [] if body is None else body.findall(f"{W}p")
        self.paragraphs = [one for one in paragraphs if _is_plain(one)]
        self.expected = {id(one): [_text(one)] for one in self.paragraphs}

    def edit(self, kind: str, place: int) -> None:
        """Make a change of a kind at a paragraph; `join paragraphs` takes the next one along."""
        paragraph = self.paragraphs[place]
        edits: dict[str, Callable[[Any], None]] = {
            "insert word": self._insert_word,
            "delete word": self._delete_word,
            "replace word": self._replace_word,
            "add sentence": self._add_sentence,
            "delete paragraph": self._delete_paragraph,
            "insert paragraph": self._insert_paragraph,
            "split paragraph": self._split,
            "join paragraphs": lambda one: self._join(one, self.paragraphs[place + 1]),
            "comment": self._comment,
            "emphasise": self._emphasise,
        }
        edits[kind](paragraph)

    def in_tables(self, changes: Mapping[str, str]) -> None:
        """Change the first cell of each text.

        Args:
            changes: What is done to which: `+words` behind its text, `-` all of it, `~words` in its
                place, `*` italics, `/+words` as a paragraph of its own, `row-` and `row+cell|cell`
                to its row and behind it.
        """
        cells = [*self._root.iter(f"{W}tc")]
        for text, change in changes.items():
            cell = next(one for one in cells if _text(one) == text)
            kind, _, words = (
                change.partition("+") if "+" in change else (change[:1], "", change[1:])
            )
            row = cell.getparent()
            if change == "row-":
                for one in row.iter(f"{W}p"):
                    self._fill(one, ("del", _text(one)))
                    self._mark(one, "del")
                self._change(self._row_properties(row), "del")
            elif kind == "row":
                self._insert_row(row, re.split(r"(?<! )\|", words))
            else:
                self._change_cell(cell.find(f"{W}p"), kind, words)

    def change_run(self, text: str, kind: str, words: str) -> None:
        """Put words in before a run that begins so (`ins`), or take such a run out (`del`)."""
        run = next(one for one in self._root.iter(f"{W}r") if _text(one).startswith(text))
        parent = run.getparent()
        self._add(parent, kind, words)
        run.addprevious(parent[-1])
        if kind == "del":
            parent.remove(run)

    def delete_note(self, number: int) -> None:
        """Take out the mark of a footnote."""
        found = next(self._root.iterfind(f".//{W}footnoteReference[@{W}id='{number}']"))
        run = found.getparent()
        place = run.getprevious()
        change = self._change(run.getparent(), "del")
        place.addnext(change)
        change.append(run)

    def _change_cell(self, one: Any, kind: str, words: str) -> None:
        if kind == "/":
            new = copy.deepcopy(one)
            self._mark(one, "ins")
            self._fill(new, ("ins", words))
            one.addnext(new)
        elif kind == "-":
            self._fill(one, ("del", _text(one)))
        elif kind == "*":
            self._fill(one, ("look", _text(one)))
            etree.SubElement(next(one.iter(f"{W}rPr")), f"{W}b")
        elif kind == "~":
            self._fill(one, ("del", _text(one)), ("ins", words))
        else:
            self._add(one, "ins", words)

    def _insert_row(self, row: Any, texts: Sequence[str]) -> None:
        new = copy.deepcopy(row)
        for one, text in zip(new.iter(f"{W}p"), texts, strict=True):
            self._fill(one, ("ins", text))
            self._mark(one, "ins")
        self._change(self._row_properties(new), "ins")
        row.addnext(new)

    def _row_properties(self, row: Any) -> Any:
        found = row.find(f"{W}trPr")
        if found is None:
            found = _made("trPr")
            row.insert(0, found)
        return found

    def text(self) -> list[str]:
        """The text with all changes accepted."""
        return [text for one in self.paragraphs for text in self.expected[id(one)] if text]

    def comments(self) -> list[str]:
        """What the comments say."""
        return [text for _, text in self._comments]

    def save(self, path: Path) -> Path:
        """Write the file."""
        self._files["word/document.xml"] = etree.tostring(self._root, encoding="UTF-8")
        if self._comments:
            told = "".join(
                f'<w:comment w:id="{one}" w:author="Ed" w:date="2026-11-23T00:00:00Z"><w:p><w:r>'
                f"<w:t>{text}</w:t></w:r></w:p></w:comment>"
                for one, text in self._comments
            )
            comments = f'<w:comments xmlns:w="{_SPACE}">{told}</w:comments>'
            self._files["word/comments.xml"] = comments.encode()
        data = io.BytesIO()
        with ZipFile(data, "w", ZIP_DEFLATED) as archive:
            for name, content in self._files.items():
                archive.writestr(name, content)
        path.write_bytes(data.getvalue())
        return path

    def _insert_word(self, one: Any) -> None:
        before, after, word = *self._cut(one), self._dice.choice(_WORDS)
        self._fill(one, ("same", before), ("ins", f"{word} "), ("same", after))
        self.expected[id(one)] = [f"{before}{word} {after}"]

    def _delete_word(self, one: Any) -> None:
        before, after = self._cut(one)
        word, _, rest = after.partition(" ")
        gone = f"{word} " if rest else word
        self._fill(one, ("same", before), ("del", gone), ("same", rest))
        self.expected[id(one)] = [before + rest]

    def _replace_word(self, one: Any) -> None:
        before, after = self._cut(one)
        word, blank, rest = after.partition(" ")
        new = self._dice.choice(_WORDS)
        self._fill(one, ("same", before), ("del", word), ("ins", new), ("same", blank + rest))
        self.expected[id(one)] = [before + new + blank + rest]

    def _add_sentence(self, one: Any) -> None:
        text = _text(one)
        self._fill(one, ("same", text), ("ins", " It was late by then."))
        self.expected[id(one)] = [f"{text} It was late by then."]

    def _delete_paragraph(self, one: Any) -> None:
        self._fill(one, ("del", _text(one)))
        self._mark(one, "del")
        self.expected[id(one)] = []

    def _insert_paragraph(self, one: Any) -> None:
        text = self._dice.choice(("A bell rang.", "“No,” she said. 1. Once."))
        new = copy.deepcopy(one)
        self._fill(new, ("ins", text))
        self._mark(new, "ins")
        one.addprevious(new)
        self.expected[id(one)] = [text, _text(one)]

    def _split(self, one: Any) -> None:
        before, after = self._cut(one)
        new = copy.deepcopy(one)
        self._fill(new, ("same", before))
        self._mark(new, "ins")
        self._fill(one, ("same", after))
        one.addprevious(new)
        self.expected[id(one)] = [before, after]

    def _join(self, one: Any, other: Any) -> None:
        self._fill(one, ("same", _text(one)), ("ins", " "))
        self._mark(one, "del")
        self.expected[id(one)] = []
        self.expected[id(other)] = [f"{_text(one)} {_text(other)}"]

    def _comment(self, one: Any) -> None:
        before, after = self._cut(one)
        identity = str(len(self._comments))
        self._comments.append((identity, f"Is this so? {identity}"))
        self._fill(one, ("same", before), ("start", identity), ("same", after), ("end", identity))

    def _emphasise(self, one: Any) -> None:
        before, after = self._cut(one)
        word, blank, rest = after.partition(" ")
        self._fill(one, ("same", before), ("look", word), ("same", blank + rest))

    def _cut(self, one: Any) -> tuple[str, str]:
        """The text of a paragraph, cut before one of its words."""
        text = _text(one)
        blanks = [at + 1 for at, character in enumerate(text[:-1]) if character == " "]
        at = self._dice.choice(blanks)
        return text[:at], text[at:]

    def _fill(self, one: Any, *pieces: tuple[str, str]) -> None:
        """Put pieces in the place of a paragraph's runs."""
        for child in one.findall(f"{W}r"):
            one.remove(child)
        for kind, text in pieces:
            if kind in ("start", "end"):
                one.append(_made(f"commentRange{kind.title()}", id=text))
                if kind == "end":
                    run = etree.SubElement(one, f"{W}r")
                    run.append(_made("commentReference", id=text))
            elif text:
                self._add(one, kind, text)

    def _add(self, one: Any, kind: str, text: str) -> None:
        around = one
        if kind in ("ins", "del"):
            around = self._change(one, kind)
        parts = [text]
        if self._program == "libreoffice" and len(text) > 5:  # it begins a run where it likes to
            parts = [text[:3], text[3:]]
        for part in parts:
            run = etree.SubElement(around, f"{W}r")
            properties = etree.SubElement(run, f"{W}rPr")
            if kind == "look":
                etree.SubElement(properties, f"{W}i")
                self._change(properties, "rPrChange")
            elif self._program == "google":
                etree.SubElement(properties, f"{W}rtl", {f"{W}val": "0"})
            shown = etree.SubElement(run, f"{W}{'delText' if kind == 'del' else 't'}")
            shown.text = part
            shown.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")

    def _change(self, parent: Any, kind: str) -> Any:
        self._ids += 1
        about = {"id": str(self._ids), "author": "Ed", "date": "2026-11-23T00:00:00Z"}
        element = _made(kind, **about)
        parent.append(element)
        return element

    def _mark(self, one: Any, kind: str) -> None:
        """Mark the end of a paragraph as inserted or deleted."""
        properties = one.find(f"{W}pPr")
        inner = etree.SubElement(properties, f"{W}rPr")
        self._change(inner, kind)


def _made(name: str, **values: str) -> Any:
    return etree.Element(f"{W}{name}", {f"{W}{key}": value for key, value in values.items()})


def _text(one: Any) -> str:
    return "".join(piece.text or "" for piece in one.iter(f"{W}t"))


def _is_plain(one: Any) -> bool:
    """Whether a paragraph is prose of one look with some words."""
    style = one.find(f"{W}pPr/{W}pStyle")
    runs = one.findall(f"{W}r")
    return (
        style is not None
        and style.get(f"{W}val") in ("BodyText", "FirstParagraph")
        and all(child.tag in (f"{W}pPr", f"{W}r") for child in one)
        and all(run.find(f"{W}rPr") is None and run.find(f"{W}br") is None for run in runs)
        and one.find(f"{W}pPr/{W}sectPr") is None
        and _text(one).count(" ") >= 3
    )
