"""The banks of phrases, read from the text files of `phrases/`.

A file holds `[name]` lines, each followed by the entries of that bank, one to a line; `#` starts a
comment. Adding a sentence to the author's stock is adding a line. Quotes are typed straight and
become typographic here.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

Banks = Mapping[str, tuple[str, ...]]


def typographic(text: str) -> str:
    """Straight quotes as curly ones; an opening one follows a blank, a bracket or nothing."""
    text = re.sub(r'(^|[\s(\[])"', r"\1“", text)
    return text.replace('"', "”").replace("'", "’")


@cache
def sections(file: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The `[name]` sections of `phrases/<file>.txt` in order, with their lines."""
    text = files(__package__).joinpath("phrases", f"{file}.txt").read_text(encoding="utf-8")
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("[") and line.endswith("]"):
            found.append((line[1:-1], []))
        elif line and not line.startswith("#"):
            found[-1][1].append(typographic(line))
    return tuple((name, tuple(lines)) for name, lines in found)


@cache
def banks(*names: str) -> Banks:
    """The banks of one or more files together."""
    return {name: lines for file in names for name, lines in sections(file)}
