"""A withheld reply: asked for with less context, then of another model, never kept as done."""

import logging
from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.calls import FakeTime, MemoryCallLog, MemoryDumps

from libriscribe2.errors import ContentFilteredError
from libriscribe2.llm.backend import BackendError, Completion, Line, Request, ScriptedBackend
from libriscribe2.llm.call_records import CallOptions, DumpWritten, ListOutbox
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.fallbacks import OPTIONAL_BLOCKS, SIMPLIFIED_PROMPT, simplified
from libriscribe2.llm.session import CallSession
from libriscribe2.prompts.loader import load_prompt, load_text

SENTENCE = load_text("simplified.txt").strip()
REFUSAL = "I'm sorry, but I can't assist with that."
WITHHELD = Completion("", finish_reason="content_filter")
TASK = "<scene>\nThe keeper finds the body.\n</scene>\n\nWrite this scene in about 200 words."
MESSAGES = (
    {"role": "system", "content": "You write novels."},
    {
        "role": "user",
        "content": f"<story_so_far>\nBlood.\n</story_so_far>\n\n<text_before>\nMore\n</text_before>\n\n{TASK}",
    },
)
LESS = (
    {"role": "system", "content": f"You write novels.\n\n{SENTENCE}"},
    {"role": "user", "content": TASK},
)


def asking(*script: Line, log: MemoryCallLog | None = None, models: Sequence[str] = ("m",)) -> Any:
    backend = ScriptedBackend(script)
    session = FakeTime().session()
    client = LLMClient("", "", models[0], backend=backend, call_log=log, session=session)
    return client.using(models[0], models[1:]), backend


def ok(reply: str) -> dict[str, Any]:
    if reply.startswith("ok"):
        return {"status": "success", "data": reply}
    return {"status": "error", "feedback": "Say ok."}


@pytest.mark.parametrize(
    "withheld",
    [WITHHELD, REFUSAL, BackendError("filtered", "content policy")],
    ids=["finish", "refusal", "error"],
)
async def test_OV_41_a_withheld_reply_is_asked_for_with_less_context(
    withheld: Line, caplog: pytest.LogCaptureFixture
) -> None:
    log = MemoryCallLog()
    client, backend = asking(withheld, "ok", log=log)
    assert await client.think_with_retry(MESSAGES, ok) == "ok"
    assert [call.messages for call in backend.calls] == [MESSAGES, LESS]
    assert log.kinds == ["sent", "failed filtered", "sent", "done"]
    assert f"FALLBACK_GENERATION_USED: : {SIMPLIFIED_PROMPT}" in caplog.text


