"""Figures as the pages show them."""

from typing import Final

from markupsafe import Markup

from libriscribe2.wording import price

_THOUSAND: Final = 1000
_MANY: Final = 100_000


def money(usd: float | None) -> str:
    """A price in US dollars; one that nobody knows is said to be unknown, never 0."""
    return "unknown" if usd is None else price(usd)


def number(value: float) -> str:
    """A count with commas; a large one in thousands."""
    return f"{value / _THOUSAND:,.0f}k" if value >= _MANY else f"{value:,.0f}"


def capitalised(text: str) -> str:
    """A text whose first letter is a capital, without the full stop at its end."""
    return (text[:1].upper() + text[1:]).rstrip(".")


def coded(text: str) -> Markup:
    """A text in which what stands between backticks is shown as code."""
    code = Markup("<code>%s</code>")
    parts = enumerate(text.split("`"))
    return Markup("").join(code % part if number % 2 else part for number, part in parts)


def moment(at: str) -> str:
    """A time stamp without the `T` and the `Z`."""
    return at.replace("T", " ").removesuffix("Z")
