"""Bar 24, threat 10: a provider that never has enough gets its fill, and no more.

Again: .venv/bin/pytest tests/reliability/test_bar_24_limits.py
"""

import itertools
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from tests.support.authors import Author
from tests.support.bars import Bar
from tests.support.desk import PREMISE, Desk
from tests.support.hand_made import HandMade
from tests.support.loopback import LoopbackServer, QuietHandler
from tests.support.memory import peak, reset_peak
from tests.support.openai_replies import Fault
from tests.support.openai_server import OpenAIServer

from libriscribe2.llm.backend import Request

BAR: Final = Bar(24, 24, "test_bar_24_limits.py")
pytestmark = pytest.mark.filterwarnings(
    "ignore:Accessing the .* attribute on the instance is deprecated"
)
ATTEMPTS: Final = 3
MOST_ASKED: Final = 3 + 40 * (2 + 2)
"""Requests that a question may come to: three plans; to bind and to correct each of 40 steps, two
each."""

PRICE: Final = 0.01
MEGABYTES: Final = 50
MOST_GROWTH: Final = 100_000_000
INCOMPLETE, UNREACHED, CAPPED = 5, 7, 8


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.environment |= {
        "OPENAI_API_KEY": "sk-canary-0123456789",
        "LIBRISCRIBE2_LLM__RETRIES": "0",
        "LIBRISCRIBE2_PIPELINE__MAX_ATTEMPTS": str(ATTEMPTS),
    }
    return desk


@pytest.mark.parametrize(
    "reply",
    ["", "no", "{}", "[]", '{"keywords": ', "[" * 20_000, '{"a": ' * 5_000, "null", '"x' * 9_000],
    ids=lambda reply: f"{reply[:5]!r} x {len(reply)}",
)
def test_bar_24_10_a_reply_that_never_fits_is_asked_for_three_times(desk: Desk, reply: str) -> None:
    def never_fits(request: Request) -> str | None:
        return (
            reply if "<json_schema>" in str(request.messages[-1]) or request.attempt > 1 else None
        )

    author = Author(reply=never_fits)
    desk.create("--until", "concept", expect=INCOMPLETE, backend=author)
    assert len(author.asked) <= 1 + ATTEMPTS
    assert not desk.project().path("concept.json").exists()


def _plan(tools: list[tuple[str, dict[str, Any]]], *, chained: bool = True) -> str:
    steps = [
        {
            "step_id": f"step-{number}",
            "agent_name": tool,
            "instruction": "Go on.",
            "depends_on": [f"step-{number - 1}"] if chained and number > 1 else [],
            "metadata": {"parameters": parameters},
        }
        for number, (tool, parameters) in enumerate(tools, 1)
    ]
    return json.dumps({"plan_id": "more", "steps": steps})


COUNT: Final = itertools.count()
LONG: Final = _plan([("search_sources", {"query": f"salt {n}"}) for n in range(400)])
LOOP: Final = _plan([("search_sources", {"query": "salt"})] * 3)
WRONG: Final = _plan(
    [("read_source", {"source": f"nothing {n}"}) for n in range(40)], chained=False
)
MISSING: Final = _plan([("extract_facts", {})] * 40, chained=False)
PLANS: Final[dict[str, str]] = {
    "a plan of 400 steps": LONG,
    "a plan of no steps": _plan([]),
    "a plan that waits for itself": LOOP.replace("[]", '["step-3"]'),
    "calls that are always wrong": WRONG,
    "steps that always miss something": MISSING,
}


