"""Replies cut off by a limit: content is missing, so no unflagged value may come back."""

from collections.abc import Callable
from typing import Final

from bench.corpus import chatter
from bench.corpus.case import CaseClass, Draft, Policy, Rng
from bench.corpus.samples import TALKING, Voice, any_sample, asked, cast, outline, review
from bench.corpus.tokens import CLOSERS, LINED, STYLES, Token, Tokens, render, tokenize

Cut = Callable[[Tokens, Rng], str | None]
AFTERMATH: Final = ("\n```", "\n\n[output truncated]", "\n\nI reached my length limit.", "...")


def _pick(tokens: Tokens, rng: Rng, wanted: Callable[[Token], bool]) -> int | None:
    """A position past the first third whose token is `wanted`."""
    first = len(tokens) // 3
    found = [at for at in range(first, len(tokens) - 1) if wanted(tokens[at])]
    return rng.choice(found) if found else None


def _inside(kind: str) -> Cut:
    """Cut in the middle of a token of `kind`, leaving at least its first two characters."""

    def cut(tokens: Tokens, rng: Rng) -> str | None:
        at = _pick(tokens, rng, lambda token: token.kind == kind and len(token.text) > 3)
        if at is None:
            return None
        text = tokens[at].text
        kept = text[: rng.randint(2, len(text) - 2)]
        return None if kept.endswith("\\") else render(tokens[:at]) + kept

    return cut


def _after(kind: str) -> Cut:
    """Cut right behind a token of `kind`, with or without a blank."""

    def cut(tokens: Tokens, rng: Rng) -> str | None:
        at = _pick(tokens, rng, lambda token: token.kind == kind)
        return None if at is None else render(tokens[: at + 1]) + rng.choice(("", " ", "\n"))

    return cut


def _number(tokens: Tokens, rng: Rng) -> str | None:
    at = _pick(tokens, rng, lambda token: token.kind == "number" and len(token.text) > 1)
    return None if at is None else render(tokens[:at]) + tokens[at].text[:1]


def _escape(tokens: Tokens, rng: Rng) -> str | None:
    at = _pick(tokens, rng, lambda token: token.kind == "string" and "\\" in token.text)
    if at is None:
        return None
    text = tokens[at].text
    return render(tokens[:at]) + text[: text.index("\\") + 1]


def _element(tokens: Tokens, rng: Rng) -> str | None:
    """Cut behind an element of a list that has further elements."""
    at = _pick(tokens, rng, lambda token: token.kind == "," and token.inside == "[")
    return None if at is None else render(tokens[:at])


def _member(tokens: Tokens, rng: Rng) -> str | None:
    """Cut behind a whole member whose object has further members."""
    at = _pick(tokens, rng, lambda token: token.kind == "," and token.inside == "{")
    return None if at is None or tokens[at - 1].kind in CLOSERS else render(tokens[:at])


def _truncation(name: str, cut: Cut, finish: Callable[[str, Rng], str] | None = None) -> CaseClass:
    def make(rng: Rng) -> Draft:
        while True:
            sample = any_sample(rng, ('He said "stay", and\nleft.',), (*TALKING, review))
            text = cut(tokenize(sample.value, rng.choice(STYLES)), rng)
            if text is not None:
                text = finish(text, rng) if finish else text
                return Draft(text, None, asked(rng, sample))

    return CaseClass(name, "truncation", Policy.FLAG, make)


def _fence_open(text: str, _rng: Rng) -> str:
    return f"```json\n{text}"


def _fence_closed(text: str, _rng: Rng) -> str:
    return f"```json\n{text}\n```"


def _then_words(text: str, rng: Rng) -> str:
    return text + rng.choice(AFTERMATH)


def _closed_by_hand(rng: Rng) -> Draft:
    """Cut inside a list of objects, yet closed by the model: the last object is half."""
    sample = rng.choice((cast, outline))(Voice(rng))
    tokens = tokenize(sample.value, rng.choice(LINED))
    at = _pick(tokens, rng, lambda token: token.kind == ":")
    return Draft(render(tokens[: (at or 1) + 1]) + "\n}]}", None, asked(rng, sample))


def _only_start(rng: Rng) -> Draft:
    sample = any_sample(rng)
    start = rng.choice(('{"', '{"con', "{", "[{", "```json\n{", rng.choice(chatter.INTROS) + "\n{"))
    return Draft(start, None, asked(rng, sample))


CLASSES: Final = (
    _truncation("cut_in_string", _inside("string")),
    _truncation("cut_in_key", _inside("key")),
    _truncation("cut_after_key", _after("key")),
    _truncation("cut_after_colon", _after(":")),
    _truncation("cut_after_comma", _after(",")),
    _truncation("cut_in_number", _number),
    _truncation("cut_in_literal", _inside("literal")),
    _truncation("cut_in_escape", _escape),
    _truncation("cut_in_list", _element),
    _truncation("cut_after_member", _member),
    _truncation("cut_in_open_fence", _inside("string"), _fence_open),
    _truncation("cut_in_closed_fence", _inside("string"), _fence_closed),
    _truncation("cut_then_words", _inside("string"), _then_words),
    CaseClass("cut_then_closed", "truncation", Policy.FLAG, _closed_by_hand),
    CaseClass("cut_at_start", "truncation", Policy.FLAG, _only_start),
)
