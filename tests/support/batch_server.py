"""An OpenAI-compatible server that takes batches, too: files go in, files with answers come out."""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.support.openai_replies import Fault, whole_reply
from tests.support.openai_server import Handler, OpenAIServer
from typing_extensions import override

Line = Mapping[str, Any]
Judge = Callable[[Line, int], Fault]
"""What goes wrong with a line of a batch; the number says how many lines were answered before."""


def all_well(_line: Line, _count: int) -> Fault:
    return Fault("ok")


class BatchServer(OpenAIServer):
    """The server, as a context manager.

    Args:
        ends: How batches end, in order, after which all are `completed`. One that is `expired` or
            `cancelled` has its first line answered, one that `failed` none.
        judge: What goes wrong with a line: `ok`, or `status`.
        looks: How often a batch is `in_progress` when it is looked at.
        batches: Whether there is a batch API.

    Attributes:
        released: While it is not set, no batch comes to its end.
        answered: How often each line was answered, by its id: what a provider charges for.
        submitted: The lines of each batch, in order.
    """

    def __init__(
        self,
        ends: Sequence[str] = (),
        *,
        judge: Judge = all_well,
        looks: int = 1,
        batches: bool = True,
        cost: float | None = None,
    ) -> None:
        self.released = threading.Event()
        self.released.set()
        self.answered: Counter[str] = Counter()
        self.submitted: list[list[Line]] = []
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.takes_batches = batches
        self._ends = iter(ends)
        self._judge = judge
        self._looks = looks
        super().__init__(cost=cost)

    @override
    def handler(self) -> type[Handler]:
        return _BatchHandler

    @property
    def chats(self) -> int:
        """How many ordinary calls were made."""
        return sum(post.path.endswith("/chat/completions") for post in self.posts)

    @property
    def charged(self) -> int:
        """How many answers of batches were given in all."""
        return self.answered.total()

    def store(self, data: bytes) -> dict[str, Any]:
        """Keep a file."""
        name = f"file-{len(self.files) + 1}"
        self.files[name] = data
        about = {"object": "file", "bytes": len(data), "created_at": 1, "filename": name}
        return {"id": name, **about, "purpose": "batch", "status": "processed"}

    def begin(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Take a batch in."""
        name = f"batch-{len(self.batches) + 1}"
        lines = [json.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
        self.submitted.append(lines)
        made = {
            "id": name,
            "object": "batch",
            "status": "validating",
            "created_at": len(self.batches),
            "output_file_id": None,
            "error_file_id": None,
            "looks": 0,
            **asked,
        }
        self.batches[name] = made
        return made

    def look(self, name: str) -> dict[str, Any]:
        """A batch as it stands, which may come to its end by it."""
        batch = self.batches[name]
        batch["looks"] += 1
        cancelled = batch["status"] == "cancelling"
        open_ = batch["status"] in {"validating", "in_progress", "cancelling"}
        if open_ and (cancelled or (self.released.is_set() and batch["looks"] > self._looks)):
            self._end(batch, "cancelled" if cancelled else next(self._ends, "completed"))
        elif open_:
            batch["status"] = "in_progress"
        return batch

    def _end(self, batch: dict[str, Any], status: str) -> None:
        batch["status"] = status
        if status == "failed":
            fault = {"code": "invalid_json_line", "message": "line 1 is not JSON", "line": 1}
            batch["errors"] = {"object": "list", "data": [fault]}
            return
        lines = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        whole = lines if status == "completed" else lines[:1]
        told = [self._answer(line) for line in whole]
        late = [_unanswered(line, f"batch_{status}") for line in lines[len(whole) :]]
        good = [one for one in told if one["response"]["status_code"] == 200]
        bad = [one for one in told if one not in good] + late
        for key, found in (("output_file_id", good), ("error_file_id", bad)):
            if found:
                text = "".join(json.dumps(one) + "\n" for one in found)
                batch[key] = self.store(text.encode())["id"]

    def _answer(self, line: Line) -> dict[str, Any]:
        fault = self._judge(line, self.charged)
        body = line["body"]
        told: dict[str, Any] = {"status_code": 200, "body": None}
        if fault.kind == "status":
            told = {"status_code": fault.status, "body": fault.body}
        else:
            self.answered[line["custom_id"]] += 1
            told["body"] = whole_reply(self.answer(body, fault), body, fault, self.manner)
        return {"id": "r", "custom_id": line["custom_id"], "response": told, "error": None}


def _unanswered(line: Line, code: str) -> dict[str, Any]:
    fault = {"code": code, "message": "This request could not be executed in time."}
    return {"id": "r", "custom_id": line["custom_id"], "response": None, "error": fault}


class _BatchHandler(Handler):
    owner: BatchServer

    @override
    def do_GET(self) -> None:
        place = re.fullmatch(r"/v1/(files|batches)(?:/([\w-]+))?(/content)?(?:\?.*)?", self.path)
        if place is None or not self.owner.takes_batches:
            super().do_GET()
            return
        self.note({})
        kind, name, content = place.groups()
        if kind == "files" and content:
            self.send_data(self.owner.files[name], "application/octet-stream")
        elif name:
            known = name in self.owner.batches
            self.send_json(self.owner.look(name) if known else {}, status=200 if known else 404)
        else:
            newest = list(reversed(self.owner.batches.values()))
            self.send_json({"object": "list", "data": newest, "has_more": False})

    @override
    def do_POST(self) -> None:
        if not re.match(r"/v1/(files|batches)", self.path):
            super().do_POST()
            return
        raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        is_file = self.path == "/v1/files"
        self.note({} if is_file or not raw else json.loads(raw))
        if not self.owner.takes_batches:
            self.send_json({"error": {"message": "no such page"}}, status=404)
        elif is_file:
            self.send_json(self.owner.store(_uploaded(raw)))
        elif self.path.endswith("/cancel"):
            batch = self.owner.batches[self.path.split("/")[-2]]
            batch["status"] = "cancelling"
            self.send_json(batch)
        else:
            self.send_json(self.owner.begin(self.owner.posts[-1].body))


def _uploaded(raw: bytes) -> bytes:
    """The file in a form with several parts."""
    part = next(one for one in raw.split(b"\r\n--") if b'name="file"' in one)
    return part.partition(b"\r\n\r\n")[2]
