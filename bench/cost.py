"""What a long book costs with the providers' caches of prompts, beside an earlier commit.

`python -m bench.cost [COMMIT ...]` writes 30 chapters of 90,000 words in every order of drafting, by
replies of the test server, 5 s a call on a clock that jumps; the same for each commit named.
"""

import asyncio
import json
import logging
import os
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.support.made_up_text import WRAPPINGS, fill, prose, wanted_schema, wanted_words, wrap

from libriscribe2.app import App, AppOptions
from libriscribe2.engine.engine import follow
from libriscribe2.engine.stages import stages_of
from libriscribe2.forecast.model_time import ORDERS, VirtualLoop
from libriscribe2.llm.backend import Completion, Request
from libriscribe2.llm.backends.demo import DemoAuthor
from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.litellm_library import load_litellm
from libriscribe2.llm.providers import DEMO_MODEL, ModelChoice
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import Drafting
from libriscribe2.project.atomic import UnsyncedOps
from libriscribe2.project.lock import Machine
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings.schema import Settings

SECONDS: Final = 5.0
LIFETIME: Final = 300.0
"""Seconds after its last use that a provider keeps a prefix."""

FEWEST: Final = 1_024
STEP: Final = 128
LOOKED_BACK: Final = 20
"""Blocks before a mark that Anthropic looks through for a prefix that is kept."""

MODELS: Final = {"gpt": "openai/gpt-5.4-mini", "claude": "anthropic/claude-sonnet-5"}
BARS: Final = {"gpt": 1.90, "claude": 4.70}

_BOOK: Final = Brief(
    premise="A lighthouse keeper on a drowned coast finds tomorrow's logbook",
    chapters="30",
    words=90_000,
)


class ServerAuthor:
    """The test server's replies without the server: the same to the same question."""

    async def complete(self, request: Request) -> Completion:
        """Answer at once."""
        asked = "\n".join(str(message.get("content")) for message in request.messages)
        schema = wanted_schema(asked)
        if schema is None:
            return Completion(prose(wanted_words(asked)), model=request.model)
        place = int.from_bytes(sha256(request.step.encode()).digest()[:2])
        wrapping = WRAPPINGS[place % len(WRAPPINGS)]
        text = wrap(json.dumps(fill(schema), ensure_ascii=False), wrapping)
        return Completion(text, model=request.model)


AUTHORS: Final[Mapping[str, Callable[[], Any]]] = {"server": ServerAuthor, "stand-in": DemoAuthor}


@dataclass(frozen=True, slots=True)
class Sent:
    """A call as it would have left.

    Attributes:
        request: The request.
        reply: Its reply.
        begun: When it left, on the clock that jumps.
        ended: When its reply was there.
    """

    request: Request
    reply: str
    begun: float
    ended: float


class PacedBackend:
    """Has an author answer, 5 s later, and notes every call."""

    def __init__(self, author: Any) -> None:
        self._author = author
        self.calls: list[Sent] = []

    async def complete(self, request: Request) -> Completion:
        """Answer when the time is over."""
        answer: Completion = await self._author.complete(request)
        begun = asyncio.get_running_loop().time()
        await asyncio.sleep(SECONDS)  # noqa: TID251 - on a clock that jumps
        self.calls.append(Sent(request, answer.reply, begun, begun + SECONDS))
        return answer

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """Answer in one piece."""
        answer = await self.complete(request)
        yield answer.reply
        yield answer


