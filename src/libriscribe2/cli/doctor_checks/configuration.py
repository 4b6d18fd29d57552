"""The configuration: whether every file and variable can be used, and which there are."""

from pathlib import Path

from libriscribe2.cli.doctor_checks.case import Case
from libriscribe2.cli.doctor_checks.check import Finding
from libriscribe2.settings import ENV_FILE, user_file


def look_at_configuration(case: Case) -> Finding:
    """Whether the configuration is valid, without that of a project.

    Raises:
        ConfigError: A file or a variable cannot be used.
    """
    warnings = case.general.warnings
    if warnings:
        return Finding("warning", " ".join(warnings), "Correct the value, or remove it.")
    found = [str(path) for path in (user_file(), Path(ENV_FILE)) if path.is_file()]
    if not found:
        return Finding("ok", "No configuration file; the defaults and the environment hold.")
    return Finding("ok", f"{' and '.join(found)} can be used.")
