"""Names of the log messages by which a run tells what it had to do to a reply.

They are those of the LibriScribe2 design document ("Monitoring and Logging").
"""

from typing import Final

JSON_EXTRACTION_WARNING: Final = "JSON_EXTRACTION_WARNING"
JSON_VALIDATION_ERROR: Final = "JSON_VALIDATION_ERROR"
CONTENT_FILTERING_DETECTED: Final = "CONTENT_FILTERING_DETECTED"
FALLBACK_GENERATION_USED: Final = "FALLBACK_GENERATION_USED"
