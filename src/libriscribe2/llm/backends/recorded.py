"""A recording of a book's replies, and the backend that answers from it.

A reply belongs to its step, attempt and part, not to the bytes of a prompt, so that a recording
survives other wording. It was given to one shape, though: where a step asks for another one today,
the recording does not answer, and neither does anything in its place.
"""

import gzip
import hashlib
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import reduce
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, InstanceOf, ValidationError

from libriscribe2.errors import ModelError
from libriscribe2.llm.backend import BackendError, Completion, Request, Usage
from libriscribe2.llm.fallbacks import CONTINUE, NOT_RECORDED, joined
from libriscribe2.llm.providers import RECORDED
from libriscribe2.models.brief import Brief
from libriscribe2.project.atomic import read_regular
from libriscribe2.prose import shorten
from libriscribe2.wording import one_line, plain_fault

RECORDING_FILE: Final = "recording.json"
"""The copy in the folder of a book that is played."""

NOBODY: Final = "no writer"
"""Who gave a reply that the recording's own `missing` has for a step."""

TEXT: Final = "text"
"""The shape of prose."""

MOST_BYTES: Final = 64 * 2**20
_LONGEST_TITLE: Final = 100

_PLACE: Final = r"samples|prompts|given|notes|research/sources|\.libriscribe/series"
_Name = Annotated[str, Field(pattern=rf"^({_PLACE})/[^/\\:\x00-\x1f]*[^/\\:\x00-\x1f.]$")]
_Line = InstanceOf[str]
"""Any text; pydantic's own takes no half of a surrogate pair, and a reply may hold one."""

_Count = Annotated[int, Field(ge=0, le=10**12)]


class RecordedReply(BaseModel):
    """One reply.

    Attributes:
        step: Path of the work that asked, such as `chapters/ch03/scene02`.
        attempt: 1 for the first request of a conversation.
        part: 1 for the beginning of a reply; more for what continues a text that was cut.
        shape: What it was asked to be (`shape_of`).
        by: Who gave it; "" is the recording's own model.
        reply: Its lines.
        reasoning: The lines of the model's thoughts.
        finish_reason: Why it ended.
        tokens: Tokens in and out; None where nobody said.
        tool_calls: Native tool calls in OpenAI's form.
    """

    model_config = ConfigDict(extra="forbid")

    step: str
    attempt: Annotated[int, Field(ge=1)] = 1
    part: Annotated[int, Field(ge=1)] = 1
    shape: str
    by: str = ""
    reply: list[_Line]
    reasoning: list[_Line] | None = None
    finish_reason: str | None = "stop"
    tokens: tuple[_Count, _Count] | None = None
    tool_calls: list[dict[str, Any]] = []

    @classmethod
    def of(cls, request: Request, part: int, answer: Completion, by: str) -> "RecordedReply":
        """A reply as it is kept."""
        usage, thoughts = answer.usage, answer.reasoning
        return cls(
            step=request.step,
            attempt=request.attempt,
            part=part,
            shape=shape_of(request),
            by=by,
            reply=answer.reply.split("\n"),
            reasoning=None if thoughts is None else thoughts.split("\n"),
            finish_reason=answer.finish_reason,
            tokens=(usage.input_tokens, usage.output_tokens) if usage.known else None,
            tool_calls=[dict(one) for one in answer.tool_calls],
        )

    @property
    def place(self) -> tuple[str, int, int]:
        """By what it is found."""
        return self.step, self.attempt, self.part

    def completion(self, model: str) -> Completion:
        """The reply as a backend gives it: nothing is paid for it."""
        tokens = Usage(*self.tokens, known=True) if self.tokens is not None else Usage()
        return Completion(
            "\n".join(self.reply),
            None if self.reasoning is None else "\n".join(self.reasoning),
            self.finish_reason,
            tokens,
            0.0,
            self.by or model,
            tuple(self.tool_calls),
        )


