"""`lookup_place`: what the book has settled about a place or a term of its world."""

from dataclasses import asdict, dataclass
from typing import Final, Literal

from pydantic import Field, JsonValue

from libriscribe2.models.base import Text
from libriscribe2.project.artifacts import Book
from libriscribe2.research.passages import find_by_name
from libriscribe2.research.tool import Arguments, Tool, ToolContext

Kind = Literal["place", "term"]


class LookupPlace(Arguments):
    """Arguments of `lookup_place`."""

    name: Text = Field(max_length=200, description="The name of the place or term, or part of it")
    kind: Literal["any", "place", "term"] = Field(
        "any", description="Look only among places, or only among terms"
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """An entry of the world, with what it is."""

    name: str
    description: str
    kind: Kind


async def lookup_place(context: ToolContext, arguments: LookupPlace) -> JsonValue:
    """The record of one place or term.

    Raises:
        ToolError: 404 where nothing has that name, 409 where several have.
        ProjectError: `world.json` cannot be used.
    """
    known = _known(context.book)
    wanted = [entry for entry in known if arguments.kind in ("any", entry.kind)]
    noun = "place" if arguments.kind == "any" else arguments.kind
    return asdict(find_by_name(arguments.name, wanted, noun))


def _known(book: Book) -> list[_Known]:
    """Places, then terms."""
    places = [_Known(entry.name, entry.description, "place") for entry in book.places()]
    return places + [_Known(entry.name, entry.description, "term") for entry in book.terms()]


TOOL: Final = Tool(
    name="lookup_place",
    description=(
        "Look up a place or a term (custom, institution, thing) of the book's world by name or "
        "part of a name. Returns its name, description and kind (place or term)."
    ),
    arguments=LookupPlace,
    run=lookup_place,
    needs=("plan",),
)
