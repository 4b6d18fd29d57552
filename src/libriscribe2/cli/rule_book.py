"""The rules of a check as other programs are told of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from libriscribe2.quality.canon import conflict
from libriscribe2.quality.plan import plan


@dataclass(frozen=True, slots=True)
class RuleBook:
    """What a check looks for.

    Attributes:
        about: What is checked.
        rules: Every rule with what it finds.
        suppression: Where SARIF says that an author's leave stands.
        leave: The same in words.
    """

    about: str
    rules: Mapping[str, str]
    suppression: Literal["inSource", "external"]
    leave: str


STORY: Final = RuleBook("story", conflict.RULES, "inSource", "a note in the text")
PLAN: Final = RuleBook("plan", plan.RULES, "external", "`allow` in book.toml")
