"""Ours and the other libraries behind one signature: text and schema in, an answer out."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from bench.corpus.case import REFUSED, Answer, Schema
from libriscribe2.utils.json_utils import JSONProcessor

Read = Callable[[str, Schema | None], Answer]
Loads = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Reader:
    """A library and how to ask it.

    Attributes:
        name: As the table shows it.
        module: What must be installed; "" for what always is.
        read: Reads one reply; an exception counts as a refusal.
    """

    name: str
    module: str
    read: Read


def _ours(text: str, schema: Schema | None) -> Answer:
    report = JSONProcessor.extract_with_report(text, schema)
    return Answer(report.value, flagged=not report.ok)


def _bare(text: str, _schema: Schema | None) -> Answer:
    return Answer(json.loads(text))


def _sliced(text: str) -> str:
    """From the first opener to the last closer, as most programs do before they parse."""
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=0)
    end = max(text.rfind("}"), text.rfind("]")) + 1
    return text[start:end] if end > start else text


def plain(value: Any) -> Any:
    """Built-in containers instead of the subclasses that some libraries return."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value


def _dirtyjson(text: str, _schema: Schema | None) -> Answer:
    return Answer(plain(import_module("dirtyjson").loads(_sliced(text))))


def _via(module: str, function: str, text: str, _schema: Schema | None) -> Answer:
    loads: Loads = getattr(import_module(module), function)
    return Answer(loads(text))


def _via_slice(module: str, function: str, text: str, schema: Schema | None) -> Answer:
    return _via(module, function, _sliced(text), schema)


def _json_repair(text: str, _schema: Schema | None, *, strict: bool = False) -> Answer:
    return _unless_empty(import_module("json_repair").loads(text, strict=strict))


def _json_repair_log(text: str, _schema: Schema | None) -> Answer:
    value, log = import_module("json_repair").loads(text, logging=True)
    return Answer(value, flagged=bool(log)) if value not in ("", None) else REFUSED


def _json_repair_schema(text: str, schema: Schema | None) -> Answer:
    return _unless_empty(import_module("json_repair").loads(text, schema=schema))


def _unless_empty(value: Any) -> Answer:
    """An empty string is how these libraries say that there is nothing."""
    return REFUSED if value is None or value == "" else Answer(value)


def _fast_json_repair(text: str, _schema: Schema | None) -> Answer:
    return _unless_empty(import_module("fast_json_repair").loads(text))


def _jiter(text: str, _schema: Schema | None) -> Answer:
    jiter = import_module("jiter")
    return Answer(jiter.from_json(_sliced(text).encode(), partial_mode=True))


def _partialjson(text: str, _schema: Schema | None) -> Answer:
    parser = import_module("partialjson").JSONParser()
    parser.on_extra_token = _ignore
    return Answer(parser.parse(_sliced(text)))


def _ignore(*_details: object) -> None:
    """In the place of a callback that prints."""


def _instructor(text: str, _schema: Schema | None) -> Answer:
    extract = import_module("instructor.utils.core").extract_json_from_codeblock
    return Answer(json.loads(extract(text)))


READERS: Final = (
    Reader("libriscribe2", "", _ours),
    Reader("json_repair (log as flag)", "json_repair", _json_repair_log),
    Reader("json_repair (schema)", "json_repair", _json_repair_schema),
    Reader("json_repair", "json_repair", _json_repair),
    Reader("json_repair (strict)", "json_repair", partial(_json_repair, strict=True)),
    Reader("fast_json_repair", "fast_json_repair", _fast_json_repair),
    Reader("dirtyjson + slice", "dirtyjson", _dirtyjson),
    Reader("pyjson5 + slice", "pyjson5", partial(_via_slice, "pyjson5", "decode")),
    Reader("demjson3 + slice", "demjson3", partial(_via_slice, "demjson3", "decode")),
    Reader("json5 + slice", "json5", partial(_via_slice, "json5", "loads")),
    Reader("hjson + slice", "hjson", partial(_via_slice, "hjson", "loads")),
    Reader(
        "llm_output_parser", "llm_output_parser", partial(_via, "llm_output_parser", "parse_json")
    ),
    Reader("instructor (last object)", "instructor", _instructor),
    Reader(
        "langchain json_markdown",
        "langchain_core",
        partial(_via, "langchain_core.utils.json", "parse_json_markdown"),
    ),
    Reader("jiter partial + slice", "jiter", _jiter),
    Reader("partialjson + slice", "partialjson", _partialjson),
    Reader("json.loads + slice", "", partial(_via_slice, "json", "loads")),
    Reader("json.loads", "", _bare),
)


def installed() -> list[Reader]:
    """The readers whose library can be imported here."""
    return [one for one in READERS if not one.module or find_spec(one.module) is not None]
