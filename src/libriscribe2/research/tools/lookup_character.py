"""`lookup_character`: what the book has settled about a person."""

from typing import Final

from pydantic import Field, JsonValue

from libriscribe2.models.base import Text
from libriscribe2.research.passages import find_by_name
from libriscribe2.research.tool import Arguments, Tool, ToolContext


class LookupCharacter(Arguments):
    """Arguments of `lookup_character`."""

    name: Text = Field(max_length=200, description="The character's name, or part of it")


async def lookup_character(context: ToolContext, arguments: LookupCharacter) -> JsonValue:
    """The record of one character.

    Raises:
        ToolError: 404 where nobody has that name, 409 where several have.
        ProjectError: `characters.json` cannot be used.
    """
    found = find_by_name(arguments.name, context.book.characters(), "character")
    return found.model_dump(mode="json")


TOOL: Final = Tool(
    name="lookup_character",
    description=(
        "Look up a character of the book by name or part of a name. Returns the record: name, "
        "role, age, appearance, personality, background, motivation, conflict, relationships, arc."
    ),
    arguments=LookupCharacter,
    run=lookup_character,
    needs=("plan",),
)
