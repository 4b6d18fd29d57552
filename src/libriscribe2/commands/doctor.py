"""What `doctor` looks at, and what a run would have here: configuration, model, project."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from libriscribe2.agents.agent_base import Agent
from libriscribe2.commands.installation import (
    CheckResult,
    Examination,
    installation,
    look_at_folder,
    look_at_room,
)
from libriscribe2.commands.projects import (
    loaded_for,
    locate,
    look_at,
    read_brief,
    settings_of,
    wanted_stages,
)
from libriscribe2.engine.stages import all_stages, check_artifacts, units_of
from libriscribe2.llm.backend import Backend, Completion
from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.default_model import LocalServer, choose_model
from libriscribe2.llm.limits.retries import RetryPolicy, TimeLimits
from libriscribe2.llm.providers import (
    DEMO_NAMES,
    MANUAL_MODEL,
    ModelChoice,
    is_built_in,
    key_variables,
)
from libriscribe2.llm.session import CallSession
from libriscribe2.models.brief import Brief
from libriscribe2.project.artifacts import Book
from libriscribe2.project.lock import ProjectLock
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.structure_change import peek, require_project
from libriscribe2.settings.layers import ENV_FILE, user_file
from libriscribe2.settings.loading import Loaded
from libriscribe2.settings.parts import check_models, with_evaluator
from libriscribe2.settings.schema import Settings
from libriscribe2.wording import cost, counted, duration

_FLAGS: Final[Mapping[str, Any]] = {"no_input": True}
"""`doctor` asks no questions, so that it can run anywhere."""


class Case:
    """The settings, the model and the project that a run would have here.

    Args:
        project: The project's name or folder; None looks at no project.
        probe: Finds the servers on this machine that serve models.
    """

    def __init__(self, project: str | None, probe: Callable[[], Sequence[LocalServer]]) -> None:
        self.project = project
        self._probe = probe

    @cached_property
    def general(self) -> Loaded:
        """The settings without a project.

        Raises:
            ConfigError: A file or a variable cannot be used.
        """
        return loaded_for(None, _FLAGS)

    @cached_property
    def paths(self) -> ProjectPaths:
        """Where the project lives.

        Raises:
            ProjectError: There is no such project.
            UsageError: No project was named, or none can have that name.
        """
        return locate(self.project, None, self.general.settings)

    @cached_property
    def settings(self) -> Settings:
        """The settings in force, those of the project's `book.toml` included.

        Raises:
            ConfigError: A file or a variable cannot be used.
        """
        if self.project is None:
            return self.general.settings
        return settings_of(self.paths.root, _FLAGS)

    @cached_property
    def brief(self) -> Brief:
        """What the author of the project asked for.

        Raises:
            ConfigError: A key of `book.toml` is unknown or a value is wrong.
            ProjectError: `book.toml` is missing or unreadable.
        """
        return read_brief(self.paths)

    @cached_property
    def stages(self) -> tuple[type[Agent], ...]:
        """The stages of the project's book; without a project, all there are."""
        return all_stages() if self.project is None else wanted_stages(self.brief)

    @cached_property
    def servers(self) -> tuple[LocalServer, ...]:
        """The servers on this machine that serve models."""
        return tuple(self._probe())

    @cached_property
    def choice(self) -> ModelChoice:
        """The default model, and why it is the one.

        Raises:
            ModelError: There is none.
        """
        named = self.settings.models.default.model
        return choose_model(named, os.environ, lambda: self.servers, lambda _server: True)


def look_at_configuration(case: Case) -> CheckResult:
    """Whether the configuration is valid, without that of a project.

    Raises:
        ConfigError: A file or a variable cannot be used.
    """
    warnings = case.general.warnings
    if warnings:
        return CheckResult("warning", " ".join(warnings), "Correct the value, or remove it.")
    found = [str(path) for path in (user_file(), Path(ENV_FILE)) if path.is_file()]
    if not found:
        return CheckResult("ok", "No configuration file; defaults and environment apply.")
    return CheckResult("ok", f"{' and '.join(found)} can be used.")


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


