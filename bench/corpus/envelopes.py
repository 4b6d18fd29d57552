"""Answers inside JSON: wrapper keys, one-item lists, strings of JSON, escapes without quotes."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from bench.corpus import chatter, tricky
from bench.corpus.case import CaseClass, Draft, Policy, Rng
from bench.corpus.samples import (
    Sample,
    Shape,
    any_sample,
    book,
    cast,
    concept,
    keywords,
    outline,
    scenes,
)
from bench.corpus.tokens import PRETTY, STYLES, TIGHT, dump, text_of
from bench.corpus.wrap import wrapping

OBJECTS: Final[tuple[Shape, ...]] = (concept, keywords, book, outline)
Envelope = Callable[[Sample, Rng], str]


def _enveloped(
    name: str,
    write: Envelope,
    extra: Sequence[str] = tricky.DIALOGUE,
    shapes: Sequence[Shape] = OBJECTS,
    policy: Policy = Policy.VALUE,
) -> CaseClass:
    def make(rng: Rng) -> Draft:
        sample = any_sample(rng, extra, shapes)
        return Draft(write(sample, rng), sample.value, sample.schema)

    return CaseClass(name, "wrap", policy, make)


def _fenced_or_not(text: str, rng: Rng) -> str:
    return text if rng.random() < 0.6 else f"```json\n{text}\n```"


def _wrapper_key(sample: Sample, rng: Rng) -> str:
    key = rng.choice(("result", "response", "data", "output", "answer", "json"))
    return _fenced_or_not(text_of({key: sample.value}, rng.choice(STYLES)), rng)


def _wrapper_siblings(sample: Sample, rng: Rng) -> str:
    before: dict[str, Any] = rng.choice(
        (
            {"status": "ok"},
            {"thought": "Quiet tone, one keeper."},
            {"success": True, "error": None},
            {"reasoning": rng.choice(chatter.REASONING), "confidence": 0.9},
        )
    )
    value = before | {rng.choice(("result", "answer", "data", "final")): sample.value}
    return _fenced_or_not(text_of(value, rng.choice(STYLES)), rng)


def _wrapper_nested(sample: Sample, rng: Rng) -> str:
    value = {"response": {rng.choice(("data", "result")): sample.value}}
    return text_of(value, rng.choice(STYLES))


def _wrapper_encoded(sample: Sample, rng: Rng) -> str:
    inner = text_of(sample.value, rng.choice((PRETTY, TIGHT)))
    return text_of({rng.choice(("result", "output", "arguments")): inner}, PRETTY)


def _one_item_list(sample: Sample, rng: Rng) -> str:
    return _fenced_or_not(text_of([sample.value], rng.choice(STYLES)), rng)


def _encoded(sample: Sample, rng: Rng) -> str:
    once = json.dumps(text_of(sample.value, rng.choice(STYLES)), ensure_ascii=rng.random() < 0.5)
    return rng.choice((once, once, f"```json\n{once}\n```", f"Here it is: {once}"))


def _encoded_twice(sample: Sample, rng: Rng) -> str:
    return dump(dump(text_of(sample.value, rng.choice(STYLES))))


def _bare_escapes(sample: Sample, rng: Rng) -> str:
    escaped = dump(text_of(sample.value, rng.choice(STYLES)))[1:-1]
    return rng.choice((escaped, escaped, f"```json\n{escaped}\n```"))


def _quoted_whole(sample: Sample, rng: Rng) -> str:
    mark = rng.choice(('"""', "'", "'''", '"""'))
    return mark + text_of(sample.value, rng.choice(STYLES)) + mark


def _without_opener(text: str, rng: Rng) -> str:
    body = text[1:].lstrip() if rng.random() < 0.6 else text[1:]
    return body + rng.choice(("", "\n", "\n```", "\n\n" + rng.choice(chatter.OUTROS)))


def _double_braces(sample: Sample, rng: Rng) -> str:
    return text_of(sample.value, rng.choice(STYLES)).replace("{", "{{").replace("}", "}}")


CLASSES: Final = (
    _enveloped("wrapper_key", _wrapper_key),
    _enveloped("wrapper_siblings", _wrapper_siblings),
    _enveloped("wrapper_nested", _wrapper_nested),
    _enveloped("wrapper_encoded", _wrapper_encoded),
    _enveloped("one_item_list", _one_item_list),
    _enveloped("double_encoded", _encoded),
    _enveloped("double_encoded_twice", _encoded_twice),
    _enveloped("escaped_without_quotes", _bare_escapes),
    _enveloped("quoted_whole", _quoted_whole, ()),
    _enveloped("double_braces", _double_braces, (), (concept, cast, scenes), Policy.EITHER),
    wrapping("missing_open_brace", _without_opener, tricky.DIALOGUE),
)
