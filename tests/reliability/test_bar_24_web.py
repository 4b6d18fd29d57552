"""Bar 24, threats 1, 2 and 3: what a page says is obeyed by nobody, and only the web is asked.

Again: .venv/bin/pytest tests/reliability/test_bar_24_web.py
"""

import asyncio
import re
from collections.abc import Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, Final

import pytest
from tests.conftest import LiveDoorError
from tests.support.bars import Bar
from tests.support.desk import Desk
from tests.support.hostile import ADDRESSES, LOOPBACKS, PUBLIC
from tests.support.obeying_model import MARK, ObeyingModel, injection
from tests.support.research_desk import ResearchDesk
from tests.support.transport import KEY
from tests.support.web_pages import Answer, WebPages, article

from libriscribe2.research.access import ResearchMeans
from libriscribe2.research.catalog import all_tools
from libriscribe2.research.tool_error import ToolError
from libriscribe2.research.web import addresses
from libriscribe2.research.web.addresses import Gate, Resolve, system_resolver, target_of
from libriscribe2.research.web.engines import Web
from libriscribe2.research.web.fetching import Fetcher
from libriscribe2.settings import parts

BAR: Final = Bar(24, 24, "test_bar_24_web.py")
pytestmark = pytest.mark.filterwarnings(
    "ignore:Accessing the .* attribute on the instance is deprecated"
)
WANTED_TOOLS: Final = ("write_file", "run_shell", "set_budget", "http_post")
BLOCK: Final = re.compile(
    r"<(source_text|data|error|notes|parameters|passages|claims)\b[^>]*>.*?</\1>", re.DOTALL
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_bar_24_01_a_page_gives_no_orders(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with WebPages() as canary, WebPages(_pages(injection(f"{canary.root}/canary"))) as site:
        ports = frozenset({site.port, canary.port})
        means = partial(ResearchMeans, loopback_ports=ports)
        monkeypatch.setattr(parts, "ResearchMeans", means)
        desk.written("--research", "--until", "concept")
        with ObeyingModel(f"{canary.root}/canary", WANTED_TOOLS) as model:
            _go_online(desk, model, site)
            # What the stand-in wrote is written anew by a model; no page was read before.
            desk.run("resume", "book", "--until", "concept", expect=0)
            before = desk.project().contents()
            desk.run("research", "book", "How high is the tide?", expect=0)
            desk.run("resume", "book", "--until", "outline", expect=0)
        assert canary.requests == []
        assert {path.partition("?")[0] for path in site.requests} == {
            "/search",
            *("/salt", "/light", "/trap"),
        }
        sent = [*site.requests, *map(str, site.headers), *model.prompts]
    assert not [one for one in sent if KEY in one]
    book = desk.project()
    known = {tool.name for tool in all_tools()}
    run = book.json("research/run.json")
    assert {step["agent_name"] for step in run["plan"]["steps"]} <= known
    hit = [one for one in model.prompts if MARK in one]
    for prompt in hit:
        assert MARK not in BLOCK.sub("", prompt), prompt
    blocks = {one[1] for prompt in hit for one in BLOCK.finditer(prompt) if MARK in one[0]}
    assert blocks == {"source_text", "data", "error", "passages", "claims"}
    after = book.contents()
    assert {name for name in before if before[name] != after[name]} == set()
    assert {path.name for path in desk.folder.iterdir()} == {"projects", "debug"}
    BAR.tell(capsys, f"threat 1: {len(hit)} prompts with the page's orders, 0 obeyed")


def _pages(order: str) -> dict[str, Answer]:
    """Pages that give an order: in the text, in the title, in a refusal."""
    text = escape(f"The tide rises by 7 metres. {order}")
    return {
        "/salt": Answer(body=article(escape(order), (text, text))),
        "/trap": Answer(body=article("Tides", (text, "<p hidden>" + text + "</p>"))),
        "/light": Answer(422, order.encode()),
    }


def _go_online(desk: Desk, model: ObeyingModel, site: WebPages) -> None:
    desk.environment |= {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": model.url,
        "LIBRISCRIBE2_MODELS__DEFAULT": "openai/x",
        "LIBRISCRIBE2_RESEARCH__SEARCH_URL": site.search_url,
        "LIBRISCRIBE2_LLM__RETRIES": "0",
    }


def _fetched(folder: Path, url: str, gate: Gate) -> ToolError | None:
    """What the tool that fetches pages makes of an address that it may fetch; None: it came."""
    desk = ResearchDesk(folder)
    desk.context = desk.context.__class__(
        desk.written.book, desk.folder, desk.ask, Web(Fetcher(gate, seconds=5), None, [url])
    )
    try:
        desk.call("fetch_page", url=url)
    except ToolError as error:
        return error
    return None


def _answering(*rounds: Sequence[str]) -> tuple[Resolve, list[str]]:
    """A resolver that gives each of these answers in turn, the last one for ever."""
    asked: list[str] = []

    async def resolve(host: str, port: int) -> Sequence[str]:
        asked.append(f"{host}:{port}")
        return rounds[min(len(asked), len(rounds)) - 1]

    return resolve, asked


def test_bar_24_02_only_public_addresses_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with WebPages() as canary:
        # Nothing but the judgement of the address stands before the canary.
        monkeypatch.setattr(addresses, "_WEB_PORTS", frozenset({80, 443, canary.port}))
        for address in ADDRESSES:
            gate = Gate(_answering((address,))[0])
            refused = _fetched(tmp_path, f"http://salt.example:{canary.port}/canary", gate)
            assert refused is not None, address
            assert refused.code == "address_forbidden", address
            both = Gate(_answering(("8.8.8.8", address))[0])
            assert _fetched(tmp_path, "http://salt.example/", both) is not None
        for host in LOOPBACKS:
            refused = _fetched(tmp_path, f"http://{host}:{canary.port}/canary", Gate())
            assert refused is not None, host
            assert refused.status in (400, 403, 502), host
            assert refused.code != "no_answer", host
        for address in PUBLIC:
            shown = f"[{address}]" if ":" in address else address
            target = target_of(f"http://{shown}/")
            assert asyncio.run(Gate(_answering((address,))[0]).admit(target)) == address
        assert canary.requests == []
    figure = f"{len(ADDRESSES)}/26 blocked, {len(PUBLIC)}/4 allowed, {len(LOOPBACKS)} spellings"
    BAR.tell(capsys, f"threat 2: {figure}, 0 requests to the canary")


REDIRECTS: Final = (
    *("http://169.254.169.254/latest/meta-data/", "http://[::ffff:127.0.0.1]:{port}/canary"),
    *("http://127.0.0.1:{port}/canary", "//127.0.0.1:{port}/canary", "http://127.1:{port}/canary"),
    *("http://localhost:{port}/canary", "http://user:{key}@127.0.0.1:{port}/canary"),
    *("file:///etc/passwd", "gopher://127.0.0.1:{port}/_x", "ftp://127.0.0.1:{port}/", "data:,x"),
    "javascript:alert(1)",
)


def test_bar_24_03_redirects_and_changing_names_lead_nowhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with WebPages() as canary, WebPages() as site:
        gate = Gate(system_resolver, loopback_ports=frozenset({site.port}))
        for target in REDIRECTS:
            place = target.format(port=canary.port, key=KEY)
            refused = _fetched(tmp_path, f"{site.root}/to?u={place}", gate)
            assert refused is not None, place
            assert refused.status in (400, 403, 502), (place, refused.message)
            assert KEY not in str(refused.as_record())
        assert _fetched(tmp_path, f"{site.root}/hop/5", gate) is None
        too_many = _fetched(tmp_path, f"{site.root}/hop/6", gate)
        assert too_many is not None
        assert too_many.code == "too_many_redirects"
        # The name means a public address when it is judged, and this machine ever after.
        resolve, asked = _answering(("8.8.8.8",), ("127.0.0.1",))
        with pytest.raises((LiveDoorError, ExceptionGroup)):
            _fetched(tmp_path, "http://salt.example/canary", Gate(resolve))
        assert asked == ["salt.example:80"]
        # The name means the site when it is judged first, and the canary on the way on.
        resolve, asked = _answering(("127.0.0.1",))
        moved = f"http://salt.example:{canary.port}/canary"
        gate = Gate(resolve, loopback_ports=frozenset({site.port}))
        start = f"http://salt.example:{site.port}/to?u={moved}"
        assert _code(_fetched(tmp_path, start, gate)) == "address_forbidden"
        assert canary.requests == []
        assert not {"cookie", "referer", "authorization"} & {n for h in site.headers for n in h}
    BAR.tell(capsys, f"threat 3: {len(REDIRECTS)} redirects, 2 changing names, 0 hits")


def _code(error: Any) -> str:
    return error.code if isinstance(error, ToolError) else ""
