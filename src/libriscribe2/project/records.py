"""The records of the journal: what each one says, how it is spelled, and what the set of them is.

Every record is a JSON object whose `t` names its kind; the journal adds `at`, the time, and
`after`, the records that were the newest until then. A reader skips kinds that it does not know, and
a record whose kind it knows and whose shape is another one (`fits`) counts as damaged.
"""

import json
import re
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from operator import itemgetter
from typing import Annotated, Any, Final, NotRequired

from pydantic import ConfigDict, Field, InstanceOf, StringConstraints, TypeAdapter
from pydantic_core import PydanticSerializationError, SchemaValidator, to_json
from typing_extensions import TypedDict

from libriscribe2.project.texts import canonical_json, utf8

Record = dict[str, Any]
"""One line of the journal."""

FORMAT: Final = 2
"""The format that this program writes, and the newest that it reads.

It is raised with every kind of record, and every field, without which an older program would
misread a book; such a program then refuses the folder.
"""

_Text = InstanceOf[str]
"""Any text; pydantic's own takes no half of a surrogate pair, and a paid reply may hold one."""

_PART: Final = r"\.{0,2}[^./\\:\x00-\x1f][^/\\:\x00-\x1f]{0,60}"
_Name = Annotated[str, StringConstraints(pattern=f"^({_PART}/)*{_PART}$")]
"""The name of a file inside the project."""

_Usd = Annotated[float, Field(ge=0, le=1e9)]
_Count = Annotated[int, Field(ge=0, le=10**12)]
_Inputs = dict[_Text, _Text | None]


class _Usage(TypedDict):
    input_tokens: NotRequired[_Count]
    output_tokens: NotRequired[_Count]
    cached_tokens: NotRequired[_Count]
    reasoning_tokens: NotRequired[_Count]
    known: NotRequired[bool]


class _Completion(TypedDict):
    reply: _Text
    reasoning: NotRequired[_Text | None]
    finish_reason: NotRequired[_Text | None]
    usage: NotRequired[_Usage | None]
    cost_usd: NotRequired[_Usd | None]
    model: NotRequired[_Text | None]
    tool_calls: NotRequired[list[dict[_Text, Any]]]
    seconds: NotRequired[_Usd]


class _Params(TypedDict):
    models: NotRequired[list[_Text]]
    prompts: NotRequired[dict[_Text, _Text]]
    packs: NotRequired[list[dict[_Text, Any]]]
    allow: NotRequired[list[_Text]]
    plans: NotRequired[list[_Text]]
    partly: NotRequired[bool]
    declined: NotRequired[Any]
    unsupported: NotRequired[Any]
    draft: NotRequired[_Text]
    own: NotRequired[_Text]


_MADE: Final = {"step": _Text, "in": _Inputs, "params": _Params, "k": list[_Text]}
_Made = TypedDict("_Made", {"sha": _Text | None, **_MADE})  # type: ignore[misc]  # `in` is a keyword
_Made.__pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[attr-defined]
_Moved = TypedDict("_Moved", {"from": _Name, "step": _Text, "in": _Inputs})

_SHAPES: Final[Mapping[str, Mapping[str, Any]]] = {
    "run": {"id": _Text, "version": _Text, "cmd": _Text},
    "sent": {"k": _Text, "step": _Text, "model": _Text, "est_usd": NotRequired[_Usd | None]},
    "done": {"k": _Text, "completion": _Completion},
    "fail": {
        "k": _Text,
        "kind": _Text,
        "status": NotRequired[int | None],
        "usd": NotRequired[_Usd],
    },
    "write": {"p": _Name, "sha": _Text, **_MADE},
    "placed": {"p": _Name, "sha": _Text},
    "adopt": {"p": _Name, "sha": _Text, "in": _Inputs, "step": NotRequired[_Text]},
    "reshaped": {
        "id": _Text,
        "files": dict[_Name, _Moved | _Made | None],
        "steps": dict[_Text, _Text | None],
        "again": list[_Text],
    },
    "exam": {"passages": list[_Text], "names": list[_Text]},
    "anew": {"step": _Text},
    "again": {"step": _Text},
    "": {},
}
_EVERY: Final = {"at": NotRequired[_Text], "after": NotRequired[list[_Text]]}


@cache
def _validator(kind: str) -> SchemaValidator:
    shape = TypedDict(kind or "other", {**_SHAPES[kind], **_EVERY})  # type: ignore[misc]
    return TypeAdapter(shape).validator  # type: ignore[return-value]


def fits(record: Record) -> bool:
    """Whether a record has the shape of its kind; a kind that nobody knows fits."""
    kind = record.get("t")
    if not isinstance(kind, str):
        return False
    known = kind if kind in _SHAPES else ""
    return _validator(known).isinstance_python(record, strict=True)


def run(run_id: str, *, version: str, command: str) -> Record:
    """A process starts working on the project."""
    return {"t": "run", "id": run_id, "version": version, "cmd": command}


