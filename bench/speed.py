"""Time against json.loads on the same clean bytes, and hostile input with time and memory."""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from bench.corpus.case import Rng
from bench.corpus.generate import rng_for
from bench.corpus.samples import Voice, cast
from bench.corpus.tokens import PRETTY, render, rewrite, tokenize
from bench.readers import Reader
from bench.timing import peak_memory, timed
from libriscribe2.replies.cleanup import extract_with_report

SIZES: Final = (2_000, 50_000, 1_000_000)
KINDS: Final = ("bare", "fenced", "repair")
LEAST: Final = 0.3
_KEY: Final = re.compile(r'"(\w+)":')
MEGABYTE: Final = 1_000_000
UNITS: Final = {
    "{": "{",
    "[": "[",
    '"': '"',
    "```": "```",
    "fence lines": "```json\n",
    '{"a":': '{"a":',
    "{}": "{}",
    "backslashes": "\\",
    "a: ": "a: ",
    "<think>": "<think>",
    "<invoke>": '<invoke name="a">',
    "[Plan] lines": "[Plan]\n",
    '{"a": "': '{"a": "',
    '{"a": 1,': '{"a": 1,',
    "[,": "[,",
    "{/*": "{/*",
    '"a" "b"': '{"a": "b" "c" ',
    "wrong closers": '{"a":[1,2},',
    "curly quotes": '{"a": "“x',
    "bad escapes": '{"a":"\\x',
    "{<!--": "{<!--",
    "((((": "(",
    "tuples": "('a', 1),",
    "tag in a value": '{"x": <think>',
    "{ and U+200B": "{\u200b",
}


def hostile_texts() -> dict[str, str]:
    """1 MB of every unit, and 5 MB of words."""
    found = {name: unit * (MEGABYTE // len(unit)) for name, unit in UNITS.items()}
    words = "The tide brings back what the town has drowned. "
    return found | {"5 MB of words": words * (5 * MEGABYTE // len(words))}


def sample_of(size: int, rng: Rng) -> Any:
    """A cast of characters of about `size` bytes as indented JSON."""
    people: list[Any] = []
    used = 0
    while used < size:
        more = cast(Voice(rng)).value["characters"]
        used += len(json.dumps(more, ensure_ascii=False, indent=2).encode())
        people += more
    return {"characters": people}


def with_trailing_commas(value: Any) -> str:
    """The value with a comma before every closer."""
    tokens = tokenize(value, PRETTY)
    closers = {
        at: "," + token.text
        for at, token in enumerate(tokens[:-1])
        if token.kind == "space" and "\n" in token.text and tokens[at + 1].kind in {"}", "]"}
    }
    return render(rewrite(tokens, closers))


def print_throughput(readers: list[Reader]) -> None:
    """Clean, fenced and repaired replies of three sizes, as multiples of json.loads."""
    rng = rng_for(1, "speed")
    values = [sample_of(size, rng) for size in SIZES]
    bare = [json.dumps(value, ensure_ascii=False, indent=2) for value in values]
    fenced = [f"```json\n{text}\n```" for text in bare]
    texts = (*bare, *fenced, *map(with_trailing_commas, values))
    base = [timed(partial(json.loads, text), LEAST).seconds for text in bare]
    heads = "".join(f" {f'{kind} {size // 1000}k':>13}" for kind in KINDS for size in SIZES)
    speeds = ", ".join(
        f"{len(text.encode()) / one / 1e6:.0f}" for text, one in zip(bare, base, strict=True)
    )
    print(f"\nTime as a multiple of json.loads on the bare text ({speeds} MB/s itself)")
    print(f"{'reader':26}{heads}")
    for reader in readers:
        times = [timed(partial(reader.read, text, None), LEAST) for text in texts]
        shares = "".join(f" {one.over(base[at % 3]):>13}" for at, one in enumerate(times))
        print(f"{reader.name:26}{shares}")


def print_damages() -> None:
    """MB/s of our repair where a reply is damaged all over, at 2 kB, 50 kB and 1 MB."""
    rng = rng_for(1, "speed")
    values = [sample_of(size, rng) for size in SIZES]
    damages: dict[str, Callable[[Any], str]] = {
        "trailing commas": with_trailing_commas,
        "keys without quotes": lambda value: _KEY.sub(r"\1:", _indented(value)),
        "single quotes": lambda value: (
            _indented(value).replace("'", "").replace('\\"', "").replace('"', "'")
        ),
        "Python's repr": repr,
    }
    print("\nRepair, MB/s of ours at 2 kB, 50 kB and 1 MB")
    for name, damage in damages.items():
        texts = [damage(value) for value in values]
        speeds = [
            len(text.encode()) / timed(partial(extract_with_report, text), LEAST).seconds / 1e6
            for text in texts
        ]
        print(f"  {name:20}" + "".join(f" {one:6.1f}" for one in speeds))


def _indented(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def print_hostile(readers: list[Reader]) -> None:
    """Hostile patterns: time without the memory tracer, which slows Python down, then memory."""
    for reader in readers:
        print(f"\n{reader.name}: hostile input, 1 MB each")
        for name, text in hostile_texts().items():
            call = partial(reader.read, text, None)
            one, peak = timed(call), peak_memory(call) / len(text)
            print(f"  {name:16} {one.seconds:7.2f} s  memory x{peak:5.1f}  {one.outcome}")
