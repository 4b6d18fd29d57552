"""The model `manual`: a person pastes each request into a chat window, and its reply back.

Nobody waits: a request whose reply is not there is written down, and its run ends with what does not
need it. The next run finds the reply and replays the rest from the journal.

    manual/007-scenes.md          what to paste, below a line that says so
    manual/007-scenes.reply.md    what came of it
    .libriscribe/manual.json      which requests each file holds, by key

Requests that wait at the same time share a paste, as far as the window's limits allow.
"""

import re
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import replace
from typing import Final, Literal

from pydantic import BaseModel, ValidationError

from libriscribe2.errors import ProjectError, StorageError
from libriscribe2.llm.backend import DEFAULT_SIZE_CAP, Completion, Request
from libriscribe2.llm.backends.paste import (
    FOLDER,
    PASTE_ALL,
    PASTE_TURN,
    Paste,
    bundles,
    is_prose,
    misfit,
    page,
    paste_of,
    wanted_words,
)
from libriscribe2.llm.session import ReplyAwaitedError
from libriscribe2.project.atomic import PRIVATE, atomic_write, make_folder, storage_errors
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import STATE, ProjectPaths
from libriscribe2.project.texts import decode_text, readable_json, utf8
from libriscribe2.replies.pasted import (
    going_on,
    parts_of,
    pasted_json,
    pasted_prose,
    plain_lines,
    stops_inside,
)
from libriscribe2.wording import counted, plain_fault

INDEX: Final = f"{STATE}/manual.json"

PROSE: Final = 300
"""A text of so many words has to end with a sentence; a critique may end with a list."""

_START: Final = 200
"""So many characters tell a text from others."""

_SHORT: Final = 400
"""Two answers of so many characters may well be the same, such as an empty list."""


class _Index(BaseModel):
    """The list of all pastes, as the file has it."""

    v: Literal[1] = 1
    pastes: tuple[Paste, ...]


class Pastes:
    """The files of a project by which a person is asked.

    Args:
        paths: The project.

    Raises:
        ProjectError: The folder leads out of the project, or the index is damaged.
        StorageError: A file cannot be read.
    """

    def __init__(self, paths: ProjectPaths) -> None:
        self._paths = paths
        self.all = self._read_index()

    def waiting(self, manifest: Manifest) -> list[Paste]:
        """The pastes that somebody has to answer before the next run gets further."""
        return [
            one
            for one in self.all
            if one.waits
            and not self.reply_of(one)
            and any(manifest.reply(key) is None for key in one.keys)
        ]

    def reply_of(self, paste: Paste) -> str:
        """The reply beside a paste; "" where there is none, or nothing in it."""
        path = self._paths.resolve(paste.reply_file)
        with storage_errors("read", path):
            data = path.read_bytes() if path.is_file() else b""
        return read_reply_bytes(paste.reply_file, data)

    def answer_to(self, key: str) -> str:
        """What the replies say to one request, from the newest; "" where none says anything."""
        for paste in reversed(self.all):
            if key in paste.keys:
                parts = parts_of(self.reply_of(paste), paste.prose)
                found = parts.get(paste.keys.index(key) + 1, "")
                if found:
                    return found
        return ""

    def lacking(self, asked: Collection[str]) -> list[str]:
        """The replies that are there and say nothing to a request, by their files."""
        return [
            one.reply_file
            for one in self.all
            if one.waits and any(key in asked for key in one.keys) and self.reply_of(one)
        ]

    def text_of(self, paste: Paste, *, whole: bool = False) -> str:
        """What is to be pasted: the new turn where the chat is open, or everything.

        Raises:
            StorageError: The file cannot be read.
        """
        path = self._paths.resolve(paste.file)
        with storage_errors("read", path):
            text = decode_text(paste.file, path.read_bytes())
        turn, _, everything = text.partition(f"\n{PASTE_ALL}\n")
        new = turn.partition(f"\n{PASTE_TURN}\n")[2].strip()
        return new if new and not whole else everything.strip() or text

    def keep_reply(self, paste: Paste, text: str) -> None:
        """Put a reply beside its paste.

        Raises:
            StorageError: It cannot be written.
        """
        self._write(paste.reply_file, text.rstrip("\n") + "\n")

    def objection(self, paste: Paste, text: str) -> str:
        """Why a text can be no reply to a paste, in words; "" where it may be one."""
        text = plain_lines(text).strip()
        if not text:
            return "There is nothing in it."
        if "\0" in text or text.count("\ufffd") > len(text) // 20:
            return "It is no text."
        if len(text) > DEFAULT_SIZE_CAP:
            return f"It has {len(text):,} characters; no reply is as long."
        if " ".join(text.split())[:_START] == " ".join(self.text_of(paste).split())[:_START]:
            return "It is the request itself, not the chat's answer."
        if len(text) > _SHORT and text == self._before(paste):
            return "It is the answer that was given before."
        return misfit(paste, text)

    def _before(self, paste: Paste) -> str:
        """The answer that was given before; one that cannot be read is none."""
        answered = [one for one in self.all if one.name < paste.name]
        try:
            return self.reply_of(answered[-1]) if answered else ""
        except (ProjectError, StorageError):
            return ""

    def hand_out(self, asked: Sequence[Request]) -> list[Paste]:
        """Write down what is asked and not written yet; returns all that has to be answered."""
        by_key = {one.key(): one for one in asked}
        waiting: list[Paste] = []
        for paste in self.all:
            own = [key for key in paste.keys if key in by_key]
            is_there = self._paths.resolve(paste.file).is_file()
            if own and not self.reply_of(paste) and (is_there or len(own) == len(paste.keys)):
                waiting.append(paste)
                if not is_there:
                    self._write(paste.file, page(paste, [by_key[key] for key in paste.keys]))
                for key in own:
                    del by_key[key]
        number = self._last_number()
        fresh: dict[Paste, list[Request]] = {}
        for bundle in bundles(by_key.values()):
            number += 1
            stage = bundle[0].step.partition("/")[0]
            fresh[paste_of(f"{number:03d}-{stage}", bundle)] = bundle
        waiting = [*waiting, *fresh]
        self.all = [*(replace(one, waits=one in waiting) for one in self.all), *fresh]
        if fresh or self.all:
            index = _Index(pastes=tuple(self.all))
            self._write(INDEX, readable_json(index.model_dump(mode="json")))
        for paste, bundle in fresh.items():
            self._write(paste.file, page(paste, bundle))
        return waiting

    def _last_number(self) -> int:
        """The highest number that a file of the folder has, or had."""
        folder = self._paths.resolve(FOLDER)
        names = [one.name for one in self.all]
        with storage_errors("read", folder):
            names += [one.name for one in folder.iterdir()] if folder.is_dir() else []
        numbers = (re.match(r"\d+", name) for name in names)
        return max((int(one[0]) for one in numbers if one), default=0)

    def _read_index(self) -> list[Paste]:
        path = self._paths.resolve(INDEX)
        self._paths.resolve(FOLDER)
        if not path.is_file():
            return []
        with storage_errors("read", path):
            data = path.read_bytes()
        try:
            return list(_Index.model_validate_json(data).pastes)
        except ValidationError as error:
            raise ProjectError(
                f"{INDEX} is damaged",
                why=plain_fault(error.errors(include_url=False)[0]),
                fix="Delete it: the requests are then written anew. Replies that no run has read "
                "yet have to be put beside the new files.",
            ) from error

    def _write(self, name: str, text: str) -> None:
        path = self._paths.resolve(name)
        with storage_errors("write", path):
            make_folder(path.parent)
            atomic_write(path, utf8(text), mode=PRIVATE)


