"""`libriscribe2 demo`: a short book in a minute, without a key."""

import shlex
from typing import Final

import typer

from libriscribe2.cli.book_new import NewBook, begin
from libriscribe2.cli.boundary import reported
from libriscribe2.cli.context import CliContext
from libriscribe2.cli.options import JsonLinesOption, ProjectNameOption
from libriscribe2.cli.projects import free_name, settings_of
from libriscribe2.cli.render import Renderer
from libriscribe2.llm.providers import OFFLINE_MODEL, ModelChoice
from libriscribe2.models.brief import Brief

PREMISE: Final = (
    "A lighthouse keeper on a drowned coast finds a logbook that records tomorrow's wrecks"
)
NAME: Final = "demo"


def demo(
    ctx: typer.Context, project_name: ProjectNameOption = None, as_json: JsonLinesOption = False
) -> None:
    """Write a short book with the offline author, without a key."""
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    with reported(renderer, as_json=as_json):
        settings = settings_of(None, {}, mock=True)
        brief = Brief(
            premise=PREMISE,
            genre="Mystery",
            project_type="short_story",
            chapters="3",
            characters="4",
            scenes_per_chapter="3",
            words=3_600,
        )
        name = project_name or free_name(settings, NAME)
        choice = ModelChoice(OFFLINE_MODEL, "the demonstration needs no key")
        begin(renderer, brief, settings, choice, NewBook(name, as_json=as_json))
        renderer.note(f"Look at its parts with `libriscribe2 status {shlex.quote(name)}`.")