@pytest.mark.parametrize("kind", PLANS)
def test_bar_24_10_a_model_that_wants_ever_more_tools_comes_to_an_end(
    desk: Desk, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def greedy(request: Request) -> str | None:
        asked = "\n".join(str(message.get("content")) for message in request.messages)
        if "<tools>" in asked:
            return PLANS[kind]
        if "should_retry" in asked:
            changes = {"source": f"nothing {next(COUNT)}"}
            return json.dumps(
                {"should_retry": True, "reason": "again", "suggested_changes": changes}
            )
        if "provide_parameters" in asked:
            return json.dumps({"source": f"nothing {next(COUNT)}", "question": "What?", "text": ""})
        return None

    desk.written("--research", "--until", "concept")
    HandMade(desk.folder).write(
        "research/sources/salt.md", "# Salt\n\nSalt melts at 801 degrees.\n"
    )
    author = Author(reply=greedy)
    ran = desk.run("research", "book", "What is salt?", expect=None, backend=author)
    assert ran.code in (0, INCOMPLETE)
    assert 0 < len(author.asked) <= MOST_ASKED
    BAR.tell(capsys, f"threat 10: {kind}: {len(author.asked)} requests, exit {ran.code}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cap", "most"), [(("--max-calls", "20"), 20), (("--max-cost", "0.205"), 0.205 / PRICE)]
)
def test_bar_24_10_a_cap_holds_with_16_requests_at_once(
    desk: Desk, cap: tuple[str, str], most: float, capsys: pytest.CaptureFixture[str]
) -> None:
    size = ("--chapters", "16", "--scenes-per-chapter", "1", "--words", "1600")
    with OpenAIServer(cost=PRICE) as server:
        desk.environment["OPENAI_BASE_URL"] = server.url
        new = ("create", PREMISE, "-m", "openai/gpt-4o-mini", "-p", "book", *size, *cap)
        ran = desk.run(*new, "--max-concurrency", "16", expect=CAPPED)
        asked = len(server.posts)
    assert 0 < asked <= most, ran
    BAR.tell(capsys, f"threat 10: {' '.join(cap)}: {asked} requests, ${asked * PRICE:.2f}, exit 8")


class _Flood(LoopbackServer):
    """A server whose every reply has 50 MB.

    Args:
        event: The event or body that is sent, with `@` for the flood.
    """

    def __init__(self, event: Callable[[bool], bytes]) -> None:
        self.event = event
        self.asked = 0
        super().__init__(_FloodHandler)


class _FloodHandler(QuietHandler):
    owner: _Flood

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.owner.asked += 1
        streamed = bool(body.get("stream"))
        before, _, after = self.owner.event(streamed).partition(b"@")
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if streamed else "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            self.wfile.write(before)
            for _ in range(MEGABYTES):
                self.wfile.write(b"word " * 200_000)
            self.wfile.write(after)
        except OSError:  # the client has had enough
            self.close_connection = True


def _reply(streamed: bool) -> bytes:
    message = {"role": "assistant", "content": "@"}
    choice: Mapping[str, Any] = {"index": 0, "finish_reason": "stop"}
    part = {"delta": message} if streamed else {"message": message}
    kind = "chat.completion.chunk" if streamed else "chat.completion"
    whole = {"id": "c", "object": kind, "created": 1, "model": "m", "choices": [{**choice, **part}]}
    return (f"data: {json.dumps(whole)}\n\n" if streamed else json.dumps(whole)).encode()


def test_bar_24_10_a_reply_of_50_MB_is_given_up(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    with OpenAIServer([Fault(status=500)]) as warm:  # whatever loads, loads before it is measured
        desk.environment["OPENAI_BASE_URL"] = warm.url
        desk.run("create", PREMISE, "-m", "openai/x", "-p", "warm", expect=UNREACHED)
    with _Flood(_reply) as server:
        desk.environment["OPENAI_BASE_URL"] = server.root + "/v1"
        before = reset_peak()
        desk.run("create", PREMISE, "-m", "openai/x", "-p", "book", expect=UNREACHED)
        growth = peak() - before
    assert server.asked <= ATTEMPTS
    assert growth <= MOST_GROWTH
    assert sum(path.stat().st_size for path in desk.folder.rglob("*") if path.is_file()) < 1_000_000
    BAR.tell(capsys, f"threat 10: 50 MB: {server.asked} requests, +{growth / 1e6:.0f} MB, exit 7")
