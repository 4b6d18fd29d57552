"""Calls and waits of a run, as its events tell them."""

from libriscribe2.llm.options import CallRecord
from libriscribe2.llm.resilience import Wait
from libriscribe2.pipeline.events import EventStream


def tell_call(events: EventStream, call: CallRecord) -> None:
    """One answered request, as an event."""
    usage, paid = call.completion.usage, not call.replayed
    parts = call.request.step.split("/")
    chapter = parts[1].removeprefix("ch") if len(parts) > 1 else ""
    events.emit(
        "llm.call",
        stage=parts[0],
        chapter=int(chapter) if chapter.isdecimal() else None,
        unit=call.request.step,
        calls=int(paid),
        tokens={"in": usage.input_tokens * paid, "out": usage.output_tokens * paid},
        cost_usd=call.completion.cost_usd if paid else 0.0,
        seconds=call.completion.seconds * paid,
        model=call.completion.model or call.request.model,
        reason="replayed from the journal" if call.replayed else "",
    )


def tell_wait(events: EventStream, wait: Wait) -> None:
    """One wait before the same payload leaves again, as an event."""
    events.emit("llm.wait", seconds=wait.seconds, reason=wait.kind, message=wait.message)
