"""The calls of a book, as its dumps tell of them."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from libriscribe2.commands.projects import locate, settings_of
from libriscribe2.engine.stages import all_stages
from libriscribe2.errors import LibriScribeError, UsageError
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.dumps import DebugDumps, reply_rates
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.structure_change import is_project, peek
from libriscribe2.wording import counted

_HALVES: Final = re.compile("[\ud800-\udfff]")


class Repaired(BaseModel):
    """One change that made JSON of a reply (`utils.report.Repair`)."""

    name: str
    lossless: bool = True
    position: int = 0


class Turn(BaseModel):
    """One message of a prompt."""

    role: str = ""
    content: Any = ""


class Tokens(BaseModel):
    """Tokens of a call."""

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0


class Dump(BaseModel):
    """What a dump says; the fields are those of `DumpRecord`, each with a default."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    agent_name: str = ""
    timestamp: str = ""
    raw_response: str = ""
    formatting_issues: list[str] = Field(default_factory=list)
    extraction_method: str = ""
    content_type: str = ""
    attempt: int = 1
    stage: str = ""
    step: str = ""
    model: str = ""
    prompt: list[Turn] = Field(default_factory=list)
    reasoning: str | None = None
    repairs: list[Repaired] = Field(default_factory=list)
    validation_errors: list[str] = Field(default_factory=list)
    feedback: str = ""
    clean: Any = None
    reader: dict[str, Any] | None = None
    finish_reason: str | None = None
    usage: Tokens | None = None
    cost_usd: float | None = None
    seconds: float = 0.0
    key: str = ""


def without_halves(value: Any) -> Any:
    """A value of JSON with U+FFFD for every half of a surrogate pair, which no page can hold."""
    if isinstance(value, str):
        return _HALVES.sub("\ufffd", value)
    if isinstance(value, dict):
        return {without_halves(key): without_halves(one) for key, one in value.items()}
    return [without_halves(one) for one in value] if isinstance(value, list) else value


State = Literal["refused", "damaged", "old", "repaired", "clean"]

STATES: Final[tuple[State, ...]] = ("refused", "damaged", "old", "repaired", "clean")
"""How a call stands, in the order in which a reader wants to see them."""

PROBLEMS: Final = frozenset(STATES[:2])

CUT_OFF: Final = "cut_off"
VALIDATION: Final = "validation"

_OURS: Final = re.compile(r"(\d{4,})-.+-try\d+")
_CHAPTER: Final = re.compile(r"/ch(\d+)")


@dataclass(frozen=True)
class Call:
    """One attempt, or a file that should have been the record of one.

    Attributes:
        id: What it is called in addresses.
        number: The number in the file's name; 0 where it has none.
        path: The file.
        state: `refused`: the reply could not be used; `repaired`: it could, after cleaning;
            `clean`: it could as it was; `damaged`: the file cannot be read; `old`: the file has
            not the form of this program's dumps.
        dump: What the file says.
        fault: Why it is damaged.
    """

    id: str
    number: int
    path: Path
    state: State
    dump: Dump
    fault: str = ""

    @cached_property
    def issues(self) -> tuple[str, ...]:
        """Labels of all that was wrong with the reply, each once."""
        found = [*self.dump.formatting_issues, *(one.name for one in self.dump.repairs)]
        if self.dump.finish_reason == "length":
            found.append(CUT_OFF)
        if self.state == "refused" and self.dump.extraction_method != "failed":
            found.append(VALIDATION)
        return tuple(dict.fromkeys(found))

    @property
    def chapter(self) -> int | None:
        """The chapter that it worked on, or None."""
        found = _CHAPTER.search(self.dump.step)
        return None if found is None else int(found[1])

    @cached_property
    def is_problem(self) -> bool:
        """Whether somebody should look at it."""
        return self.state in PROBLEMS or CUT_OFF in self.issues

    def as_row(self) -> dict[str, Any]:
        """The call in a list, as JSON."""
        dump = self.dump
        tokens = dump.usage or Tokens()
        return {
            "id": self.id,
            "number": self.number,
            "state": self.state,
            "agent": dump.agent_name,
            "stage": dump.stage,
            "step": dump.step,
            "chapter": self.chapter,
            "attempt": dump.attempt,
            "model": dump.model,
            "issues": list(self.issues),
            "input_tokens": tokens.input_tokens,
            "output_tokens": tokens.output_tokens,
            "cost_usd": dump.cost_usd,
            "seconds": dump.seconds,
            "at": dump.timestamp,
            "file": self.path.name,
            "fault": self.fault,
        }


