"""Questions of research: what a model asks for a book, and how a planner is asked to answer."""

import hashlib
from collections.abc import Sequence
from typing import Final

from pydantic import Field

from libriscribe2.models.base import Shape, Text

MOST_LISTED: Final = 30
"""Files of the author's that a prompt names; the others are found by searching."""

_TASK: Final = """\
Take notes for a book that answer every one of these questions:

{questions}

Each source is searched for, read or fetched; extract_facts then takes the facts of one source \
that answer a question, and save_note saves them with that source. Read several sources where \
there are several. A step that only depends on another gets the values of the same name from it.

{sources}"""
_NONE: Final = "The author has no files of their own."
_MORE: Final = "and {count} more, which search_sources finds"


class ResearchQuestions(Shape):
    """What has to be known before the book is written."""

    questions: list[Text] = Field(description="Questions of fact, the most important first")


def request_text(questions: Sequence[str], files: Sequence[str]) -> str:
    """What a planner is asked, the same for the same questions and files.

    Args:
        questions: In one line each.
        files: Names of the author's own files.
    """
    numbered = (f"{number}. {' '.join(one.split())}" for number, one in enumerate(questions, 1))
    return _TASK.format(questions="\n".join(numbered), sources=listed(files))


def listed(files: Sequence[str]) -> str:
    """The author's files, as prompts name them."""
    if not files:
        return _NONE
    lines = [f"- {' '.join(name.split())}" for name in files[:MOST_LISTED]]
    if len(files) > MOST_LISTED:
        lines.append(_MORE.format(count=len(files) - MOST_LISTED))
    return "\n".join(("The author's own files, by the names under which they are opened:", *lines))


def question_name(question: str) -> str:
    """The name of the chain that answers a question: `q-` and 8 hexadecimal digits."""
    same = " ".join(question.split()).casefold()
    return f"q-{hashlib.sha256(same.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
