"""P8 and P9: names that readers mix up, and names that models like too well."""

from collections.abc import Iterator

from libriscribe2.quality.names import confusable_names
from libriscribe2.quality.plan.plan import CHARACTERS, Plan, PlanFinding
from libriscribe2.quality.text_figures import ai_names


def like_names(plan: Plan) -> Iterator[PlanFinding]:
    """P8: two people of the cast whose names are easily taken for each other."""
    for one, other in confusable_names(plan.people):
        yield PlanFinding(
            "P8",
            "error",
            CHARACTERS,
            f"{one} and {other} are easily taken for each other.",
            f"Give {other} a name with another first letter and another sound.",
            about=other,
        )


def worn_names(plan: Plan) -> Iterator[PlanFinding]:
    """P9: names of the cast that stand in very many texts of models."""
    for name in ai_names(plan.people):
        yield PlanFinding(
            "P9",
            "note",
            CHARACTERS,
            f"Models call very many people {name}.",
            "Another name makes the book less like others.",
            about=name,
        )