@dataclass(frozen=True, slots=True)
class CallFilter:
    """Which calls are wanted; an empty value wants all.

    Attributes:
        agent: Class name of the agent.
        stage: Name of the stage.
        model: The model.
        state: How the call stands.
        issue: A label of `Call.issues`.
        text: Stands anywhere in the row, in any case.
    """

    agent: str = ""
    stage: str = ""
    model: str = ""
    state: str = ""
    issue: str = ""
    text: str = ""

    def fits(self, call: Call) -> bool:
        """Whether the call is one of those."""
        dump = call.dump
        pairs = (
            (self.agent, dump.agent_name),
            (self.stage, dump.stage),
            (self.model, dump.model),
            (self.state, call.state),
        )
        if any(wanted and wanted.casefold() != has.casefold() for wanted, has in pairs):
            return False
        if self.issue and self.issue not in call.issues:
            return False
        return self.text.casefold() in search_text(call)


class CallFolder:
    """The dumps of a project; one that was read is not read again while it stays the same.

    Args:
        folder: The project's debug folder; one that is not there has no calls.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, tuple[tuple[int, int], Call]] = {}

    def read(self) -> tuple[Call, ...]:
        """Every call, oldest first.

        Raises:
            StorageError: The folder cannot be read.
        """
        dumps, found = DebugDumps(self._folder), {}
        with storage_errors("read the debug dumps in", self._folder):
            for path in self._folder.glob("*.json") if self._folder.is_dir() else ():
                status = path.lstat()  # a link may lead nowhere
                stamp = status.st_mtime_ns, status.st_size
                known = self._known.get(path)
                fresh = known is not None and known[0] == stamp
                found[path] = known if fresh and known else (stamp, _loaded(dumps, path, stamp[1]))
        self._known = found
        return tuple(sorted((call for _, call in found.values()), key=_age))


def load_calls(folder: Path) -> tuple[Call, ...]:
    """Every call whose dump is in a folder, oldest first.

    Raises:
        StorageError: The folder cannot be read.
    """
    return CallFolder(folder).read()


def problems_first(calls: Iterable[Call]) -> list[Call]:
    """Refused and damaged ones, then repaired ones, then the rest; each group oldest first."""
    return sorted(calls, key=lambda call: (not call.is_problem, STATES.index(call.state)))


def facets(calls: Sequence[Call]) -> dict[str, dict[str, int]]:
    """How many calls have each value of what can be filtered by, the most frequent first."""
    return {
        "state": _counts(call.state for call in calls),
        "stage": _counts(call.dump.stage for call in calls),
        "agent": _counts(call.dump.agent_name for call in calls),
        "model": _counts(call.dump.model for call in calls),
        "issue": _counts(issue for call in calls for issue in call.issues),
    }


def conversation(calls: Sequence[Call], call: Call) -> list[Call]:
    """All attempts of the conversation that a call belongs to, oldest first.

    Several conversations may have one step, when it was written again: each begins with a first
    attempt.
    """
    own, step = list[Call](), call.dump.step
    for other in calls:
        if other.dump.step != step or not step:
            continue
        if other.dump.attempt == 1:
            if call in own:
                break
            own = []
        own.append(other)
    return own if call in own else [call]


def search_text(call: Call) -> str:
    """What a filter's text is looked for in, in lower case."""
    dump = call.dump
    words = (call.path.name, dump.agent_name, dump.step, dump.model, call.state, *call.issues)
    return " ".join(words).casefold()


def _loaded(dumps: DebugDumps, path: Path, size: int) -> Call:
    """The call of a file."""
    ours = _OURS.fullmatch(path.stem)
    number = int(ours[1]) if ours else 0
    name = path.stem if ours else f"file-{sha256(path.name.encode()).hexdigest()[:12]}"
    try:
        dump = Dump.model_validate(without_halves(dumps.load(path)))
    except (LibriScribeError, ValidationError, RecursionError) as error:
        told = _fault(error) if size else "the file is empty"
        return Call(name, number, path, "damaged" if ours else "old", Dump(), told)
    if not ours:
        return Call(name, number, path, "old", dump, "it was not written by this program")
    return Call(name, number, path, _state(dump), dump)


