"""Hostile texts put together at random, to find what costs a reader more than linear time.

`python -m bench.hostile_scan --seconds 600`: each text is a few tokens, then a unit again and
again (as it is, with a number that grows, or a second unit in equal number behind it), then a few
tokens. Short and middle-sized texts are tried; where one costs a reader more than its share of a
second for 1 MB, 1 MB of it is read too, and what is over the limit is printed as it can be
repeated. A test belongs to each finding: `tests/unit/parsing/test_hostile_texts.py`.
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from bench.corpus.case import Rng
from bench.corpus.generate import rng_for
from bench.limits import OutOfTime, time_limit
from libriscribe2.parsing.sections import multi_section_parser
from libriscribe2.parsing.tool_calls import parse_llm_response
from libriscribe2.replies.cleanup import extract_with_report
from libriscribe2.research.web.result_pages import parse_search_results
from libriscribe2.utils.json_utils import JSONProcessor

TOKENS: Final[list[str]] = json.loads(
    (Path(__file__).parent / "corpus" / "hostile_tokens.json").read_text(encoding="utf-8")
)
NUMBER: Final = "%d"
MEGABYTE: Final = 1_000_000
# Characters, and the seconds of CPU over which 1 MB is tried as well.
SIZES: Final = ((20_000, 0.02), (150_000, 0.11))
LIMIT: Final = 1.0
HANGS: Final = 30
_OBJECT: Final = {"type": "object", "properties": {"a": {"type": "string"}}}
_LIST: Final = {"type": "array", "items": _OBJECT}
_SCHEMAS: Final = {"f": _OBJECT}
READERS: Final[dict[str, Callable[[str], object]]] = {
    "JSON": extract_with_report,
    "an object": partial(extract_with_report, schema=_OBJECT),
    "a list": partial(extract_with_report, schema=_LIST),
    "clean text": JSONProcessor.clean_llm_response,
    "artifacts": JSONProcessor.detect_markdown_artifacts,
    "sections": partial(multi_section_parser, section_headers=["[Plan]", "[Text]"]),
    "dividers": multi_section_parser,
    "tool calls": partial(parse_llm_response, allowed_tools=["f"]),
    "known tools": partial(parse_llm_response, allowed_tools=["f"], schemas=_SCHEMAS),
    "search page": parse_search_results,
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a hostile text is made of; its `repr` makes it anew."""

    before: str
    unit: str
    behind: str
    second: str = ""

    def text(self, size: int) -> str:
        """The text in about so many characters."""
        count = size // (len(self.unit) + len(self.second)) + 1
        body = self.unit * count
        if NUMBER in self.unit:
            body = "".join(self.unit.replace(NUMBER, str(at)) for at in range(count))
        return self.before + body + self.second * count + self.behind


def recipe(random: Rng) -> Recipe:
    """A recipe drawn from the tokens."""

    def some(least: int, most: int) -> str:
        return "".join(random.choice(TOKENS) for _ in range(random.randint(least, most)))

    unit = some(1, random.choice((4, 4, 4, 8)))
    kind = random.choice(("plain", "plain", "numbered", "twofold"))
    if kind == "numbered":
        unit += NUMBER
    return Recipe(some(0, 3), unit, some(0, 2), some(1, 2) if kind == "twofold" else "")


def cost(read: Callable[[str], object], text: str) -> float:
    """CPU seconds of one reading; infinite for one that does not end."""
    start = time.process_time()
    try:
        with time_limit(HANGS):
            read(text)
    except OutOfTime:
        return float("inf")
    return time.process_time() - start


def worst(read: Callable[[str], object], made: Recipe, size: int, share: float) -> float:
    """CPU seconds for 1 MB, the better of two, or 0 where a smaller text says that it is little."""
    small = made.text(size)
    if cost(read, small) < share or cost(read, small) < share:
        return 0.0
    large = made.text(MEGABYTE)
    first = cost(read, large)
    return first if first < LIMIT or first == float("inf") else min(first, cost(read, large))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.hostile_scan", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="draws other texts (default 1)")
    parser.add_argument("--seconds", type=float, default=60, help="how long to look (default 60)")
    parser.add_argument("--reader", default="", help="part of the names of the readers to try")
    given = parser.parse_args()
    random, end, tried, found = (
        rng_for(given.seed, "hostile"),
        time.monotonic() + given.seconds,
        0,
        0.0,
    )
    readers = {name: read for name, read in READERS.items() if given.reader in name}
    while time.monotonic() < end:
        made = recipe(random)
        size, share = random.choice(SIZES)
        tried += 1
        for name, read in readers.items():
            seconds = worst(read, made, size, share)
            found = max(found, seconds)
            if seconds >= LIMIT:
                print(f"{seconds:6.2f} s  {name}: {made!r}", flush=True)
    print(f"{tried} texts; the worst that was read as 1 MB took {found:.2f} s of CPU")


if __name__ == "__main__":
    main()
