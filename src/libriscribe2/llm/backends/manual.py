"""The model `manual`: a person pastes each request into a chat window, and its reply back.

Nobody waits: a request whose reply is not there is written down, and its run ends with what does not
need it. The next run finds the reply and replays the rest from the journal.

    manual/007-scenes.md          what to paste, below a line that says so
    manual/007-scenes.reply.md    what came of it
    .libriscribe/manual.json      which requests each file holds, by key

Requests that wait at the same time share a paste, as far as the window's limits allow.
"""

import json
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.errors import ProjectError
from libriscribe2.llm.backend import DEFAULT_SIZE_CAP, WHOLE_CHAPTER, Completion, Message, Request
from libriscribe2.llm.session import ReplyAwaitedError
from libriscribe2.project.atomic import PRIVATE, atomic_write, make_folder, storage_errors
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import STATE, ProjectPaths
from libriscribe2.project.texts import decode_text, readable_json, utf8
from libriscribe2.prompts.loader import load_text
from libriscribe2.replies.pasted import (
    going_on,
    parts_of,
    pasted_json,
    pasted_prose,
    plain_lines,
    stops_inside,
)
from libriscribe2.wording import counted, unit_in_words

FOLDER: Final = "manual"
INDEX: Final = f"{STATE}/manual.json"

MOST_WORDS: Final = 2_500
"""Most words that one paste asks for, where it asks for several things."""

MOST_CHARACTERS: Final = 45_000
"""Most characters of one paste with several questions: about 12,000 tokens of English."""

LONG: Final = 600
"""A text of so many words is asked for alone, and looked at for a sentence that is cut."""

_JSON_WORDS: Final = {"scenes": 650, "canon": 450, "characters": 1_100, "world": 700}
_MORE_WORDS: Final = 1_500
"""Words of a reply in JSON by stage, and of any other."""

_START: Final = 200
"""So many characters tell a text from others."""

_FEWEST_WORDS: Final = 5

_SHORT: Final = 400
"""Two answers of so many characters may well be the same, such as an empty list."""

_FEWEST_SHARED: Final = 300
_BLOCK: Final = re.compile(r"<(\w+)>\n?(.*?)\n?</\1>", re.DOTALL)
_ABOUT: Final = re.compile(r"(\d[\d,]*) words")
_STEP: Final = re.compile(r"(?P<stage>[^/]+)(?:/ch(?P<chapter>\d+))?(?:/(?P<part>.+))?")

PASTE_ALL: Final = "======== Paste everything below this line into a new chat ========"
PASTE_TURN: Final = "======== Chat still open? Paste only this into it ========"
FORMAT_RULES: Final = (
    "Write each JSON object in a code block of its own, so that it can be copied unchanged. Use plain "
    'straight quotes ("), no comments, and no text around it that is not asked for.'
)


@dataclass(frozen=True, slots=True)
class Paste:
    """Questions that are put to the window together.

    Attributes:
        name: The name of its file without the ending, such as `007-scenes`.
        keys: The keys of the requests, in the order of the questions.
        steps: Their steps.
        prose: Which of them are answered with prose.
        waits: Whether a run waited for it last.
    """

    name: str
    keys: tuple[str, ...]
    steps: tuple[str, ...]
    prose: tuple[bool, ...]
    waits: bool = True

    @property
    def file(self) -> str:
        """The name of its file in the project."""
        return f"{FOLDER}/{self.name}.md"

    @property
    def reply_file(self) -> str:
        """The name of the file for its reply."""
        return f"{FOLDER}/{self.name}.reply.md"

    @property
    def about(self) -> str:
        """What it asks for, in words."""
        return "; ".join(dict.fromkeys(map(in_words, self.steps)))


