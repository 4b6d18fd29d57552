"""Reasoning before the answer: closed, only closed, in channels, with a decoy draft inside."""

from collections.abc import Callable
from typing import Final

from bench.corpus import chatter, tricky
from bench.corpus.case import CaseClass, Draft, Policy, Rng
from bench.corpus.samples import TALKING, Voice, asked
from bench.corpus.tokens import STYLES, text_of
from bench.corpus.wrap import wrapping

TAGS: Final = ("think", "thinking", "reasoning", "thought")


def _closed(text: str, rng: Rng) -> str:
    tag = rng.choice(TAGS[:2])
    return f"<{tag}>\n{rng.choice(chatter.REASONING)}\n</{tag}>\n\n{text}"


def _close_only(text: str, rng: Rng) -> str:
    return f"{rng.choice(chatter.REASONING)}\n</think>\n\n{text}"


def _fenced_after(text: str, rng: Rng) -> str:
    return f"<think>{rng.choice(chatter.REASONING)}</think>\n```json\n{text}\n```"


def _other_tags(text: str, rng: Rng) -> str:
    opening, closing = rng.choice(
        (
            ("<reasoning>", "</reasoning>"),
            ("<scratchpad>", "</scratchpad>"),
            ("[THINK]", "[/THINK]"),
            ("<thought>", "</thought>"),
            ("◁think▷", "◁/think▷"),
            (
                "<|channel|>analysis<|message|>",
                "<|end|><|start|>assistant<|channel|>final<|message|>",
            ),
        )
    )
    return f"{opening}{rng.choice(chatter.REASONING)}{closing}{text}"


def _empty(text: str, rng: Rng) -> str:
    return rng.choice(("<think></think>", "<think>\n\n</think>\n\n")) + text


Reasoned = Callable[[str, str, Rng], str]


def _decoy(name: str, write: Reasoned) -> CaseClass:
    def make(rng: Rng) -> Draft:
        shape = rng.choice(TALKING)
        draft, answer = shape(Voice(rng)), shape(Voice(rng, tricky.DIALOGUE))
        style = rng.choice(STYLES)
        text = write(text_of(draft.value, style), text_of(answer.value, style), rng)
        return Draft(text, answer.value, asked(rng, answer))

    return CaseClass(name, "wrap", Policy.VALUE, make)


def _draft_in_think(draft: str, answer: str, rng: Rng) -> str:
    fenced = rng.choice((draft, f"```json\n{draft}\n```"))
    return f"<think>\nDraft:\n{fenced}\nToo bland, I'll do better.\n</think>\n\n{answer}"


def _draft_before_close(draft: str, answer: str, rng: Rng) -> str:
    return f"Draft: {draft}\n{rng.choice(chatter.REASONING)}\n</think>\n{answer}"


def _broken_draft(draft: str, answer: str, rng: Rng) -> str:
    cut = draft[: rng.randint(len(draft) // 4, len(draft) // 2)]
    return f"<think>\nMaybe:\n{cut}... no, start again.\n</think>\n```json\n{answer}\n```"


CLASSES: Final = (
    wrapping("think_then_answer", _closed),
    wrapping("think_close_only", _close_only),
    wrapping("think_then_fence", _fenced_after),
    wrapping("think_other_tags", _other_tags),
    wrapping("think_empty", _empty),
    _decoy("think_with_decoy", _draft_in_think),
    _decoy("think_close_only_decoy", _draft_before_close),
    _decoy("think_broken_draft", _broken_draft),
)
