"""Where a call goes that is not for a provider's own address."""

import os
from typing import Any, Final

_NO_KEY: Final = "no-key-needed"
_OF_THIS_MACHINE: Final = {
    "lm_studio": "http://127.0.0.1:1234/v1",
    "hosted_vllm": "http://127.0.0.1:8000/v1",
}
"""Servers of one's own for which LiteLLM knows no address: it would ask OpenAI in their place."""


def server_arguments(
    url: str | None, api_key: str | None = None, *, model: str = ""
) -> dict[str, Any]:
    """Where a call goes and with which key, where the provider's own are not meant.

    Args:
        url: The server's address; None is the provider's own.
        api_key: The key; None leaves it to the provider's variable.
        model: The model that is asked.
    """
    address = url if url is not None else _address_here(model)
    wanted: dict[str, Any] = {} if address is None else {"api_base": address}
    if api_key is not None:
        wanted["api_key"] = api_key
    elif url is not None and not os.environ.get("OPENAI_API_KEY"):
        wanted["api_key"] = _NO_KEY
    return wanted


def address_variable(model: str) -> str:
    """The variable from which LiteLLM takes the server of a model's provider; "" without one."""
    prefix, slash, _ = model.partition("/")
    return f"{prefix.removesuffix('_chat').upper()}_API_BASE" if slash else ""


def _address_here(model: str) -> str | None:
    """Where a server of this machine is, if the model has one and no variable names another."""
    variable = address_variable(model)
    if not variable or os.environ.get(variable):
        return None
    return _OF_THIS_MACHINE.get(model.partition("/")[0])
