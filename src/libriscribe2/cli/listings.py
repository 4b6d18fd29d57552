"""`libriscribe2 config`, `keys`, `doctor` and older listings: what books are made with."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from libriscribe2.cli.frame import (
    Frame,
    ModelOption,
    ModelOptions,
    ProjectArgument,
    command,
    command_group,
    command_with_json,
    local_servers,
    model_for,
)
from libriscribe2.cli.process import run_async
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.doctor import Case, examinations
from libriscribe2.commands.doctor import ping as send_ping
from libriscribe2.commands.installation import (
    Check,
    examine,
    exit_code_of,
    load_settings,
    models_record,
    settings_record,
    stages_record,
    tools_record,
)
from libriscribe2.commands.provider_keys import forget_key, keep_key, keys_in_force
from libriscribe2.errors import ModelError, UsageError
from libriscribe2.llm.backend import Completion
from libriscribe2.llm.providers import ModelChoice, provider_called
from libriscribe2.settings.layers import ENV_FILE, keys_file, user_file
from libriscribe2.settings.loading import without_secrets
from libriscribe2.settings.schema import Settings
from libriscribe2.settings.trust import forget, trust_file, trusted_folders
from libriscribe2.wording import counted, redact, secrets_in, stage_name


@command_with_json
def trust(
    frame: Frame,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder of the .env; this one by default.")
    ] = Path(),
    remove: Annotated[bool, typer.Option("--remove", help="Stop trusting it.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="List what is trusted.")] = False,
) -> None:
    """Let a folder's .env set everything, until it changes.

    Without it, .env gives keys of providers, harmless settings, and an address beside its own key;
    no program, no place and no other server, since a folder may come from somebody else.
    """
    if frame.renderer.as_json and not listed:  # who wants to read must not trust by it
        raise UsageError("--json needs --list", fix="Add --list.")
    if listed:
        _tell_trusted(frame.renderer)
        return
    path = folder / ENV_FILE
    if remove:
        was = forget(folder)
        frame.renderer.note(
            f"{path} is {'' if was else 'was '}not trusted{' any more' if was else ''}."
        )
        return
    frame.renderer.note(
        f"{path} is trusted until it changes. It sets {', '.join(trust_file(path))}."
    )


def _tell_trusted(renderer: Renderer) -> None:
    """Tell the folders that were trusted, each with what became of it."""
    columns, rows = ("folder", "state"), trusted_folders()
    if not renderer.told_json([dict(zip(columns, row, strict=True)) for row in rows]):
        renderer.table(columns, rows)


config = command_group("config", "Show the settings, models, stages and tools, and their origin.")


@config.command()
@command_with_json
def show(
    frame: Frame,
    project: Annotated[
        str | None, typer.Argument(metavar="PROJECT", help="A project, for its own settings.")
    ] = None,
    origin: Annotated[
        bool, typer.Option("--origin", help="Also show where each value comes from.")
    ] = False,
) -> None:
    """Show every setting with its value.

    In order of precedence: flags, the environment and .env, the project's book.toml, your own
    configuration file, defaults.
    """
    renderer = frame.renderer
    loaded = load_settings(project)
    for warning in loaded.warnings:
        renderer.warning(warning)
    if not renderer.told_json(settings_record(loaded, origin=origin)):
        columns = ("key", "value", "origin")
        rows = [(key, _text(value), loaded.origins[key]) for key, value in loaded.values().items()]
        width = 3 if origin else 2
        renderer.table(columns[:width], [row[:width] for row in rows])


@config.command()
@command_with_json
def path(frame: Frame) -> None:
    """Show the path of your own configuration file."""
    renderer = frame.renderer
    file = user_file()
    exists = file.is_file()
    if renderer.told_json({"path": str(file), "exists": exists}):
        return
    renderer.data(str(file))
    if not exists:
        renderer.note("The file does not exist yet; the defaults apply.")


def _text(value: Any) -> str:
    """A value as a table shows it: JSON's words for true, false and nothing."""
    if isinstance(value, list):
        return ", ".join(value)
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else without_secrets(str(value))


@command_with_json
def models(frame: Frame, project: ProjectArgument = None, model: ModelOption = None) -> None:
    """Show the model of every stage, and the models available.

    Also lists the providers whose key is set, and local servers.
    """
    renderer = frame.renderer
    options = ModelOptions(model=model)
    paths = frame.project(project, options=options) if project else None
    settings = frame.settings(options, paths)
    servers = local_servers()
    try:
        choice = model_for(settings, probe=lambda: servers)
    except ModelError as error:  # what there is not is told in the table, too
        choice = ModelChoice("", f"none: {error.why}; {error.fix}")
    record = models_record(settings, choice, servers)
    if renderer.told_json(record):
        return
    renderer.table(
        ("stage", "model", "fallbacks"),
        [
            (stage_name(row["stage"]), row["model"], ", ".join(row["fallbacks"]))
            for row in record["stages"]
        ],
    )
    renderer.note(f"default: {record['default']['model']} ({record['default']['reason']})")
    for name in record["providers_with_key"]:
        renderer.note(f"key found: {name}")
    for server in record["local_servers"]:
        renderer.note(f"{server['name']} at {server['url']}: {', '.join(server['models'])}")


@command_with_json
def agents(frame: Frame) -> None:
    """List the stages that make a book.

    In running order, with what each reads and writes.
    """
    renderer = frame.renderer
    records = stages_record()
    if renderer.told_json(records):
        return
    rows = [
        (
            stage_name(one["stage"]),
            one["agent"],
            ", ".join(one["reads"]),
            one["writes"],
            ", ".join(_other_names(one)),
        )
        for one in records
    ]
    renderer.table(("stage", "agent", "reads", "writes", "also called"), rows)


