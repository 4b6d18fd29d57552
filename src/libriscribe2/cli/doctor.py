"""`libriscribe2 doctor`: whether a book can be made here, and what to do if not."""

import os
from typing import Annotated, Any

import typer

from libriscribe2.cli.doctor_checks.case import Case
from libriscribe2.cli.doctor_checks.check import Check, Examination, examine, exit_code_of
from libriscribe2.cli.doctor_checks.configuration import look_at_configuration
from libriscribe2.cli.doctor_checks.folders import folder_examinations
from libriscribe2.cli.doctor_checks.installation import installation
from libriscribe2.cli.doctor_checks.models import Ping, model_examinations
from libriscribe2.cli.doctor_checks.ping import ping as send_ping
from libriscribe2.cli.doctor_checks.projects import look_at_project, project_examinations
from libriscribe2.cli.frame import Frame, JsonOption, ProjectArgument, command
from libriscribe2.cli.interrupts import run_async
from libriscribe2.cli.render import Renderer
from libriscribe2.llm.backend import Completion
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.llm.redaction import redact, secrets_in
from libriscribe2.settings import Settings
from libriscribe2.wording import counted

PingOption = Annotated[
    bool, typer.Option("--ping", help="Send one tiny request to the model; it may cost something.")
]


@command
def doctor(
    frame: Frame,
    project: ProjectArgument = None,
    as_json: JsonOption = False,
    ping: PingOption = False,
) -> int:
    """Check that everything is in place.

    The installation, the configuration, the model, the disk and, if named, a project. The exit
    code is 0 if nothing failed, else that of the first check that did.
    """
    renderer = frame.renderer
    checks = examine(examinations(Case(project), _ping if ping else None))
    _show(renderer, checks, as_json=as_json)
    return exit_code_of(checks)


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


def _ping(settings: Settings, choice: ModelChoice) -> Completion:
    return run_async(send_ping(settings, choice), on_interrupt=lambda: None)


def _show(renderer: Renderer, checks: list[Check], *, as_json: bool) -> None:
    """Tell the checks as data, and their sum as talk."""
    rows = [_row(check) for check in checks]
    failed = sum(row["state"] == "failed" for row in rows)
    if as_json:
        renderer.data_json({"ok": not failed, "checks": rows})
        return
    renderer.table(("check", "state", "message", "fix"), [tuple(row.values()) for row in rows])
    summary = f"{counted(failed, 'check')} failed." if failed else "A book can be made here."
    renderer.note(summary)


def _row(check: Check) -> dict[str, Any]:
    """A check as a flat record without secrets."""
    secrets = secrets_in(os.environ)
    return {
        "name": check.name,
        "state": check.finding.state,
        "message": redact(check.finding.message, secrets),
        "fix": redact(check.finding.fix, secrets),
    }
