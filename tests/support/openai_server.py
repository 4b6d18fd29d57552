"""A small OpenAI-compatible server on loopback: the far end of every transport test.

By hand: `python -m tests.support.openai_server --port 8089 --faults 429,ok,cut`, then
`OPENAI_BASE_URL=http://127.0.0.1:8089/v1 libriscribe2 ...`.
"""

import argparse
import itertools
import json
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.loopback import LoopbackServer, QuietHandler
from tests.support.made_up_text import WRAPPINGS, fill, prose, wanted_schema, wanted_words, wrap
from tests.support.openai_replies import Fault, Manner, content_of, events, whole_reply

_HTML = b"<!DOCTYPE html><html><body><h1>Sign in to the network</h1></body></html>"


@dataclass(frozen=True)
class Seen:
    """One request as it arrived; the names of its headers in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class OpenAIServer(LoopbackServer):
    """The server, as a context manager.

    Args:
        faults: What goes wrong with the first POST requests, in order; afterwards all is well.
        replies: Texts to answer with, in order; afterwards replies are made up.
        models: Names that `/v1/models` lists.
        usage: Whether replies say how many tokens they took.
        reasoning: Thoughts to give apart from each reply.
        tool_call: A function's name to call where the request offers tools.
        cost: The price in US dollars that each reply's usage names.
        refuses: Request parameters that are answered with a 400 that blames them.
    """

    def __init__(
        self,
        faults: Iterable[Fault] = (),
        *,
        replies: Iterable[str] = (),
        models: Sequence[str] = ("test-model",),
        usage: bool = True,
        reasoning: str | None = None,
        tool_call: str | None = None,
        cost: float | None = None,
        refuses: Sequence[str] = (),
        port: int = 0,
    ) -> None:
        self.requests: list[Seen] = []
        self.models = list(models)
        self.manner = Manner(usage, reasoning, tool_call, cost)
        self.refuses = tuple(refuses)
        self._faults = iter(list(faults))
        self._replies = iter(list(replies))
        self._wrappings = itertools.cycle(WRAPPINGS)
        self._lock = threading.Lock()
        super().__init__(self.handler(), port)

    def handler(self) -> type["Handler"]:
        """Who answers its requests."""
        return Handler

    @property
    def url(self) -> str:
        """The `api_base` for an OpenAI client."""
        return f"{self.root}/v1"

    @property
    def posts(self) -> list[Seen]:
        """The requests that asked for something to be written."""
        return [seen for seen in self.requests if seen.method == "POST"]

    def next_fault(self) -> Fault:
        """What goes wrong with the request at hand."""
        with self._lock:
            return next(self._faults, Fault("ok"))

    def answer(self, body: Mapping[str, Any], fault: Fault) -> str:
        """The reply to a request: the script's next, else one made up from the request."""
        if fault.kind in ("empty", "filtered"):
            return ""
        with self._lock:
            scripted = next(self._replies, None)
        if scripted is not None:
            return scripted
        text = "\n".join(content_of(message) for message in body.get("messages", []))
        schema = wanted_schema(text)
        if schema is None:
            return prose(wanted_words(text))
        with self._lock:
            return wrap(json.dumps(fill(schema), ensure_ascii=False), next(self._wrappings))


class Handler(QuietHandler):
    owner: OpenAIServer

    def do_GET(self) -> None:
        self.note({})
        if self.path.endswith("/models"):
            self.send_json({"object": "list", "data": [{"id": name} for name in self.owner.models]})
        elif self.path == "/api/tags":
            self.send_json({"models": [{"name": name} for name in self.owner.models]})
        else:
            self.send_json({"error": {"message": "no such page"}}, status=404)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        body: dict[str, Any] = json.loads(raw)
        self.note(body)
        refused = next((name for name in self.owner.refuses if _holds(body, name)), None)
        if refused is not None:
            text = f"Unsupported value: '{refused}' is not supported with this model."
            self.send_json({"error": {"message": text, "param": refused}}, status=400)
            return
        self._reply(body, self.owner.next_fault())

    def note(self, body: Mapping[str, Any]) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.owner.requests.append(Seen(self.command, self.path, headers, body))

    def _reply(self, body: Mapping[str, Any], fault: Fault) -> None:
        streamed = bool(body.get("stream"))
        if fault.kind == "status":
            self.send_json(fault.body, status=fault.status, headers=fault.headers)
        elif fault.kind == "drop":
            self.close_connection = True
        elif fault.kind == "html":
            self.send_data(_HTML, "text/html")
        elif fault.kind == "broken_json" and not streamed:
            self.send_data(b'{"id": "x", "choices": [{"mess', "application/json")
        elif streamed:
            self._stream(body, fault)
        else:
            time.sleep(fault.seconds if fault.kind in ("stall", "drip") else 0)  # noqa: TID251 - a slow server is the point
            self.send_json(
                whole_reply(self.owner.answer(body, fault), body, fault, self.owner.manner)
            )

    def _stream(self, body: Mapping[str, Any], fault: Fault) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            text = self.owner.answer(body, fault)
            for event in events(text, body, fault, self.owner.manner):
                self._chunk(event)
            if fault.kind == "cut":
                self.close_connection = True
            else:
                self._chunk("")
        except OSError:  # the client hung up, as the tests of its clocks make it do
            self.close_connection = True

    def _chunk(self, text: str) -> None:
        data = text.encode("utf-8")
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def send_json(
        self, body: Any, *, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        data = body if isinstance(body, str) else json.dumps(body if body is not None else {})
        self.send_data(data.encode("utf-8"), "application/json", status, headers)

    def send_data(
        self, data: bytes, kind: str, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Type": kind}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _holds(body: Mapping[str, Any], name: str) -> bool:
    """Whether a request uses a parameter, or a `response_format` of that type."""
    wanted = body.get("response_format")
    return name in body or (isinstance(wanted, dict) and wanted.get("type") == name)


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="An OpenAI-compatible server for trying things.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--faults", default="", help="for the first requests: 429,ok,cut,html,...")
    options = parser.parse_args()
    faults = [Fault.parse(word) for word in options.faults.split(",") if word]
    with OpenAIServer(faults, port=options.port) as server:
        sys.stdout.write(f"OPENAI_BASE_URL={server.url}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
