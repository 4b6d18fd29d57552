"""`libriscribe2 doctor`: whether a book can be made here, and what to do if not."""

import os
from typing import Annotated, Any

import typer

from libriscribe2.cli.frame import Frame, JsonOption, ProjectArgument, command
from libriscribe2.cli.interrupts import run_async
from libriscribe2.cli.model_choice import local_servers
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.diagnosis import (
    Case,
    examinations,
)
from libriscribe2.commands.diagnosis import ping as send_ping
from libriscribe2.commands.installation import Check, examine, exit_code_of
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
    checks = examine(examinations(Case(project, local_servers), _ping if ping else None))
    _show(renderer, checks, as_json=as_json)
    return exit_code_of(checks)


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
