"""What a kind of knowledge about a book or its chapters says of itself.

A kind is one module beside this one, such as `style`: the shape of its file, how a prompt shows
it, and a `Knowledge` at its end, which `context.knowledge_parts` finds. From that follow where it is
read, when a chapter waits for it, what makes a chapter stale, and the blocks of the prompts that
write and revise scenes. What a new kind needs besides:

1. the agent that makes the file (`writes` is `Knowledge.file`, `shape` is `Knowledge.shape`);
2. its hole, `$name`, in the prompts that write scenes (`chapters*.md`);
3. where its numbers are to be told, a line in the report.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class Knowledge:
    """One kind of knowledge that scenes may be written from.

    Attributes:
        name: What the prompts call it: the name of the hole and of the block.
        file: The file that holds it; with a `*` for the chapter's number, one per chapter.
        shape: The shape of the file.
        show: What a prompt shows of it within a budget (`prose.weigh`); "" for nothing. It is
            given the value of the file; of a kind with a file per chapter, the values of the
            chapters that may be seen, by number.
        budget: Most that the prompt of a scene shows of it.
        revision_budget: Most that requests about a finished chapter show of it; 0 for nothing.
    """

    name: str
    file: str
    shape: type[BaseModel]
    show: Callable[[Any, int], str]
    budget: int
    revision_budget: int = 0

    @property
    def per_chapter(self) -> bool:
        """Whether each chapter has a file of its own."""
        return "*" in self.file

    def file_of(self, chapter: int) -> str:
        """The file of a chapter."""
        return self.file.replace("*", f"{chapter:02d}")