def in_words(step: str) -> str:
    """A step in words, such as `Chapter 3` or `Concept: draft`."""
    found = _STEP.fullmatch(step)
    if found is None:
        return step
    unit = unit_in_words(found["stage"], int(found["chapter"]) if found["chapter"] else None)
    part = found["part"]
    return f"{unit}: {part}" if part and part != WHOLE_CHAPTER else unit


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
        same = (one for one in self.all if one.name != paste.name and self.reply_of(one) == text)
        twin = next(same, None) if len(text) > _SHORT else None
        if twin is not None:
            return f"It is the answer that was given to {twin.file}."
        return _misfit(paste, text)

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
            fresh[_paste(f"{number:03d}-{stage}", bundle)] = bundle
        waiting = [*waiting, *fresh]
        self.all = [*(_with_waits(one, waits=one in waiting) for one in self.all), *fresh]
        if fresh or self.all:
            pastes = [{name: getattr(one, name) for name in Paste.__slots__} for one in self.all]
            self._write(INDEX, readable_json({"v": 1, "pastes": pastes}))
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
            pastes = json.loads(data)["pastes"]
            return [
                Paste(
                    str(one["name"]),
                    tuple(one["keys"]),
                    tuple(one["steps"]),
                    tuple(one["prose"]),
                    bool(one["waits"]),
                )
                for one in pastes
            ]
        except (ValueError, LookupError, TypeError) as error:
            raise ProjectError(
                f"{INDEX} is damaged",
                why=str(error),
                fix="Delete it: the requests are then written anew. Replies that no run has read "
                "yet have to be put beside the new files.",
            ) from error

    def _write(self, name: str, text: str) -> None:
        path = self._paths.resolve(name)
        with storage_errors("write", path):
            make_folder(path.parent)
            atomic_write(path, utf8(text), mode=PRIVATE)


def _misfit(paste: Paste, text: str) -> str:
    """Why a text does not have the form of what a paste asks for; "" where it may have it."""
    words = len(text.split())
    if all(paste.prose) and text.lstrip("`json \n")[:1] == "{":
        return "It is JSON, and a text is asked for."
    if not any(paste.prose) and "{" not in text:
        return "No JSON object is in it, and one is asked for."
    if any(paste.prose) and words < _FEWEST_WORDS:
        return f"It has {counted(words, 'word')}; no answer is as short."
    if not parts_of(text, paste.prose):
        return f"No answer below its number (=== 1 ===) is in it; {len(paste.keys)} are wanted."
    return ""


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
        if not self._pastes.answer_to(request.key()):
            self._asked[request.key()] = request
            raise self._awaited

    async def complete(self, request: Request) -> Completion:
        """The reply that somebody has pasted.

        Raises:
            ReplyAwaitedError: There is none.
        """
        self.expect(request)
        text, finish = self._pastes.answer_to(request.key()), "stop"
        if request.schema is None and not request.tools:
            text = pasted_prose(text)
            if wanted_words(request) >= LONG and stops_inside(text):
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
        waiting = self._pastes.hand_out(list(self._asked.values()))
        wait = "waits" if len(waiting) == 1 else "wait"
        self._awaited.what = f"{counted(len(waiting), 'request')} {wait} for a reply in {FOLDER}/"
        self._awaited.fix = "`libriscribe2 answer`"


def wanted_words(request: Request) -> int:
    """How many words a request asks for, as far as it says so."""
    if request.schema is not None:
        return _JSON_WORDS.get(request.step.partition("/")[0], _MORE_WORDS)
    asked = [message for message in request.messages if message["role"] == "user"][:1]
    found = _ABOUT.findall(str(asked[0]["content"])) if asked else []
    return int(found[-1].replace(",", "")) if found else _MORE_WORDS


def _is_conversation(request: Request) -> bool:
    return any(message["role"] == "assistant" for message in request.messages)


def _text_so_far(request: Request) -> str:
    """The text that a reply continues in the middle of a sentence; "" where it continues none."""
    before = [str(one["content"]) for one in request.messages if one["role"] == "assistant"][-1:]
    return before[0].rstrip() if before and stops_inside(before[0]) else ""


def _paste(name: str, bundle: Sequence[Request]) -> Paste:
    return Paste(
        name,
        tuple(one.key() for one in bundle),
        tuple(one.step for one in bundle),
        tuple(one.schema is None for one in bundle),
    )


def _with_waits(paste: Paste, *, waits: bool) -> Paste:
    return Paste(paste.name, paste.keys, paste.steps, paste.prose, waits)