class Recording(BaseModel):
    """A finished book's replies, with all that it takes to write it again.

    Attributes:
        format: Says what the file is.
        version: Of the file's own form.
        title: The book's title.
        date: The day of the last reply.
        model: Who wrote most of the replies.
        cost_usd: What they cost; None where nobody knows.
        notes: What a reader should know: edits of the author that it does not hold, steps that
            were answered later and by whom.
        evaluator: Whether revised chapters were evaluated.
        whole_chapters: Whether each chapter was asked for at once.
        brief: What the author asked for.
        files: What the book was given, by name: the lines of a text, or the bytes in Base64.
        missing: Replies of nobody to steps that the recording lacks, by a pattern of the step.
        steps: The replies, in the order in which they came.
    """

    model_config = ConfigDict(extra="forbid")

    format: Literal["libriscribe2 recording"]
    version: Literal[1]
    title: str = ""
    date: str = ""
    model: str
    cost_usd: float | None = None
    notes: list[str] = []
    evaluator: bool = False
    whole_chapters: bool = False
    brief: Brief
    files: dict[_Name, list[str] | Base64Bytes] = {}
    missing: dict[str, str] = {}
    steps: list[RecordedReply]


def shape_of(request: Request) -> str:
    """The version of what a request asks for: `text`, or a hash of its schema and its tools.

    Descriptions are wording and no part of it.
    """
    if request.schema is None and not request.tools:
        return TEXT
    asked = json.dumps(_plain([request.schema, *request.tools]), sort_keys=True)
    return hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _plain(part: Any) -> Any:
    if isinstance(part, Mapping):
        kept = (one for one in part.items() if one[0] != "description" or isinstance(one[1], dict))
        return {name: _plain(value) for name, value in kept}
    return [*map(_plain, part)] if isinstance(part, list | tuple) else part


def read_recording(model: str, folder: Path | None = None) -> Recording:
    """The recording that a model's name stands for.

    Args:
        model: `recorded:FILE`, by a path from the working folder; `recorded` is that in `folder`.
        folder: The project's folder.

    Raises:
        ModelError: There is none, or the file is something else.
    """
    named = model.partition(":")[2]
    path = Path(named) if named else None if folder is None else folder / RECORDING_FILE
    if path is None:
        raise ModelError(f"{model!r} names no file", fix="write --model recorded:FILE")
    try:
        if path.stat().st_size > MOST_BYTES:
            raise _unfit(path, f"it has more than {MOST_BYTES // 2**20} MiB")
        told = json.loads(_unpacked(path).decode("utf-8", "surrogatepass"))
        found = Recording.model_validate(told)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise _unfit(path, f"{where}: {plain_fault(first)}") from error
    except OSError as error:
        raise _unfit(path, error.strerror or str(error)) from error
    except (ValueError, RecursionError, EOFError, zlib.error) as error:
        raise _unfit(path, "it is not whole JSON") from error
    counts = Counter(one.place for one in found.steps).most_common(1)
    if counts and counts[0][1] > 1:
        raise _unfit(path, f"it has {_named(*counts[0][0])} twice")
    return found


def _unpacked(path: Path) -> bytes:
    """The bytes of a recording, which may be packed by gzip.

    Raises:
        OSError: It cannot be read.
        ValueError: What is packed is too large.
    """
    data = read_regular(path)
    if path.suffix != ".gz":
        return data
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
        unpacked = packed.read(MOST_BYTES + 1)
    if len(unpacked) > MOST_BYTES:
        raise ValueError(path)
    return unpacked


_FIX: Final = "`libriscribe2 record PROJECT FILE` makes one of a finished book"


def _unfit(path: Path, why: str) -> ModelError:
    return ModelError(f"{str(path)!r} cannot be played as a recording", why, _FIX)