def _other_names(stage: Mapping[str, Any]) -> list[str]:
    """The other names of a stage, its older one in place of the one that is shown."""
    shown = stage_name(stage["stage"])
    return [stage["stage"] if name == shown else name for name in stage["also_called"]]


@command_with_json
def tools(frame: Frame) -> None:
    """List the tools of tool chains.

    What a tool needs decides which runs may use it: the book's research folder (research), a model
    to ask (ask), the web (web), a search engine (search). --json adds the JSON Schema of the
    parameters.
    """
    renderer = frame.renderer
    records = tools_record()
    if renderer.told_json(records):
        return
    rows = [
        (
            record["name"],
            _signature(record["parameters"]),
            ", ".join(record["needs"]),
            record["description"],
        )
        for record in records
    ]
    renderer.table(("tool", "parameters", "needs", "description"), rows)


def _signature(schema: Mapping[str, Any]) -> str:
    """The names of the parameters, those that may be left out in brackets."""
    required = schema["required"]
    return ", ".join(name if name in required else f"[{name}]" for name in schema["properties"])


for _listing in (models, agents, tools):
    config.command(name=_listing.__name__)(_listing)


PingOption = Annotated[
    bool, typer.Option("--ping", help="Send one tiny request to the model; it may cost something.")
]


@command_with_json
def doctor(
    frame: Frame,
    project: ProjectArgument = None,
    ping: PingOption = False,
    bundle: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write an archive for a bug report, without texts."),
    ] = None,
) -> int:
    """Check that everything is in place.

    The installation, the configuration, the model, the disk, the formats of exports and, if named,
    a project. The exit code is 0 if nothing failed, else that of the first check that did.
    """
    renderer, case = frame.renderer, Case(project, local_servers)
    checks = examine(examinations(case, _ping if ping else None))
    _tell_checks(renderer, checks)
    if bundle is not None:
        from libriscribe2.commands.installation import write_bundle  # noqa: PLC0415 - few come by here

        rows = [_check_row(check) for check in checks]
        paths = case.paths if project is not None else None
        held = write_bundle(bundle, rows, load_settings(project), paths)
        renderer.note(
            f"{bundle} holds {', '.join(held)}. Keys, your name, paths of your home and every text "
            "are left out; look into it before you send it."
        )
    return exit_code_of(checks)


def _ping(settings: Settings, choice: ModelChoice) -> Completion:
    return run_async(send_ping(settings, choice), on_interrupt=lambda: None)


def _tell_checks(renderer: Renderer, checks: list[Check]) -> None:
    """Tell the checks as data, and their sum as talk."""
    rows = [_check_row(check) for check in checks]
    failed = sum(row["state"] == "failed" for row in rows)
    if renderer.told_json({"ok": not failed, "checks": rows}):
        return
    renderer.table(
        ("check", "state", "message", "fix"), [tuple(row.values()) for row in rows], below=True
    )
    summary = (
        f"{counted(failed, 'check')} failed."
        if failed
        else "Everything needed to write a book is in place."
    )
    renderer.note(summary)


def _check_row(check: Check) -> dict[str, Any]:
    """A check as a flat record without secrets."""
    secrets = secrets_in(os.environ)
    return {
        "name": check.name,
        "state": check.finding.state,
        "message": redact(check.finding.message, secrets),
        "fix": redact(check.finding.fix, secrets),
    }


keys_app = command_group(
    "keys", "Keep the keys of providers, such as OpenAI's, for all your books."
)

ProviderArgument = Annotated[
    str, typer.Argument(metavar="PROVIDER", help="Such as openai, anthropic or openrouter.")
]

_MOST: Final = 10_000


@keys_app.command(name="set")
@command
def set_key(frame: Frame, provider: ProviderArgument) -> None:
    """Keep the key of a provider; it is asked for, or read from a pipe.

    It goes to a file of your own that nobody else can read. A variable of the environment or of a
    .env in the working folder outranks it.
    """
    found = provider_called(provider)
    if sys.stdin.isatty():
        question = f"Key of {found.title} (it is not shown)"
        key = str(typer.prompt(question, hide_input=True, err=True))
    else:
        key = sys.stdin.read(_MOST)
    keep_key(provider, key, os.environ)
    frame.renderer.note(f"The key of {found.title} is kept in {keys_file()}, as {found.keys[0]}.")
    for other in found.also:
        frame.renderer.note(f"{found.title} also needs {other} in the environment.")


@keys_app.command(name="list")
@command_with_json
def list_keys(frame: Frame) -> None:
    """List the providers with a key, and where it is kept; no key is shown."""
    frame.settings()  # what counts of a .env is in the environment then
    rows = [
        {"provider": one.provider.prefix, "variable": one.variable, "place": one.place}
        for one in keys_in_force(os.environ)
    ]
    if frame.renderer.told_json(rows):
        return
    frame.renderer.table(("provider", "variable", "place"), [tuple(row.values()) for row in rows])
    if not rows:
        frame.renderer.note("There is no key yet: `libriscribe2 keys set openai` keeps one.")


@keys_app.command(name="remove")
@command
def remove_key(frame: Frame, provider: ProviderArgument) -> None:
    """Forget the key of a provider."""
    found = forget_key(provider, os.environ)
    frame.renderer.note(f"The key of {found.title} is forgotten.")
