"""How chapters begin and end, and what they are for: closed lists, so that code can tell."""

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BeforeValidator, Field

OpeningMove = Literal[
    "",
    "action",
    "dialogue",
    "image",
    "statement",
    "document",
    "arrival",
    "interior",
    "aftermath",
    "time-skip",
]
EndingMove = Literal[
    "",
    "decision",
    "reveal",
    "reversal",
    "image",
    "line",
    "arrival",
    "departure",
    "question",
    "quiet",
    "cliff",
]
ChapterRole = Literal["", "introduction", "conclusion"]
"""What a chapter of a book of facts is beside those that answer its questions."""

OPENING_MOVES: Final[tuple[str, ...]] = get_args(OpeningMove)[1:]
ENDING_MOVES: Final[tuple[str, ...]] = get_args(EndingMove)[1:]
CHAPTER_ROLES: Final[tuple[str, ...]] = get_args(ChapterRole)[1:]

HIGHEST_TENSION: Final = 10


def _opening(said: Any) -> Any:
    """An opening as it is called here; one that is not on the list is not known."""
    return _known(said, OPENING_MOVES)


def _ending(said: Any) -> Any:
    """An ending as it is called here; one that is not on the list is not known."""
    return _known(said, ENDING_MOVES)


def _role(said: Any) -> Any:
    """A role as it is called here; one that is not on the list is none."""
    return _known(said, CHAPTER_ROLES)


def _known(said: Any, moves: tuple[str, ...]) -> str:
    name = said.casefold().strip() if isinstance(said, str) else ""
    name = "-".join(name.replace("_", " ").replace("-", " ").split())
    return name if name in moves else ""


def _tension(said: Any) -> int | None:
    """A tension from 0 to 10, also read from `7/10`; anything else is not known."""
    if isinstance(said, str):
        number = said.split("/")[0].strip()
        said = int(number) if number.isdecimal() and len(number) <= 2 else None
    if isinstance(said, bool) or not isinstance(said, int | float):
        return None
    return round(said) if 0 <= said <= HIGHEST_TENSION else None


def _words(said: Any) -> Any:
    """A length in words; what is no length is an even share."""
    if isinstance(said, str) and said.strip().isdecimal():
        said = int(said[:9])
    fits = isinstance(said, int | float) and not isinstance(said, bool) and 0 < said < 10**9
    return round(said) if fits else 0


Opening = Annotated[OpeningMove, BeforeValidator(_opening)]
Ending = Annotated[EndingMove, BeforeValidator(_ending)]
Role = Annotated[ChapterRole, BeforeValidator(_role)]
Tension = Annotated[
    Annotated[int, Field(ge=0, le=HIGHEST_TENSION)] | None, BeforeValidator(_tension)
]
TargetWords = Annotated[int, Field(ge=0), BeforeValidator(_words)]
"""A length in words; 0 is an even share of what is to be filled."""
