"""Choosing the model of a run, asking first where a person is there to answer."""

import os
import sys
from collections.abc import Callable, Sequence

import typer

from libriscribe2.cli.interrupts import run_async
from libriscribe2.llm.default_model import LocalServer, choose_model, find_local_servers
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.settings import Settings


def local_servers() -> Sequence[LocalServer]:
    """The local servers whose model list answers; a third of a second at most.

    Raises:
        KeyboardInterrupt: Ctrl-C came, as it would anywhere else before a run.
    """
    try:
        return run_async(find_local_servers(), lambda: None)
    except typer.Exit as error:
        raise KeyboardInterrupt from error


def is_interactive(settings: Settings) -> bool:
    """Whether questions may be asked."""
    return not settings.no_input and sys.stdin.isatty() and sys.stderr.isatty()


def model_for(
    settings: Settings, *, probe: Callable[[], Sequence[LocalServer]] = local_servers
) -> ModelChoice:
    """The default model of a run, and why it is the one."""
    named = settings.models.default.model

    def consent(server: LocalServer) -> bool:
        question = f"{server.name} serves {server.models[0]} at {server.url}. Use it?"
        return not is_interactive(settings) or typer.confirm(question, default=True, err=True)

    return choose_model(named, os.environ, probe, consent)
