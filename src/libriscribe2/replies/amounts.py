"""Numbers in texts, with their units."""

import re
from collections.abc import Mapping
from math import prod
from typing import Any, Final
from unicodedata import normalize, numeric

from libriscribe2.replies.remarks import is_same_word
from libriscribe2.replies.schema_fit import types_of

_DECIMAL: Final = re.compile(r"\A([+-]?\d{1,9}),(\d{1,2})\Z")
_INTEGER: Final = re.compile(r"[+-]?\d{1,400}")
_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,3})?")
# An amount with one unit. A word behind a bare number may multiply it ("80 mil").
_AMOUNT: Final = re.compile(
    r"(?P<digits>\d{1,3}(?:(?P<mark>[ .,'’_٬])\d{3})(?:(?P=mark)\d{3}){0,3})"
    r"(?:(?!(?P=mark))[.,](?P<cents>\d{1,2})|(?: [^\W\d_]{2,20})?|(?P<sign>[\u3040-\u9fff\uac00-\ud7af]{1,3}))"
    r"|第?(?P<bare>\d{1,9})(?:/(?P<most>\d{1,3})|(?P<percent> ?%)"
    r"|(?P<unit>[\u3040-\u9fff\uac00-\ud7af]{1,3})(?: [\uac00-\ud7af]{1,5})?)"
    r"|(?P<number>\d{1,9}(?:[.,]\d{1,2})?) (?P<word>[^\W\d_]{1,20})"
    r"|(?P<label>[^\W\d_]{2,20}) (?P<place>\d{1,9})"
)
_CURRENCY: Final = re.compile(r"\A[A-Z]{0,2}[€$£¥₹] ?(?=\d)|(?<=\d) ?[€$£¥₹]\Z")
_SIGNS: Final = dict(zip("십백천만억조", (10, 100, 1_000, 10_000, 10**8, 10**12), strict=True))


def number_in(value: Any, node: Mapping[str, Any], field: str) -> float | None:
    """The number that a text is, perhaps with its unit; None where it may be another.

    Args:
        value: A value where a number is wanted.
        node: Its schema.
        field: The name of its field, which may be its unit, too.
    """
    wanted = types_of(node)
    if isinstance(value, float) and "integer" in wanted and value.is_integer():
        return int(value)
    if not isinstance(value, str) or not wanted & {"integer", "number"}:
        return None
    text = _CURRENCY.sub("", normalize("NFKC", value).strip(" \t*_`"))
    if _INTEGER.fullmatch(text):
        return int(text)
    decimal = _DECIMAL.sub(r"\1.\2", text)
    if "number" in wanted and _NUMBER.fullmatch(decimal):
        return float(decimal)
    amount, most = _AMOUNT.fullmatch(text), node.get("maximum")
    if amount is None or (amount["most"] and int(amount["most"]) != most):
        return None
    return _amount(amount, most, field)


def _amount(amount: re.Match[str], most: Any, field: str) -> float | None:
    """The number of an amount, where its unit cannot multiply or is a sign of numbers."""
    if amount["percent"]:
        return {1: int(amount["bare"]) / 100, 100: int(amount["bare"])}.get(most)
    said = amount["word"] or amount["label"]
    if said is None:
        if amount["cents"]:
            return float(re.sub(r"\D", "", amount["digits"]) + "." + amount["cents"])
        signs = amount["unit"] or amount["sign"] or ""
        times = prod(_SIGNS.get(one) or int(numeric(one, 1)) for one in signs)
        return int(re.sub(r"\D", "", amount["digits"] or amount["bare"])) * times
    number = float(_DECIMAL.sub(r"\1.\2", amount["number"] or amount["place"]))
    # No word multiplies thousands, nor a number whose tenfold is above the maximum.
    bounded = isinstance(most, int | float) and number <= most < number * 10
    alone = amount["number"] and (number >= 1_000 or bounded)
    whole = int(number) if number.is_integer() else number
    named = is_same_word(said, field) or said.casefold() in field.casefold().split("_")
    return whole if alone or named else None
