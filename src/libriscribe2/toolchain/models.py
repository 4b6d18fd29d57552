"""The seed's name for `models.tooling`."""

from libriscribe2.models.tooling import Capability, Parameter, Plan, PlanStep, StepResult

__all__ = ["Capability", "Parameter", "Plan", "PlanStep", "StepResult"]
