"""Finding a named thing by its name or a part of it: one answer, or an error that helps."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Final, Protocol, TypeVar

import regex

from libriscribe2.toolchain.folding import fold
from libriscribe2.toolchain.tool_error import ToolError

_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_MOST_CLOSE: Final = 3
_MOST_LISTED: Final = 50


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """What the book calls it."""
        ...


NamedT = TypeVar("NamedT", bound=Named)


def find_by_name(wanted: str, entries: Sequence[NamedT], noun: str) -> NamedT:
    """The entry that `wanted` means, whatever its case.

    A whole name outranks words of a name ("Voss" of "Mara Voss"), and these outrank a part of a
    word ("Vos").

    Args:
        wanted: A name, or part of one.
        entries: Where to look.
        noun: What the entries are, for the error: `character`.

    Raises:
        ToolError: 404 where nothing fits, with close names; 409 where several fit equally well,
            with their names.
    """
    for fitting in _by_rank(wanted, entries):
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            names = [entry.name for entry in fitting]
            raise ToolError(
                409,
                f"{noun}_ambiguous",
                f"{wanted!r} fits {len(names)} entries: {_listed(names)}. Use the whole name.",
                {"wanted": wanted, "fitting": names[:_MOST_LISTED]},
            )
    raise _not_found(wanted, [entry.name for entry in entries], noun)


def close_names(wanted: str, names: Iterable[str]) -> list[str]:
    """At most three names that look like `wanted` as a whole or in one word, the closest first."""
    keys: dict[str, str] = {}
    for name in names:
        for key in (_plain(name), *_words(name)):
            keys.setdefault(key, name)
    # Several keys may lead to one name, so more keys are asked for than names are wanted.
    close = get_close_matches(_plain(wanted), keys, n=3 * _MOST_CLOSE)
    return list(dict.fromkeys(keys[key] for key in close))[:_MOST_CLOSE]


def _by_rank(wanted: str, entries: Sequence[NamedT]) -> Iterator[list[NamedT]]:
    """The entries that fit, best kind of fit first."""
    plain, words = _plain(wanted), set(_words(wanted))
    yield [entry for entry in entries if _plain(entry.name) == plain]
    yield [entry for entry in entries if words and words <= set(_words(entry.name))]
    yield [entry for entry in entries if plain in _plain(entry.name)]


def _not_found(wanted: str, names: list[str], noun: str) -> ToolError:
    close = close_names(wanted, names)
    if close:
        hint = f"Close names: {_listed(close)}."
    else:
        hint = f"The book has {_listed(names)}." if names else f"The book has no {noun} yet."
    return ToolError(
        404,
        f"{noun}_not_found",
        f"No {noun} is called {wanted!r}. {hint}",
        {"wanted": wanted, "close": close, "known": names[:_MOST_LISTED]},
    )


def _listed(names: Sequence[str]) -> str:
    more = ", ..." if len(names) > _MOST_LISTED else ""
    return ", ".join(names[:_MOST_LISTED]) + more


def _plain(name: str) -> str:
    return " ".join(fold(name).split())


def _words(name: str) -> list[str]:
    return _WORD.findall(fold(name))
