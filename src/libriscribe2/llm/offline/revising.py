"""A critic that sees one fault only, and its remedy: sentences that stand there word for word twice."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from libriscribe2.llm.offline.canon_notes import item_of
from libriscribe2.llm.offline.chapter_text import ChapterText, sentences, words

_BLOCK: Final = re.compile(r"<(issues|excerpts)>\n(.*?)\n</\1>", re.DOTALL)
_GAP: Final = "\n\n[\u2026]\n\n"
_FEWEST_WORDS: Final = 8
_MOST_ISSUES: Final = 8
_LONGEST_QUOTE: Final = 200
_STEP: Final = 3
"""So many words are added at a time until what is to be found stands there only once."""

_TRIES: Final = 60
_NAME: Final = re.compile(r"(?<!^)\b[A-Z][a-z]")
_KINDS: Final = frozenset({"duplicate", "repetition"})


def criticises(schema: Mapping[str, Any]) -> bool:
    """Whether a schema asks for what is wrong with a text."""
    return {"quote", "severity", "why"} <= item_of(schema, "issues")


def critique(text: str) -> dict[str, Any]:
    """The sentences of a text that stand in it before, word for word; nothing else is seen."""
    seen: set[str] = set()
    issues: list[dict[str, str]] = []
    for paragraph in ChapterText(0, "", text).paragraphs:
        for said in sentences(paragraph.text):
            if said in seen and _can_go(said):
                issues.append({
                    "kind": "repetition",
                    "severity": "warning",
                    "quote": said[:_LONGEST_QUOTE].rpartition(" ")[0] or said,
                    "why": "This sentence stands in the text before, word for word.",
                    "fix": "Take it out.",
                })  # fmt: skip
            seen.add(said)
    return {"issues": issues[:_MOST_ISSUES]}


def mends(schema: Mapping[str, Any]) -> bool:
    """Whether a schema asks for changes of passages."""
    return {"find", "replace"} <= item_of(schema, "patches")


def patches(prompt: str, say: Callable[[], str] = lambda: "") -> dict[str, Any]:
    """Changes that put other sentences where one is repeated; other issues are left alone.

    Of a sentence that stands in the excerpts twice, the last one goes. Each change is one to the
    text that the changes before it leave.

    Args:
        prompt: What is asked.
        say: Finds another sentence; one that names nobody and is as long takes the place.
    """
    blocks = dict(_BLOCK.findall(prompt))
    excerpts = blocks.get("excerpts", "")
    found: dict[str, dict[str, Any]] = {}
    for issue in _issues(blocks.get("issues", "")):
        said = _sentence(str(issue.get("quote", "")), excerpts)
        if issue.get("kind") in _KINDS and said not in found and _can_go(said):
            patch = _changed(said, _another(said, say, excerpts), excerpts)
            if patch is not None:
                found[said] = {"issue": issue.get("issue", 0), **patch}
                excerpts = _patched(excerpts, **patch)
    return {"patches": list(found.values())}


def _issues(lines: str) -> Iterator[dict[str, Any]]:
    """The issues, one JSON object per line."""
    for line in lines.splitlines():
        try:
            issue = json.loads(line)
        except ValueError:
            continue
        if isinstance(issue, dict):
            yield issue


def _can_go(said: str) -> bool:
    """Whether a sentence is long enough to count, and holds whole speeches only."""
    whole = said.count("\u201c") == said.count("\u201d") and said.count('"') % 2 == 0
    return whole and len(words(said)) >= _FEWEST_WORDS


def _sentence(quote: str, excerpts: str) -> str:
    """The whole sentence of the excerpts that begins with a quote; "" where none does."""
    every = (
        said
        for paragraph in excerpts.split("\n\n")
        for said in sentences(" ".join(paragraph.split()))
    )
    return next((said for said in every if quote and said.startswith(quote)), "")


def _another(said: str, say: Callable[[], str], excerpts: str) -> str:
    """A sentence of about the same length that is new and names nobody; "" where none is found."""
    for _ in range(_TRIES):
        found = say()
        near = abs(len(found.split()) - len(said.split())) <= _STEP
        if near and found not in excerpts and _NAME.search(found) is None:
            return found
    return ""


def _changed(said: str, instead: str, excerpts: str) -> dict[str, str] | None:
    """What to find, so that it stands there once, and what it becomes."""
    passage = next((one for one in reversed(excerpts.split(_GAP)) if said in one), "")
    start = passage.rfind(said)
    if start < 0:
        return None
    before, after = passage[:start], passage[start + len(said) :]
    for count in range(0, len(before.split()) + len(after.split()) + _STEP, _STEP):
        left, right = _last_words(before, count), _first_words(after, count)
        find = left + said + right
        if excerpts.find(find) == excerpts.rfind(find):
            if instead:
                return {"find": find, "replace": left + instead + right}
            gaps = (left[len(left.rstrip()) :], right[: len(right) - len(right.lstrip())])
            gap = max(gaps, key=len) if left.strip() and right.strip() else ""
            return {"find": find, "replace": left.rstrip() + gap + right.lstrip()}
    return None


def _patched(excerpts: str, find: str, replace: str) -> str:
    """The excerpts with a patch; where words only go, one of the gaps around them goes too."""
    before, _, after = excerpts.partition(find)
    if replace:
        return before + replace + after
    left, right = before.rstrip(), after.lstrip()
    gaps = (before[len(left) :], after[: len(after) - len(right)])
    return left + max(gaps, key=lambda gap: (gap.count("\n"), len(gap))) + right


def _last_words(text: str, count: int) -> str:
    """The end of a text that holds so many words, as it stands."""
    starts = [found.start() for found in re.finditer(r"\S+", text)]
    return text[starts[-min(count, len(starts))] :] if starts and count else text[len(text) :]


def _first_words(text: str, count: int) -> str:
    """The beginning of a text that holds so many words, as it stands."""
    ends = [found.end() for found in re.finditer(r"\S+", text)]
    return text[: ends[min(count, len(ends)) - 1]] if ends and count else ""
