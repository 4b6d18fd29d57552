"""Time of clean replies in several languages and lengths of text, against json.loads."""

import json
from functools import partial
from typing import Any, Final

from bench.corpus.generate import rng_for
from bench.speed import sample_of
from bench.timing import in_turns
from libriscribe2.replies.cleanup import extract_with_report

LINES: Final = {
    "ASCII": 'The tide came in - slowly. "Not yet," she said: "wait." ',
    "ASCII, line breaks": 'The tide came in, slowly.\n\n"Not yet," she said.\n"Wait."\t',
    "dashes": 'The tide came in — slowly. "Not yet," she said: "wait." ',
    "emoji": 'The tide came in 🌊 slowly 🌙. "Not yet 🙂," she said: "wait ⏳ a day." ',
    "curly quotes": "The tide came in, slowly. “Not yet,” she said: “don’t wait.” ",
    "German": "Die Flut kam über Nacht, schön und größer. „Noch nicht“, sagte sie: „Warte.“ ",
    "French": "La marée montait, à l’aube. « Pas encore », répondit-elle : « Attends un été. » ",
    "Russian": "Прилив пришёл медленно, как всегда. «Ещё нет», сказала она: «Подожди до утра.» ",
    "Chinese": "潮水慢慢地涨了上来。“还没有，”她说，“等到天亮再走吧。”老人点了点头。",
}
# Characters in all, and in each text.
SHAPES: Final = (
    (200, 100),
    (2_000, 1_000),
    (50_000, 100),
    (50_000, 1_000),
    (50_000, 5_000),
    (1_000_000, 1_000),
)
CASTS: Final = (2_000, 50_000, 1_000_000)


def story(size: int, length: int, line: str) -> dict[str, Any]:
    """Scenes of about `size` characters in all whose texts repeat a line up to `length` each."""
    text = (line * (length // len(line) + 1))[:length]
    return {"scenes": [{"title": f"Scene {n}", "text": text} for n in range(size // length)]}


def clean_texts() -> dict[str, str]:
    """Clean JSON texts by their names."""
    values: dict[str, Any] = {
        f"{name}, {size:,} in texts of {length:,}": story(size, length, line)
        for name, line in LINES.items()
        for size, length in SHAPES
    }
    values["numbers"] = {"table": [[row, row * 7, row / 3] for row in range(2_500)]}
    rng = rng_for(1, "speed")
    values |= {f"cast, {size:,} bytes": sample_of(size, rng) for size in CASTS}
    texts = {
        name: json.dumps(value, ensure_ascii=False, indent=2) for name, value in values.items()
    }
    french = story(50_000, 1_000, LINES["French"])
    return texts | {"French, all escaped": json.dumps(french, indent=2)}


def print_clean() -> None:
    """CPU time of clean replies to ours, bare and fenced, in multiples of json.loads on the bare."""
    print("\nClean replies, ours, as a multiple of json.loads: bare, fenced")
    for name, text in clean_texts().items():
        replies = (text, f"```json\n{text}\n```")
        base, *ours = in_turns(
            (partial(json.loads, text), *(partial(extract_with_report, one) for one in replies))
        )
        print(f"  {name:40}" + "".join(f" {one / base:6.2f}" for one in ours))