def written(order: Drafting, author: str) -> list[Sent]:
    """The calls of a whole book."""
    backend = PacedBackend(AUTHORS[author]())
    brief = _BOOK.model_copy(update={"drafting": order})
    with TemporaryDirectory() as folder:
        paths = ProjectPaths(Path(folder) / "book", Path(folder) / "debug")
        with (
            ProjectStore.create(paths, Machine(ops=UnsyncedOps())) as store,
            asyncio.Runner(loop_factory=VirtualLoop) as runner,
        ):
            choice = ModelChoice(DEMO_MODEL, "bench")
            app = App(store, brief, Settings(), choice, AppOptions("bench", backend))
            runner.run(follow(app.engine.run(stages_of(brief))))
    return sorted(backend.calls, key=lambda call: call.begun)


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of what a provider reads; `marked` is where it is told to keep what it has read."""

    tokens: tuple[int, ...]
    marked: bool = False


class Wire:
    """What a provider reads of a request, in its order: tools, schema, system, messages."""

    def __init__(self, model: str) -> None:
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", _tokenizers())
        import tiktoken  # noqa: PLC0415 - it looks where the variable says

        self._encode = tiktoken.get_encoding("cl100k_base").encode_ordinary
        self._backend = LiteLLMBackend(None, "none")
        self._model = model

    def tokens(self, text: str) -> tuple[int, ...]:
        """The tokens of a text."""
        return tuple(self._encode(text))

    def blocks(self, request: Request) -> list[Block]:
        """The pieces of a request."""
        sent, _ = self._backend.wording(replace(request, model=self._model))
        before = [sent[name] for name in ("tools", "response_format") if sent.get(name)]
        blocks = [Block(self.tokens(json.dumps(one, ensure_ascii=False))) for one in before]
        for message in sent["messages"]:
            content = message["content"]
            listed = [{"text": content}] if isinstance(content, str) else content
            role = self.tokens(f"\n{message['role']}\n")
            for at, part in enumerate(listed):
                own = self.tokens(part["text"])
                blocks.append(Block(own if at else role + own, "cache_control" in part))
        return blocks


@dataclass
class Cache:
    """The prefixes that a provider keeps: by their hash, from when, and when used last."""

    kept: dict[bytes, tuple[float, float]] = field(default_factory=dict)

    def has(self, prefix: bytes, now: float) -> bool:
        """Whether a prefix is there, which counts as a use."""
        since, used = self.kept.get(prefix, (now + 1, 0.0))
        if since > now or now > used + LIFETIME:
            return False
        self.kept[prefix] = since, now
        return True

    def keep(self, prefix: bytes, now: float, ended: float) -> None:
        """Keep a prefix from the end of a call on."""
        since, used = self.kept.get(prefix, (ended, ended))
        fresh = ended if now > used + LIFETIME else min(since, ended)
        self.kept[prefix] = fresh, max(used, ended)


def automatic(blocks: Sequence[Block], call: Sent, cache: Cache) -> tuple[int, int]:
    """Tokens read from the cache and written at a surcharge, where a provider caches by itself."""
    tokens = [token for block in blocks for token in block.tokens]
    digest, read, going = sha256(), 0, True
    for size in range(STEP, len(tokens) + 1, STEP):
        digest.update(repr(tokens[size - STEP : size]).encode())
        if size < FEWEST:
            continue
        going = going and cache.has(digest.digest(), call.begun)
        read = size if going else read
        cache.keep(digest.digest(), call.begun, call.ended)
    return read, 0


def by_marks(blocks: Sequence[Block], call: Sent, cache: Cache) -> tuple[int, int]:
    """The same where only marked prefixes are kept."""
    digest, size, ends = sha256(), 0, list[tuple[int, bytes, bool]]()
    for block in blocks:
        digest.update(repr(block.tokens).encode())
        size += len(block.tokens)
        ends.append((size, digest.digest(), block.marked and size >= FEWEST))
    marks = [at for at, one in enumerate(ends) if one[2]]
    seen = {at for mark in marks for at in range(max(0, mark - LOOKED_BACK + 1), mark + 1)}
    read = max((ends[at][0] for at in seen if cache.has(ends[at][1], call.begun)), default=0)
    for at in marks:
        cache.keep(ends[at][1], call.begun, call.ended)
    last = max((ends[at][0] for at in marks), default=0)
    return read, max(0, last - read)


@dataclass
class Bill:
    """What the calls of a book come to with one provider.

    Attributes:
        prompt: Tokens of all prompts; of these were
        read: read from the cache, and
        kept: written to it at a surcharge.
        most: The longest prompt.
        output: Tokens of all replies.
    """

    prompt: int = 0
    read: int = 0
    kept: int = 0
    most: int = 0
    output: int = 0

    def usd(self, model: str, output: int) -> float:
        """The price with so many tokens of replies, by LiteLLM's bundled list."""
        list_price = load_litellm().model_cost[model.partition("/")[2]]
        plain = float(list_price["input_cost_per_token"])
        kept = float(list_price.get("cache_creation_input_token_cost", plain))
        cached = self.read * float(list_price["cache_read_input_token_cost"])
        rest = (self.prompt - self.read - self.kept) * plain
        return (
            rest + self.kept * kept + cached + output * float(list_price["output_cost_per_token"])
        )


