"""One HTTP client per account and timeout for LiteLLM's batch calls, which else makes one for each and closes none."""

from collections.abc import Callable
from typing import Any, Final

_CLIENTS: Final[dict[tuple[object, ...], Any]] = {}
_PLACES: Final = (("batches", "openai_batches_instance"), ("files", "openai_files_instance"))
_ACCOUNT: Final = ("api_key", "api_base", "organization", "timeout")


def share_clients(litellm: Any) -> None:
    """Have the calls of one account share a client until `close_clients`; a second time does nothing."""
    for package, name in _PLACES:
        handler = getattr(getattr(litellm, package).main, name)
        if "get_openai_client" not in vars(handler):
            handler.get_openai_client = _sharing(handler.get_openai_client)


async def close_clients() -> None:
    """Close all of them; further calls make others."""
    clients = list(_CLIENTS.values())
    _CLIENTS.clear()
    for client in clients:
        await client.close()


def _sharing(make: Callable[..., Any]) -> Callable[..., Any]:
    def client(**named: Any) -> Any:
        if not named.get("_is_async"):
            return make(**named)
        account = tuple(named.get(name) for name in _ACCOUNT)
        if account not in _CLIENTS:
            _CLIENTS[account] = make(**named)
        return _CLIENTS[account]

    return client