def check_recording(model: str, folder: Path | None, premise: str) -> None:
    """Make sure that a recording can be read, and is one of the book.

    Args:
        model: As for `read_recording`.
        folder: The project's folder; None where there is none yet.
        premise: What the book is about; "" where nobody knows yet.

    Raises:
        ModelError: It is not.
    """
    if model == RECORDED and folder is None:
        return  # the new folder gets what was read already
    if read_recording(model, folder).brief.premise != premise and premise:
        raise ModelError(
            f"{model!r} is the recording of another book",
            "its premise is different",
            "play it with `libriscribe2 create --model recorded:FILE`",
        )


class RecordedAuthor:
    """A `Backend` that answers from a recording.

    Args:
        recording: What it answers from.
        in_turn: Whether a question gets the next reply of its step, whatever its attempt and its
            shape: for whoever makes a recording, or looks which replies can still be read.

    Attributes:
        played: The replies that were given, each beside what it is today.
    """

    def __init__(self, recording: Recording, *, in_turn: bool = False) -> None:
        self._recording = recording
        self._in_turn = in_turn
        self._replies = {one.place: one for one in recording.steps}
        self.played: list[tuple[RecordedReply, RecordedReply]] = []

    async def complete(self, request: Request) -> Completion:
        """The reply of the step.

        Raises:
            BackendError: The recording has none, or one of another shape.
        """
        found, part = self._found(request)
        answer = found.completion(self._recording.model)
        self.played.append((found, RecordedReply.of(request, part, answer, found.by)))
        return answer

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """The same paragraph by paragraph."""
        completion = await self.complete(request)
        for piece in re.findall(r"[^\n]*\n*", completion.reply):
            yield piece
        yield completion

    def _found(self, request: Request) -> tuple[RecordedReply, int]:
        """The reply, and which part of a long one is asked for.

        Raises:
            BackendError: There is none.
        """
        part, wanted = self._part(request), shape_of(request)
        if self._in_turn:
            given = {id(one) for one, _ in self.played}
            left = (one for one in self._replies.values() if one.step == request.step)
            found = next((one for one in left if id(one) not in given), None)
        else:
            found = self._replies.get((request.step, request.attempt, part))
        if found is None or request.generation:
            found = self._by_nobody(request, part, wanted)
        if found.shape != wanted and not self._in_turn:
            raise _unanswered(
                f"the reply to {_named(*found.place)} has the shape {found.shape}; "
                f"{wanted} is asked for today (`libriscribe2 record --renew` tries to read it)"
            )
        return found, part

    def _by_nobody(self, request: Request, part: int, wanted: str) -> RecordedReply:
        """What the recording says where it has no reply.

        Raises:
            BackendError: It says nothing.
        """
        by_nobody = self._recording.missing
        told = [reply for name, reply in by_nobody.items() if fnmatchcase(request.step, name)]
        if told and part == 1:
            reply = told[0].split("\n")
            return RecordedReply(step=request.step, shape=wanted, by=NOBODY, reply=reply)
        named = _named(request.step, request.attempt, part)
        again = " asked again" if request.generation else ""
        title = shorten(one_line(self._recording.title), _LONGEST_TITLE)
        book = f" in the recording of {title!r}" if title else ""
        raise _unanswered(f"there is no reply to {named}{again} (shape {wanted}){book}")

    def _part(self, request: Request) -> int:
        """Which part of a long reply is asked for: what came so far stands in the request."""
        if request.messages[-1].get("content") != CONTINUE:
            return 1
        if self._in_turn:
            return 1 + next(now.part for _, now in self.played[::-1] if now.step == request.step)
        so_far, part = str(request.messages[-2].get("content")), 0
        parts: list[Completion] = []
        while (one := self._replies.get((request.step, request.attempt, part + 1))) is not None:
            part += 1
            parts.append(one.completion(""))
            if reduce(joined, parts).reply == so_far:
                break
        return part + 1


def _named(step: str, attempt: int, part: int) -> str:
    more: Sequence[tuple[str, int]] = (("attempt", attempt), ("part", part))
    return ", ".join([step, *(f"{name} {number}" for name, number in more if number > 1)])


def _unanswered(why: str) -> BackendError:
    return BackendError(NOT_RECORDED, why, unsent=True)
