"""Each model is asked where it is served, and only there."""

from tests.support.openai_server import OpenAIServer
from tests.support.transport import with_litellm

from libriscribe2.llm.backend import Completion, Request
from libriscribe2.llm.backends.routed import RoutedBackend
from libriscribe2.llm.limits.retries import TimeLimits

pytestmark = with_litellm


def request(model: str) -> Request:
    return Request("s", model, ({"role": "user", "content": "Write about 5 words."},))


async def test_the_stand_in_author_answers_for_its_own_names_only() -> None:
    with OpenAIServer() as one, OpenAIServer() as other:
        urls = {"openai/a": one.url, "openai/b": other.url}
        routed = RoutedBackend(urls.get, TimeLimits())
        answers = [await routed.complete(request(name)) for name in ("demo", "offline")]
        await routed.complete(request("openai/a"))
        pieces = [piece async for piece in routed.stream(request("openai/b"))]
        await routed.complete(request("openai/b"))
        await routed.aclose()
    assert [one.model for one in answers] == ["demo", "offline"]
    assert isinstance(pieces[-1], Completion)
    assert (len(one.posts), len(other.posts)) == (1, 2)
