"""The model of a run: which one, its key, whether it answers, and what this machine serves."""

import os
from collections.abc import Callable

from libriscribe2.cli.doctor_checks.case import Case
from libriscribe2.cli.doctor_checks.check import Examination, Finding
from libriscribe2.llm.backend import Completion
from libriscribe2.llm.providers import (
    OFFLINE_MODEL,
    ModelChoice,
    key_variables,
    key_without_model,
)
from libriscribe2.settings import Settings
from libriscribe2.settings.model_keys import check_models, stage_model, with_judge
from libriscribe2.wording import cost, duration

Ping = Callable[[Settings, ModelChoice], Completion]
"""Sends one tiny request and returns what came back."""


def model_examinations(case: Case, ping: Ping | None, needs: tuple[str, ...]) -> list[Examination]:
    """The checks of the model.

    Args:
        case: What is looked at.
        ping: Sends the one request; None sends nothing.
        needs: The checks that the settings depend on.
    """
    return [
        Examination("model", 4, lambda: look_at_choice(case), needs),
        Examination("key", 4, lambda: look_at_key(case), ("model",)),
        Examination("answer", 7, lambda: look_at_answer(case, ping), ("key",)),
        Examination("local servers", 7, lambda: look_at_servers(case)),
    ]


def look_at_choice(case: Case) -> Finding:
    """Which model a run would use, and why."""
    choice = case.choice
    message = f"{choice.model}: {choice.reason}."
    if choice.model == OFFLINE_MODEL and not case.settings.models.default.model:
        fix = (
            "Name a model with --model, or for every run in LIBRISCRIBE2_MODELS__DEFAULT."
            if key_without_model(os.environ)
            else "Set a provider's key, such as OPENAI_API_KEY, or start a local server."
        )
        return Finding("warning", f"{message} It is a demonstration, not a language model.", fix)
    return Finding("ok", message)


def look_at_key(case: Case) -> Finding:
    """Whether every model that a run may ask has its key.

    Raises:
        ModelError: A key is missing, or nobody serves a model of that name.
    """
    stages = case.stages
    if case.project is not None:
        stages = with_judge(case.settings, case.brief, stages)
    check_models(case.settings, case.choice, stages)
    if case.settings.llm.base_url:
        return Finding("ok", f"{case.settings.llm.base_url} is asked for every model.")
    own = (stage_model(case.settings, agent) for agent in stages if agent.asks_model)
    names = {case.choice.model, *(stage.model for stage in own if stage.model)}
    variables = {variable for name in names for variable in key_variables(name)}
    present = sorted(variable for variable in variables if os.environ.get(variable))
    return Finding("ok", f"Found {', '.join(present)}." if present else "No key is needed.")


def look_at_answer(case: Case, ping: Ping | None) -> Finding:
    """Whether the model answers; asked only if the user wants it, because it may cost something.

    Raises:
        ModelError: The key or the model's name is wrong.
        ProviderError: The network or the provider failed.
        ContentFilteredError: The provider withheld the reply.
    """
    if case.choice.model == OFFLINE_MODEL:
        return Finding("ok", "The offline author needs no network.")
    if ping is None:
        return Finding("ok", "Not asked: no request was sent. `doctor --ping` sends a tiny one.")
    done = ping(case.settings, case.choice)
    model, seconds = done.model or case.choice.model, duration(done.seconds)
    return Finding("ok", f"{model} answered in {seconds} ({cost(done.cost_usd)}).")


def look_at_servers(case: Case) -> Finding:
    """Which local servers were found."""
    found = [f"{one.name} at {one.url}: {', '.join(one.models)}" for one in case.servers]
    return Finding("ok", "; ".join(found) if found else "None found, and none is needed.")
