"""The seed's name for `research.plan_prompt`."""

from libriscribe2.research.plan_prompt import PlanPromptBuilder

__all__ = ["PlanPromptBuilder"]
