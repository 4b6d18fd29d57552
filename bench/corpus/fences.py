"""Fences of every kind: languages, lengths, missing ends, fences inside strings, code before."""

from typing import Final

from bench.corpus import chatter, tricky
from bench.corpus.case import Rng
from bench.corpus.tokens import LINED
from bench.corpus.wrap import around, wrapping

TICKS: Final = "```"


def _fence(text: str, rng: Rng, mark: str = TICKS, language: str = "json") -> str:
    fenced = f"{mark}{language}\n{text}\n{mark}"
    return fenced if rng.random() < 0.5 else around(fenced, rng)


def _other_language(text: str, rng: Rng) -> str:
    names = ("jsonc", "json5", "javascript", "js", "python", "yaml", "text", "JSON5", "typescript")
    return _fence(text, rng, language=rng.choice(names))


def _long(text: str, rng: Rng) -> str:
    return _fence(text, rng, "`" * rng.randint(4, 6), rng.choice(("json", "", "markdown")))


def _unclosed(text: str, rng: Rng) -> str:
    intro = rng.choice(("", rng.choice(chatter.INTROS) + "\n"))
    return f"{intro}{TICKS}{rng.choice(('json', ''))}\n{text}" + rng.choice(("", "\n"))


def _close_only(text: str, rng: Rng) -> str:
    return f"{text}\n{TICKS}" + rng.choice(("", "\n", "\n\n" + rng.choice(chatter.OUTROS)))


def _one_line(text: str, rng: Rng) -> str:
    flat = f"{TICKS}{rng.choice(('json ', 'json', ''))}{text}{rng.choice(('', ' '))}{TICKS}"
    return rng.choice(("", "Answer: ")) + flat


def _indented(text: str, rng: Rng) -> str:
    pad = rng.choice(("  ", "   ", "      "))
    body = "\n".join(pad + line for line in f"{TICKS}json\n{text}\n{TICKS}".split("\n"))
    return f"1. The concept:\n\n{body}" + rng.choice(("", "\n\n2. Nothing else."))


def _info_string(text: str, rng: Rng) -> str:
    infos = ('json title="concept.json"', "json {.line-numbers}", "json:concept.json", " json ")
    return _fence(text, rng, language=rng.choice((*infos, "application/json")))


def _after_code(text: str, rng: Rng) -> str:
    code = rng.choice(
        (
            "```python\nprint({'a': 1})\n```",
            "```bash\nls *.json | jq '{name}'\n```",
            "```html\n<p>{not} json</p>\n```",
            "```js\nconst f = () => { return [1]; };\n```",
            "```\nplain text, no JSON\n```",
        )
    )
    return f"First the code:\n\n{code}\n\nThen the answer:\n\n{TICKS}json\n{text}\n{TICKS}"


def _before_code(text: str, rng: Rng) -> str:
    code = rng.choice(
        ("```python\ndata = json.loads(reply)\n```", "```bash\ncat concept.json\n```")
    )
    return f"{TICKS}json\n{text}\n{TICKS}\n\nRead it with:\n\n{code}"


def _crlf(text: str, rng: Rng) -> str:
    return _fence(text, rng).replace("\n", "\r\n")


CLASSES: Final = (
    wrapping("fence_json", _fence),
    wrapping("fence_plain", lambda text, rng: _fence(text, rng, language="")),
    wrapping("fence_upper", lambda text, rng: _fence(text, rng, language="JSON")),
    wrapping("fence_other_language", _other_language),
    wrapping("fence_tilde", lambda text, rng: _fence(text, rng, mark="~~~")),
    wrapping("fence_long", _long),
    wrapping("fence_unclosed", _unclosed),
    wrapping("fence_close_only", _close_only),
    wrapping("fence_one_line", _one_line),
    wrapping("fence_indented", _indented, styles=LINED),
    wrapping("fence_info_string", _info_string),
    wrapping("fence_around_fences", _fence, tricky.FENCES),
    wrapping("fence_after_code", _after_code, with_schema=True),
    wrapping("fence_before_code", _before_code),
    wrapping("fence_crlf", _crlf),
)
