"""What the journal adds up to: replies by key, the last write of every file, what it all cost."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from libriscribe2.project.records import Record


@dataclass(frozen=True, slots=True)
class FileRecord:
    """The last write of a file.

    Attributes:
        sha: Hash of the content (`content_sha`).
        step: The step that made it.
        inputs: Hash of every input at that time, by the input's name.
        params: What else shaped it, such as the model and the prompt's hash.
        keys: Keys of the calls that it was made from.
        placed: Whether the file is known to have had this content; False between the
            announcement and the replacement.
    """

    sha: str
    step: str = ""
    inputs: Mapping[str, str | None] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    placed: bool = False


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A request that left and of which nothing more is known; it may have been paid."""

    step: str
    model: str


@dataclass(frozen=True, slots=True)
class Totals:
    """What the calls of a project add up to.

    Attributes:
        calls: Calls that brought a reply.
        failed: Calls that brought none.
        filtered: Those of them that the provider's content filter withheld.
        input_tokens: Tokens read, where the provider said.
        output_tokens: Tokens written, where the provider said.
        cost_usd: The known prices together, in US dollars.
        unknown_costs: Replies whose price nobody knows; they are not in `cost_usd`.
    """

    calls: int = 0
    failed: int = 0
    filtered: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    unknown_costs: int = 0


class Manifest:
    """The fold of a journal; it is kept up to date record by record and never stored.

    Attributes:
        totals: Calls, tokens and cost.
        files: The last write of every file, by name.
        open_calls: Calls without an outcome, by key.
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.totals = Totals()
        self.files: dict[str, FileRecord] = {}
        self.open_calls: dict[str, OpenCall] = {}
        self._replies: dict[str, Mapping[str, Any]] = {}
        self._ours: dict[str, set[str]] = {}
        self._again: list[str] = []
        self._unmade: set[str] = set()
        self._folds: dict[str, Callable[[Record], None]] = {
            "sent": self._fold_sent,
            "done": self._fold_done,
            "fail": self._fold_fail,
            "write": self._fold_write,
            "placed": self._fold_placed,
            "adopt": self._fold_adopt,
            "again": self._fold_again,
        }
        for record in records:
            self.fold(record)

    def fold(self, record: Record) -> None:
        """Take one more record into account; other kinds are skipped."""
        fold = self._folds.get(record.get("t", ""))
        if fold is not None:
            fold(record)

    def reply(self, key: str) -> Mapping[str, Any] | None:
        """The completion of a finished call, or None."""
        return self._replies.get(key)

    def is_ours(self, name: str, sha: str) -> bool:
        """Whether the program ever wrote this content to this file, or was given it."""
        return sha in self._ours.get(name, ())

    def generation(self, step: str) -> int:
        """How often the step, or one that holds it, was asked to be written again."""
        return sum(step == again or step.startswith(f"{again}/") for again in self._again)

    def asked_again(self, step: str) -> bool:
        """Whether the step was asked to be written again and has not been since."""
        return step in self._unmade

    def _fold_sent(self, record: Record) -> None:
        self.open_calls[record["k"]] = OpenCall(record["step"], record["model"])

    def _fold_done(self, record: Record) -> None:
        completion = record["completion"]
        self.open_calls.pop(record["k"], None)
        self._replies[record["k"]] = completion
        self.totals = _with_reply(self.totals, completion)

    def _fold_fail(self, record: Record) -> None:
        self.open_calls.pop(record["k"], None)
        self.totals = replace(
            self.totals,
            failed=self.totals.failed + 1,
            filtered=self.totals.filtered + (record["kind"] == "filtered"),
        )

    def _fold_write(self, record: Record) -> None:
        name, keys = record["p"], tuple(record["k"])
        self._unmade.discard(record["step"])
        made = FileRecord(record["sha"], record["step"], record["in"], record["params"], keys)
        self.files[name] = made
        self._ours.setdefault(name, set()).add(made.sha)

    def _fold_placed(self, record: Record) -> None:
        last = self.files.get(record["p"])
        if last is not None and last.sha == record["sha"]:
            self.files[record["p"]] = replace(last, placed=True)

    def _fold_adopt(self, record: Record) -> None:
        name, sha = record["p"], record["sha"]
        last = self.files.get(name, FileRecord(sha))
        self.files[name] = replace(last, sha=sha, inputs=record["in"], placed=True)
        self._ours.setdefault(name, set()).add(sha)

    def _fold_again(self, record: Record) -> None:
        self._again.append(record["step"])
        self._unmade.add(record["step"])


def _with_reply(totals: Totals, completion: Mapping[str, Any]) -> Totals:
    usage = completion.get("usage") or {}
    known = usage if usage.get("known") else {}
    cost = completion.get("cost_usd")
    return replace(
        totals,
        calls=totals.calls + 1,
        input_tokens=totals.input_tokens + known.get("input_tokens", 0),
        output_tokens=totals.output_tokens + known.get("output_tokens", 0),
        cost_usd=totals.cost_usd + (cost if cost is not None else 0.0),
        unknown_costs=totals.unknown_costs + (cost is None),
    )
