"""Answers to the questions of a chain of tools: a plan, bindings, verdicts, facts of a source.

Nothing is made up: a plan uses the tools and files that the request names, a binding is a value of
the data, and a quote is a sentence of the text.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from libriscribe2.llm.backend import Request

_MOST_FILES: Final = 5
_MOST_QUESTIONS: Final = 6
_MOST_FACTS: Final = 4
_LONGEST_QUOTE: Final = 40
_SHORTEST_QUOTE: Final = 4
_SHORTEST_WORD: Final = 4
_LONGEST_TOPIC: Final = 120

_QUESTION: Final = re.compile(r"^\d+\. (.+)$", re.MULTILINE)
_FILE: Final = re.compile(r"^- (.+)$", re.MULTILINE)
_MOST: Final = re.compile(r"\bat most (\d+)")
_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9])|\n+")
_HEADING: Final = re.compile(r"\s*(?:#|\||>|[-*+] |\d+\. )")
_WORD: Final = re.compile(r"\w+")


def chain_answer(request: Request) -> Any:
    """The answer to a question of a chain as a JSON value; None for any other request."""
    asked = _asked(request)
    if "<sources>" in asked and '"questions"' in asked:
        return {"questions": _questions(_block(asked, "premise"))}
    if "<tools>" in asked and "step_id" in asked:
        return _plan(_block(asked, "request"), _block(asked, "tools"))
    if "<source_text>" in asked:
        most = _MOST.search(asked.rpartition("</source_text>")[2])
        text, question = _block(asked, "source_text"), _block(asked, "question")
        return {"facts": _facts(text, question, int(most[1]) if most else _MOST_FACTS)}
    if "provide_parameters" in asked:
        return _bound(_block(asked, "data"), _block(asked, "json_schema"))
    if "should_retry" in asked and "<error" in asked:
        reason = "The offline author knows no other parameters."
        return {"should_retry": False, "reason": reason, "suggested_changes": None}
    return None


def _asked(request: Request) -> str:
    """The first turn of the user."""
    turns = (m for m in request.messages if m.get("role") == "user")
    return str(next(turns, {}).get("content") or "")


def _block(text: str, name: str) -> str:
    """What stands between `<name>` and the last `</name>`; "" where there is no such block."""
    _, _, after = text.partition(f"<{name}>")
    return after.rpartition(f"</{name}>")[0].strip()


def _questions(premise: str) -> list[str]:
    """What anybody would ask about a premise."""
    topic = " ".join(premise.split())[:_LONGEST_TOPIC].rstrip(" .?!")
    return [
        f"What do the sources say about this: {topic}?",
        f"Which years and numbers belong to this: {topic}?",
        f"Which places and people belong to this: {topic}?",
    ]


def _plan(request: str, tools: str) -> dict[str, Any]:
    """Every file is read, its facts for every question are taken, and these are saved."""
    offered = set(re.findall(r'"agent_name": ?"([a-z0-9_]+)"', tools))
    listed = request.partition("own files")[2]
    files = _FILE.findall(listed)
    asked = request.partition("own files")[0].replace("{{", "{ {")  # no reference to a result
    questions = _QUESTION.findall(asked)[:_MOST_QUESTIONS] or [asked]
    if files and {"read_source", "extract_facts", "save_note"} <= offered:
        return {
            "plan_id": "read-the-files",
            "steps": list(_reading(files[:_MOST_FILES], questions)),
        }
    if {"web_search", "fetch_page", "extract_facts", "save_note"} <= offered:
        return {"plan_id": "search-the-web", "steps": list(_searching(questions))}
    query = {"query": _short(questions[0])}
    return {"plan_id": "search", "steps": [_step("step-1", "search_sources", (), query)]}


def _reading(files: Sequence[str], questions: Sequence[str]) -> Iterator[dict[str, Any]]:
    """A search first, as an author would; then each file with the questions in turn."""
    number = 1
    yield _step("step-1", "search_sources", (), {"query": _short(questions[0])})
    for place, name in enumerate(files):
        read, extract, save = (f"step-{number + more}" for more in (1, 2, 3))
        number += 3
        question = " ".join(questions[place :: len(files)]) or questions[place % len(questions)]
        yield _step(read, "read_source", (), {"source": name})
        yield _step(extract, "extract_facts", (read,), {"question": question[:900]})
        yield _step(save, "save_note", (extract,), {})


def _searching(questions: Sequence[str]) -> Iterator[dict[str, Any]]:
    """One search, and the facts of its first results."""
    yield _step("step-1", "web_search", (), {"query": _short(questions[0])})
    for place in range(2):
        fetch, extract, save = (f"step-{3 * place + more}" for more in (2, 3, 4))
        url = f"{{{{step-1.response.results[{place}].url}}}}"
        yield _step(fetch, "fetch_page", ("step-1",), {"url": url})
        yield _step(extract, "extract_facts", (fetch,), {"question": " ".join(questions)[:900]})
        yield _step(save, "save_note", (extract,), {})


def _step(
    step_id: str, tool: str, needs: Sequence[str], parameters: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "step_id": step_id,
        "agent_name": tool,
        "instruction": _INSTRUCTIONS[tool],
        "depends_on": list(needs),
        "metadata": {"parameters": dict(parameters)},
    }


_INSTRUCTIONS: Final[Mapping[str, str]] = {
    "search_sources": "See where the sources speak of the question.",
    "read_source": "Open the source.",
    "web_search": "Find pages that answer the question.",
    "fetch_page": "Fetch the page.",
    "extract_facts": "Take the facts that answer the question.",
    "save_note": "Save the facts with their source.",
}


def _facts(text: str, question: str, most: int) -> list[dict[str, str]]:
    """The sentences of a text that share most words with a question, as claims and as quotes."""
    wanted = _words(question)
    found = list(dict.fromkeys(_sentences(text)))
    ranked = sorted(found, key=lambda one: (-len(wanted & _words(one)), found.index(one)))
    chosen = ranked[: max(1, min(most, _MOST_FACTS))]
    return [{"claim": one, "quote": one} for one in chosen]


def _sentences(text: str) -> Iterator[str]:
    """The sentences that can stand as a quote."""
    for line in _END.split(text):
        if not _HEADING.match(line) and line.rstrip().endswith((".", "!", "?")):
            words = line.split()
            if _SHORTEST_QUOTE <= len(words) <= _LONGEST_QUOTE:
                yield " ".join(words)


def _bound(data: str, schema: str) -> dict[str, Any]:
    """For every wanted name the first value of the data that has it, else null."""
    wanted = _json(schema).get("properties", {})
    held = _json(data)
    return {name: _named(held, name.casefold()) for name in wanted}


def _named(value: Any, name: str) -> Any:
    """The first value under a name, the outermost first."""
    level = [value]
    while level:
        for one in level:
            if isinstance(one, dict):
                found = [held for key, held in one.items() if key.casefold() == name]
                if found:
                    return found[0]
        level = [
            inner
            for one in level
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
    return None


def _json(text: str) -> dict[str, Any]:
    """An object; an empty one where the text holds none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.casefold()) if len(word) >= _SHORTEST_WORD}


def _short(question: str) -> str:
    """A question as a query."""
    return " ".join(question.split())[:200]
