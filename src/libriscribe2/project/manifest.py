"""What the journal says in sum: files, replies, calls under way, cost."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Final

from libriscribe2.project.records import Record

OLD_CALL_TOKENS: Final = (8_192, 8_192)
"""Tokens in and out of a call without an outcome whose record names no price, as old ones do."""


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A request that left and of which nothing more is known; it may have been paid.

    Attributes:
        step: The step that asked.
        model: The model that was asked.
        est_usd: The most that it may have cost; None in old journals.
    """

    step: str
    model: str
    est_usd: float | None = None


@dataclass(slots=True)
class Ledger:
    """The sums.

    Attributes:
        sent: Requests that left.
        known_usd: Prices that somebody said.
        perhaps_usd: What calls that failed, or left and were sent again, may have cost.
        open: Calls without an outcome, by key.
    """

    sent: int = 0
    known_usd: float = 0.0
    perhaps_usd: float = 0.0
    open: dict[str, OpenCall] = field(default_factory=dict)
    _unpriced: dict[str, tuple[int, int]] = field(default_factory=dict)

    def leave(self, key: str, call: OpenCall) -> None:
        """A request leaves; an earlier one of its key without an outcome may still be paid."""
        self.sent += 1
        earlier = self.open.pop(key, None)
        if earlier is not None:
            self._lose(earlier)
        self.open[key] = call

    def answer(self, key: str, completion: Mapping[str, Any]) -> None:
        """A reply came."""
        call = self.open.pop(key, None)
        cost = completion.get("cost_usd")
        if cost is not None:
            self.known_usd += cost
            return
        model = call.model if call is not None else str(completion.get("model") or "")
        usage = completion.get("usage") or {}
        self._count(model, usage.get("input_tokens", 0), usage.get("output_tokens", 0))

    def fail(self, key: str, usd: float) -> None:
        """No reply came, and `usd` US dollars may have been paid all the same."""
        self.open.pop(key, None)
        self.perhaps_usd += usd

    def possible_usd(self) -> float:
        """What was or may have been paid, where a price is known or was held back."""
        waiting = sum(call.est_usd for call in self.open.values() if call.est_usd is not None)
        return self.known_usd + self.perhaps_usd + waiting

    def unpriced(self) -> dict[str, tuple[int, int]]:
        """Tokens in and out without a price, by the model that was asked."""
        tokens = dict(self._unpriced)
        for call in self.open.values():
            if call.est_usd is None:
                tokens[call.model] = _added(tokens.get(call.model), *OLD_CALL_TOKENS)
        return tokens

    def _lose(self, call: OpenCall) -> None:
        if call.est_usd is None:
            self._count(call.model, *OLD_CALL_TOKENS)
        else:
            self.perhaps_usd += call.est_usd

    def _count(self, model: str, sent: int, received: int) -> None:
        self._unpriced[model] = _added(self._unpriced.get(model), sent, received)


def _added(tokens: tuple[int, int] | None, sent: int, received: int) -> tuple[int, int]:
    before = tokens if tokens is not None else (0, 0)
    return before[0] + sent, before[1] + received


OWN: Final = "own"
"""What marks the record of a text that the author edited and accepted."""


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

    @property
    def is_own(self) -> bool:
        """Whether the text is the author's, who accepted an edit of it."""
        return bool(self.params.get(OWN))


@dataclass(frozen=True, slots=True)
class Totals:
    """What the calls of a project add up to.

    Attributes:
        calls: Calls that brought a reply.
        failed: Calls that brought none.
        filtered: Those of them that the provider's content filter withheld.
        input_tokens: Tokens read, where the provider said.
        cached_tokens: Those of them that its cache held.
        output_tokens: Tokens written, where the provider said.
        cost_usd: The known prices together, in US dollars.
        unknown_costs: Replies whose price nobody knows; they are not in `cost_usd`.
    """

    calls: int = 0
    failed: int = 0
    filtered: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    unknown_costs: int = 0


