"""Families of rules: a new rule is one function in a module of its family's folder."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import iter_modules
from typing import Generic, TypeVar

from libriscribe2.models.findings import Finding

SubjectT = TypeVar("SubjectT")

Find = Callable[[SubjectT], Iterable[Finding]]
"""What a rule is: from what it looks at to what is wrong. The family adds the rule's name."""


@dataclass(frozen=True)
class Rule(Generic[SubjectT]):
    """A rule.

    Attributes:
        name: Its name, such as `P1`.
        about: What it finds, in words.
        fix: What mends a finding that says no fix of its own; may have holes.
        kind: The only kind of book that it is for; "" for every kind.
        find: The function.
    """

    name: str
    about: str
    find: Find[SubjectT]
    fix: str = ""
    kind: str = ""

    def findings(self, subject: SubjectT) -> Iterator[Finding]:
        """What it finds."""
        for one in self.find(subject):
            yield replace(one, rule=self.name)


class Rules(Generic[SubjectT]):
    """The rules of a family, which exist by standing in a module of its folder.

    Args:
        package: The folder's dotted name.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._rules: dict[str, Rule[SubjectT]] = {}

    def rule(
        self, name: str, about: str, *, fix: str = "", kind: str = ""
    ) -> Callable[[Find[SubjectT]], Find[SubjectT]]:
        """Make the decorated function a rule of the family (`Rule`).

        Raises:
            ValueError: There is a rule of that name.
        """

        def register(find: Find[SubjectT]) -> Find[SubjectT]:
            if name in self._rules:
                raise ValueError(f"there are two rules {name}")
            self._rules[name] = Rule(name, about, find, fix, kind)
            return find

        return register

    def all(self) -> Mapping[str, Rule[SubjectT]]:
        """Every rule by its name, in the order of their numbers."""
        folder = import_module(self._package)
        for module in iter_modules(folder.__path__):
            import_module(f"{self._package}.{module.name}")
        return dict(sorted(self._rules.items(), key=lambda item: (item[0][0], int(item[0][1:]))))

    def words(self) -> dict[str, str]:
        """What each rule finds, by its name."""
        return {name: rule.about for name, rule in self.all().items()}