def sent(key: str, *, step: str, model: str, est_usd: float | None = None) -> Record:
    """A request is about to leave; it costs `est_usd` US dollars at most, where that is known."""
    held = {} if est_usd is None else {"est_usd": est_usd}
    return {"t": "sent", "k": key, "step": step, "model": model, **held}


def done(key: str, completion: Mapping[str, Any]) -> Record:
    """A reply came; it is kept as it is, before anyone reads it."""
    return {"t": "done", "k": key, "completion": dict(completion)}


def fail(key: str, *, kind: str, status: int | None, usd: float = 0.0) -> Record:
    """A request brought no reply; `usd` US dollars may have been paid all the same."""
    return {"t": "fail", "k": key, "kind": kind, "status": status, "usd": usd}


def write(
    name: str,
    sha: str,
    *,
    step: str,
    inputs: Mapping[str, str | None],
    params: Mapping[str, Any],
    keys: Sequence[str],
) -> Record:
    """This content of a file is the program's own; said before the file is replaced."""
    made = {"step": step, "in": dict(inputs), "params": dict(params), "k": list(keys)}
    return {"t": "write", "p": name, "sha": sha, **made}


def placed(name: str, sha: str) -> Record:
    """The file has the content that `write` announced."""
    return {"t": "placed", "p": name, "sha": sha}


def adopt(name: str, sha: str, inputs: Mapping[str, str | None], step: str = "") -> Record:
    """The author wants his own content of a file to count as the program's.

    With the step that makes the file, the step is not to be done again.
    """
    done_with = {"step": step} if step else {}
    return {"t": "adopt", "p": name, "sha": sha, "in": dict(inputs), **done_with}


def reshaped(
    change: str,
    *,
    files: Mapping[str, Mapping[str, Any] | None],
    steps: Mapping[str, str | None],
    asked: Sequence[str] = (),
) -> Record:
    """The author changed the order of the chapters; several files changed together.

    Args:
        change: The id of the change (`structure_change.Change`).
        files: What is known of each file from now on: None for nothing; `from`, `step` and `in`
            where a file's content came from another name; `sha`, `step`, `in`, `params` and `k`
            (as in `write`) where the program put new content there.
        steps: New path of every step whose path is another now; None where the step is gone.
        asked: Steps that have to be done again because of the change.
    """
    made = {name: None if one is None else dict(one) for name, one in files.items()}
    return {
        "t": "reshaped",
        "id": change,
        "files": made,
        "steps": dict(steps),
        "again": list(asked),
    }


def exam(passages: Sequence[str], names: Sequence[str]) -> Record:
    """On these passages, and with these names in them, the book's judges are examined."""
    return {"t": "exam", "passages": list(passages), "names": list(names)}


def anew(step: str) -> Record:
    """What was replied to a step could not be used; the next run asks by new requests."""
    return {"t": "anew", "step": step}


def again(step: str) -> Record:
    """The author wants a step, and all below it, to be written again by new requests."""
    return {"t": "again", "step": step}


@dataclass(frozen=True, slots=True)
class JournalScan:
    """What the bytes of a journal say.

    Attributes:
        records: The records that are whole, each after those that it names.
        damaged: The complete lines that cannot be believed, by their number from 1.
        length: Bytes up to the end of the last complete line; what follows was torn off by a
            crash and had not been acknowledged to anyone.
        lines: The records by what their line is told from others by (`hash`), in the file's order.
        numbers: The number of each record, damaged ones too, by the checksum of its line.
        tips: The numbers of the records that no other one names, and of newer ones that are lost,
            by the checksums of their lines.
        missing: How many records, at least, are named and not there.
        torn: The number of a last line that is not complete; 0 where there is none.
    """

    records: tuple[Record, ...]
    damaged: Mapping[int, bytes]
    length: int
    lines: Mapping[int, Record] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    tips: Mapping[str, int] = field(default_factory=dict)
    missing: int = 0
    torn: int = 0


def encode_line(record: Record) -> bytes:
    """The line that holds `record`."""
    try:
        body = to_json(record)
    except PydanticSerializationError:  # half a surrogate pair
        body = utf8(canonical_json(record))
    return b"%08x %s\n" % (zlib.crc32(body), body)


