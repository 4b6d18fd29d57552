"""The sources of settings in a test: two files, variables, flags."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from libriscribe2.errors import ConfigError
from libriscribe2.settings.loading import Loaded, load_settings

STAGES = ("concept", "outline", "scenes", "chapters")


class Sources:
    """The two files of a test, and a load from them."""

    def __init__(self, folder: Path) -> None:
        self.user = folder / "config.toml"
        self.project = folder / "book.toml"

    def load(
        self,
        *,
        user: str = "",
        project: str = "",
        env: Mapping[str, str] | None = None,
        env_file: Mapping[str, str] | None = None,
        flags: Mapping[str, Any] | None = None,
    ) -> Loaded:
        self.user.write_text(user, encoding="utf-8")
        self.project.write_text(project, encoding="utf-8")
        return load_settings(
            flags=flags if flags is not None else {},
            project_file=self.project,
            user_file=self.user,
            environ=env if env is not None else {},
            env_file=env_file,
            stages=STAGES,
        )


def refusal(sources: Sources, **layers: Any) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        sources.load(**layers)
    assert caught.value.exit_code == 3
    return caught.value
