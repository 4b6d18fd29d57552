"""The one door to LiteLLM: imported here, on first use, and nowhere else.

The import takes seconds, so it happens in a worker thread when the first request is made.
"""

import asyncio
import difflib
import functools
import gc
import logging
import os
from collections.abc import Mapping
from typing import Any

SWITCHES = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_OFFLINE_MODE": "true",
    "LITELLM_MODE": "PRODUCTION",
}
"""Set before the import: no price list or header table from the network, no `.env` behind our back.

`LITELLM_OFFLINE_MODE` is read by 1.109 and later only.
"""


@functools.cache
def load_litellm() -> Any:
    """LiteLLM, with everything off that talks, prints or fetches by itself."""
    os.environ.update(SWITCHES)
    import litellm
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

    from libriscribe2.llm.response_size import limit_replies

    limit_replies(AsyncHTTPHandler)
    litellm.suppress_debug_info = True
    litellm.drop_params = True
    litellm.disable_hf_tokenizer_download = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    gc.freeze()  # a third of a million objects that stay: no search for garbage needs to pass them
    return litellm


async def loaded() -> Any:
    """LiteLLM; only its import is worth a thread."""
    if load_litellm.cache_info().currsize:
        return load_litellm()
    return await asyncio.to_thread(load_litellm)


def provider_of(model: str) -> str | None:
    """LiteLLM's name of the provider that a model name is routed to, or None."""
    litellm = load_litellm()
    try:
        return str(litellm.get_llm_provider(model)[1])
    except litellm.BadRequestError:
        return None


def missing_variables(model: str) -> tuple[str, ...]:
    """The variables that LiteLLM misses for a model."""
    return tuple(load_litellm().validate_environment(model)["missing_keys"])


def similar_models(name: str) -> tuple[str, ...]:
    """At most two names of LiteLLM's price map that look like a name."""
    return tuple(difflib.get_close_matches(name, load_litellm().model_cost, n=2, cutoff=0.75))


def model_info(model: str) -> Mapping[str, Any] | None:
    """The entry of the bundled price map for a model, or None."""
    litellm = load_litellm()
    try:
        key = litellm.get_model_info(model)["key"]
    except Exception:  # noqa: BLE001 - unknown models raise anything, a bare Exception included
        return None
    entry: Mapping[str, Any] | None = litellm.model_cost.get(key)
    return entry
