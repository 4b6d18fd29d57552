"""The program on this machine: checks, settings, models, tools, and a bug report."""

import codecs
import getpass
import json
import locale
import os
import platform
import site
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Literal
from zipfile import ZIP_DEFLATED, ZipFile

from libriscribe2 import __version__
from libriscribe2.commands.projects import loaded_for, locate
from libriscribe2.engine.stages import all_stages
from libriscribe2.errors import LibriScribeError, UsageError
from libriscribe2.llm.default_model import LocalServer
from libriscribe2.llm.providers import PROVIDERS, ModelChoice
from libriscribe2.project.atomic import read_regular, storage_errors
from libriscribe2.project.lock import MIN_FREE_BYTES, free_bytes
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.research.catalog import all_tools
from libriscribe2.research.tool import describe
from libriscribe2.settings.loading import Loaded, without_secrets
from libriscribe2.settings.parts import resolved, stage_model
from libriscribe2.settings.schema import Settings
from libriscribe2.wording import redact, secrets_in

State = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class CheckResult:
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
    look: Callable[[], CheckResult]
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
    finding: CheckResult
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
        return Check(examination.name, CheckResult("failed", message, error.fix), error.exit_code)
    except Exception as error:  # noqa: BLE001 - one broken check must not hide the others
        message = f"The check itself failed: {type(error).__name__}: {error}"
        return Check(examination.name, CheckResult("failed", message), examination.exit_code)
    return Check(
        examination.name, finding, examination.exit_code if finding.state == "failed" else 0
    )


def _left_out(examination: Examination, missing: str) -> Check:
    finding = CheckResult("warning", f"Not checked, because of {missing!r}.")
    return Check(examination.name, finding, examined=False)


OLDEST_PYTHON: Final = (3, 11)
COMPROMISED_LITELLM: Final = frozenset({"1.82.7", "1.82.8"})
"""Releases that carried a credential stealer (BerriAI/litellm#24512)."""

_STOLEN: Final = (
    "Take every key and password on this machine as stolen and replace them; then remove the file "
    "and install LiteLLM again from a clean environment."
)


def installation() -> list[Examination]:
    """The checks of the program itself."""
    return [
        Examination("python", 3, lambda: look_at_python(sys.version_info[:3])),
        Examination("libriscribe2", 3, look_at_package),
        Examination("litellm", 3, lambda: look_at_litellm(installed_litellm(), site_folders())),
        Examination("terminal", 3, lambda: look_at_encoding(locale.getencoding())),
    ]


def look_at_python(version: tuple[int, ...]) -> CheckResult:
    """Whether this Python is new enough."""
    shown = ".".join(map(str, version))
    if version < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        return CheckResult(
            "failed", f"Python {shown} is too old.", f"Install Python {wanted} or newer."
        )
    return CheckResult(
        "ok", f"Python {shown} ({platform.python_implementation()}, {sys.executable})."
    )


def look_at_package() -> CheckResult:
    """Which version of this program runs, and from where."""
    return CheckResult("ok", f"Version {__version__} in {Path(__file__).parents[2]}.")


def look_at_litellm(version: str | None, folders: Iterable[Path]) -> CheckResult:
    """Whether LiteLLM is there and none of its releases that stole credentials; not imported."""
    strange = [path for folder in folders for path in folder.glob("*[lL]ite[lL][lL][mM]*.pth")]
    if strange:
        message = f"{strange[0]} runs at every start of Python, as the stolen release's file did."
        return CheckResult("failed", message, _STOLEN)
    if version is None:
        fix = "Install LibriScribe2 again; until then only the stand-in author works."
        return CheckResult("failed", "LiteLLM is not installed.", fix)
    if version in COMPROMISED_LITELLM:
        return CheckResult("failed", f"LiteLLM {version} is a compromised release.", _STOLEN)
    return CheckResult("ok", f"LiteLLM {version}.")


