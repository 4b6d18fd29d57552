"""What the file of a dump says, read leniently: a dump may be old or written by somebody else."""

import re
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

_HALVES: Final = re.compile("[\ud800-\udfff]")


class Repaired(BaseModel):
    """One change that made JSON of a reply (`utils.report.Repair`)."""

    name: str
    lossless: bool = True
    position: int = 0


class Turn(BaseModel):
    """One message of a prompt."""

    role: str = ""
    content: Any = ""


class Tokens(BaseModel):
    """Tokens of a call."""

    input_tokens: int = 0
    output_tokens: int = 0


class Dump(BaseModel):
    """What a dump says; the fields are those of `DumpRecord`, each with a default."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    agent_name: str = ""
    timestamp: str = ""
    raw_response: str = ""
    formatting_issues: list[str] = Field(default_factory=list)
    extraction_method: str = ""
    content_type: str = ""
    attempt: int = 1
    stage: str = ""
    step: str = ""
    model: str = ""
    prompt: list[Turn] = Field(default_factory=list)
    reasoning: str | None = None
    repairs: list[Repaired] = Field(default_factory=list)
    validation_errors: list[str] = Field(default_factory=list)
    feedback: str = ""
    clean: Any = None
    reader: dict[str, Any] | None = None
    finish_reason: str | None = None
    usage: Tokens | None = None
    cost_usd: float | None = None
    seconds: float = 0.0
    key: str = ""


def without_halves(value: Any) -> Any:
    """A value of JSON with U+FFFD for every half of a surrogate pair, which no page can hold."""
    if isinstance(value, str):
        return _HALVES.sub("\ufffd", value)
    if isinstance(value, dict):
        return {without_halves(key): without_halves(one) for key, one in value.items()}
    return [without_halves(one) for one in value] if isinstance(value, list) else value
