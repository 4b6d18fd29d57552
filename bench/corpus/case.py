"""What one case of the corpus is, and how an answer to it is judged."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

Schema = dict[str, Any]
Rng = random.Random  # noqa: S311 - reproducible, not secret


class Policy(StrEnum):
    """What a reader owes to a case.

    `VALUE`: the exact value must come back. `EITHER`: the text has a second defensible reading, so
    the truth or a refusal. `FLAG`: content may be lost, so a refusal or a value flagged lossy.
    `REJECT`: there is no answer in the text, so a refusal.
    """

    VALUE = "value"
    EITHER = "either"
    FLAG = "flag"
    REJECT = "reject"


class Verdict(StrEnum):
    """How an answer compares with the truth. `SILENT` is the one that ruins books."""

    RIGHT = "right"
    SILENT = "silently wrong"
    REFUSED = "refused without need"
    HUNG = "hung"


@dataclass(frozen=True, slots=True)
class Draft:
    """A reply and what its model meant, before it belongs to a class.

    Attributes:
        text: The raw reply.
        value: What was meant; None where there is no answer.
        schema: JSON Schema that the caller asked for; None when it asked without one.
        accept: Further values that are as right as `value`, such as one with null for undefined.
    """

    text: str
    value: Any = None
    schema: Schema | None = None
    accept: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseClass:
    """A kind of reply: its name, group and policy, and the maker of fresh drafts."""

    name: str
    group: str
    policy: Policy
    make: Callable[[Rng], Draft]


@dataclass(frozen=True, slots=True)
class Case:
    """One numbered case of a class."""

    kind: CaseClass
    index: int
    draft: Draft

    @property
    def name(self) -> str:
        """Folder name of the case, `<class>-<nn>`."""
        return f"{self.kind.name}-{self.index:02d}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reader made of a reply; `value` None means refused."""

    value: Any = None
    flagged: bool = False


REFUSED: Final = Answer()


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal; true is not 1, 12.0 is 12, order of keys is free."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        pairs = zip(left, right, strict=False)
        return len(left) == len(right) and all(same(a, b) for a, b in pairs)
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    return type(left) is type(right) and bool(left == right)


def judge(policy: Policy, draft: Draft, answer: Answer) -> Verdict:
    """Compare an answer with what was meant.

    A flagged value counts as a refusal: it says of itself that it may not be whole.
    """
    if answer.value is None or answer.flagged:
        return Verdict.REFUSED if policy is Policy.VALUE else Verdict.RIGHT
    if policy in {Policy.FLAG, Policy.REJECT}:
        return Verdict.SILENT
    meant = (draft.value, *draft.accept)
    return Verdict.RIGHT if any(same(answer.value, one) for one in meant) else Verdict.SILENT
