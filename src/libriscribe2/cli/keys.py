"""`libriscribe2 keys`: the keys of providers that the user keeps with the program."""

import os
import sys
from typing import Annotated, Final

import typer

from libriscribe2.cli.frame import Frame, JsonOption, command, command_group
from libriscribe2.errors import UsageError
from libriscribe2.llm.providers import PROVIDERS, provider_called
from libriscribe2.llm.server_addresses import check_key
from libriscribe2.settings.layers import keys_file, store_key, stored_keys

app = command_group("keys", "Keep the keys of providers, such as OpenAI's, for all your books.")

ProviderArgument = Annotated[
    str, typer.Argument(metavar="PROVIDER", help="Such as openai, anthropic or openrouter.")
]

_MOST: Final = 10_000


@app.command(name="set")
@command
def set_key(frame: Frame, provider: ProviderArgument) -> None:
    """Keep the key of a provider; it is asked for, or read from a pipe.

    It goes to a file of your own that nobody else can read. A variable of the environment or of a
    .env in the working folder outranks it.
    """
    found = provider_called(provider)
    variable = found.keys[0]
    if sys.stdin.isatty():
        question = f"Key of {found.title} (it is not shown)"
        key = str(typer.prompt(question, hide_input=True, err=True)).strip()
    else:
        key = sys.stdin.read(_MOST).strip()
    if not key:
        raise UsageError("There is no key.", fix=f"libriscribe2 keys set {found.prefix}")
    check_key(variable, key)
    store_key(variable, key)
    frame.renderer.note(f"The key of {found.title} is kept in {keys_file()}, as {variable}.")
    for other in found.also:
        frame.renderer.note(f"{found.title} also needs {other} in the environment.")


@app.command(name="list")
@command
def list_keys(frame: Frame, as_json: JsonOption = False) -> None:
    """List the providers whose key is there, and where it is; no key is shown."""
    stored = stored_keys()
    frame.settings()  # what counts of a .env is in the environment then
    rows = [
        {"provider": one.prefix, "variable": name, "place": _place(name, stored.get(name))}
        for one in PROVIDERS
        for name in one.keys
        if os.environ.get(name, "").strip()
    ]
    if as_json:
        frame.renderer.data_json(rows)
        return
    frame.renderer.table(("provider", "variable", "place"), [tuple(row.values()) for row in rows])
    if not rows:
        frame.renderer.note("There is no key yet: `libriscribe2 keys set openai` keeps one.")


def _place(variable: str, stored: str | None) -> str:
    """Where the value in force stands."""
    return str(keys_file()) if stored == os.environ[variable] else "environment or .env"


@app.command(name="remove")
@command
def remove_key(frame: Frame, provider: ProviderArgument) -> None:
    """Forget the key of a provider."""
    found = provider_called(provider)
    kept = [name for name in found.keys if name in stored_keys()]
    if not kept:
        raise UsageError(
            f"No key of {found.title} is kept.", fix="`libriscribe2 keys list` shows what there is."
        )
    for name in kept:
        store_key(name, None)
    frame.renderer.note(f"The key of {found.title} is forgotten.")