class Manifest:
    """The fold of a journal; it is kept up to date record by record and never stored.

    Attributes:
        totals: Calls, tokens and cost.
        ledger: What the calls cost or may have cost.
        files: The last write of every file, by name.
        changes: Ids of the changes of several files that have happened.
        exam: The passages on which judges are examined, and names in them; None before there was
            anything to judge.
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.totals = Totals()
        self.ledger = Ledger()
        self.files: dict[str, FileRecord] = {}
        self.changes: set[str] = set()
        self.exam: tuple[tuple[str, ...], tuple[str, ...]] | None = None
        self._replies: dict[str, Mapping[str, Any]] = {}
        self._steps: dict[str, str] = {}
        self._filtered: set[str] = set()
        self._ours: dict[str, set[str]] = {}
        self._again: list[str] = []
        self._unmade: set[str] = set()
        for record in records:
            self.fold(record)

    def fold(self, record: Record) -> None:
        """Take one more record into account; other kinds are skipped."""
        fold = getattr(self, f"_fold_{record.get('t', '')}", None)
        if fold is not None:
            fold(record)

    @property
    def open_calls(self) -> Mapping[str, OpenCall]:
        """Calls without an outcome, by key."""
        return self.ledger.open

    def after(self, record: Record) -> "Manifest":
        """The manifest with one more record about files; this one stays as it is."""
        # Calls are many, and no record about files changes them, so both share them.
        shared = {id(one): one for one in (self._replies, self._steps)}
        twin = deepcopy(self, shared)
        twin.fold(record)
        return twin

    def reply(self, key: str) -> Mapping[str, Any] | None:
        """The completion of a finished call, or None."""
        return self._replies.get(key)

    def step_of(self, key: str) -> str:
        """The step that asked by a call, as it was called then; "" where nothing tells."""
        return self._steps.get(key, "")

    def filtered(self, key: str) -> bool:
        """Whether a call was ever filtered."""
        return key in self._filtered

    def is_ours(self, name: str, sha: str) -> bool:
        """Whether the program ever wrote this content to this file, or was given it."""
        return sha in self._ours.get(name, ())

    def generation(self, step: str) -> int:
        """How often the step, or one that holds it, was asked to be written again."""
        return sum(step == again or step.startswith(f"{again}/") for again in self._again)

    def asked_again(self, step: str) -> bool:
        """Whether the step, or a part of it, was asked to be written again and has not been since."""
        return step in self._unmade or bool(self.parts_asked_again(step))

    def parts_asked_again(self, step: str) -> tuple[str, ...]:
        """The parts of the step that were asked for; none where all of it was, too."""
        if step in self._unmade:
            return ()
        parts = (one.removeprefix(f"{step}/") for one in self._unmade if one.startswith(f"{step}/"))
        return tuple(sorted(parts))

    def _fold_sent(self, record: Record) -> None:
        call = OpenCall(record["step"], record["model"], record.get("est_usd"))
        self._steps[record["k"]] = call.step
        self.ledger.leave(record["k"], call)

    def _fold_done(self, record: Record) -> None:
        completion = record["completion"]
        self.ledger.answer(record["k"], completion)
        self._replies[record["k"]] = completion
        self.totals = _with_reply(self.totals, completion)

    def _fold_fail(self, record: Record) -> None:
        self.ledger.fail(record["k"], record.get("usd", 0.0))
        filtered = record["kind"] == "filtered"
        if filtered:
            self._filtered.add(record["k"])
        self.totals = replace(
            self.totals,
            failed=self.totals.failed + 1,
            filtered=self.totals.filtered + filtered,
        )

    def _fold_write(self, record: Record) -> None:
        name, keys = record["p"], tuple(record["k"])
        self._settle(record["step"])
        made = FileRecord(record["sha"], record["step"], record["in"], record["params"], keys)
        self.files[name] = made
        self._ours.setdefault(name, set()).add(made.sha)

    def _fold_placed(self, record: Record) -> None:
        last = self.files.get(record["p"])
        if last is not None and last.sha == record["sha"]:
            self.files[record["p"]] = replace(last, placed=True)

    def _fold_adopt(self, record: Record) -> None:
        name, sha = record["p"], record["sha"]
        if "step" in record:
            self._settle(record["step"])
        last = self.files.get(name, FileRecord(sha))
        # What shaped the program's text is known of the author's as well: it began there.
        params = last.params if sha == last.sha else {**last.params, OWN: "yes"}
        self.files[name] = replace(last, sha=sha, inputs=record["in"], params=params, placed=True)
        self._ours.setdefault(name, set()).add(sha)

    def _settle(self, step: str) -> None:
        """The step and its parts are not asked for again any more."""
        self._unmade = {
            one for one in self._unmade if one != step and not one.startswith(f"{step}/")
        }

    def _fold_anew(self, record: Record) -> None:
        self._again.append(record["step"])

    def _fold_again(self, record: Record) -> None:
        self._fold_anew(record)
        self._unmade.add(record["step"])

    def _fold_exam(self, record: Record) -> None:
        self.exam = tuple(record["passages"]), tuple(record["names"])

    def _fold_reshaped(self, record: Record) -> None:
        self.changes.add(record["id"])
        files, ours = dict(self.files), dict(self._ours)
        for name in record["files"]:
            self.files.pop(name, None)
            self._ours.pop(name, None)
        for name, made in record["files"].items():
            known = None if made is None else _reshaped(made, files)
            if made is not None and known is not None:
                self.files[name] = known
                self._ours[name] = {*ours.get(made.get("from", ""), ()), known.sha}
        steps = record["steps"]
        self._again = [new for step in self._again if (new := _moved(step, steps))]
        self._unmade = {new for step in self._unmade if (new := _moved(step, steps))}
        for step in record["again"]:
            self._fold_again({"step": step})


def _reshaped(made: Record, files: Mapping[str, FileRecord]) -> FileRecord | None:
    """What is known of a file after a change: of the file it came from, or of its new content."""
    if "from" not in made:
        params, keys = made["params"], tuple(made["k"])
        return FileRecord(made["sha"], made["step"], made["in"], params, keys, placed=True)
    source = files.get(made["from"])  # None where the record of its writing was damaged
    return source and replace(source, step=made["step"], inputs=made["in"])


def _moved(step: str, steps: Mapping[str, str | None]) -> str | None:
    """The path of a step, or of a part of it, after a change; None where the step is gone."""
    for old, new in steps.items():
        if step == old or step.startswith(f"{old}/"):
            return None if new is None else new + step.removeprefix(old)
    return step


def _with_reply(totals: Totals, completion: Mapping[str, Any]) -> Totals:
    usage = completion.get("usage") or {}
    known = usage if usage.get("known") else {}
    cost = completion.get("cost_usd")
    return replace(
        totals,
        calls=totals.calls + 1,
        input_tokens=totals.input_tokens + known.get("input_tokens", 0),
        cached_tokens=totals.cached_tokens + known.get("cached_tokens", 0),
        output_tokens=totals.output_tokens + known.get("output_tokens", 0),
        cost_usd=totals.cost_usd + (cost if cost is not None else 0.0),
        unknown_costs=totals.unknown_costs + (cost is None),
    )