def decode_line(line: bytes) -> Record | None:
    """The record in a line without its line feed; None where the line is damaged."""
    checksum, _, body = line.partition(b" ")
    if checksum != b"%08x" % zlib.crc32(body):
        return None
    try:
        # As `json.loads` reads bytes, without its search for their encoding.
        record = json.loads(body.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


_BETWEEN: Final = re.compile(rb"(?:<{7}|\|{7}|>{7})(?: .*)?|={7}|")
"""What git puts between the halves of a merge, and empty lines."""


def _numbered_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The complete lines of a journal without their ends, be they those of Windows."""
    for number, line in enumerate(data[: data.rfind(b"\n") + 1].split(b"\n"), start=1):
        whole = line.removesuffix(b"\r")
        if _BETWEEN.fullmatch(whole) is None:
            yield number, whole


def scan(data: bytes) -> JournalScan:
    """Read lines of records, in their order and whatever their shapes."""
    records: list[Record] = []
    damaged: dict[int, bytes] = {}
    for number, line in _numbered_lines(data):
        record = decode_line(line)
        if record is None:
            damaged[number] = line
        else:
            records.append(record)
    return JournalScan(tuple(records), damaged, data.rfind(b"\n") + 1)


def scan_journal(data: bytes, head: bytes = b"") -> JournalScan:
    """Read the bytes of a journal as what it is: a set of records.

    Each record names those that were the newest when it was added, so lines may be there twice
    and in any order, as a merge of two copies leaves them. Old records name none: theirs is the line
    before.

    Args:
        data: The journal.
        head: What `Journal` keeps beside it: the newest records.
    """
    lines: dict[int, Record] = {}
    order: list[tuple[int, str, str, Record]] = []
    damaged: dict[int, bytes] = {}
    numbers: dict[str, int] = {}
    named: dict[str, int] = {}
    before: dict[str, int] = {}
    for place, line in _numbered_lines(data):
        known, record = hash(line), decode_line(line)
        told, crc = before, _start(line)
        if record is None or not fits(record):
            damaged[place] = line
            number = max(told.values(), default=0) + 1
        else:
            if "after" in record:
                if known in lines:
                    continue
                told = _names(" ".join(record["after"]))
            number = max(told.values(), default=0) + 1
            named |= told
            lines[known] = record
            order.append((number, record.get("at", ""), crc, record))
        numbers[crc] = number
        before = {crc: number}
    order.sort(key=itemgetter(0, 1, 2))
    newest = _names(head.decode("ascii", "replace"))
    tips = {crc: number for crc, number in numbers.items() if crc not in named}
    # What is lost is named by the next record, so that it is never forgotten.
    tips |= {crc: number for crc, number in newest.items() if crc not in numbers}
    named |= newest
    return JournalScan(
        tuple(entry[3] for entry in order),
        damaged,
        data.rfind(b"\n") + 1,
        lines,
        numbers,
        tips,
        # A checksum that is damaged itself makes no other record look lost.
        max(0, _missing(named, numbers) - len({*map(_start, damaged.values())} - named.keys())),
        0 if not data or data.endswith(b"\n") else data.count(b"\n") + 1,
    )


def _start(line: bytes) -> str:
    """What should be the checksum of a line."""
    return line[:8].decode("ascii", "backslashreplace")


_NAME: Final = re.compile(r"\b([0-9]{1,9})-([0-9a-f]{8})\b")


def _names(text: str) -> dict[str, int]:
    """The records that are named: their numbers by their checksums."""
    return {crc: int(number) for number, crc in _NAME.findall(text)}


def _missing(named: Mapping[str, int], present: Mapping[str, int]) -> int:
    """How many records, at least, are named and not there."""
    there = sorted(present.values())
    gaps = 0
    for number in sorted(number for crc, number in named.items() if crc not in present):
        last = bisect_left(there, number)
        gaps += max(1, number - (there[last - 1] if last else 0))
        there[last:last] = [number]
    return gaps


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpRecord:
    """One attempt of a conversation with a model, as its dump shows it.

    Attributes:
        agent_name: Class name of the agent.
        raw_response: The reply, unchanged.
        formatting_issues: What stood around or in the reply and should not.
        content_type: `json` where a value of a schema was asked for, else `prose`.
        extraction_method: The cleanup step that found the value; `failed` where none did.
        attempt: 1 for the first request of a conversation.
        stage: The stage that asked, such as `chapters`.
        step: Path of the work, such as `chapters/ch03/scene02`.
        model: The model that was asked.
        prompt: The conversation that was sent.
        reasoning: The model's thoughts where the provider gives them apart.
        repairs: Every change that made JSON of the reply.
        validation_errors: Fields that were missing or wrong.
        feedback: What the parser had to say to the model; empty for a usable reply.
        clean: What was read of the reply, as plain JSON; None where it was refused.
        reader: How the reply was read (`ReplyReader.said`); None where nobody wrote it down.
        finish_reason: Why the model stopped.
        usage: Tokens.
        cost_usd: The price in US dollars; None where nobody knows.
        seconds: Wall time of the request.
        key: The request's key in the journal.
    """

    agent_name: str
    raw_response: str
    formatting_issues: Sequence[str] = ()
    extraction_method: str = ""
    content_type: str = "prose"
    attempt: int = 1
    stage: str
    step: str = ""
    model: str = ""
    prompt: Sequence[Mapping[str, Any]] = ()
    reasoning: str | None = None
    repairs: Sequence[Mapping[str, Any]] = ()
    validation_errors: Sequence[str] = ()
    feedback: str = ""
    clean: Any = None
    reader: Mapping[str, Any] | None = None
    finish_reason: str | None = None
    usage: Mapping[str, Any] | None = None
    cost_usd: float | None = None
    seconds: float = 0.0
    key: str = ""
