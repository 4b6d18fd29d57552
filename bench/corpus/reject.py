"""Replies without an answer: refusals, prose, pages, reasoning, code, echoes of the request."""

from collections.abc import Callable
from typing import Final

from bench.corpus import chatter, schemas
from bench.corpus.case import CaseClass, Draft, Policy, Rng, Schema
from bench.corpus.samples import Voice, concept
from bench.corpus.tokens import STYLES, text_of

Text = Callable[[Rng], str]
ASKED: Final = (schemas.CONCEPT, schemas.BOOK, schemas.OUTLINE, schemas.CAST)


def _reject(name: str, write: Text, *, schema: bool = False) -> CaseClass:
    """A class of replies without an answer; `schema` where only a wish makes it none."""

    def make(rng: Rng) -> Draft:
        wish: Schema | None = rng.choice(ASKED)
        return Draft(write(rng), None, wish if schema or rng.random() < 0.75 else None)

    return CaseClass(name, "reject", Policy.REJECT, make)


def _prose(rng: Rng) -> str:
    return "\n\n".join(rng.sample(chatter.REASONING[:2] + chatter.OUTROS, 3))


def _markdown(rng: Rng) -> str:
    voice = Voice(rng)
    lines = [f"**{key.title()}:** {value}" for key, value in concept(voice).value.items()]
    return "\n".join(lines) + "\n\nKeywords:\n" + "\n".join(f"- {word}" for word in voice.words())


def _table(rng: Rng) -> Draft:
    value = concept(Voice(rng)).value
    rows = "\n".join(f"| {key} | {item} |" for key, item in value.items())
    return Draft(f"| field | value |\n|---|---|\n{rows}", value, schemas.CONCEPT)


def _yaml(rng: Rng) -> Draft:
    value = concept(Voice(rng)).value
    body = "\n".join(f"{key}: {item}" for key, item in value.items())
    return Draft(rng.choice((body, f"```yaml\n{body}\n```")), value, schemas.CONCEPT)


def _refusal_braces(rng: Rng) -> str:
    return f"{rng.choice(chatter.REFUSALS)} {rng.choice(chatter.BRACED)}"


def _think_only(rng: Rng) -> str:
    draft = text_of(concept(Voice(rng)).value, rng.choice(STYLES))
    return f"<think>\nDraft: {draft}\nHmm, too bland.\n</think>" + rng.choice(("", "\n\n"))


def _think_unclosed(rng: Rng) -> str:
    draft = text_of(concept(Voice(rng)).value, rng.choice(STYLES))
    return f"<think>\n{rng.choice(chatter.REASONING)}\nDraft: {draft}\nBut maybe"


def _html(rng: Rng) -> str:
    head = rng.choice(("<!DOCTYPE html>\n<html>", '<html lang="en">', "<!doctype html><html>"))
    title = rng.choice(("502 Bad Gateway", "Error 1020", "Just a moment...", "Rate limited"))
    return (
        f"{head}<head><title>{title}</title><style>a {{ color: red }}</style></head>"
        f"<body><h1>{title}</h1></body></html>"
    )


def _html_script(rng: Rng) -> str:
    data = text_of(concept(Voice(rng)).value, STYLES[3])
    return (
        '<!DOCTYPE html>\n<html><head><script type="application/json">'
        f"{data}</script></head><body><p>Please log in.</p></body></html>"
    )


def _code(rng: Rng) -> str:
    return rng.choice(
        (
            "```python\ndef concept():\n    return build(title, {})\n```",
            "```js\nfetch(url).then(r => { return r.json(); });\n```",
            "function build() {\n  const parts = ['fog', 'sea'];\n  return parts.join(', ');\n}",
            "#!/bin/sh\nfor f in *.md; do\n  awk '{ print $1 }' \"$f\"\ndone",
            "import json\n\nwith open('c.json') as f:\n    data = json.load(f)\nprint(data['title'])",
        )
    )


def _schema_echo(rng: Rng) -> str:
    return text_of(rng.choice(ASKED), rng.choice(STYLES))


def _scalar(rng: Rng) -> str:
    return rng.choice(("42", '"A lighthouse story"', "null", "true", "-1.5", '""'))


def _wrong_shape(rng: Rng) -> Draft:
    value = rng.choice(
        (
            {"error": {"message": "Rate limit reached", "code": 429}},
            {"detail": "Not found"},
            {},
            {"headline": "Fog", "text": "A keeper waits."},
            {"message": rng.choice(chatter.REFUSALS)},
        )
    )
    return Draft(text_of(value, rng.choice(STYLES)), value, schemas.CONCEPT)


CLASSES: Final = (
    _reject(
        "nothing", lambda rng: rng.choice(("", " ", "\n\n\t", "\ufeff", "```json\n```", "``````"))
    ),
    _reject("prose_only", _prose),
    _reject("refusal", lambda rng: rng.choice(chatter.REFUSALS)),
    _reject("refusal_with_braces", _refusal_braces),
    _reject("question_back", lambda rng: rng.choice(chatter.QUESTIONS)),
    _reject("markdown_answer", _markdown),
    CaseClass("markdown_table", "reject", Policy.EITHER, _table),
    CaseClass("yaml_answer", "reject", Policy.EITHER, _yaml),
    _reject("think_only", _think_only),
    _reject("think_unclosed", _think_unclosed),
    _reject("html_page", _html),
    _reject("html_page_with_json", _html_script),
    _reject("code_only", _code, schema=True),
    _reject("schema_echo", _schema_echo, schema=True),
    _reject("scalar_only", _scalar, schema=True),
    CaseClass("wrong_shape", "reject", Policy.EITHER, _wrong_shape),
    _reject("intro_only", lambda rng: rng.choice(chatter.INTROS)),
)
