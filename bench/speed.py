"""Time against json.loads on the same clean bytes, and hostile input with time and memory."""

import json
import time
import tracemalloc
from collections.abc import Callable
from typing import Any, Final

from bench.corpus.case import Rng
from bench.corpus.generate import rng_for
from bench.corpus.samples import Voice, cast
from bench.corpus.tokens import PRETTY, render, rewrite, tokenize
from bench.limits import OutOfTime, time_limit
from bench.readers import Reader

SIZES: Final = (2_000, 50_000, 1_000_000)
LIMIT: Final = 10.0
MEGABYTE: Final = 1_000_000
HOSTILE: Final[dict[str, str]] = {
    "1 MB of {": "{" * MEGABYTE,
    "1 MB of [": "[" * MEGABYTE,
    '1 MB of "': '"' * MEGABYTE,
    "1 MB of ```": "```" * (MEGABYTE // 3),
    "1 MB of ``` lines": "```json\n" * (MEGABYTE // 8),
    '1 MB of {"a":': '{"a":' * (MEGABYTE // 5),
    "1 MB of {}": "{}" * (MEGABYTE // 2),
    "1 MB of \\": "\\" * MEGABYTE,
    "1 MB of 'a: '": "a: " * (MEGABYTE // 3),
    "1 MB of <think>": "<think>" * (MEGABYTE // 7),
    '1 MB of invoke': '<invoke name="a">' * (MEGABYTE // 17),
    "1 MB of [Plan]": "[Plan]\n" * (MEGABYTE // 7),
    '1 MB of {"a": "': '{"a": "' * (MEGABYTE // 7),
    "1 MB of ,": "[" + "," * MEGABYTE,
    "1 MB of /*": "{" + "/*" * (MEGABYTE // 2),
    "5 MB of words": "The tide brings back what the town has drowned. " * (MEGABYTE // 10),
}


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
    """The value with a comma before every closer that follows something."""
    tokens = tokenize(value, PRETTY)
    closers = {
        at: "," + token.text
        for at, token in enumerate(tokens[:-1])
        if token.kind == "space" and "\n" in token.text and tokens[at + 1].kind in {"}", "]"}
    }
    return render(rewrite(tokens, closers))


def seconds(call: Callable[[], object], least: float = 0.3) -> float:
    """Best time of one call out of several, in seconds; infinite when it ran out of time."""
    best, spent = float("inf"), 0.0
    try:
        with time_limit(LIMIT):
            while spent < least:
                start = time.perf_counter()
                call()
                taken = time.perf_counter() - start
                best, spent = min(best, taken), spent + taken
    except OutOfTime:
        return float("inf")
    except Exception:  # noqa: BLE001 - a refusal, which this table shows as no time
        return float("nan")
    return best


def print_throughput(readers: list[Reader]) -> None:
    """Clean, fenced and repaired replies of three sizes, as multiples of json.loads."""
    print("\nTime as a multiple of json.loads on the bare text (nan: refused, inf: over "
          f"{LIMIT:.0f} s)\n{'reader':26}" + "".join(
              f" {kind + ' ' + str(size // 1000) + 'k':>13}"
              for kind in ("bare", "fenced", "repair") for size in SIZES))
    rng = rng_for(1, "speed")
    values = [sample_of(size, rng) for size in SIZES]
    bare = [json.dumps(value, ensure_ascii=False, indent=2) for value in values]
    texts = (
        *bare, *(f"```json\n{text}\n```" for text in bare), *map(with_trailing_commas, values)
    )
    base = [seconds(lambda text=text: json.loads(text)) for text in bare]  # type: ignore[misc]
    for reader in readers:
        times = [seconds(lambda text=text: reader.read(text, None)) for text in texts]  # type: ignore[misc]
        shares = "".join(f" {one / base[at % 3]:13.1f}" for at, one in enumerate(times))
        print(f"{reader.name:26}{shares}")


def hostile(reader: Reader, text: str) -> tuple[float, float, str]:
    """Seconds, peak memory in multiples of the input, and what went wrong if anything."""
    tracemalloc.start()
    start, trouble = time.perf_counter(), ""
    try:
        with time_limit(LIMIT):
            reader.read(text, None)
    except (OutOfTime, RecursionError, MemoryError) as error:
        trouble = type(error).__name__
    except Exception:  # noqa: BLE001 - a refusal is the right answer here
        trouble = ""
    taken = time.perf_counter() - start
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return taken, peak / len(text), trouble


def print_hostile(readers: list[Reader]) -> None:
    """Hostile patterns; time is measured without the memory tracer, which slows Python down."""
    for reader in readers:
        print(f"\n{reader.name}: hostile input")
        for name, text in HOSTILE.items():
            taken = seconds(lambda text=text: reader.read(text, None), 0.0001)  # type: ignore[misc]
            traced, peak, trouble = hostile(reader, text)
            shown = taken if taken == taken else traced
            print(f"  {name:20} {shown:7.2f} s  memory x{peak:5.1f}  {trouble}")
