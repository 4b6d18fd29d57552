"""What `doctor` is asked about: every part is looked up once, by the first check that needs it."""

import os
from functools import cached_property
from typing import Final

from libriscribe2.agents.agent_base import Agent
from libriscribe2.cli.model_choice import local_servers, model_for
from libriscribe2.commands.projects import locate, read_brief, setting_flags
from libriscribe2.commands.stage_choice import stage_names, wanted_stages
from libriscribe2.engine.stages import all_stages
from libriscribe2.llm.local_servers import LocalServer
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.models.brief import Brief
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings import Loaded, Settings, load_for_project

_FLAGS: Final = setting_flags(None, None, None, no_input=True)
"""`doctor` asks no questions, so that it can run anywhere."""


class Case:
    """The settings, the model and the project that a run would have here.

    Args:
        project: The project's name or folder; None looks at no project.
    """

    def __init__(self, project: str | None) -> None:
        self.project = project

    @cached_property
    def general(self) -> Loaded:
        """The settings without a project.

        Raises:
            ConfigError: A file or a variable cannot be used.
        """
        return load_for_project(None, environ=os.environ, flags=_FLAGS, stages=stage_names())

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
        root, names = self.paths.root, stage_names()
        return load_for_project(root, environ=os.environ, flags=_FLAGS, stages=names).settings

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
        return tuple(local_servers())

    @cached_property
    def choice(self) -> ModelChoice:
        """The default model, and why it is the one."""
        return model_for(self.settings, probe=lambda: self.servers)
