"""A chat window for tests: answers what a paste asks, from nothing but its text."""

import json
import re

from libriscribe2.llm.backend import Request
from libriscribe2.llm.backends.demo import answer

_SCHEMA = re.compile(r"<json_schema>(\{.*\})</json_schema>")
_TASK = re.compile(r"(?m)^######## Task (\d+) of \d+: .*$")
_SAME = re.compile(r"<(\w+)>\(the same as <(\w+)> in task (\d+)\)</\1>")


def reply_to(pasted: str, *, number: int = 0) -> str:
    """The stand-in author's answer to one paste, each part below its number."""
    tasks = _TASK.split(pasted)[1:]
    if not tasks:
        return _one(pasted, number)
    texts = {int(n): body for n, body in zip(tasks[::2], tasks[1::2], strict=True)}
    whole = {
        n: _SAME.sub(lambda same: _block(texts[int(same[3])], same[2]), body)
        for n, body in texts.items()
    }
    return "\n\n".join(f"=== {n} ===\n\n{_one(body, number)}" for n, body in whole.items())


def _one(text: str, number: int) -> str:
    schema = _SCHEMA.search(text)
    # The generation is what makes two answers to one text differ.
    return answer(
        Request(
            step="chat",
            model="chat",
            messages=({"role": "system", "content": ""}, {"role": "user", "content": text}),
            schema=None if schema is None else json.loads(schema[1]),
            generation=number,
        )
    )


def _block(text: str, name: str) -> str:
    found = re.search(rf"<{name}>.*?</{name}>", text, re.DOTALL)
    assert found is not None, name
    return found[0]
