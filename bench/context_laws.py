"""Which laws of context the scenes of a finished book break, scene by scene, with the evidence.

`python -m bench.context_laws BOOK`, where BOOK is a project whose dumps are there, or a recording
(`tests/recorded/locked-key.json`), which is played first. `--lines` prints the list of known
failures that `tests/recorded/` compares.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import Annotated

import typer
from tests.support.context_changes import read_changes
from tests.support.context_laws import LAWS, Finding, RecordedScene, findings
from tests.support.recorded_scenes import RecordedBook

from libriscribe2.commands.projects import locate, settings_of
from libriscribe2.project.paths import ProjectPaths

WIDTH = 80


def main(
    book: Annotated[str, typer.Argument(help="A project, or the file of a recording.")],
    law: Annotated[str, typer.Option(help="Only this law, such as L6.")] = "",
    scene: Annotated[str, typer.Option(help="Only this scene, such as ch3.s1.")] = "",
    changes: Annotated[
        Path | None, typer.Option(help="Folder of changes.json; a recording has its own.")
    ] = None,
    *,
    lines: Annotated[bool, typer.Option(help="One line per finding, in the list's order.")] = False,
) -> None:
    recording = Path(book)
    is_recording = recording.suffix == ".json"
    folder = changes or (recording.with_suffix("") if is_recording else Path())
    with TemporaryDirectory() as place:
        paths = played(recording, Path(place)) if is_recording else _project(book)
        read = RecordedBook(paths, read_changes(folder))
        found = [(one, _wanted(findings(one, read.listed), law)) for one in read.scenes]
    found = [(one, own) for one, own in found if scene in ("", f"ch{one.chapter}.s{one.number}")]
    print("\n".join(one.line for _, own in found for one in own) if lines else report(found))


def played(recording: Path, folder: Path) -> ProjectPaths:
    """The book that comes of a recording, in a folder."""
    name = recording.stem
    command = ("create", "--model", f"recorded:{recording.resolve()}", "--project-name", name)
    program = (sys.executable, "-m", "libriscribe2")
    subprocess.run([*program, *command], cwd=folder, check=True, capture_output=True)
    return ProjectPaths(folder / "projects" / name, folder / "debug" / name)


def report(found: Sequence[tuple[RecordedScene, list[Finding]]]) -> str:
    """The findings of every scene, in 80 columns, and how many each law has."""
    count = Counter(one.law for _, own in found for one in own)
    where = Counter(law for _, own in found for law in {one.law for one in own})
    told = [line for scene, own in found for line in _of_scene(scene, own)]
    table = [
        f"{law}  {count[law]:4} in {where[law]:2} of {len(found)} scenes: {what}"
        for law, what in LAWS.items()
    ]
    return "\n".join([*told, "", *table])


def _of_scene(scene: RecordedScene, found: Sequence[Finding]) -> Iterator[str]:
    used = f"{scene.budget - scene.room:,} of {scene.budget:,} characters"
    yield f"\nch{scene.chapter}.s{scene.number}: {used}, {len(found)} findings"
    for one in found:
        yield from _indented(f"{one.law} {one.about}", 2)
        yield from _indented(one.evidence, 7)


def _indented(text: str, by: int) -> list[str]:
    return wrap(text, WIDTH, initial_indent=" " * by, subsequent_indent=" " * (by + 3))


def _wanted(found: Sequence[Finding], law: str) -> list[Finding]:
    return [one for one in found if law in ("", one.law)]


def _project(name: str) -> ProjectPaths:
    return locate(name, None, settings_of(None, {}))


if __name__ == "__main__":
    typer.run(main)
