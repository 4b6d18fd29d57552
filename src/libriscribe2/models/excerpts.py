"""What the data blocks of the prompts hold: parts of the book as text of a bounded size."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from libriscribe2.models.brief import Brief
from libriscribe2.models.story import OutlineChapter


def to_json(value: BaseModel | Mapping[str, Any] | Sequence[Any]) -> str:
    """A value as readable JSON in one line; empty fields of a model are left out."""
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    if isinstance(plain, Mapping):
        plain = {key: field for key, field in plain.items() if field not in ("", [], None)}
    return json.dumps(plain, ensure_ascii=False)


def book_lines(brief: Brief) -> str:
    """The brief as `key: value` lines."""
    fields = {
        "title": brief.title,
        "kind": brief.kind,
        "category": brief.category,
        "genre": brief.genre,
        "audience": brief.audience,
        "language": brief.language,
        "tone": brief.tone,
    }
    return "\n".join(f"{key}: {value}" for key, value in fields.items() if value)


def chapter_block(chapter: OutlineChapter, number: int, of: int) -> str:
    """A chapter of the outline as the prompts show it."""
    return to_json({"number": number, "of": of, **chapter.model_dump()})


def cards(entries: Iterable[BaseModel], fields: Sequence[str], budget: int) -> str:
    """Entries as a JSON list that keeps to a budget.

    Args:
        entries: What to list, the most important first.
        fields: Names of the fields to show, the most important first.
        budget: Most characters; the last fields go first, then the ends of long values.
    """
    rows = [entry.model_dump(mode="json") for entry in entries]
    for shown in range(len(fields), 0, -1):
        text = _rows(rows, fields[:shown])
        if len(text) <= budget:
            return text
    room = max(8, budget // max(1, len(rows)) - 2 * len(fields[0]) - 8)
    return _rows([{fields[0]: shorten(str(row[fields[0]]), room)} for row in rows], fields[:1])


def shorten(text: str, budget: int) -> str:
    """Text of at most `budget` characters, cut at the end of a sentence or word."""
    if len(text) <= budget:
        return text
    head = text[:budget]
    stop = max(head.rfind(mark) for mark in (". ", "! ", "? ", "\u3002"))
    if stop >= budget // 2:
        return head[: stop + 1]
    return head[: max(head.rfind(" "), budget // 2)].rstrip()


def tail(text: str, budget: int) -> str:
    """The end of a text in at most `budget` characters, begun at a paragraph or word."""
    if len(text) <= budget:
        return text
    end = text[-budget:]
    start = end.find("\n\n")
    if 0 <= start <= budget // 2:
        return end[start:].strip()
    return end[end.find(" ") + 1 :].strip()


def parts(text: str, budget: int) -> list[str]:
    """A text in as few parts of at most `budget` characters as its paragraphs allow.

    A paragraph that is longer than the budget is cut where the budget ends.
    """
    whole: list[str] = [""]
    for paragraph in text.split("\n\n"):
        for start in range(0, max(1, len(paragraph)), budget):
            piece = paragraph[start : start + budget]
            if whole[-1] and len(whole[-1]) + len(piece) + 2 > budget:
                whole.append(piece)
            else:
                whole[-1] = f"{whole[-1]}\n\n{piece}" if whole[-1] else piece
    return whole


def _rows(rows: Iterable[Mapping[str, Any]], fields: Sequence[str]) -> str:
    """The chosen fields of each row, empty ones left out."""
    chosen = [{name: row[name] for name in fields if row[name]} for row in rows]
    return json.dumps(chosen, ensure_ascii=False)
