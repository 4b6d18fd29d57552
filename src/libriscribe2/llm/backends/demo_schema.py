"""A value for any JSON Schema that a request may have."""

from typing import Any, Final

from libriscribe2.llm.backends.demo_values import Table, Values, item_count

_DEEP: Final = 8
"""Below this depth only what is required is filled, so that recursive schemas end."""


class Filler:
    """Makes a value that fits a schema, with what the values know: types, counts, references."""

    def __init__(self, schema: Table, values: Values) -> None:
        self._root = schema
        self._values = values

    def fill(self) -> Any:
        """A value for the whole schema."""
        return self._value(self._root, "", 0, self._values.book(), 0)

    def _value(self, schema: Any, key: str, depth: int, known: Any, index: int) -> Any:
        """A value for the field `key`, or the item at `index` of a list: what is known if it fits."""
        plain = self._resolved(schema)
        options = [plain["const"]] if "const" in plain else plain.get("enum")
        if options is not None:
            likely = [one for one in options if one != ""] or options
            return known if known in options else likely[index % len(likely)]
        kind = plain.get("type", "object" if "properties" in plain else "string")
        match kind if isinstance(kind, str) else kind[0]:
            case "object":
                return self._object(plain, depth, known if isinstance(known, dict) else {}, index)
            case "array":
                return self._array(plain, key, depth, known)
            case "integer" | "number":
                wanted = (
                    known if isinstance(known, int) else index + (key in {"number", "question"})
                )
                return min(max(wanted, plain.get("minimum", 0)), plain.get("maximum", 10**6))
            case "boolean":
                return bool(known)
            case "null":
                return None
            case _:
                text = known if isinstance(known, str) else self._values.text(key)
                return _text_within(plain, text)

    def _object(self, schema: Table, depth: int, known: Table, index: int) -> dict[str, Any]:
        required, parts = schema.get("required", ()), dict(schema.get("properties", {}))
        for name in required:
            parts.setdefault(name, schema.get("additionalProperties") or {})
        found = {}
        for name, part in parts.items():
            if name in required or depth < _DEEP:
                is_null = "anyOf" in part and name in known and known[name] is None
                value = self._value(part, name, depth + 1, known.get(name), index)
                found[name] = None if is_null else value
        return found

    def _array(self, schema: Table, key: str, depth: int, known: Any) -> list[Any]:
        low, high = int(schema.get("minItems", 0)), schema.get("maxItems")
        count, items = item_count(schema), self._resolved(schema.get("items", {}))
        rows = known if isinstance(known, list) else None
        if rows is None and "properties" in items:
            rows = self._values.rows(key, count)
        if rows is not None:
            count = max(low, len(rows[:high]))
        given = [*(rows or ()), *([None] * count)][: low if depth > _DEEP else count]
        return [self._value(items, key, depth + 1, one, at) for at, one in enumerate(given)]

    def _resolved(self, schema: Any) -> Table:
        """A schema without references, with one branch of its choices taken."""
        plain = dict(schema) if isinstance(schema, dict) else {}
        for _ in range(20):
            if "$ref" in plain:
                plain = {**self._target(str(plain.pop("$ref"))), **plain}
            elif choice := next((key for key in ("anyOf", "oneOf", "allOf") if key in plain), ""):
                options = [one for one in plain.pop(choice) if one != {"type": "null"}]
                plain = {**plain, **(options or [{"type": "null"}])[0]}
        return plain

    def _target(self, reference: str) -> Table:
        """What a `#/...` reference points to; an empty schema where it points outside."""
        part: Any = self._root
        for name in reference.removeprefix("#/").split("/"):
            part = part.get(name, {}) if isinstance(part, dict) else {}
        return part if isinstance(part, dict) else {}


def _text_within(schema: Table, text: str) -> str:
    """A text of the length that a schema wants."""
    low = int(schema.get("minLength", 0))
    high = int(schema.get("maxLength", max(low, len(text))))
    if len(text) > high:
        text = text[: high + 1].rpartition(" ")[0].rstrip(" ,;:") or text[:high]
    while len(text) < low:
        text = f"{text or 'It'} goes on."[:high]
    return text
