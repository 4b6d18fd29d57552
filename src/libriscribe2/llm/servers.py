"""Where a call goes that is not for a provider's own address."""

import os
from typing import Any, Final

_NO_KEY: Final = "no-key-needed"


def server_arguments(url: str | None, api_key: str | None = None) -> dict[str, Any]:
    """Where a call goes and with which key, where the provider's own are not meant."""
    wanted: dict[str, Any] = {} if url is None else {"api_base": url}
    if api_key is not None:
        wanted["api_key"] = api_key
    elif url is not None and not os.environ.get("OPENAI_API_KEY"):
        wanted["api_key"] = _NO_KEY
    return wanted
