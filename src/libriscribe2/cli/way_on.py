"""How to go on with a book whose run ended early: the one wording of it, and whom it names."""

import shlex
from collections.abc import Sequence
from typing import Final

_OF_ROOT: Final = frozenset({"--quiet", "-q", "--debug"})
_COMMAND: Final = "libriscribe2 resume"


def interrupted(called: str) -> str:
    """What is said after Ctrl-C of a project that there is, by its name for a shell."""
    return f"Interrupted. Go on with `{_COMMAND} {called}`."


def with_way_on(fix: str, called: str) -> str:
    """Advice after which the reader knows how to go on with the project.

    Args:
        fix: What mends the fault; "" where nothing has to be mended. Advice that names `resume`
            already is kept as it is.
        called: The project's name for a shell.
    """
    if _COMMAND in fix:
        return fix
    then = f"go on with `{_COMMAND} {called}`"
    if not fix:
        return then
    return f"{fix} Then {then}." if fix.endswith(".") else f"{fix}; then {then}"


def typed_to_resume(words: Sequence[str]) -> str:
    """What a command line of `resume` says after that word, ready for a shell; "" for any other."""
    own = [word for word in words if word not in _OF_ROOT]
    return shlex.join(own[1:]) if own[:1] == ["resume"] else ""