def look_at_encoding(encoding: str) -> CheckResult:
    """Whether the terminal can show every letter."""
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        name = encoding
    if name == "utf-8":
        return CheckResult("ok", "The terminal's encoding is UTF-8.")
    fix = "Set LANG to a UTF-8 locale such as C.UTF-8; files are UTF-8 in any case."
    return CheckResult("warning", f"The terminal's encoding is {name}, not UTF-8.", fix)


def installed_litellm() -> str | None:
    """The version of LiteLLM that is installed, or None."""
    try:
        return metadata.version("litellm")
    except metadata.PackageNotFoundError:
        return None


def site_folders() -> list[Path]:
    """The folders whose `.pth` files Python runs at its start."""
    folders = [*site.getsitepackages(), site.getusersitepackages()]
    return [folder for folder in map(Path, folders) if folder.is_dir()]


_MIB: Final = 2**20


def look_at_folder(folder: Path) -> CheckResult:
    """Whether files can be made in a folder, or the folder itself where it is missing.

    Raises:
        StorageError: The system refuses.
    """
    there = existing(folder)
    if not there.is_dir():
        fix = "Move the file away, or choose another folder in the settings."
        return CheckResult("failed", f"{there} is a file; a folder is needed.", fix)
    with storage_errors("write", there), tempfile.TemporaryFile(dir=there) as file:
        file.write(b"LibriScribe2 was here")
    can = "written" if there == folder.absolute() else "made"
    return CheckResult("ok", f"{folder.absolute()} can be {can}.")


def look_at_room(folder: Path, free: Callable[[Path], int] = free_bytes) -> CheckResult:
    """Whether the disk of a folder has the room without which no request is sent.

    Raises:
        StorageError: The disk does not answer.
    """
    there = existing(folder)
    with storage_errors("measure the free room of", there):
        room = free(there)
    if room < MIN_FREE_BYTES:
        message = f"{room // _MIB} MiB are free; a run needs {MIN_FREE_BYTES // _MIB} MiB."
        return CheckResult("failed", message, f"Free some space on the disk of {there}.")
    return CheckResult("ok", f"{room // _MIB:,} MiB are free on the disk of {there}.")


def existing(path: Path) -> Path:
    """The path itself, or the nearest of those above it that exists."""
    whole = path.absolute()
    return next(one for one in (whole, *whole.parents) if one.exists())


def load_settings(project: str | None) -> Loaded:
    """The settings in force for a project, or for none, and where each comes from.

    Raises:
        ConfigError: A file or a variable cannot be used.
        ProjectError: There is no such project.
    """
    loaded = loaded_for(None, {})
    if project is None:
        return loaded
    return loaded_for(locate(project, None, loaded.settings).root, {})


def settings_record(loaded: Loaded, *, origin: bool) -> dict[str, Any]:
    """The settings by dotted key: the value alone, or the value and its origin."""
    values = {key: _without_secrets(value) for key, value in loaded.values().items()}
    record: dict[str, Any] = values
    if origin:
        record = {
            key: {"value": value, "origin": loaded.origins[key]} for key, value in values.items()
        }
    older = {key.replace(".evaluator", ".judge"): value for key, value in record.items()}
    return older | record  # who reads the older name finds it


def _without_secrets(value: Any) -> Any:
    return without_secrets(value) if isinstance(value, str) else value


def models_record(
    settings: Settings, choice: ModelChoice, servers: Sequence[LocalServer]
) -> dict[str, Any]:
    """Which model does what, and which could.

    Args:
        settings: The settings in force.
        choice: The default model and why it is the one.
        servers: The servers on this machine that serve models.
    """
    rows = []
    for agent in (agent for agent in all_stages() if agent.asks_model):
        own = stage_model(settings, agent)
        model = resolved(own.model, choice, settings).model
        rows.append({"stage": agent.name, "model": model, "fallbacks": list(own.fallbacks)})
    return {
        "default": {"model": choice.model, "reason": choice.reason, "url": choice.url},
        "stages": rows,
        "providers_with_key": [
            one.title for one in PROVIDERS if any(os.environ.get(name) for name in one.keys)
        ],
        "local_servers": [
            {"name": one.name, "url": one.url, "models": list(one.models)} for one in servers
        ],
    }


