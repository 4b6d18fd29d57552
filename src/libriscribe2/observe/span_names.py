"""The names that a trace of a run is written in.

Those of OpenTelemetry are as of its semantic conventions v1.41.1, GenAI part: it is still in
development and has since moved to a repository of its own (semantic-conventions-genai), so they
are kept here and change only with this comment. The names for what was asked and answered
(`gen_ai.input.messages`, `gen_ai.output.messages`) are left out: no span holds content.
"""

from collections.abc import Mapping
from typing import Final

OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
CONVERSATION: Final = "gen_ai.conversation.id"
WORKFLOW_NAME: Final = "gen_ai.workflow.name"
AGENT_NAME: Final = "gen_ai.agent.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
RESPONSE_MODEL: Final = "gen_ai.response.model"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
CACHED_TOKENS: Final = "gen_ai.usage.cache_read.input_tokens"
ERROR_TYPE: Final = "error.type"

INVOKE_WORKFLOW: Final = "invoke_workflow"
INVOKE_AGENT: Final = "invoke_agent"
CHAT: Final = "chat"

STAGE: Final = "libriscribe.stage"
CHAPTER: Final = "libriscribe.chapter"
ATTEMPT: Final = "libriscribe.attempt"
ISSUES: Final = "libriscribe.issues"

_PROVIDERS: Final[Mapping[str, str]] = {
    "azure": "azure.ai.openai",
    "azure_ai": "azure.ai.inference",
    "bedrock": "aws.bedrock",
    "cohere_chat": "cohere",
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
    "moonshot": "moonshot_ai",
    "vertex_ai": "gcp.vertex_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}
"""OpenTelemetry's name of a provider, where it differs from the first part of a model's name."""


def provider_name(model: str) -> str:
    """Who serves a model, by its name as LiteLLM spells it."""
    prefix = model.partition("/")[0]
    return _PROVIDERS.get(prefix, prefix)