async def test_OV_38_and_OV_39_the_log_names_the_sign_and_the_method(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    client, _ = asking(REFUSAL, WITHHELD, "ok", models=("a", "b"))
    await client.with_options(CallOptions(step="chapters/ch01")).think(MESSAGES)
    assert f"CONTENT_FILTERING_DETECTED: chapters/ch01: refusal: {REFUSAL}" in caplog.text
    assert "CONTENT_FILTERING_DETECTED: chapters/ch01: finish_reason content_filter" in caplog.text
    assert "FALLBACK_GENERATION_USED: chapters/ch01: model b" in caplog.text


async def test_OV_42_each_model_is_asked_in_full_and_then_with_less() -> None:
    client, backend = asking(WITHHELD, REFUSAL, WITHHELD, "ok", models=("a", "b"))
    assert (await client.think(MESSAGES))["reply"] == "ok"
    asked = [(call.model, call.messages == LESS) for call in backend.calls]
    assert asked == [("a", False), ("a", True), ("b", False), ("b", True)]


async def test_OV_42_when_all_withhold_it_stops_with_the_reason_and_keeps_nothing() -> None:
    log = MemoryCallLog()
    client, backend = asking(*[WITHHELD] * 4, log=log, models=("a", "b"))
    with pytest.raises(ContentFilteredError, match="filtered a reply") as caught:
        await client.think(MESSAGES)
    assert caught.value.why == "finish_reason content_filter"
    assert log.kept == {}
    assert len(backend.calls) == 4


async def test_OV_41_a_failure_of_another_kind_takes_no_context_away() -> None:
    client, backend = asking(BackendError("context", "too long"), "ok", models=("a", "b"))
    await client.think(MESSAGES)
    assert [call.messages for call in backend.calls] == [MESSAGES, MESSAGES]


async def test_OV_42_a_resumed_run_replays_what_the_simplified_prompt_brought() -> None:
    log = MemoryCallLog()
    client, _ = asking(REFUSAL, "bad", "ok", log=log)
    assert await client.think_with_retry(MESSAGES, ok) == "ok"
    again, backend = asking(log=log)
    assert await again.think_with_retry(MESSAGES, ok) == "ok"
    assert backend.calls == []


async def test_OV_42_a_reply_is_not_paid_twice_where_the_record_of_the_filter_was_damaged() -> None:
    log = MemoryCallLog()
    client, _ = asking(REFUSAL, "ok", log=log)
    await client.think(MESSAGES)
    log.notes = [note for note in log.notes if note[0] != "failed filtered"]
    again, backend = asking(REFUSAL, log=log)
    assert (await again.think(MESSAGES))["reply"] == "ok"
    assert [call.messages for call in backend.calls] == [MESSAGES]


async def test_a_request_with_less_context_is_looked_for_only_after_a_filter() -> None:
    class Curious(MemoryCallLog):
        """Knows what it was asked for."""

        def __init__(self) -> None:
            super().__init__()
            self.asked: set[str] = set()

        def find(self, key: str, step: str) -> Any:
            self.asked.add(key)
            return super().find(key, step)

    log = Curious()
    client, backend = asking("ok", "ok", log=log)
    await client.think(MESSAGES)
    assert log.asked == {backend.calls[0].key()}
    await client.with_options(CallOptions(step="other")).think(MESSAGES)
    assert log.asked == {call.key() for call in backend.calls}


async def test_OV_41_the_conversation_goes_on_with_the_simplified_prompt() -> None:
    client, backend = asking(REFUSAL, "bad", "ok")
    await client.think_with_retry(MESSAGES, ok)
    assert backend.calls[2].messages[:2] == LESS
    assert backend.calls[2].attempt == 2


async def test_OV_40_silence_after_it_was_pointed_out_is_filtering() -> None:
    log = MemoryCallLog()
    client, backend = asking("", "", "ok", log=log)
    assert await client.think_with_retry(MESSAGES, ok) == "ok"
    assert log.kinds == ["sent", "done", "sent", "failed filtered", "sent", "done"]
    assert backend.calls[2].messages == LESS


async def test_TR_26_withheld_replies_are_told_for_the_dumps() -> None:
    dumps, outbox = MemoryDumps(), ListOutbox()
    client = LLMClient(
        "",
        "",
        "m",
        backend=ScriptedBackend([REFUSAL, "ok"]),
        session=CallSession(outbox=outbox),
        dumps=dumps,
    )
    await client.think_with_retry(MESSAGES, ok)
    assert [one.raw_response for one in dumps.records] == [REFUSAL, "ok"]
    filtered, used = dumps.records
    assert (filtered.feedback, filtered.clean) == (
        f"The reply was filtered: refusal: {REFUSAL}.",
        None,
    )
    assert (used.feedback, used.clean) == ("", "ok")
    written = [one.record for one in outbox if isinstance(one, DumpWritten)]
    assert written == dumps.records


async def test_a_story_that_speaks_like_a_refusal_is_taken_as_it_is() -> None:
    story = '"I can\'t assist with that," said the clerk. ok'
    client, backend = asking(story)
    assert (await client.think(MESSAGES))["reply"] == story
    assert len(backend.calls) == 1


def test_OV_41_the_rule_keeps_instructions_schema_and_the_task() -> None:
    for name in ("chapters", "scenes"):
        prompt = load_prompt(name)
        values = {hole: f"\n\n<{hole}>\nthe {hole}\n</{hole}>" for hole in prompt.holes()}
        system, user = prompt.render(**values)
        user["content"] += "\n\n<json_schema>{}</json_schema>"
        less = simplified(Request("s", "m", (system, user))).messages
        assert less[0]["content"].startswith(system["content"])
        for block in OPTIONAL_BLOCKS:
            assert f"<{block}>" not in less[1]["content"]
        for kept in ("the chapter", "the concept", "the characters", "<json_schema>"):
            assert any(kept in turn["content"] for turn in less)
        assert prompt.user.rpartition("\n")[2].split("$")[0] in less[1]["content"]


def test_the_rule_is_done_once_and_needs_no_system_message() -> None:
    bare = Request("s", "m", ({"role": "user", "content": "q"},))
    once = simplified(bare)
    assert once.messages == ({"role": "system", "content": SENTENCE}, *bare.messages)
    assert simplified(once).messages == once.messages


@pytest.mark.parametrize(
    ("text", "less"),
    [
        ("<next>\n</next>\n\nWrite.", "Write."),
        ("<next>\na\n</next>\nb\n<next>\nc\n</next>", "b\n"),
        ("see <next>\n and </next>", "see <next>\n and </next>"),
        ("<next>\nnever closed", "<next>\nnever closed"),
        ("say <next>\n<next>\na\n</next>\nb", "say <next>\nb"),
        ("<next_step>\na\n</next_step>", "<next_step>\na\n</next_step>"),
    ],
)
def test_only_whole_blocks_are_left_out(text: str, less: str) -> None:
    asked = Request("s", "m", ({"role": "user", "content": text},))
    assert simplified(asked).messages[1]["content"] == less


def test_the_rule_takes_empty_turns_away_with_what_was_said_of_them() -> None:
    turns = (
        *MESSAGES,
        {"role": "assistant", "content": " "},
        {"role": "user", "content": "Empty response."},
        {"role": "assistant", "content": "<next>\nmine\n</next>"},
        {"role": "user", "content": "Say ok."},
    )
    less = simplified(Request("s", "m", turns)).messages
    assert less == (*LESS, *turns[4:])
