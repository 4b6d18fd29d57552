"""Several values in one reply: only one of them is the answer."""

from collections.abc import Callable
from typing import Any, Final

from bench.corpus import chatter, tricky
from bench.corpus.case import CaseClass, Draft, Policy, Rng
from bench.corpus.samples import Sample, Shape, Voice, book, cast, concept, outline, scenes
from bench.corpus.tokens import STYLES, text_of

FITTING: Final[tuple[Shape, ...]] = (concept, book, cast, outline, scenes)
Mix = Callable[[Sample, Rng], str]


def _mixed(name: str, write: Mix, policy: Policy = Policy.VALUE) -> CaseClass:
    def make(rng: Rng) -> Draft:
        sample = rng.choice(FITTING)(Voice(rng, tricky.DIALOGUE))
        return Draft(write(sample, rng), sample.value, sample.schema)

    return CaseClass(name, "multi", policy, make)


def _text(value: Any, rng: Rng) -> str:
    return text_of(value, rng.choice(STYLES))


def _fenced(text: str, rng: Rng) -> str:
    return text if rng.random() < 0.5 else f"```json\n{text}\n```"


def _other(rng: Rng) -> dict[str, Any]:
    """An object that fits none of our schemas."""
    return rng.choice(
        (
            {"status": "ok", "model": "writer-2", "usage": {"tokens": 512}},
            {"temperature": 0.7, "max_tokens": 2000},
            {"thought": "Start with the fog.", "step": 1},
            {"a": 1, "b": [2, 3]},
            {"language": "en", "sources": ["interview", "archive"]},
        )
    )


def _best_schema(sample: Sample, rng: Rng) -> str:
    parts = [_fenced(_text(_other(rng), rng), rng), _fenced(_text(sample.value, rng), rng)]
    rng.shuffle(parts)
    return f"Settings and answer:\n{parts[0]}\n\n{parts[1]}"


def _example_first(sample: Sample, rng: Rng) -> str:
    example = rng.choice(('{"name": "Alice", "note": "an example"}', '{"key": "value"}', "[1, 2]"))
    answer = _fenced(_text(sample.value, rng), rng)
    return f"For example, {example} is valid JSON.\n\nThe answer:\n{answer}"


def _answer_first(sample: Sample, rng: Rng) -> str:
    return f"{_fenced(_text(sample.value, rng), rng)}\n\nMetadata: {_text(_other(rng), rng)}"


def _broken_first(sample: Sample, rng: Rng) -> str:
    broken = rng.choice(("{bad}", '{"title": "The', '{"status": }', '{"a": 1, "b"}', "{...}"))
    return f"{broken}\n\n{_fenced(_text(sample.value, rng), rng)}"


