"""The files of a small book that is being written, for what only reads a book."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from libriscribe2.project.artifacts import Book
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import CHARACTERS, OUTLINE, WORLD, ProjectPaths, chapter_file
from libriscribe2.project.project_view import ProjectView


class WrittenBook:
    """A book in a folder.

    Args:
        folder: Where its files go.
    """

    def __init__(self, folder: Path) -> None:
        self.paths = ProjectPaths(folder / "book", folder / "debug")

    @property
    def book(self) -> Book:
        """The reader of its artifacts."""
        return Book(ProjectView(self.paths, Manifest(())))

    def people(self, *names: str) -> "WrittenBook":
        """Give it a cast."""
        cast = [{"name": name, "role": "witness", "age": str(40 + len(name))} for name in names]
        return self._put(CHARACTERS, {"characters": cast})

    def world(self, places: Sequence[str], terms: Sequence[str] = ()) -> "WrittenBook":
        """Give it places and terms."""

        def entries(names: Sequence[str]) -> list[dict[str, str]]:
            return [{"name": name, "description": f"What {name} is."} for name in names]

        return self._put(
            WORLD, {"overview": "A coast.", "places": entries(places), "terms": entries(terms)}
        )

    def chapters(self, *texts: str | None) -> "WrittenBook":
        """Give it chapters; None is one that is planned and not yet written."""
        plan = [{"title": f"T{n}", "summary": "S"} for n in range(1, len(texts) + 1)]
        self._put(OUTLINE, {"summary": "S", "chapters": plan})
        for number, text in enumerate(texts, start=1):
            if text is not None:
                self.write(chapter_file(number), text)
        return self

    def write(self, name: str, text: str) -> None:
        """Put a text where the file called `name` is."""
        path = self.paths.resolve(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _put(self, name: str, value: Any) -> "WrittenBook":
        self.write(name, json.dumps(value, ensure_ascii=False))
        return self