def look_at_choice(case: Case) -> CheckResult:
    """Which model a run would use, and why.

    Raises:
        ModelError: There is none.
    """
    return CheckResult("ok", f"{case.choice.model}: {case.choice.reason}.")


def look_at_key(case: Case) -> CheckResult:
    """Whether every model that a run may ask has its key.

    Raises:
        ModelError: A key is missing, or nobody serves a model of that name.
    """
    brief = None if case.project is None else case.brief
    stages = with_evaluator(case.settings, brief, case.stages)
    of_project = () if brief is None else (case.paths.root, brief.premise)
    names = check_models(case.settings, case.choice, stages, *of_project)
    if case.settings.llm.base_url:
        return CheckResult("ok", f"{case.settings.llm.base_url} is used for every model.")
    variables = {variable for name in names for variable in key_variables(name)}
    present = sorted(variable for variable in variables if os.environ.get(variable))
    return CheckResult("ok", f"Found {', '.join(present)}." if present else "No key is needed.")


def look_at_answer(case: Case, ping: Ping | None) -> CheckResult:
    """Whether the model answers; asked only if the user wants it, because it may cost something.

    Raises:
        ModelError: The key or the model's name is wrong.
        ProviderError: The network or the provider failed.
        ContentFilteredError: The provider filtered the reply.
    """
    if case.choice.model == MANUAL_MODEL:
        return CheckResult("ok", "You paste the replies: `libriscribe2 answer PROJECT`.")
    if is_built_in(case.choice.model):
        who = "stand-in author" if case.choice.model in DEMO_NAMES else "recording"
        return CheckResult("ok", f"The {who} needs no network.")
    if ping is None:
        return CheckResult("ok", "Not tested. `doctor --ping` sends a tiny request.")
    done = ping(case.settings, case.choice)
    model, seconds = done.model or case.choice.model, duration(done.seconds)
    return CheckResult("ok", f"{model} answered in {seconds} ({cost(done.cost_usd)}).")


def look_at_servers(case: Case) -> CheckResult:
    """Which local servers were found."""
    found = [f"{one.name} at {one.url}: {', '.join(one.models)}" for one in case.servers]
    return CheckResult("ok", "; ".join(found) if found else "None found; none is needed.")


PATIENCE_SECONDS: Final = 60.0
"""Longest wait for the answer; a local server may have to load its model first."""

LONGEST_REPLY: Final = 64
"""Most tokens of the answer; some providers refuse a limit below 16."""

_QUESTION: Final = "Answer with the single word: ready"


async def ping(settings: Settings, choice: ModelChoice) -> Completion:
    """Ask the model of `choice` once, the way a run would reach it.

    Raises:
        ModelError: The key or the model's name is wrong.
        ProviderError: The network or the provider failed.
        ContentFilteredError: The provider filtered the reply.
    """
    url = settings.llm.base_url or choice.url or ""
    seconds = min(PATIENCE_SECONDS, settings.llm.timeout_seconds)
    limits = TimeLimits(first_piece=seconds, between_pieces=seconds, whole_call=seconds)
    backend = LiteLLMBackend(url or None, None, limits=limits)
    try:
        return await ask_once(choice.model, url, backend)
    finally:
        await backend.aclose()


async def ask_once(model: str, url: str, backend: Backend) -> Completion:
    """Send one tiny request, without a second try.

    Raises:
        ModelError, ProviderError, ContentFilteredError: As for `ping`.
    """
    session = CallSession(retry=RetryPolicy(attempts=1))
    client = LLMClient(url, "", model, backend=backend, session=session)
    options = CallOptions(step="doctor", agent="doctor", max_tokens=LONGEST_REPLY)
    return (await client.with_options(options).ask(_QUESTION)).completion


def project_examinations(case: Case) -> list[Examination]:
    """The checks of a project's own records; `project` itself comes before them."""
    return [
        Examination("lock", 9, lambda: look_at_lock(case.paths), ("project",)),
        Examination("journal", 3, lambda: look_at_journal(case.paths), ("project",)),
        Examination("artifacts", 3, lambda: look_at_artifacts(case), ("project", "journal")),
    ]


