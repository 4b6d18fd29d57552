"""Pictures of a model, through LiteLLM's door for images; the journal holds the name of the file."""

import asyncio
import base64
import binascii
import time
from hashlib import sha256
from typing import Any, Final

import httpx
from typing_extensions import override

from libriscribe2.llm.backend import BackendError, Completion, Request, Usage
from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.limits.retries import TimeLimits, within
from libriscribe2.llm.litellm_library import loaded
from libriscribe2.llm.response_size import MOST_BYTES
from libriscribe2.llm.server_addresses import server_arguments
from libriscribe2.project.atomic import atomic_write, make_folder, storage_errors
from libriscribe2.project.paths import ProjectPaths

FOLDER: Final = "images"

_KINDS: Final = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpg"}


class PictureBackend(LiteLLMBackend):
    """Has a model paint, and puts the picture into the project before the reply is kept.

    Args:
        paths: The project.
        url: Base address of the server; None leaves it to the provider.
        limits: Our clocks over each request.
    """

    def __init__(self, paths: ProjectPaths, url: str | None, limits: TimeLimits) -> None:
        super().__init__(url, None, limits=limits)
        self._paths = paths

    @override
    async def complete(self, request: Request) -> Completion:
        """Have a picture painted; the reply is its name in the project.

        Raises:
            BackendError: No usable picture came.
            StorageError: It cannot be written.
        """
        began, litellm = time.monotonic(), await loaded()
        seconds = self.limits.whole_call
        deadline = asyncio.get_running_loop().time() + seconds
        what = f"no picture within {seconds:g} seconds"
        try:
            painting = litellm.aimage_generation(**self._wanted(request))
            response = await within(painting, deadline, what)
            data = await within(_data_of(response), deadline, what)
        except BackendError:
            raise
        except Exception as error:  # noqa: BLE001 - the boundary: LiteLLM raises anything
            raise self._failure(error) from None
        told = getattr(response, "_hidden_params", {}).get("response_cost")
        return Completion(
            reply=self._kept(data),
            usage=_usage_of(response),
            cost_usd=float(told) if isinstance(told, int | float) and told > 0 else None,
            model=request.model,
            seconds=time.monotonic() - began,
        )

    def _wanted(self, request: Request) -> dict[str, Any]:
        """What the call says."""
        return {
            "model": request.model,
            "prompt": "\n\n".join(str(message["content"]) for message in request.messages),
            "size": request.picture,
            "n": 1,
            "response_format": "b64_json",
            "max_retries": 0,
            "timeout": self.limits.whole_call,
            **server_arguments(self._url, None, model=request.model),
        }

    def _kept(self, data: bytes) -> str:
        """Put a picture into the project; its name there.

        Raises:
            BackendError: It is neither PNG nor JPEG.
            StorageError: The system refused.
        """
        kind = next((end for mark, end in _KINDS.items() if data.startswith(mark)), None)
        if kind is None:
            raise BackendError("unusable", "the picture is neither a PNG nor a JPEG")
        name = f"{FOLDER}/cover-{sha256(data).hexdigest()[:8]}.{kind}"
        path = self._paths.resolve(name)
        with storage_errors("write", path):
            make_folder(path.parent)
            atomic_write(path, data)
        return name


async def _data_of(response: Any) -> bytes:
    """The picture in a response, or at the address that it gives.

    Raises:
        BackendError: There is none, or it is too large.
    """
    first = next(iter(response.data or ()), None)
    held, address = getattr(first, "b64_json", None), str(getattr(first, "url", None) or "")
    if held:
        try:
            return base64.b64decode(held, validate=True)
        except binascii.Error as error:
            raise BackendError("unusable", "the picture is not the base64 it says") from error
    if not address.startswith(("https://", "http://")):
        raise BackendError("unusable", "the reply holds no picture")
    async with httpx.AsyncClient() as client, client.stream("GET", address) as answer:
        answer.raise_for_status()
        data = b""
        async for piece in answer.aiter_bytes():
            data += piece
            if len(data) > MOST_BYTES:
                raise BackendError("unusable", f"the picture is larger than {MOST_BYTES:,} bytes")
    return data


def _usage_of(response: Any) -> Usage:
    """The provider's count of tokens, where it gave one."""
    usage = getattr(response, "usage", None)
    sent, received = (getattr(usage, f"{side}_tokens", 0) or 0 for side in ("input", "output"))
    return Usage(int(sent), int(received), known=bool(sent or received))