def bundles(asked: Iterable[Request]) -> list[list[Request]]:
    """Requests in groups that fit one paste; what goes on a conversation stands alone.

    Prose comes first in a group: a summary shows the whole text, of which others show parts.
    """
    made: list[list[Request]] = []
    room = 0
    for request in sorted(asked, key=_place):
        words = wanted_words(request)
        alone = _is_conversation(request) or (request.schema is None and words >= LONG)
        fits = bool(made) and words <= room and not alone
        if fits and len(_asked_text([*made[-1], request])) <= MOST_CHARACTERS:
            made[-1].append(request)
            room -= words
        else:
            made.append([request])
            room = 0 if alone else MOST_WORDS - words
    return made


def _place(request: Request) -> tuple[int, bool, str]:
    """Where a request stands among others: by chapter, prose first."""
    found = _STEP.fullmatch(request.step)
    chapter = int(found["chapter"] or 0) if found is not None else 0
    return chapter, request.schema is not None, request.step


def page(paste: Paste, bundle: Sequence[Request]) -> str:
    """The file of a paste: how to answer it, and the text to paste."""
    head = [
        f"# {paste.name}: {paste.about}",
        f"Paste the text below into a chat window. Put its answer into {paste.reply_file} and run "
        "`libriscribe2 resume`, or give it with `libriscribe2 answer`, which copies the text and "
        "takes the answer. Once a run has read the answer, changes of that file count no more.",
    ]
    if len(bundle) == 1 and _is_conversation(bundle[0]):
        head += [PASTE_TURN, str(bundle[0].messages[-1]["content"])]
    return "\n\n".join((*head, PASTE_ALL, _asked_text(bundle))) + "\n"


def _asked_text(bundle: Sequence[Request]) -> str:
    """All that is asked, for a new chat."""
    if len(bundle) == 1:
        return "\n\n".join(_turns(bundle[0].messages))
    count = len(bundle)
    marks = "each below a line of its own with its number: `=== 1 ===`, `=== 2 ===` and so on"
    told = [
        f"Here are {count} tasks that do not depend on each other. Answer all of them in one reply, "
        f"in this order, {marks}. Write nothing else around the answers."
    ]
    shown: list[tuple[int, str, str]] = []
    systems: dict[str, int] = {}
    for number, request in enumerate(bundle, start=1):
        system, *rest = _turns(request.messages)
        if system in systems:
            system = f"The same instructions as in task {systems[system]}."
        else:
            systems[system] = number
        text = "\n\n".join((system, *rest))
        told.append(f"######## Task {number} of {count}: {in_words(request.step)}")
        told.append(_without_repeats(text, number, shown))
    told.append(f"######## Now answer tasks 1 to {count}, {marks}.")
    return "\n\n".join(told)


def _turns(messages: Sequence[Message]) -> list[str]:
    """A conversation as paragraphs; the first is what the model is told of itself."""
    rules = load_text("format_rules.txt").strip()
    texts = []
    for message in messages:
        text = str(message.get("content") or "").strip().replace(rules, FORMAT_RULES)
        if message["role"] == "assistant":
            text = f"Your answer to this was:\n\n<answer>\n{text}\n</answer>"
        texts.append(text)
    return texts


def _without_repeats(text: str, number: int, shown: list[tuple[int, str, str]]) -> str:
    """A task's text without the long blocks that an earlier task has shown."""

    def shorter(block: re.Match[str]) -> str:
        name, body = block[1], block[2]
        if len(body) < _FEWEST_SHARED:
            return block[0]
        for task, other, said in shown:
            if body == said:
                return f"<{name}>(the same as <{other}> in task {task})</{name}>"
            if body in said:
                first, last = " ".join(body.split()[:8]), " ".join(body.split()[-8:])
                told = f'the part of <{other}> in task {task} from "{first}" to "{last}"'
                return f"<{name}>({told})</{name}>"
        shown.append((number, name, body))
        return block[0]

    return _BLOCK.sub(shorter, text)


def as_record(paste: Paste) -> dict[str, Any]:
    """A paste that waits, as plain JSON."""
    steps = list(paste.steps)
    return {"file": paste.file, "reply": paste.reply_file, "steps": steps, "about": paste.about}