def read_reply_bytes(name: str, data: bytes) -> str:
    """The text of a reply; "" where there is nothing in it.

    Raises:
        ProjectError: It is no text.
    """
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:  # as an editor of Windows saves it
        data = data.decode("utf-16", "replace").encode()
    if not data.strip(b" \t\r\n\xef\xbb\xbf"):
        return ""
    text = plain_lines(decode_text(name, data))
    if "\0" in text:
        raise ProjectError(f"{name} is no text", fix="Put the reply there as text, or delete it.")
    return text.strip()


class ManualBackend:
    """A backend whose replies a person brings.

    Args:
        paths: The project.
    """

    def __init__(self, paths: ProjectPaths) -> None:
        self._pastes = Pastes(paths)
        self._asked: dict[str, Request] = {}
        self._awaited = ReplyAwaitedError(f"Requests wait for a reply in {FOLDER}/")

    def expect(self, request: Request) -> None:
        """Make sure that the reply is there, and note the request where it is not.

        Raises:
            ReplyAwaitedError: It is not; `hand_out` completes what the error says.
        """
        self._answer_to(request)

    def _answer_to(self, request: Request) -> str:
        text = self._pastes.answer_to(request.key())
        if not text:
            self._asked[request.key()] = request
            raise self._awaited
        return text

    async def complete(self, request: Request) -> Completion:
        """The reply that somebody has pasted.

        Raises:
            ReplyAwaitedError: There is none.
        """
        text, finish = self._answer_to(request), "stop"
        if is_prose(request):
            text = pasted_prose(text)
            if wanted_words(request) >= PROSE and stops_inside(text):
                finish = "length"
            text = going_on(_text_so_far(request), text)
        else:
            text = pasted_json(text)
        return Completion(text, finish_reason=finish, cost_usd=0.0, model=request.model)

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """The same reply in one piece.

        Raises:
            ReplyAwaitedError: There is none.
        """
        whole = await self.complete(request)
        yield whole.reply
        yield whole

    def hand_out(self) -> None:
        """Write down what was asked, and complete what the error of the run says."""
        if not self._asked:
            return
        lacking = self._pastes.lacking(self._asked)
        waiting = self._pastes.hand_out(list(self._asked.values()))
        if lacking:
            files = ", ".join(lacking)
            self._awaited.why = f"{files}: an answer below its number is missing, and asked again"
        wait = "waits" if len(waiting) == 1 else "wait"
        self._awaited.what = f"{counted(len(waiting), 'request')} {wait} for a reply in {FOLDER}/"
        self._awaited.fix = "`libriscribe2 answer`"


def _text_so_far(request: Request) -> str:
    """The text that a reply continues in the middle of a sentence; "" where it continues none."""
    before = [str(one["content"]) for one in request.messages if one["role"] == "assistant"][-1:]
    return before[0].rstrip() if before and stops_inside(before[0]) else ""
