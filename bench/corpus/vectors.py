"""Hand-written replies: the examples of the specification and the traps that broke older readers."""

import json
from typing import Any, Final

from bench.corpus import schemas
from bench.corpus.case import Case, CaseClass, Draft, Policy, Rng, Schema

PLAN: Final[Schema] = schemas.record(
    steps=schemas.listing(schemas.record(step_id=schemas.TEXT, instruction=schemas.TEXT))
)
MEANT: Final = {"title": "Fog", "logline": "A keeper waits.", "description": "Quiet, patient."}
JSON: Final = json.dumps(MEANT)
Vector = tuple[str, Any, Schema | None]
VALUE, REJECT = Policy.VALUE, Policy.REJECT

EXAMPLES: Final[tuple[Vector, ...]] = (
    (
        'Here\'s your plan:\n```json\n{"step_id": "step-1", "n": 1}\n```',
        {"step_id": "step-1", "n": 1},
        None,
    ),
    (
        'I\'ll create a plan for you.\n{"step_id": "step-1"}\nLet me know if you need changes!',
        {"step_id": "step-1"},
        None,
    ),
    (JSON, MEANT, schemas.CONCEPT),
    (f"```\n{JSON}\n```", MEANT, schemas.CONCEPT),
    (f"text{JSON}more", MEANT, schemas.CONCEPT),
    ('{"text": "{not json}", "q": "a \\"b\\" c"}', {"text": "{not json}", "q": 'a "b" c'}, None),
    (
        '{"title": "caf\\u00e9 \\ud83c\\uddee\\ud83c\\uddea", "n": "\\n\\t\\\\"}',
        {"title": "café 🇮🇪", "n": "\n\t\\"},
        None,
    ),
)
TRAPS: Final[tuple[Vector, ...]] = (
    # A fence inside a string is text, not the block.
    (
        '{"steps":[{"step_id":"1","instruction":"write a ```json {} ``` block"}]}',
        {"steps": [{"step_id": "1", "instruction": "write a ```json {} ``` block"}]},
        PLAN,
    ),
    (f"```python\nprint({{'a': 1}})\n```\n```json\n{JSON}\n```", MEANT, schemas.CONCEPT),
    (
        f'<think>{{"title": "draft", "logline": "d", "description": "d"}}</think>\n{JSON}',
        MEANT,
        schemas.CONCEPT,
    ),
    (f"Use {{placeholders}} carefully.\n{JSON}", MEANT, schemas.CONCEPT),
    ('{"a":"2**3","b":"4**5"}', {"a": "2**3", "b": "4**5"}, None),
    ('{"title":"A } B"}', {"title": "A } B"}, None),
    (f"{{bad}} {JSON}", MEANT, schemas.CONCEPT),
    ('{"usage": {"tokens": 5}}\n' + JSON, MEANT, schemas.CONCEPT),
    (
        "{'title': 'Fog', 'logline': 'A keeper waits.', 'description': 'Quiet, patient.'}",
        MEANT,
        schemas.CONCEPT,
    ),
    (
        '{"title": "Fog", "logline": "A keeper\nwaits."}',
        {"title": "Fog", "logline": "A keeper\nwaits."},
        None,
    ),
    (
        '[{"step_id": "1", "instruction": "a"}, {"step_id": "2", "instruction": "b"}]',
        [{"step_id": "1", "instruction": "a"}, {"step_id": "2", "instruction": "b"}],
        None,
    ),
    (f":-}} {JSON}", MEANT, schemas.CONCEPT),
    (
        '{"content":"open brace { in text","done":true}',
        {"content": "open brace { in text", "done": True},
        None,
    ),
    ('{"t": "use ```bash\\nls\\n``` here"}', {"t": "use ```bash\nls\n``` here"}, None),
    (JSON[:-1] + ",}", MEANT, schemas.CONCEPT),
    (f"<function_calls>{JSON}</function_calls>", MEANT, schemas.CONCEPT),
)
NO_ANSWER: Final[tuple[str, ...]] = (
    "",
    "sorry",
    '{"amount": 100 * price}',
    '{"toolCalls": [{"name": "test"',
    '{"steps": [{"step_id": "1"}, ...]}',
    "The answer to your question is 42.",
    '{"total": price * 2, "title": "Fog"}',
    '{"title": "Fog", "pages": 200 + 50}',
    "I can't help with that. {}",
    '{"title": "Fog", "logline": "A keeper',
)
UNSURE: Final[tuple[Vector, ...]] = (
    ('{"a": 1, "a": 2}', None, None),
    ('{"x": NaN}', None, None),
    ('{"x": -Infinity}', None, None),
    ('{"title": "Fog", "title": "Mist"}', None, None),
    ('{"list": ["a", "b"', None, None),
)


def _folder(name: str, policy: Policy, drafts: list[Draft]) -> list[Case]:
    """Cases of a class without a maker: its drafts are what there is."""

    def make(rng: Rng) -> Draft:
        return rng.choice(drafts)

    kind = CaseClass(name, "vectors", policy, make)
    return [Case(kind, index, draft) for index, draft in enumerate(drafts, start=1)]


def vectors() -> list[Case]:
    """All hand-written cases."""
    return [
        *_folder("vector_example", VALUE, [Draft(*vector) for vector in EXAMPLES]),
        *_folder("vector_trap", VALUE, [Draft(*vector) for vector in TRAPS]),
        *_folder("vector_no_answer", REJECT, [Draft(text) for text in NO_ANSWER]),
        *_folder("vector_unsure", Policy.FLAG, [Draft(*vector) for vector in UNSURE]),
    ]