def bill(calls: Sequence[Sent], name: str) -> tuple[Bill, dict[str, list[int]]]:
    """What the calls come to, and by question: calls, tokens, those read from the cache."""
    wire, cache, total = Wire(MODELS[name]), Cache(), Bill()
    by_question: dict[str, list[int]] = {}
    for call in calls:
        blocks = wire.blocks(call.request)
        size = sum(len(block.tokens) for block in blocks)
        count = by_marks if any(block.marked for block in blocks) else automatic
        nothing = name == "claude" and count is automatic
        read, kept = (0, 0) if nothing else count(blocks, call, cache)
        own = by_question.setdefault(_question(call.request.step), [0, 0, 0])
        for at, value in enumerate((1, size, read)):
            own[at] += value
        total = Bill(
            total.prompt + size,
            total.read + read,
            total.kept + kept,
            max(total.most, size),
            total.output + len(wire.tokens(call.reply)),
        )
    return total, by_question


def _question(step: str) -> str:
    """A step without its numbers: `chapters/scene`."""
    parts = [
        part for part in step.split("/") if not part.startswith("ch") or not part[2:].isdigit()
    ]
    return "/".join("".join(c for c in part if not c.isdigit()) for part in parts)


def _tokenizers() -> str:
    """Where LiteLLM keeps the tokenizer that it brings."""
    return str(Path(load_litellm().__file__).parent / "litellm_core_utils" / "tokenizers")


def figures() -> Iterator[dict[str, Any]]:
    """Every order of drafting and author, in the program that is imported here."""
    logging.getLogger("libriscribe2").addHandler(logging.NullHandler())
    runs = [("server", order) for order in ORDERS] + [("stand-in", ORDERS[0])]
    for author, order in runs:
        calls = written(order, author)
        found: dict[str, Any] = {"author": author, "order": order, "calls": len(calls)}
        found["wall"] = max(call.ended for call in calls) - min(call.begun for call in calls)
        found["asked"] = Counter(_question(call.request.step) for call in calls)
        for name in MODELS:
            total, by_question = bill(calls, name)
            found[name] = asdict(total) | {"questions": by_question}
        yield found


def of_commit(commit: str) -> list[dict[str, Any]]:
    """The figures of another commit, measured by this module in a process of its own."""
    with TemporaryDirectory() as folder:
        if commit:
            archive = subprocess.check_output(["git", "archive", commit, "src"])
            with tarfile.open(fileobj=BytesIO(archive)) as packed:
                packed.extractall(folder, filter="data")
        path = os.pathsep.join(([f"{folder}/src"] if commit else []) + [str(Path.cwd())])
        command = [sys.executable, "-m", "bench.cost", "--figures"]
        told = subprocess.check_output(command, env=os.environ | {"PYTHONPATH": path})
    return [json.loads(line) for line in told.splitlines() if line.startswith(b"{")]


def table(commits: Sequence[str], measured: Sequence[list[dict[str, Any]]]) -> Iterator[str]:
    """The figures beside each other; completion tokens are those of the first commit."""
    for commit, found in zip(commits, measured, strict=True):
        yield f"\n{commit or 'here'}:"
        for one, first in zip(found, measured[0], strict=True):
            line = f"- {one['author']}, {one['order']}: {one['calls']} calls, "
            line += f"{one['wall'] / 60:.1f} min ({one['wall'] / first['wall']:.2f})"
            yield line
            for name, model in MODELS.items():
                total = Bill(**{key: one[name][key] for key in asdict(Bill())})
                usd = total.usd(model, first[name]["output"])
                share = total.read / total.prompt
                yield (
                    f"  - {model}: ${usd:.2f} (bar {BARS[name]:.2f}); {total.prompt / 1e6:.2f}M in, "
                    f"{share:.0%} cached, {total.most:,} at most in one; {total.output:,} out"
                )
            if one["order"] == ORDERS[0]:
                for question, (count, size, read) in one["gpt"]["questions"].items():
                    mean = size // count
                    yield f"    - {question} {count}: {mean:,} tokens, {read / size:.0%} cached"


def main(arguments: Sequence[str]) -> None:
    if "--figures" in arguments:
        for one in figures():
            print(json.dumps(one))
        return
    commits = [*arguments, ""]
    for line in table(commits, [of_commit(commit) for commit in commits]):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
