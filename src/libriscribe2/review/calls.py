"""The calls of a project as its debug dumps tell them; a dump that is damaged is one of them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import ValidationError

from libriscribe2.errors import LibriScribeError
from libriscribe2.project.debug_dump import DebugDumps
from libriscribe2.project.storage_errors import storage_errors
from libriscribe2.review.dumps import Dump, Tokens, without_halves

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
        return "its values stand too deep in each other"
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _age(call: Call) -> tuple[int, str]:
    return call.number, call.path.name


def _counts(values: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for value in _named(values):
        counts[value] = counts.get(value, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _named(values: Iterable[str]) -> Iterator[str]:
    return (value for value in values if value)
