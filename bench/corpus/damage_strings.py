"""Damage inside strings: raw control characters, bad escapes, paths, entities, wide punctuation."""

import html
from collections.abc import Callable
from typing import Final

from bench.corpus import tricky
from bench.corpus.case import CaseClass, Draft, Policy, Rng
from bench.corpus.damage_commas import trailing_commas
from bench.corpus.damaging import SOUND, damage
from bench.corpus.samples import TALKING, Sample, Voice, asked, book, cast, concept, outline
from bench.corpus.tokens import STYLES, Tokens, dump, places, render, rewrite, text_of, tokenize

CONTROLS: Final = (
    "a\x01b",
    "bell \x07 rings",
    "page\x0cbreak",
    "vertical\x0btab",
    "esc \x1b[0m",
    "\x00",
)
PATHS: Final = (
    r"C:\Projekte\Romane\kapitel.md",
    r"D:\Sagas\Marrow Street\Karte.png",
    r"C:\Windows\System32",
    r"\d+\s\w*",
    r"$\alpha + \mathbb{R}$",
)
# Some of their escapes are valid JSON; none is valid as a whole.
MIXED_PATHS: Final = (
    r"C:\Users\new\table.md",
    r"D:\Sagas\final\tide.txt",
    r"E:\Marrow\notes\river.md",
    r"$\alpha + \beta$ in \textbf{fog}",
)
WIDE: Final = {"{": "｛", "}": "｝", "[": "［", "]": "］", ":": "：", ",": "，"}


def _unescaped(table: dict[str, str]) -> Callable[[Tokens, Rng], Tokens]:
    """Write some escapes as the bare characters that they stand for."""

    def mutate(tokens: Tokens, _rng: Rng) -> Tokens:
        texts = {}
        for at in places(tokens, lambda token: token.kind == "string"):
            text = tokens[at].text.replace("\\\\", "\0\0")
            for escape, bare in table.items():
                text = text.replace(escape, bare)
            texts[at] = text.replace("\0\0", "\\\\")
        return rewrite(tokens, texts)

    return mutate


raw_newlines: Final = _unescaped({"\\n": "\n"})


def _raw_controls(tokens: Tokens, _rng: Rng) -> Tokens:
    found = places(tokens, lambda token: token.kind == "string")
    return rewrite(tokens, {at: f'"{_kept_bare(tokens[at].value)}"' for at in found})


def _kept_bare(text: str) -> str:
    escaped = (dump(mark)[1:-1] if mark in '"\\\n\r\t' else mark for mark in text)
    return "".join(escaped)


def _bare_backslashes(tokens: Tokens, _rng: Rng) -> Tokens:
    found = places(tokens, lambda token: token.kind == "string")
    return rewrite(tokens, {at: tokens[at].text.replace("\\\\", "\\") for at in found})


def _escaped_apostrophes(tokens: Tokens, _rng: Rng) -> Tokens:
    found = places(tokens, lambda token: token.kind == "string")
    return rewrite(tokens, {at: tokens[at].text.replace("'", "\\'") for at in found})


def _markdown_escapes(rng: Rng) -> Draft:
    marks = rng.choice(("_", "*", "#", "-", "."))
    meant = f"Chapter{marks}one of the {marks}fog{marks} book"
    kept = meant.replace(marks, "\\" + marks)
    sample = concept(Voice(rng))
    sample.value["title"] = meant
    text = text_of(sample.value, rng.choice(STYLES)).replace(dump(meant), f'"{kept}"')
    other = sample.value | {"title": kept}
    return Draft(text, sample.value, asked(rng, sample), (other,))


def _line_continuation(rng: Rng) -> Draft:
    sample = concept(Voice(rng))
    first, second = "The keeper lights the lamp ", "and waits for her brother."
    sample.value["description"] = first + second
    text = text_of(sample.value, rng.choice(STYLES))
    broken = text.replace(dump(first + second), f'"{first}\\\n{second}"')
    other = sample.value | {"description": f"{first}\n{second}"}
    return Draft(broken, sample.value, asked(rng, sample), (other,))


def _wide(marks: str) -> Callable[[Tokens, Rng], Tokens]:
    def mutate(tokens: Tokens, _rng: Rng) -> Tokens:
        found = places(tokens, lambda token: token.kind in marks)
        return rewrite(tokens, {at: WIDE[tokens[at].text] for at in found})

    return mutate


def _wide_quotes(tokens: Tokens, rng: Rng) -> Tokens:
    found = places(tokens, lambda token: token.kind in {"key", "string"})
    quotes = rewrite(tokens, {at: f"“{tokens[at].value}”" for at in found})
    return _wide(":,")(quotes, rng)


def _entities(rng: Rng) -> Draft:
    extra = ("Salt & Sons, keepers of the tide", "A <b>bold</b> lamp", *tricky.APOSTROPHES)
    sample: Sample = rng.choice(TALKING)(Voice(rng, extra))
    text = text_of(sample.value, rng.choice(STYLES))
    return Draft(html.escape(text), sample.value, asked(rng, sample))


def _trailing(sample: Sample, rng: Rng) -> str:
    return render(trailing_commas(tokenize(sample.value, rng.choice(STYLES)), rng))


def _doubled_backslashes(rng: Rng) -> Draft:
    sample = cast(Voice(rng, tricky.ESCAPED))
    text = _trailing(sample, rng)
    return Draft(text, sample.value, asked(rng, sample))


CLASSES: Final = (
    damage("raw_newlines", raw_newlines, tricky.MULTILINE, TALKING),
    damage("raw_tabs", _unescaped({"\\t": "\t"}), ("tab\there", "a\tb\tc"), TALKING),
    damage(
        "raw_newlines_dialogue",
        raw_newlines,
        ('She said:\n"Go home."\nHe went.', 'a,\n"b": c'),
        TALKING,
    ),
    damage("raw_controls", _raw_controls, CONTROLS, TALKING),
    damage("escaped_apostrophes", _escaped_apostrophes, tricky.APOSTROPHES, TALKING),
    CaseClass("markdown_escapes", "damage", Policy.VALUE, _markdown_escapes),
    CaseClass("line_continuation", "damage", Policy.VALUE, _line_continuation),
    damage("backslash_paths", _bare_backslashes, PATHS, TALKING),
    damage(
        "backslash_paths_mixed",
        _bare_backslashes,
        MIXED_PATHS,
        (concept, book, outline),
        policy=Policy.EITHER,
    ),
    damage("fullwidth_punctuation", _wide("{}[]:,")),
    damage("fullwidth_commas_colons", _wide(":,"), SOUND),
    damage("fullwidth_with_smart_quotes", _wide_quotes),
    CaseClass("html_entities", "damage", Policy.VALUE, _entities),
    CaseClass("escapes_kept_under_damage", "damage", Policy.VALUE, _doubled_backslashes),
)
