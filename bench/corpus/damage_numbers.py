"""Numbers as other languages and people write them."""

import re
from collections.abc import Sequence
from typing import Any, Final

from bench.corpus import schemas
from bench.corpus.case import CaseClass, Draft, Policy, Rng
from bench.corpus.samples import Voice, outline, review
from bench.corpus.tokens import STYLES, text_of

Spelling = tuple[str, Any]
MARK: Final = 424242
SPELLINGS: Final[dict[str, tuple[Policy, tuple[tuple[str, tuple[Any, ...]], ...]]]] = {
    "numbers_plus": (Policy.VALUE, (("+1", (1,)), ("+850", (850,)), ("+2.5", (2.5,)))),
    "numbers_bare_point": (
        Policy.VALUE,
        ((".5", (0.5,)), ("1.", (1.0,)), ("-.25", (-0.25,)), ("7.", (7.0,))),
    ),
    "numbers_underscores": (Policy.VALUE, (("1_000", (1000,)), ("12_500", (12500,)))),
    "numbers_hex": (Policy.VALUE, (("0x1F", (31,)), ("0xff", (255,)), ("0XA0", (160,)))),
    "numbers_leading_zeros": (
        Policy.EITHER,
        (("007", (7, "007")), ("0042", (42, "0042")), ("01", (1, "01"))),
    ),
    "numbers_thousands": (
        Policy.EITHER,
        (("1,200", (1200, "1,200")), ("12,500", (12500, "12,500"))),
    ),
    "numbers_with_units": (
        Policy.EITHER,
        (("850 words", ("850 words",)), ("50%", ("50%",)), ("$20", ("$20",)), ("3 km", ("3 km",))),
    ),
    "numbers_dates": (
        Policy.EITHER,
        (("2025-01-12", ("2025-01-12",)), ("12:30", ("12:30",)), ("1.2.3", ("1.2.3",))),
    ),
    "numbers_ranges": (Policy.EITHER, (("3-5", ("3-5",)), ("10/20", ("10/20",)))),
}
NOT_FINITE: Final = ("NaN", "Infinity", "-Infinity", "nan", "inf", "+Infinity")


def _number_class(name: str) -> CaseClass:
    policy, spellings = SPELLINGS[name]

    def make(rng: Rng) -> Draft:
        written, meanings = rng.choice(spellings)
        base, schema = _base(rng)
        text = re.sub(str(MARK), lambda _: written, text_of(base, rng.choice(STYLES)))
        values = [_filled(base, meaning) for meaning in meanings]
        return Draft(text, values[0], schema, tuple(values[1:]))

    return CaseClass(name, "damage", policy, make)


def _base(rng: Rng) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """A value with the mark where the number goes; no schema, for a unit would not fit one."""
    if rng.random() < 0.5:
        value = outline(Voice(rng)).value
        value["chapters"][0]["word_count"] = MARK
        return value, None
    value = review(Voice(rng)).value
    value["score"] = MARK
    return value, None


def _filled(base: Any, meaning: Any) -> Any:
    if isinstance(base, dict):
        return {key: _filled(item, meaning) for key, item in base.items()}
    if isinstance(base, list):
        return [_filled(item, meaning) for item in base]
    return meaning if base == MARK else base


def _not_finite(rng: Rng) -> Draft:
    value = review(Voice(rng)).value
    value["score"] = MARK
    text = text_of(value, rng.choice(STYLES)).replace(str(MARK), rng.choice(NOT_FINITE))
    return Draft(text, None, schemas.REVIEW if rng.random() < 0.5 else None)


NAMES: Final[Sequence[str]] = tuple(SPELLINGS)
CLASSES: Final = (
    *(_number_class(name) for name in NAMES),
    CaseClass("numbers_not_finite", "reject", Policy.FLAG, _not_finite),
)
