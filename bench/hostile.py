"""The readers of replies and pages beside `extract_with_report`, on the same hostile texts."""

from collections.abc import Callable
from functools import partial
from typing import Final

from bench.speed import hostile_texts
from bench.timing import peak_memory, timed
from libriscribe2.parsing.sections import multi_section_parser
from libriscribe2.parsing.tool_calls import parse_llm_response
from libriscribe2.research.web.result_pages import parse_search_results

# Beyond the units of JSON: what sections, tool calls and pages stumble over.
UNITS: Final = {
    "{a:": "{a:",
    "cut objects": '\n{"a": 1\n\n',
    "<tool_call>{": "<tool_call>{",
    "<a <": "<a <",
    "<div>": '<div class="g">',
}
PARSERS: Final[dict[str, Callable[[str], object]]] = {
    "sections": partial(multi_section_parser, section_headers=["[Plan]", "[Notes]"]),
    "tool calls": parse_llm_response,
    "search page": parse_search_results,
}


def print_parsers() -> None:
    """Time of each parser on every pattern, then memory as a multiple of the characters."""
    texts = hostile_texts() | {name: unit * (10**6 // len(unit)) for name, unit in UNITS.items()}
    print("\nHostile input for the other parsers, 1 MB each: seconds, memory")
    print(f"  {'':16}" + "".join(f" {name:>16}" for name in PARSERS))
    for name, text in texts.items():
        cells = []
        for parse in PARSERS.values():
            one = timed(partial(parse, text))
            peak = peak_memory(partial(parse, text)) / len(text)
            cells.append(f" {one.outcome or f'{one.seconds:.2f} s':>9} x{peak:4.1f} ")
        print(f"  {name:16}" + "".join(cells))
