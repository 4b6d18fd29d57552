"""Errors become words: their advice names the project, where there is one to name."""

import io

import pytest
import typer

from libriscribe2.cli.boundary import reported
from libriscribe2.cli.context import CliContext
from libriscribe2.cli.render import Renderer
from libriscribe2.errors import ProviderError


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
    named: tuple[str, ...], told: str
) -> None:
    CliContext().keep()
    for project in named:
        CliContext.name_project(project)
    stderr = io.StringIO()
    with pytest.raises(typer.Exit), reported(Renderer(err=stderr)):
        raise ProviderError("Busy", fix="run `libriscribe2 resume` later")
    CliContext().keep()
    assert told in stderr.getvalue()
