"""`libriscribe2 demo`: a short book in a minute, without a key."""

import shlex
from typing import Final

from libriscribe2.cli.book_new import NewBook, begin
from libriscribe2.cli.frame import Frame, JsonLinesOption, ModelOptions, ProjectNameOption, command
from libriscribe2.commands.projects import free_name
from libriscribe2.llm.providers import DEMO_MODEL, ModelChoice
from libriscribe2.models.brief import Brief

PREMISE: Final = (
    "A lighthouse keeper on a drowned coast finds a logbook that records tomorrow's wrecks"
)
NAME: Final = "demo"


@command
def demo(
    frame: Frame, project_name: ProjectNameOption = None, as_json: JsonLinesOption = False
) -> None:
    """Write a short book with the stand-in author, without a key."""
    renderer = frame.renderer
    renderer.note("The stand-in author writes a short book, to show what the program does.")
    settings = frame.settings(ModelOptions(mock=True))
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
    choice = ModelChoice(DEMO_MODEL, "the demonstration needs no key")
    begin(frame, brief, settings, choice, NewBook(name, as_json=as_json))
    renderer.note(f"Look at its parts with `libriscribe2 status {shlex.quote(name)}`.")
