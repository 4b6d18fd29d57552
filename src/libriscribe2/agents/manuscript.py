"""The manuscript: put together by code, never by a model."""

import json

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.project.paths import CHAPTER_FILES, CONCEPT, MANUSCRIPT, OUTLINE, TITLE


class ManuscriptAgent(Agent):
    """Joins title page and chapters; every chapter goes in as it is."""

    name = "manuscript"
    also_called = ("formatting",)
    reads = (CONCEPT, OUTLINE, CHAPTER_FILES, TITLE)
    brief_keys = (*BOOK_KEYS, "author")
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
        chapters = (text.strip() for text in self.book.chapter_texts())
        return f"---\n{title_page}\n---\n\n" + "\n\n".join(chapters) + "\n"
