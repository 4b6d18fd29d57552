"""A check of `doctor`: looking at one thing without letting its failure stop the others."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from libriscribe2.errors import LibriScribeError

State = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was seen.

    Attributes:
        state: `ok`; `warning`: a book can be made, but the user should know; `failed`.
        message: What was seen, one sentence.
        fix: What the user can do, or "".
    """

    state: State
    message: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Examination:
    """One thing to look at.

    Attributes:
        name: What the check is called.
        exit_code: The process exit code if it fails without an error that has its own.
        look: Looks, and may raise.
        needs: Names of the checks without whose success this one makes no sense.
    """

    name: str
    exit_code: int
    look: Callable[[], Finding]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: What the check is called.
        finding: What was seen.
        exit_code: The exit code that it stands for; 0 unless it failed.
        examined: Whether it could be looked at at all.
    """

    name: str
    finding: Finding
    exit_code: int = 0
    examined: bool = True


def examine(examinations: Iterable[Examination]) -> list[Check]:
    """Carry out all examinations, in order; none stops another."""
    checks: list[Check] = []
    for examination in examinations:
        unusable = {check.name for check in checks if check.exit_code or not check.examined}
        missing = next((name for name in examination.needs if name in unusable), None)
        checks.append(
            _carry_out(examination) if missing is None else _left_out(examination, missing)
        )
    return checks


def exit_code_of(checks: Sequence[Check]) -> int:
    """The exit code of the first check that failed, or 0."""
    return next((check.exit_code for check in checks if check.exit_code), 0)


def _carry_out(examination: Examination) -> Check:
    try:
        finding = examination.look()
    except LibriScribeError as error:
        message = f"{error.what.rstrip('.')}: {error.why}" if error.why else error.what
        return Check(examination.name, Finding("failed", message, error.fix), error.exit_code)
    except Exception as error:  # noqa: BLE001 - one broken check must not hide the others
        message = f"The check itself broke: {type(error).__name__}: {error}"
        return Check(examination.name, Finding("failed", message), examination.exit_code)
    return Check(
        examination.name, finding, examination.exit_code if finding.state == "failed" else 0
    )


def _left_out(examination: Examination, missing: str) -> Check:
    finding = Finding("warning", f"Not looked at, because of {missing!r}.")
    return Check(examination.name, finding, examined=False)
