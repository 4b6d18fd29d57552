"""Names of the log messages by which a run tells what it had to do to a reply.

They are those of the LibriScribe2 design document ("Monitoring and Logging"), and those of the
parameter-binding design ("Log Messages") for chains of tools.
"""

from typing import Final

JSON_EXTRACTION_WARNING: Final = "JSON_EXTRACTION_WARNING"
JSON_VALIDATION_ERROR: Final = "JSON_VALIDATION_ERROR"
CONTENT_FILTERING_DETECTED: Final = "CONTENT_FILTERING_DETECTED"
FALLBACK_GENERATION_USED: Final = "FALLBACK_GENERATION_USED"
CANON_QUOTES_DROPPED: Final = "CANON_QUOTES_DROPPED"
PLAN_NOT_MENDED: Final = "PLAN_NOT_MENDED"
SCENE_CONTINUED: Final = "SCENE_CONTINUED"
CRITIQUE_QUOTES_DROPPED: Final = "CRITIQUE_QUOTES_DROPPED"
PATCHES_REFUSED: Final = "PATCHES_REFUSED"
REVISION_LEFT_OUT: Final = "REVISION_LEFT_OUT"
REVISION_JUDGED: Final = "REVISION_JUDGED"

AUTO_WIRING_RESULT: Final = "Auto-wiring result"
ALL_AUTO_WIRED: Final = "All parameters auto-wired successfully"
USING_MICRO_RESOLUTION: Final = "Using micro-resolution for unmapped parameters"
SEMANTIC_FALLBACK: Final = "SEMANTIC FALLBACK: Attempting LLM resolution"
ATTEMPTING_CORRECTION: Final = "Attempting AI-powered correction"
TYPE_COERCION_APPLIED: Final = "TYPE COERCION APPLIED"
UNREADABLE_RESPONSE: Final = "Failed to parse step response for parameter resolution"
