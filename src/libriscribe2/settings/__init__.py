"""Settings: flags over environment and `.env`, over project, over user, over defaults.

`load_for_project` finds the files of a command, `load_settings` reads and merges them; everything below this room receives values as arguments and
never sees the settings themselves.
"""

from libriscribe2.settings.layers import (
    ENV_FILE,
    Environment,
    export,
    read_env_file,
    read_toml,
    user_file,
)
from libriscribe2.settings.loading import (
    Loaded,
    load_for_project,
    load_settings,
    variable,
    without_secrets,
)
from libriscribe2.settings.schema import (
    BudgetConfig,
    LlmConfig,
    ModelsConfig,
    PipelineConfig,
    RevisionConfig,
    Settings,
    StageModel,
)

__all__ = [
    "ENV_FILE",
    "BudgetConfig",
    "Environment",
    "LlmConfig",
    "Loaded",
    "ModelsConfig",
    "PipelineConfig",
    "RevisionConfig",
    "Settings",
    "StageModel",
    "export",
    "load_for_project",
    "load_settings",
    "read_env_file",
    "read_toml",
    "user_file",
    "variable",
    "without_secrets",
]
