"""Clean replies: nothing but JSON, whose strings hold everything that misleads naive readers."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from bench.corpus import schemas, tricky
from bench.corpus.case import CaseClass, Draft, Policy, Rng
from bench.corpus.samples import SHAPES, TALKING, Shape, Voice, any_sample, asked, book, cast
from bench.corpus.tokens import PRETTY, STYLES, TIGHT, WIDE, render, rewrite, text_of, tokenize

Writer = Callable[[Any, Rng], str]


def _in_any_style(value: Any, rng: Rng) -> str:
    return text_of(value, rng.choice(STYLES))


def _clean(
    name: str,
    write: Writer = _in_any_style,
    extra: Sequence[str] = (),
    shapes: Sequence[Shape] = SHAPES,
) -> CaseClass:
    def make(rng: Rng) -> Draft:
        sample = any_sample(rng, extra, shapes)
        return Draft(write(sample.value, rng), sample.value, asked(rng, sample))

    return CaseClass(name, "clean", Policy.VALUE, make)


def _escaped(value: Any, rng: Rng) -> str:
    return json.dumps(value, indent=rng.choice((None, 2)))


def _odd_escapes(value: Any, rng: Rng) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=rng.choice((None, 1)))
    swaps = (("/", "\\/"), ("e", "\\u0065"), ("a", "\\u0061"), (" ", "\\u0020"), ("s", "\\u0073"))
    old, new = rng.choice(swaps[:1] if rng.random() < 0.2 else swaps[1:])
    tokens = tokenize(json.loads(text), PRETTY)
    texts = {i: t.text.replace(old, new) for i, t in enumerate(tokens) if t.kind == "string"}
    return render(rewrite(tokens, texts))


def _odd_whitespace(value: Any, rng: Rng) -> str:
    blanks = (" ", "  ", "\t", "\n", "\r\n", "\n\n", "\r\n\t ", "")
    texts = [
        rng.choice(blanks) if token.kind == "space" else token.text
        for token in tokenize(value, PRETTY)
    ]
    return rng.choice(("", "\n", " \t")) + "".join(texts) + rng.choice(("", "\n", "\r\n\r\n"))


def _numbers(rng: Rng) -> Draft:
    written = (
        "12345678901234567890123",
        "-0",
        "1e3",
        "1E-7",
        "0.1",
        "-12.50",
        "1.7976931348623157e308",
        "9007199254740993",
        "0",
        "-41",
        "3.0",
        "18446744073709551616",
    )
    chosen = rng.sample(written, 5)
    members = ", ".join(f'"n{position}": {text}' for position, text in enumerate(chosen))
    text = "{" + members + ', "all": [' + ", ".join(chosen) + "]}"
    return Draft(text, json.loads(text))


def _top_array(rng: Rng) -> Draft:
    value = cast(Voice(rng, tricky.DIALOGUE)).value["characters"]
    schema = schemas.listing(schemas.CHARACTER) if rng.random() < 0.7 else None
    return Draft(text_of(value, rng.choice(STYLES)), value, schema)


def _deep(rng: Rng) -> Draft:
    value: Any = {"title": rng.choice(tricky.BRACES)}
    for level in range(rng.randint(20, 90)):
        value = [value] if rng.random() < 0.4 else {f"level_{level}": value, "mark": "}"}
    value = {"root": value}
    return Draft(text_of(value, rng.choice((TIGHT, PRETTY))), value)


def _empties(rng: Rng) -> Draft:
    value: dict[str, Any] = {
        "title": "",
        "tags": [],
        "meta": {},
        "next": None,
        "open": False,
        "count": 0,
    }
    kept = rng.sample(list(value), rng.randint(2, 6))
    chosen = {key: value[key] for key in kept} | {"items": [[], {}, "", None, False, 0]}
    return Draft(text_of(chosen, rng.choice(STYLES)), chosen)


def _large(rng: Rng) -> Draft:
    people = [
        person
        for _ in range(rng.randint(15, 40))
        for person in cast(Voice(rng, tricky.LOOKALIKES)).value["characters"]
    ]
    value = {"characters": people}
    return Draft(text_of(value, rng.choice((TIGHT, PRETTY))), value, schemas.CAST)


def _odd_keys(rng: Rng) -> Draft:
    keys = (
        "**bold**",
        "a.b",
        "with space",
        "",
        "键",
        "it's",
        'say "x"',
        "{",
        "```",
        "null",
        "1",
        "#",
    )
    value = {key: rng.choice(tricky.BRACES) for key in rng.sample(keys, 4)}
    return Draft(text_of(value, rng.choice(STYLES)), value)


CLASSES: Final = (
    _clean("clean_minified", lambda value, _: text_of(value, TIGHT)),
    _clean("clean_pretty", lambda value, rng: text_of(value, rng.choice((PRETTY, WIDE)))),
    _clean("clean_ascii_escapes", _escaped, tricky.ESCAPED + tricky.LOOKALIKES, TALKING),
    _clean("clean_odd_escapes", _odd_escapes, tricky.ESCAPED, TALKING),
    _clean("clean_odd_whitespace", _odd_whitespace, tricky.LOOKALIKES),
    _clean("clean_fences_in_strings", extra=tricky.FENCES, shapes=TALKING),
    _clean("clean_braces_in_strings", extra=tricky.BRACES, shapes=TALKING),
    _clean("clean_code_in_strings", extra=tricky.CODE, shapes=TALKING),
    _clean("clean_globs_in_strings", extra=tricky.GLOBS, shapes=TALKING),
    _clean(
        "clean_dialogue",
        extra=tricky.DIALOGUE + tricky.DIALOGUE_EDGE + tricky.APOSTROPHES,
        shapes=TALKING,
    ),
    _clean("clean_lookalikes", extra=tricky.LOOKALIKES, shapes=TALKING),
    _clean("clean_multiline", extra=tricky.MULTILINE, shapes=(book, cast)),
    CaseClass("clean_numbers", "clean", Policy.VALUE, _numbers),
    CaseClass("clean_top_array", "clean", Policy.VALUE, _top_array),
    CaseClass("clean_deep", "clean", Policy.VALUE, _deep),
    CaseClass("clean_empties", "clean", Policy.VALUE, _empties),
    CaseClass("clean_large", "clean", Policy.VALUE, _large),
    CaseClass("clean_odd_keys", "clean", Policy.VALUE, _odd_keys),
)
