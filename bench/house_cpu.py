"""CPU of a whole book by its calls, over HTTP to a server without latency.

The replies are those of the backend that needs no model: the book is written with it first, and
its dumps say what was asked and answered. Then the same book is written through LiteLLM by a
server that knows these replies. LiteLLM's import and one bare call of it are taken off.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.support.loopback import LoopbackServer, QuietHandler

PREMISE: Final = "A lighthouse keeper on a drowned coast finds tomorrow's logbook"
BOOKS: Final = ((12, 30_000, 100), (60, 90_000, 150))
"""Chapters, words, and the most milliseconds of CPU for a call."""

_SCHEMA: Final = re.compile(r"\s*<json_schema>.*?</json_schema>\s*", re.DOTALL)
_PIECES: Final = re.compile(r"\s*(?:\S+\s*){1,4}|\s+")
_BARE: Final = """
import litellm
litellm.completion(model="openai/house", messages=[{"role": "user", "content": "Hello"}])
"""


class Knowing(LoopbackServer):
    """A server that answers what it was told before, streamed or whole.

    Attributes:
        known: Replies by what was asked.
        asked: How many requests came.
        unknown: How many it had no answer for.
    """

    def __init__(self, known: Mapping[str, str]) -> None:
        super().__init__(Handler)
        self.known = known
        self.asked = self.unknown = 0

    def reply(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """The reply to a conversation."""
        self.asked += 1
        known = self.known.get(_asked(messages))
        self.unknown += known is None
        return "I do not know." if known is None else known


class Handler(QuietHandler):
    owner: Knowing

    def do_POST(self) -> None:  # noqa: N802 - the name that http.server calls
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = self.owner.reply(asked["messages"])
        streamed = asked.get("stream")
        data = b"".join(_events(text)) if streamed else _whole(text)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if streamed else "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _whole(text: str) -> bytes:
    """A reply in one piece."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}}
    return _body("chat.completion", [choice | {"finish_reason": "stop"}])


def _events(text: str) -> Iterator[bytes]:
    """A streamed reply, up to four words at a time: LiteLLM takes 0.3 ms for each piece."""
    for piece in (*_PIECES.findall(text), ""):
        choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
        ending = {} if piece else {"delta": {}, "finish_reason": "stop"}
        yield b"data: " + _body("chat.completion.chunk", [choice | ending]) + b"\n\n"
    yield b"data: [DONE]\n\n"


def _body(kind: str, choices: Sequence[Mapping[str, Any]]) -> bytes:
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    about = {"id": "house", "created": 1, "model": "house", "object": kind, "usage": usage}
    return json.dumps({**about, "choices": choices}).encode()


def main(root: Path) -> int:
    """Measure and print; 1 where a call costs too much."""
    met = True
    for chapters, words, bar in BOOKS:
        with TemporaryDirectory() as folder:
            calls, cpu, bare = measured(root, Path(folder), chapters, words)
        each = 1000 * cpu / calls
        met = met and each <= bar
        print(f"{chapters} chapters, {words:,} words: {calls} calls, {cpu:.1f} s of CPU, ", end="")
        print(f"{each:.0f} ms a call (bar {bar}); LiteLLM's import took {bare:.1f} s", flush=True)
    return 0 if met else 1


def measured(root: Path, folder: Path, chapters: int, words: int) -> tuple[int, float, float]:
    """Calls of a book, its CPU seconds without LiteLLM's import, and those of the import.

    The import is the same work every time: where it takes twice as long, the machine is busy.
    """
    size = ("--chapters", str(chapters), "--words", str(words))
    create = ("-m", "libriscribe2", "create", PREMISE, *size, "--no-input")
    home = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(root / "src")}
    _cpu(folder, home, *create, "-p", "told", "--model", "offline")
    with Knowing(dict(_told(folder / "debug" / "told"))) as server:
        there = {**home, "OPENAI_BASE_URL": f"{server.root}/v1", "OPENAI_API_KEY": "sk-of-no-use"}
        bare = _cpu(folder, {**there, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}, "-c", _BARE)
        server.asked = server.unknown = 0
        cpu = _cpu(folder, there, *create, "-p", "asked", "--model", "openai/house")
        if server.unknown:
            raise SystemExit(f"{server.unknown} requests differ from those of --model offline")
        return server.asked, cpu - bare, bare


def _told(dumps: Path) -> Iterator[tuple[str, str]]:
    """What was asked and answered, by the dumps of a book."""
    for dump in sorted(dumps.glob("*.json")):
        record = json.loads(dump.read_text(encoding="utf-8"))["debug_info"]
        yield _asked(record["prompt"]), record["raw_response"]


def _asked(messages: Sequence[Mapping[str, Any]]) -> str:
    """A conversation, wherever the schema of its answer is sent."""
    return json.dumps([[one["role"], _SCHEMA.sub("", str(one["content"]))] for one in messages])


def _cpu(folder: Path, variables: Mapping[str, str], *words: str) -> float:
    """CPU seconds of a program of Python with its children."""
    with (folder / "said").open("w", encoding="utf-8") as said:
        program = subprocess.Popen(
            [sys.executable, "-P", *words], cwd=folder, env=variables, stdout=said, stderr=said
        )
        _, status, used = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    if program.returncode:
        told = (folder / "said").read_text(encoding="utf-8")
        raise SystemExit(f"{' '.join(words)} ended with {program.returncode}:\n{told}")
    return used.ru_utime + used.ru_stime
