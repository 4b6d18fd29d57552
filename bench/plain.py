"""The same premise and length without LibriScribe2, and blind comparisons of the two books.

    python -m bench.plain write PREMISE FOLDER --model MODEL --chapters 12 --words 12000
    python -m bench.plain sheets BOOK_A BOOK_B PAIRS FOLDER

`write` is what somebody does with a script of an afternoon: one request for an outline, then one
for each chapter, with the outline and all chapters before it in view. A chapter that is there is
not asked again. `sheets` makes what readers who know neither way of writing are given: passages of
both books that tell the same, with six questions, each pair in both orders, and a key apart.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from libriscribe2.llm.litellm_library import load_litellm
from libriscribe2.prose import prose_words

OUTLINE = """\
You are a novelist. Plan a {genre} of {chapters} chapters and about {words} words in {language}.

Premise: {premise}

Write an outline: title, the people (who they are, what they want, how they speak), the places \
and their rules, and for each chapter a paragraph that says what happens in it and what has \
changed at its end."""

CHAPTER = """\
You are a novelist. You write a {genre} of {chapters} chapters and about {words} words in \
{language}.

Premise: {premise}

# Outline

{outline}

# What is written so far

{before}

# Task

Write chapter {number} of {chapters}, about {each} words. Begin with its heading, `# ` and its \
title; then prose alone, no comment."""

QUESTIONS = (
    "Which passage makes you want to read on?",
    "In which do the people speak and act as themselves, each unlike the others?",
    "Which is clearer about where everybody is, what they hold and what they know?",
    "Which has the better sentences: exact, varied, free of stock phrases?",
    "In which does something change that matters?",
    "Which of the two would you rather have written?",
)
"""What a reader is asked about a pair; each answer is A, B or neither, with a quote from each."""


def write(options: argparse.Namespace) -> None:
    """Write the book chapter by chapter; what stands in the folder is not paid again."""
    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    said = vars(options) | {"each": round(options.words / options.chapters)}
    outline = asked(folder / "outline.md", OUTLINE.format(**said), options.model)
    chapters: list[str] = []
    for number in range(1, options.chapters + 1):
        before = "\n\n".join(chapters) or "Nothing yet."
        prompt = CHAPTER.format(**said, outline=outline, before=before, number=number)
        chapters.append(asked(folder / f"{number:02}.md", prompt, options.model))
    book = "\n\n".join(chapters)
    (folder / "manuscript.md").write_text(book + "\n", encoding="utf-8")
    calls = [json.loads(one.read_text()) for one in sorted(folder.glob("*.call.json"))]
    tokens = [sum(one[kind] for one in calls) for kind in ("prompt_tokens", "completion_tokens")]
    words = prose_words(book)
    print(f"{words} words, {len(calls)} calls ({words / len(calls):.0f} words a call)")
    print(f"{tokens[0]} tokens in, {tokens[1]} out, {sum(one['usd'] for one in calls):.2f} USD")


def asked(file: Path, prompt: str, model: str) -> str:
    """The reply to a prompt, which is a file once it has come."""
    if not file.exists():
        litellm = load_litellm()
        messages = [{"role": "user", "content": prompt}]
        reply: Any = litellm.completion(model=model, messages=messages, timeout=7200)
        counted = {name: reply.usage[name] for name in ("prompt_tokens", "completion_tokens")}
        usd = reply._hidden_params.get("response_cost") or 0.0
        file.with_suffix(".call.json").write_text(json.dumps(counted | {"usd": usd}))
        file.write_text(reply.choices[0].message.content.strip() + "\n", encoding="utf-8")
    return file.read_text(encoding="utf-8").strip()


def sheets(options: argparse.Namespace) -> None:
    """Write a sheet for each pair and order, and `key.json`, which readers do not see."""
    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    books = [Path(one).read_text(encoding="utf-8") for one in (options.book_a, options.book_b)]
    questions = "\n".join(f"{number}. {one}" for number, one in enumerate(QUESTIONS, 1))
    key: dict[str, list[str]] = {}
    for number, pair in enumerate(json.loads(Path(options.pairs).read_text(encoding="utf-8")), 1):
        passages = [
            _passage(book, *ends) for book, ends in zip(books, pair["passages"], strict=True)
        ]
        for letter, order in (("x", (0, 1)), ("y", (1, 0))):
            name = f"{number:02}{letter}"
            first, second = (passages[one] for one in order)
            text = (
                f"# Pair {name}: {pair['about']}\n\n## Passage A\n\n{first}\n\n## Passage B\n\n"
                f"{second}\n\n## Questions\n\nAnswer A, B or neither, with a quote from each.\n\n"
                f"{questions}\n"
            )
            (folder / f"{name}.md").write_text(text, encoding="utf-8")
            key[name] = [("a", "b")[one] for one in order]
    (folder / "key.json").write_text(json.dumps(key, indent=1))
    print(f"{len(key)} sheets in {folder}")


def _passage(book: str, first: str, last: str) -> str:
    """The text from one string to the end of another, which both stand in the book once."""
    for end in (first, last):
        if book.count(end) != 1:
            raise SystemExit(f"stands {book.count(end)} times in the book: {end}")
    return book[book.index(first) : book.index(last) + len(last)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments, those of the process where none are given, and do what they say."""
    parser = argparse.ArgumentParser(prog="python -m bench.plain", description=__doc__)
    ways = parser.add_subparsers(required=True)
    writing = ways.add_parser("write")
    writing.add_argument("premise")
    writing.add_argument("folder")
    writing.add_argument("--model", required=True)
    writing.add_argument("--chapters", type=int, default=12)
    writing.add_argument("--words", type=int, default=12_000)
    writing.add_argument("--genre", default="novella")
    writing.add_argument("--language", default="English")
    writing.set_defaults(run=write)
    comparing = ways.add_parser("sheets")
    for name in ("book_a", "book_b", "pairs", "folder"):
        comparing.add_argument(name)
    comparing.set_defaults(run=sheets)
    options = parser.parse_args(arguments)
    options.run(options)


if __name__ == "__main__":
    main()
