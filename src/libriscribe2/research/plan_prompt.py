"""The prompts that ask a model for a plan: the first one, and those that say what was wrong."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from libriscribe2.models.tooling import Capability
from libriscribe2.project.texts import canonical_json
from libriscribe2.prompts.loader import load_prompt, load_text
from libriscribe2.replies.cleanup import clean_llm_response
from libriscribe2.research.chain_model import clipped

Messages = tuple[dict[str, str], ...]

_MAX_REPLY: Final = 3_000

PARSE_ERROR: Final = """\
IMPORTANT: Your previous response could not be parsed as valid JSON.

Parse Error: {error}

Common JSON mistakes to avoid:
- NO arithmetic expressions: "amount": 100 * price is INVALID
- NO markdown formatting: **bold** and *italic* are INVALID in JSON strings
- NO code blocks: Do not wrap JSON in triple backticks
- NO trailing commas and NO comments; every name and every text stands in double quotes

Please regenerate a VALID JSON execution plan."""

VALIDATION_ERROR: Final = """\
IMPORTANT: The previous plan failed validation with error: {error}

Please regenerate a plan that can be carried out with the tools above."""

_PREVIOUS: Final = """

Your previous response, between the lines:
-----
{reply}
-----"""


class PlanPromptBuilder:
    """Builds the prompts of one catalog.

    Args:
        capabilities: The tools that a plan may use.
        max_steps: The longest plan.
    """

    def __init__(self, capabilities: Sequence[Capability], max_steps: int = 50) -> None:
        self._capabilities = tuple(capabilities)
        self._max_steps = max_steps

    def build_planning_prompt(self, request: str) -> Messages:
        """The first question."""
        return self._prompt(request, "")

    def build_planning_prompt_with_parse_error(
        self, request: str, parse_error: str, reply: str = ""
    ) -> Messages:
        """The question again, after a reply that is not the JSON of a plan.

        Args:
            request: What the user asked for.
            parse_error: The parser's own message, with its place.
            reply: The reply, of which the beginning is shown.
        """
        return self._prompt(request, PARSE_ERROR.format(error=parse_error) + _quoted(reply))

    def build_planning_prompt_with_validation_error(
        self, request: str, error: str, reply: str = ""
    ) -> Messages:
        """The question again, after a plan that cannot be carried out."""
        return self._prompt(request, VALIDATION_ERROR.format(error=error) + _quoted(reply))

    def plan_schema(self) -> dict[str, Any]:
        """The JSON Schema of a plan."""
        step = {
            "step_id": {"type": "string"},
            "agent_name": {"type": "string", "enum": [one.name for one in self._capabilities]},
            "instruction": {"type": "string"},
            "depends_on": {"type": "array", "items": {"type": "string"}},
            "metadata": {
                "type": "object",
                "properties": {"parameters": {"type": "object"}},
                "required": ["parameters"],
            },
        }
        steps = {"type": "object", "properties": step, "required": list(step)}
        return {
            "type": "object",
            "properties": {
                "plan_id": {"type": "string"},
                "steps": {
                    "type": "array",
                    "items": steps,
                    "minItems": 1,
                    "maxItems": self._max_steps,
                },
            },
            "required": ["plan_id", "steps"],
        }

    def _prompt(self, request: str, feedback: str) -> Messages:
        system, user = load_prompt("planning").render(
            request=request,
            catalog=catalog_text(self._capabilities),
            max_steps=str(self._max_steps),
            feedback=feedback,
            schema=canonical_json(self.plan_schema()),
        )
        system["content"] += f"\n\n{load_text('format_rules.txt')}"
        return system, user


def catalog_text(capabilities: Iterable[Capability]) -> str:
    """The tools with their schemas, one line each."""
    return "\n".join(map(_entry, capabilities))


def _entry(capability: Capability) -> str:
    """A tool as one line of the catalog."""
    parameters = {one.name: one.as_schema() for one in capability.parameters}
    entry: dict[str, Any] = {
        "agent_name": capability.name,
        "description": capability.description,
        "parameters": parameters,
        "required": list(capability.required),
    }
    if capability.one_of:
        entry["one_of"] = [list(group) for group in capability.one_of]
    return canonical_json(entry)


def _quoted(reply: str) -> str:
    """The reply for the model to correct: only its JSON, where it holds any."""
    text = clean_llm_response(reply)
    return _PREVIOUS.format(reply=clipped(text, _MAX_REPLY)) if text.strip() else ""