def _state(dump: Dump) -> State:
    if dump.feedback:
        return "refused"
    return "repaired" if dump.formatting_issues or dump.repairs else "clean"


def _fault(error: Exception) -> str:
    """Why a file is no dump, in a few words."""
    if isinstance(error, LibriScribeError):
        return error.why
    if not isinstance(error, ValidationError):
        return "it is nested too deeply"
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _age(call: Call) -> tuple[int, str]:
    return call.number, call.path.name


def _counts(values: Iterable[str]) -> dict[str, int]:
    counts = Counter(filter(None, values))
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def all_calls(paths: ProjectPaths) -> tuple[Call, ...]:
    """Every call of a project, oldest first.

    Raises:
        ProjectError: The project cannot be read.
        StorageError: The folder of its dumps cannot be read.
    """
    return own_calls(load_calls(paths.dumps), peek(paths).manifest)


def own_calls(calls: Iterable[Call], manifest: Manifest) -> tuple[Call, ...]:
    """The calls whose replies are in a journal, and what cannot be read."""
    return tuple(call for call in calls if is_own(call.dump.key, manifest))


def is_own(key: str, manifest: Manifest) -> bool:
    """Whether a dump with this key is of a book, by its journal.

    Older versions put the dumps of all books of one name into one folder. A dump without a key, and
    any dump where the journal is empty, may be the book's.
    """
    return not key or not manifest.totals.calls or manifest.reply(key) is not None


def lost_dumps(paths: ProjectPaths) -> str:
    """Where the dumps of a project's calls were looked for in vain; "" where there are some.

    Raises:
        ProjectError: The project cannot be read.
        StorageError: As before.
    """
    folder = paths.dumps
    calls = 0 if folder.is_dir() else peek(paths).manifest.totals.calls
    if not calls:
        return ""
    return (
        f"The dumps of {counted(calls, 'call')} are not here: there is no folder {folder}. "
        "It lies below the folder in which the book was made."
    )


def call_numbered(paths: ProjectPaths, number: int) -> Call:
    """The call of that number.

    Raises:
        UsageError: There is none.
        StorageError: The folder of the dumps cannot be read.
    """
    calls = all_calls(paths)
    found = next((call for call in calls if call.number == number), None)
    if found is None:
        last = max((call.number for call in calls), default=0)
        known = f"they are numbered from 1 to {last}" if last else "there are none"
        raise UsageError(f"There is no dump {number} in {paths.dumps}", why=known)
    return found


def calls_to_replay(target: str) -> Sequence[Call]:
    """The calls of a project, of one dump, or of a folder of dumps.

    Raises:
        UsageError: It is a folder without dumps.
        ProjectError: It is none of these.
        StorageError: It cannot be read.
    """
    all_stages()  # the shapes that dumps name have to be loaded
    path = Path(target)
    if path.suffix == ".json" and path.is_file():
        here = path.resolve()
        return [call for call in load_calls(here.parent) if call.path == here]
    if path.is_dir() and not is_project(ProjectPaths(path, path)):
        calls = load_calls(path)
        if not calls:
            raise UsageError(f"There are no dumps in {path}", fix="Name a project, or its dumps.")
        return calls
    return all_calls(locate(target, None, settings_of(None, {})))


def whole_call(call: Call) -> dict[str, Any]:
    """A call with everything that its dump says, as JSON."""
    return {**call.as_row(), "dump": call.dump.model_dump(mode="json")}


def stats_of(paths: ProjectPaths) -> tuple[list[dict[str, Any]], int]:
    """The four rates, and how many dumps could not be read.

    Raises:
        ProjectError: The project cannot be read.
        StorageError: As before.
    """
    manifest = peek(paths).manifest
    calls, totals = own_calls(load_calls(paths.dumps), manifest), manifest.totals
    whole = [call for call in calls if call.state not in ("damaged", "old")]
    read = (call.dump.model_dump() for call in whole)
    rates = reply_rates(read, totals.calls + totals.failed, totals.filtered)
    return [asdict(rate) for rate in rates], len(calls) - len(whole)