def look_at_project(case: Case) -> CheckResult:
    """Whether there is a project of that name whose `book.toml` can be used.

    Raises:
        UsageError: No project can have that name.
        ProjectError: There is no such project, or its `book.toml` is missing.
        ConfigError: `book.toml` cannot be used.
    """
    require_project(case.paths)
    stages = len(case.stages)
    case.settings  # noqa: B018 - reads the settings in book.toml
    return CheckResult("ok", f"{case.paths.root} is a book of {counted(stages, 'stage')}.")


def look_at_lock(paths: ProjectPaths) -> CheckResult:
    """Whether a run could work on the project now.

    Raises:
        ProjectInUseError: Another process does; the error says which.
        StorageError: The lock cannot be opened.
    """
    if paths.state.is_dir():
        ProjectLock.acquire(paths).release()
    return CheckResult("ok", "No other process is using the project.")


def look_at_journal(paths: ProjectPaths) -> CheckResult:
    """Whether the record of calls and writes is whole.

    Raises:
        ProjectError: A newer version wrote the project.
        StorageError: The journal cannot be read.
    """
    view = peek(paths)
    if view.damaged:
        message = f"{counted(view.damaged, 'record')} of {paths.journal} cannot be read."
        fix = "Nothing to do: `resume` moves a copy to the trash and requests what is missing."
        return CheckResult("warning", message, fix)
    return CheckResult(
        "ok", f"{counted(view.manifest.totals.calls, 'call')} recorded, all readable."
    )


def look_at_artifacts(case: Case) -> CheckResult:
    """Whether every file of the book that is there can be used.

    Raises:
        ProjectError: The first file that is empty, cut, not UTF-8 or of the wrong shape.
    """
    view = look_at(case.paths)
    check_artifacts(case.stages, view)
    units = [unit for agent in case.stages for unit in units_of(agent, view)]
    there = sum(Book(view).has(unit.output) for unit in units)
    return CheckResult(
        "ok", f"{there} of {counted(len(units), 'planned file')} there, all readable."
    )


def examinations(case: Case, ping: Ping | None) -> list[Examination]:
    """Everything that is looked at, in order.

    Args:
        case: What is looked at.
        ping: Sends one request to the model; None sends nothing.
    """
    configuration = Examination("configuration", 3, lambda: look_at_configuration(case))
    project = Examination("project", 3, lambda: look_at_project(case), ("configuration",))
    named = case.project is not None
    needs = ("configuration", "project") if named else ("configuration",)
    return [
        *installation(),
        configuration,
        *([project] if named else []),
        *model_examinations(case, ping, needs),
        *folder_examinations(case),
        *(project_examinations(case) if named else []),
    ]


def folder_examinations(case: Case) -> list[Examination]:
    """The checks of the disk; no project can change which folders these are."""
    needs = ("configuration",)
    return [
        Examination("projects", 6, lambda: look_at_folder(_settings(case).projects_dir), needs),
        Examination("debug", 6, lambda: look_at_folder(_settings(case).debug_dir), needs),
        Examination("disk", 6, lambda: look_at_room(_settings(case).projects_dir), needs),
        Examination("export", 3, lambda: look_at_formats(_settings(case)), needs),
    ]


def look_at_formats(settings: Settings) -> CheckResult:
    """Into which formats a book can be exported here."""
    # Slow to import, and only this check needs them.
    from libriscribe2.exporters.publishing import all_exporters, hindrances  # noqa: PLC0415

    every = all_exporters()
    hindered = hindrances(every, settings.export)
    able = ", ".join(one.name for one in every if one.name not in hindered)
    if not hindered:
        return CheckResult("ok", f"Books can be exported as {able}.")
    first = next(iter(hindered.values()))
    said = f"Books can be exported as {able}; not as {', '.join(hindered)}: {first.what}"
    return CheckResult("warning", said, first.fix)


def _settings(case: Case) -> Settings:
    return case.general.settings
