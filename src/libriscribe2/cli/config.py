"""`libriscribe2 config`: the settings in force, where each comes from, and the user's own file."""

import os
from typing import Annotated, Any

import typer

from libriscribe2.cli.frame import Frame, JsonOption, command, command_group
from libriscribe2.commands.projects import locate, stage_names
from libriscribe2.settings import Loaded, load_for_project, user_file, without_secrets

app = command_group("config", "Show the settings in force and where they come from.")


@app.command()
@command
def show(
    frame: Frame,
    project: Annotated[
        str | None, typer.Argument(metavar="PROJECT", help="A project, for its own settings.")
    ] = None,
    origin: Annotated[
        bool, typer.Option("--origin", help="Also say where each value comes from.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show every setting in force.

    Flags win over the environment and .env, these over the project's book.toml, this over your
    own configuration file, and that over the defaults.
    """
    renderer = frame.renderer
    loaded = _load(project)
    for warning in loaded.warnings:
        renderer.warning(warning)
    if as_json:
        renderer.data_json(_record(loaded, origin=origin))
    else:
        columns = ("key", "value", "origin")
        rows = [(key, _text(value), loaded.origins[key]) for key, value in loaded.values().items()]
        width = 3 if origin else 2
        renderer.table(columns[:width], [row[:width] for row in rows])


@app.command()
@command
def path(frame: Frame, as_json: JsonOption = False) -> None:
    """Show where your own configuration file is, or would be."""
    renderer = frame.renderer
    file = user_file()
    exists = file.is_file()
    if as_json:
        renderer.data_json({"path": str(file), "exists": exists})
        return
    renderer.data(str(file))
    if not exists:
        renderer.note("The file does not exist yet; the defaults are in force.")


def _load(project: str | None) -> Loaded:
    """The settings of a project, or those of none."""
    stages = stage_names()
    loaded = load_for_project(None, environ=os.environ, flags={}, stages=stages)
    if project is None:
        return loaded
    root = locate(project, None, loaded.settings).root
    return load_for_project(root, environ=os.environ, flags={}, stages=stages)


def _record(loaded: Loaded, *, origin: bool) -> dict[str, Any]:
    """The settings by dotted key: the value alone, or the value and its origin."""
    values = {key: _without_secrets(value) for key, value in loaded.values().items()}
    if not origin:
        return values
    return {key: {"value": value, "origin": loaded.origins[key]} for key, value in values.items()}


def _without_secrets(value: Any) -> Any:
    return without_secrets(value) if isinstance(value, str) else value


def _text(value: Any) -> str:
    """A value as a table shows it: JSON's words for true, false and nothing."""
    if isinstance(value, list):
        return ", ".join(value)
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else without_secrets(str(value))
