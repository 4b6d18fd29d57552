"""Wrappings around a sound answer: prose, tags, tokens and what transports add."""

from collections.abc import Callable, Sequence
from typing import Final

from bench.corpus import chatter, tricky
from bench.corpus.case import CaseClass, Draft, Policy, Rng
from bench.corpus.samples import any_sample, asked
from bench.corpus.tokens import LINED, STYLES, Style, text_of

Wrap = Callable[[str, Rng], str]
MIXED: Final = tricky.BRACES + tricky.LOOKALIKES + tricky.DIALOGUE


def wrapping(
    name: str,
    wrap: Wrap,
    extra: Sequence[str] = MIXED,
    styles: Sequence[Style] = STYLES,
    *,
    with_schema: bool = False,
) -> CaseClass:
    """A class of clean JSON inside `wrap`; `with_schema` where choosing needs the schema."""

    def make(rng: Rng) -> Draft:
        sample = any_sample(rng, extra)
        text = wrap(text_of(sample.value, rng.choice(styles)), rng)
        return Draft(text, sample.value, sample.schema if with_schema else asked(rng, sample))

    return CaseClass(name, "wrap", Policy.VALUE, make)


def _before(text: str, rng: Rng) -> str:
    return rng.choice(chatter.INTROS) + rng.choice(("\n", "\n\n", " ")) + text


def _after(text: str, rng: Rng) -> str:
    return text + rng.choice(("\n", "\n\n", " ")) + rng.choice(chatter.OUTROS)


def around(text: str, rng: Rng) -> str:
    """Prose on both sides."""
    return _after(_before(text, rng), rng)


def _braces(text: str, rng: Rng) -> str:
    before, after = rng.sample(chatter.BRACED, 2)
    return rng.choice((f"{before}\n{text}\n{after}", f"{before}\n\n{text}", f"{text}\n\n{after}"))


def _quotes(text: str, rng: Rng) -> str:
    before, after = rng.sample(chatter.QUOTED, 2)
    return rng.choice((f"{before}\n{text}", f"{before}\n{text}\n{after}"))


def _list_and_links(text: str, rng: Rng) -> str:
    marks = ("- short title\n- one-sentence logline", "1. title\n2. logline", "* fog\n* sea")
    link = rng.choice(("See [the guide](https://example.org/a?b={c}).", "Sources: [1], [2, 3]."))
    return f"I followed these rules:\n{rng.choice(marks)}\n\n{text}\n\n{link}"


def _heading(text: str, rng: Rng) -> str:
    heads = ("# Concept", "## Final answer", "**Answer:**", "### JSON\n---", "==========")
    return rng.choice(heads) + "\n\n" + text


def _tag(text: str, rng: Rng) -> str:
    tag = rng.choice(("json", "answer", "output", "result", "response", "concept"))
    return rng.choice(("", "Done.\n")) + f"<{tag}>\n{text}\n</{tag}>"


def _tag_attributes(text: str, rng: Rng) -> str:
    opening, closing = rng.choice(
        (
            ('<artifact type="application/json" title="Concept {1}">', "</artifact>"),
            ("<output format='json'>", "</output>"),
            ("<![CDATA[", "]]>"),
            ('<document index="1"><json>', "</json></document>"),
        )
    )
    return f"{opening}{text}{closing}"


def _html_pre(text: str, rng: Rng) -> str:
    opening = rng.choice(("<pre><code>", '<pre><code class="language-json">', "<pre>", "<code>"))
    closing = "".join(reversed([f"</{tag.split()[0]}>" for tag in opening[1:-1].split("><")]))
    return f"{opening}\n{text}\n{closing}"


def _chat_tokens(text: str, rng: Rng) -> str:
    before, after = rng.choice(
        (
            ("<|im_start|>assistant\n", "<|im_end|>"),
            ("<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"),
            ("[/INST] ", "</s>"),
            ("<s>", "</s>"),
            ("<start_of_turn>model\n", "<end_of_turn>"),
            ("<|assistant|>\n", "<|endoftext|>"),
            ("", "<|end|>"),
            ("", "<｜end▁of▁sentence｜>"),
            ("", "\n</s>"),
            ("<|channel|>final<|message|>", "<|return|>"),
        )
    )
    return before + text + after


def _role_prefix(text: str, rng: Rng) -> str:
    marks = ("assistant: ", "Assistant:\n", "JSON: ", "Output:\n", "json\n", "A: ", "Response -> ")
    return rng.choice(marks) + text


def _assignment(text: str, rng: Rng) -> str:
    before, after = rng.choice(
        (
            ("const concept = ", ";"),
            ("concept = ", ""),
            ("export default ", ";"),
            ("return ", ";"),
            ("let data: Concept = ", ";\n"),
            ("$concept = ", ";"),
            ("var json=", ""),
            ("", ";"),
        )
    )
    return before + text + after


def _call(text: str, rng: Rng) -> str:
    before, after = rng.choice(
        (
            ("print(", ")"),
            ("callback(", ");"),
            ("save_concept(", ")"),
            ("json.dumps(", ", indent=2)"),
            ("JSON.stringify(", ", null, 2);"),
            ("(", ")"),
        )
    )
    return before + text + after


def _invisible(text: str, rng: Rng) -> str:
    edge = rng.choice(("\ufeff", "\u200b", "\u2060", "\ufeff\ufeff", "\u200e", "\u00a0"))
    inner = rng.choice(("\u200b", "\u00a0", "\u3000", "\ufeff", "\u2009", "\u2028"))
    lines = text.split("\n")
    spaced = f"\n{inner}".join(lines) if rng.random() < 0.6 else text
    return edge + spaced + rng.choice(("", edge, "\u200b\n"))


def _quoted_lines(text: str, rng: Rng) -> str:
    mark = rng.choice(("> ", ">", "> > "))
    intro = rng.choice(("", "As requested:\n\n"))
    return intro + "\n".join(mark + line for line in text.split("\n"))


def _indented(text: str, rng: Rng) -> str:
    pad = rng.choice(("    ", "\t", "        "))
    intro = rng.choice(("", "The result:\n\n"))
    return intro + "\n".join(pad + line for line in text.split("\n"))


def _ticks(text: str, rng: Rng) -> str:
    return rng.choice(("`{}`", "Answer: `{}`", "`json {}`", "``{}``")).replace("{}", text)


CLASSES: Final = (
    wrapping("prose_before", _before),
    wrapping("prose_after", _after),
    wrapping("prose_around", around),
    wrapping("prose_with_braces", _braces),
    wrapping("prose_with_quotes", _quotes),
    wrapping("prose_with_lists_and_links", _list_and_links, with_schema=True),
    wrapping("heading", _heading),
    wrapping("xml_tag", _tag),
    wrapping("xml_attributes", _tag_attributes),
    wrapping("html_pre", _html_pre, tricky.DIALOGUE),
    wrapping("chat_tokens", _chat_tokens),
    wrapping("role_prefix", _role_prefix),
    wrapping("assignment", _assignment),
    wrapping("function_call", _call),
    wrapping("bom_zero_width", _invisible),
    wrapping("quoted_lines", _quoted_lines, styles=LINED),
    wrapping("indented_block", _indented, styles=LINED),
    wrapping("inline_backticks", _ticks, tricky.DIALOGUE, STYLES[3:]),
)
