"""The manuscript: put together by code, never by a model."""

import json

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent, Unit
from libriscribe2.models.citations import HEADING, cited
from libriscribe2.project.paths import (
    CHAPTER_FILES,
    CONCEPT,
    MANUSCRIPT,
    OUTLINE,
    RESEARCH_LIST,
    RESEARCH_NOTES,
    TITLE,
)
from libriscribe2.prose import without_notes


class ManuscriptAgent(Agent):
    """Joins title page and chapters; every chapter goes in as it is, but for notes to us.

    Marks of research notes become numbers, with the list of references at the end.
    """

    name = "manuscript"
    also_called = ("formatting",)
    reads = (CONCEPT, OUTLINE, CHAPTER_FILES, TITLE, RESEARCH_NOTES, RESEARCH_LIST)
    brief_keys = (*BOOK_KEYS, "author", "citations")
    writes = MANUSCRIPT
    asks_model = False

    @override
    async def execute(self, unit: Unit) -> str:
        """The title page as YAML front matter (a JSON string is one), and all chapters in order."""
        del unit
        page = {
            "title": self.book.title(self.brief),
            "author": self.brief.author,
            "genre": self.brief.genre,
            "category": self.brief.category,
            "language": self.brief.language,
            "target_audience": self.brief.audience,
        }
        title_page = "\n".join(
            f"{key}: {json.dumps(value, ensure_ascii=False)}"
            for key, value in page.items()
            if value
        )
        found = cited(
            self.book.chapter_texts(),
            self.book.notes(),
            self.book.sources(),
            style=self.brief.citations,
            english=self.brief.in_english,
        )
        parts = [without_notes(text).strip() for text in found.texts]
        if found.references:
            parts.append(f"# {HEADING}\n\n{found.references}")
        left_out = []
        if found.bad:
            left_out.append(
                f"{len(found.bad)} marks without a verified note are left out; "
                "see `libriscribe2 check --citations`"
            )
        unplanned = self.book.unplanned_chapters()
        if unplanned:
            left_out.append(f"not in the outline, so left out: {', '.join(unplanned)}")
        self.made_from.remark = "; ".join(left_out)
        return f"---\n{title_page}\n---\n\n" + "\n\n".join(parts) + "\n"