def _broken_try_first(sample: Sample, rng: Rng) -> str:
    text = _text(sample.value, rng)
    cut = text[: rng.randint(len(text) // 4, len(text) // 2)]
    return f"```json\n{cut}\n```\n\nSorry, that was cut off. Again:\n\n```json\n{text}\n```"


def _broken_after(sample: Sample, rng: Rng) -> str:
    broken = rng.choice(('{"usage": {"tokens": 5', '{"next": ...}', "{see above}", '{"a" 1]'))
    return f"{_fenced(_text(sample.value, rng), rng)}\n\n{broken}"


def _hollow(value: Any, key: str = "") -> Any:
    """The shape of `value` with placeholders for its content."""
    if isinstance(value, dict):
        return {name: _hollow(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_hollow(item, key) for item in value[:1]]
    return f"<{key}>" if isinstance(value, str) else 0


def _template_first(sample: Sample, rng: Rng) -> str:
    template = _text(_hollow(sample.value), rng)
    answer = _fenced(_text(sample.value, rng), rng)
    return f"The format is:\n{_fenced(template, rng)}\n\nFilled in:\n{answer}"


def _schema_first(sample: Sample, rng: Rng) -> str:
    schema = _text(sample.schema, rng)
    return f"<json_schema>{schema}</json_schema>\n\n{_fenced(_text(sample.value, rng), rng)}"


def _twice(sample: Sample, rng: Rng) -> str:
    return f"{_text(sample.value, rng)}\n\n```json\n{_text(sample.value, rng)}\n```"


def _array_decoys(sample: Sample, rng: Rng) -> str:
    return f"Following [1] and [2, 3], I chose:\n{_text(sample.value, rng)}\n[1] A guide. [4] []"


def _nested_same_shape(rng: Rng) -> Draft:
    voice = Voice(rng, tricky.DIALOGUE)
    outer = concept(voice)
    outer.value["earlier_draft"] = concept(voice).value
    return Draft(rng.choice(("", "Result:\n")) + _text(outer.value, rng), outer.value, outer.schema)


def _two_answers(*, labelled: bool) -> Callable[[Rng], Draft]:
    """Two answers that both fit; a label tells which one is meant, or nothing does."""

    def make(rng: Rng) -> Draft:
        shape = rng.choice(FITTING)
        first, second = shape(Voice(rng)), shape(Voice(rng, tricky.DIALOGUE))
        one, two = _fenced(_text(first.value, rng), rng), _fenced(_text(second.value, rng), rng)
        if labelled:
            text = f"Draft:\n{one}\n\nThat is too plain. Final version:\n{two}"
            return Draft(text, second.value, second.schema)
        text = f"Option 1:\n{one}\n\nOption 2:\n{two}"
        return Draft(text, first.value, first.schema, (second.value,))

    return make


def _in_parts(rng: Rng) -> Draft:
    sample = book(Voice(rng, tricky.DIALOGUE))
    parts = [_fenced(_text({key: item}, rng), rng) for key, item in sample.value.items()]
    return Draft("\n\n".join(parts), sample.value, sample.schema)


def _lines_of_objects(rng: Rng) -> Draft:
    people = cast(Voice(rng, tricky.DIALOGUE))
    found = people.value["characters"]
    schema = people.schema["properties"]["characters"]
    text = "\n".join(text_of(person, STYLES[3]) for person in found)
    return Draft(text, found, schema)


def _array_wanted(rng: Rng) -> Draft:
    people = cast(Voice(rng, tricky.DIALOGUE))
    found = people.value["characters"]
    schema = people.schema["properties"]["characters"]
    text = f'{{"count": {len(found)}}}\n\n{_fenced(_text(found, rng), rng)}'
    return Draft(text + rng.choice(("", f"\n{rng.choice(chatter.OUTROS)}")), found, schema)


def _class(name: str, make: Callable[[Rng], Draft], policy: Policy = Policy.VALUE) -> CaseClass:
    return CaseClass(name, "multi", policy, make)


CLASSES: Final = (
    _mixed("multi_best_schema", _best_schema),
    _mixed("multi_example_then_answer", _example_first),
    _mixed("multi_answer_then_other", _answer_first),
    _mixed("multi_broken_then_valid", _broken_first),
    _mixed("multi_cut_try_then_valid", _broken_try_first),
    _mixed("multi_valid_then_broken", _broken_after),
    _mixed("multi_template_then_answer", _template_first),
    _mixed("multi_schema_then_answer", _schema_first),
    _mixed("multi_same_twice", _twice),
    _mixed("multi_array_decoys", _array_decoys),
    _class("multi_nested_same_shape", _nested_same_shape),
    _class("multi_array_wanted", _array_wanted),
    _class("multi_draft_then_final", _two_answers(labelled=True), Policy.EITHER),
    _class("multi_two_options", _two_answers(labelled=False), Policy.EITHER),
    _class("multi_in_parts", _in_parts, Policy.EITHER),
    _class("multi_lines_of_objects", _lines_of_objects, Policy.EITHER),
)
