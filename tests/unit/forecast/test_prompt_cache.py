"""What a provider's cache would hold of a run's prompts."""

from libriscribe2.forecast.prompt_cache import LIFETIME, PromptCache
from libriscribe2.llm.backend import Request

HEAD = "The same beginning of a prompt. " * 200
TOKENS = len(HEAD) // 4


def asked(tail: str, model: str = "openai/gpt-5.4-mini", **more: list[int]) -> Request:
    user = {"role": "user", "content": tail, **more}
    return Request("chapters/ch01", model, ({"role": "system", "content": HEAD}, user))


def test_a_beginning_is_read_from_the_end_of_a_call_until_its_time_is_over() -> None:
    cache = PromptCache()
    assert cache.take(asked("a"), 0.0, 5.0) == (0, 0)
    assert cache.take(asked("b"), 4.0, 9.0) == (0, 0)
    read, kept = cache.take(asked("c"), 6.0, 11.0)
    assert TOKENS - 128 <= read <= TOKENS
    assert (read % 128, kept) == (0, 0)
    assert cache.take(asked("d"), 12.0 + LIFETIME, 400.0) == (0, 0)


def test_what_is_short_is_not_kept_and_another_schema_begins_anew() -> None:
    cache = PromptCache()
    short = Request("title", "openai/gpt-5.4-mini", ({"role": "user", "content": HEAD[:3_000]},))
    cache.take(short, 0.0, 1.0)
    assert cache.take(short, 2.0, 3.0) == (0, 0)
    cache.take(asked("a"), 4.0, 5.0)
    messages = asked("a").messages
    other = Request("canon", "openai/gpt-5.4-mini", messages, schema={"type": "object"})
    assert cache.take(other, 6.0, 7.0) == (0, 0)
    in_text = Request("canon", "openai/gpt-5.4-mini", messages, schema={"a": 1}, in_text=True)
    assert cache.take(in_text, 8.0, 9.0)[0] > 0


def test_claude_keeps_what_is_marked_at_a_surcharge() -> None:
    cache, model = PromptCache(), "anthropic/claude-sonnet-5"
    read, kept = cache.take(asked("chapter. task", model, levels=[8]), 0.0, 1.0)
    assert read == 0
    assert abs(kept - TOKENS) <= 3
    assert cache.take(asked("chapter. other", model, levels=[8]), 2.0, 3.0) == (kept, 0)
