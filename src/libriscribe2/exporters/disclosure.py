"""Who wrote the book: what shops ask to be told of text that a model made."""

from collections.abc import Sequence
from typing import Final

from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.journal_facts import ModelShare, journal_records, shares
from libriscribe2.project.view import ProjectView

DISCLOSURE: Final = "AI-DISCLOSURE.md"

_OFFLINE: Final = "offline"


def disclosure(view: ProjectView, book: ExportBook) -> str:
    """The text of `AI-DISCLOSURE.md`: stages, models and days from the journal.

    Raises:
        StorageError: The journal or a chapter cannot be read.
    """
    told = shares(journal_records(view.paths))
    own = [part.name for part in book.parts if not _is_ours(view, part.name)]
    paragraphs = ["# AI disclosure", _opening(book.title, told), *_table(told), *_notes(told)]
    if own:
        listed = "\n".join(f"- `{name}`" for name in own)
        paragraphs.append(f"Written or edited by a person after that:\n\n{listed}")
    return "\n\n".join(paragraphs) + "\n"


def _is_ours(view: ProjectView, name: str) -> bool:
    """Whether the file is just as the program wrote it."""
    sha = view.sha(name)
    return sha is not None and view.manifest.is_ours(name, sha)


def _opening(title: str, told: Sequence[ModelShare]) -> str:
    if not told:
        return f"The journal of “{title}” holds no reply of a model."
    return (
        f"The text of “{title}” was made with LibriScribe2 by the models below. "
        "A reply is one answer of a model; the days are those of the first and the last one."
    )


def _table(told: Sequence[ModelShare]) -> list[str]:
    """Stages and models as a Markdown table; none without a reply."""
    rows = [f"| {one.stage} | {_cell(one.model)} | {one.replies} | {_days(one)} |" for one in told]
    head = ["| stage | model | replies | days |", "|---|---|---|---|"]
    return ["\n".join((*head, *rows))] if rows else []


def _notes(told: Sequence[ModelShare]) -> list[str]:
    """What has to be known of a model that is none."""
    if not any(one.model == _OFFLINE for one in told):
        return []
    return ["`offline` is a demonstration that composes sentences, not a language model."]


def _cell(text: str) -> str:
    return "`" + text.replace("|", "/").replace("`", "'") + "`"


def _days(share: ModelShare) -> str:
    return share.first if share.first == share.last else f"{share.first} to {share.last}"
