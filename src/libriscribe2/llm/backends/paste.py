"""A paste: requests that are put to a chat window together, and the page that a person copies."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.llm.backend import WHOLE_CHAPTER, Request
from libriscribe2.prompts.loader import load_text
from libriscribe2.replies.pasted import numbers_in, parts_of
from libriscribe2.wording import counted, unit_in_words

FOLDER: Final = "manual"
"""The folder of a project with the pages and their replies."""

MOST_WORDS: Final = 2_500
"""Most words that one paste asks for, where it asks for several things."""

MOST_CHARACTERS: Final = 45_000
"""Most characters of one paste with several questions: about 12,000 tokens of English."""

LONG: Final = 600
"""A text of so many words is asked for alone."""

_JSON_WORDS: Final = {"scenes": 2_000, "canon": 450, "characters": 1_100, "world": 700}
_MORE_WORDS: Final = 1_500
"""Words of a reply in JSON by stage, and of any other."""

_FEWEST_WORDS: Final = 5

_FEWEST_SHARED: Final = 300
_BLOCK: Final = re.compile(r"<(\w+)>\n?(.*?)\n?</\1>", re.DOTALL)
_ABOUT: Final = re.compile(r"(\d[\d,]*) words")
_STEP: Final = re.compile(r"(?P<stage>[^/]+)(?:/ch(?P<chapter>\d+))?(?:/(?P<part>.+))?")

_FIRST: Final = re.compile(r"^part0*1$|(?<=[a-z])0*1$")
"""The number of a part that is mostly the only one."""

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
    def stage(self) -> str:
        """The stage that asks first."""
        return self.steps[0].partition("/")[0] if self.steps else ""

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
    part = (found["part"] or "").removeprefix(WHOLE_CHAPTER).removeprefix("-")
    part = _FIRST.sub("", part)
    return f"{unit}: {part}" if part else unit


def paste_of(name: str, bundle: Sequence[Request]) -> Paste:
    """The paste of some requests, by the name of its file without the ending."""
    return Paste(
        name,
        tuple(one.key() for one in bundle),
        tuple(one.step for one in bundle),
        tuple(map(is_prose, bundle)),
    )


def as_record(paste: Paste) -> dict[str, Any]:
    """A paste that waits, as plain JSON."""
    steps = list(paste.steps)
    return {"file": paste.file, "reply": paste.reply_file, "steps": steps, "about": paste.about}


def misfit(paste: Paste, text: str) -> str:
    """Why a text does not have the form of what a paste asks for; "" where it may have it."""
    words = len(text.split())
    if all(paste.prose) and text.lstrip("`json \n")[:1] == "{":
        return "It is JSON, and a text is asked for."
    if all(paste.prose) and _ends_with_json(text):
        return "A JSON object follows the text: two answers were pasted as one."
    if not any(paste.prose) and "{" not in text:
        return "No JSON object is in it, and one is asked for."
    if any(paste.prose) and words < _FEWEST_WORDS:
        return f"It has {counted(words, 'word')}; no answer is as short."
    if len(paste.keys) == 1 and numbers_in(text) > 1:
        return "It holds several numbered answers, and one is asked for."
    if not parts_of(text, paste.prose):
        return f"No answer below its number (=== 1 ===) is in it; {len(paste.keys)} are wanted."
    return ""


def _ends_with_json(text: str) -> bool:
    """Whether a text is followed by lines that are a JSON object."""
    _, _, end = text.strip("` \n").partition("\n{")
    try:
        return bool(end) and isinstance(json.loads(f"{{{end}"), dict)
    except ValueError:
        return False


def is_prose(request: Request) -> bool:
    """Whether a request asks for a text; the others ask for a JSON object."""
    return request.schema is None and not request.tools


def wanted_words(request: Request) -> int:
    """How many words a request asks for, as far as it says so."""
    if not is_prose(request):
        return _JSON_WORDS.get(request.step.partition("/")[0], _MORE_WORDS)
    asked = [message for message in request.messages if message["role"] == "user"][:1]
    found = _ABOUT.findall(str(asked[0]["content"])) if asked else []
    return int(found[-1].replace(",", "")) if found else _MORE_WORDS


def _is_conversation(request: Request) -> bool:
    return any(message["role"] == "assistant" for message in request.messages)


def bundles(asked: Iterable[Request]) -> list[list[Request]]:
    """Requests in groups that fit one paste; what goes on a conversation stands alone.

    Prose comes first in a group: a summary shows the whole text, of which others show parts.
    """
    made: list[list[Request]] = []
    room = 0
    for request in sorted(asked, key=_place):
        words = wanted_words(request)
        alone = _is_conversation(request) or (is_prose(request) and words >= LONG)
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
    return chapter, not is_prose(request), request.step


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
        return "\n\n".join(_turns(bundle[0]))
    count = len(bundle)
    marks = "each below a line of its own with its number: `=== 1 ===`, `=== 2 ===` and so on"
    told = [
        f"Here are {count} tasks that do not depend on each other. Answer all of them in one reply, "
        f"in this order, {marks}. Write nothing else around the answers."
    ]
    shown: list[tuple[int, str, str]] = []
    systems: dict[str, int] = {}
    for number, request in enumerate(bundle, start=1):
        system, *rest = _turns(request)
        if system in systems:
            system = f"The same instructions as in task {systems[system]}."
        else:
            systems[system] = number
        text = "\n\n".join((system, *rest))
        told.append(f"######## Task {number} of {count}: {in_words(request.step)}")
        told.append(_without_repeats(text, number, shown))
    told.append(f"######## Now answer tasks 1 to {count}, {marks}. Begin with `=== 1 ===`.")
    return "\n\n".join(told)


def _turns(request: Request) -> list[str]:
    """A conversation as paragraphs; the first is what the model is told of itself."""
    rules = load_text("format_rules.txt").strip()
    texts = []
    for message in request.messages:
        text = str(message.get("content") or "").strip().replace(rules, FORMAT_RULES)
        if message["role"] == "assistant":
            text = f"Your answer to this was:\n\n<answer>\n{text}\n</answer>"
        texts.append(text)
    if request.tools:
        tools = json.dumps(request.tools, ensure_ascii=False)
        texts.append(f"<tools>{tools}</tools>\n\nAnswer with one JSON object: name and arguments.")
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
