"""Errors become words: their advice names the project, where there is one to name."""

import io
from pathlib import Path

import pytest
import typer

from libriscribe2.cli.frame import Frame
from libriscribe2.cli.render import Renderer
from libriscribe2.errors import ProviderError
from libriscribe2.project.paths import ProjectPaths


@pytest.mark.parametrize(
    ("named", "told"),
    [
        (("mine",), "`libriscribe2 resume mine` later"),
        (("mine", "mine"), "`libriscribe2 resume mine` later"),
        (("mine", "hers"), "`libriscribe2 resume` later"),
        ((), "`libriscribe2 resume` later"),
    ],
)
def test_advice_names_the_project_where_one_alone_was_named(
    tmp_path: Path, named: tuple[str, ...], told: str
) -> None:
    stderr = io.StringIO()
    frame = Frame(Renderer(err=stderr))
    for project in named:
        frame.is_about(ProjectPaths(tmp_path / project, tmp_path / "debug"))
    with pytest.raises(typer.Exit), frame.reporting():
        raise ProviderError("Busy", fix="run `libriscribe2 resume` later")
    assert told in stderr.getvalue()
