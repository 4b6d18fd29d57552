"""Results of steps as objects in which names can be looked for."""

import json
import logging
from collections.abc import Mapping
from typing import Any

from libriscribe2.telemetry import UNREADABLE_RESPONSE

logger = logging.getLogger(__name__)


def as_sources(responses: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The results that are objects, by step; a text that holds one counts, others are left out."""
    found = {step: _as_object(step, response) for step, response in responses.items()}
    return {step: source for step, source in found.items() if source is not None}


def _as_object(step: str, response: Any) -> Mapping[str, Any] | None:
    if isinstance(response, str):
        try:
            response = json.loads(response)
        except (ValueError, RecursionError):
            logger.warning("%s: %s is not JSON", UNREADABLE_RESPONSE, step)
            return None
    return response if isinstance(response, Mapping) else None
