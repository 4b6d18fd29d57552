"""What Pydantic finds wrong with a value, in the words of the user who typed it."""

from collections.abc import Mapping
from typing import Any, Final

_BOUNDS: Final = {
    "greater_than": "more than {gt:,.15g}",
    "greater_than_equal": "{ge:,.15g} or more",
    "less_than": "less than {lt:,.15g}",
    "less_than_equal": "{le:,.15g} or less",
}
_WORDS: Final = {
    "missing": "it is missing",
    "extra_forbidden": "nothing is called so",
    "string_type": "it has to be a text in quotes",
    "int_from_float": "it has to be a whole number",
    "int_parsing": "it has to be a whole number",
    "int_type": "it has to be a whole number",
    "float_parsing": "it has to be a number",
    "float_type": "it has to be a number",
    "finite_number": "it has to be a finite number",
    "string_too_short": "it is empty",
    "blank": "it is empty",
    "string_unicode": "it holds bytes that are not UTF-8",
    "path_type": "it has to be a path in quotes",
    "list_type": "it has to be a list in square brackets",
    "tuple_type": "it has to be a list in square brackets",
    "dict_type": "it has to be a table of keys and values",
    "model_type": "it has to be a table of keys and values",
    "bool_parsing": "it has to be true or false",
    "bool_type": "it has to be true or false",
}
_EMPTY: Final = "'', "
"""The value that stands for none: nobody types it."""


def plain_fault(detail: Mapping[str, Any]) -> str:
    """What is wrong with a value, without a full stop.

    Args:
        detail: One of `ValidationError.errors()`, with its context.
    """
    kind, context = str(detail["type"]), detail.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])
    if kind == "literal_error":
        return f"it has to be {str(context['expected']).removeprefix(_EMPTY)}"
    if kind in _BOUNDS:
        return f"it has to be {_BOUNDS[kind].format(**context)}"
    return _WORDS.get(kind, str(detail["msg"]))