def stages_record() -> list[dict[str, Any]]:
    """What each stage declares, in running order."""
    return [
        {
            "stage": agent.name,
            "agent": agent.__name__,
            "reads": agent.reads,
            "writes": agent.writes,
            "per_chapter": agent.per_chapter(),
            "asks_model": agent.asks_model,
            "also_called": agent.also_called,
        }
        for agent in all_stages()
    ]


def tools_record() -> list[dict[str, Any]]:
    """The tools of the tool chains, with the JSON Schema of their parameters.

    Raises:
        LibriScribeError: A tool is no tool.
    """
    return [{**describe(tool), "needs": list(tool.needs)} for tool in all_tools()]


_MOST_EVENTS: Final = 500
_LEFT_OUT: Final = frozenset({"message"})
"""Fields of an event that may quote what somebody wrote."""


def write_bundle(
    file: Path, checks: Sequence[Mapping[str, Any]], loaded: Loaded, paths: ProjectPaths | None
) -> list[str]:
    """Write the archive.

    Args:
        file: The archive; there must be nothing of that name.
        checks: What `doctor` found, as records.
        loaded: The settings in force.
        paths: The project whose last runs are told; None tells none.

    Returns:
        The names of what is in it.

    Raises:
        StorageError: A file cannot be read, or the archive cannot be written.
        UsageError: There is a file of that name.
    """
    if file.exists():
        raise UsageError(f"{file} is there already.", fix="Name another file.")
    texts = {
        "doctor.json": json.dumps([*checks], ensure_ascii=False, indent=1),
        "versions.json": json.dumps(_versions(), indent=1),
        "settings.json": json.dumps(_settings(loaded), ensure_ascii=False, indent=1),
    }
    if paths is not None:
        texts["events.jsonl"] = _events(paths)
    private = _private(paths)
    with storage_errors("write", file), ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(name, _without(text, private))
    return list(texts)


def _versions() -> dict[str, str]:
    """The program, Python, the system, and every package that is installed."""
    packages = sorted({f"{one.name}=={one.version}" for one in metadata.distributions()})
    return {
        "libriscribe2": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "packages": " ".join(packages),
    }


def _settings(loaded: Loaded) -> dict[str, list[str]]:
    """Each setting with its value and who gave it."""
    return {
        key: [without_secrets(str(value)), loaded.origins[key]]
        for key, value in loaded.values().items()
    }


def _events(paths: ProjectPaths) -> str:
    """The last events of the project, without what may quote somebody."""
    if not paths.events.is_file():
        return ""
    with storage_errors("read", paths.events):
        lines = read_regular(paths.events).decode("utf-8", "replace").splitlines()
    kept = []
    for line in lines[-_MOST_EVENTS:]:
        try:
            event = json.loads(line)
        except ValueError:
            kept.append('{"damaged": true}')
        else:
            told = {name: value for name, value in event.items() if name not in _LEFT_OUT}
            kept.append(json.dumps(told, ensure_ascii=False))
    return "\n".join(kept) + "\n"


def _private(paths: ProjectPaths | None) -> dict[str, str]:
    """What names a person, a place on the machine or a book, and what stands for it."""
    names = {str(Path.home()): "~", getpass.getuser(): "USER", platform.node(): "HOST"}
    if paths is not None:
        names[paths.root.name] = "BOOK"
    return {name: sign for name, sign in names.items() if len(name) > 2}


def _without(text: str, private: Mapping[str, str]) -> str:
    for name, sign in sorted(private.items(), key=lambda one: len(one[0]), reverse=True):
        text = text.replace(name, sign)
    return redact(text, secrets_in(os.environ))
