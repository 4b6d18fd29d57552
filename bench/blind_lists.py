"""How the readers do on a list of replies and calls that somebody wrote without a look at them.

    python -m bench.blind_lists FOLDER [--failures N] [--class WORD]

FOLDER has `replies.jsonl` or `calls.jsonl`, or both, or folders of such. A line of the first has
`id`, `class`, `lang`, `schema`, `reply`, `label` (value, refuse, either) and `expect`; one of the
second `tools` in place of `schema`, the labels call, trap, either, and in `expect` a list of
`name` and `arguments`. Lists stay out of the repository; bench/README.md has their figures.
Beside ours: json_repair with the schema, and with a plain search for calls, where it is installed.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator

from libriscribe2.replies import calls, read

Case = Mapping[str, Any]
Reading = Callable[[Case], Any]
"""What a reader makes of a case: a value or None; of calls a list, empty where none is run."""

_ARGUMENTS: Final = ("arguments", "args", "parameters", "input")


def _cases(folder: Path, name: str) -> list[Case]:
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob(name))]
    return [json.loads(line) for text in texts for line in text.splitlines() if line.strip()]


def _value(case: Case) -> Any:
    return read(case["reply"], case["schema"]).value


def _calls(case: Case) -> Any:
    found = calls(case["reply"], case["tools"]).tool_calls or []
    return [{"name": one.name, "arguments": one.arguments} for one in found]


def _repaired(case: Case) -> Any:
    try:
        value = import_module("json_repair").loads(case["reply"], schema=case["schema"])
    except Exception:  # noqa: BLE001 - it refuses with exceptions of several kinds
        return None
    fits = value not in ("", None) and Draft202012Validator(case["schema"]).is_valid(value)
    return value if fits else None


def _repaired_calls(case: Case) -> Any:
    try:
        value = import_module("json_repair").loads(case["reply"])
    except Exception:  # noqa: BLE001 - as above
        return []
    return list(_objects_with_arguments(value, case["tools"]))


def _objects_with_arguments(value: Any, tools: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for item in value:
            yield from _objects_with_arguments(item, tools)
    elif isinstance(value, dict):
        name = value.get("name", value.get("tool"))
        given = next((value[key] for key in _ARGUMENTS if key in value), None)
        if isinstance(name, str) and name in tools and isinstance(given, dict):
            yield {"name": name, "arguments": given}
            return
        for item in value.values():
            yield from _objects_with_arguments(item, tools)


def _verdict(case: Case, found: Any) -> str:
    """`right`, `silent` (a wrong value, a wrong or unmeant call) or `refused` without need."""
    nothing: Any = [] if "tools" in case else None
    wanted = nothing if case["label"] in ("refuse", "trap") else case["expect"]
    if found == wanted or (case["label"] == "either" and found == nothing):
        return "right"
    return "refused" if found == nothing else "silent"


def _run(name: str, reader: Reading, cases: list[Case]) -> dict[str, list[tuple[Case, Any]]]:
    verdicts: dict[str, list[tuple[Case, Any]]] = defaultdict(list)
    for case in cases:
        found = reader(case)
        verdicts[_verdict(case, found)].append((case, found))
    traps = [case for case in cases if case["label"] == "trap"]
    run = sum(case["label"] == "trap" for case, _ in verdicts["silent"])
    shares = {
        kind: 100 * len(verdicts[kind]) / len(cases) for kind in ("right", "silent", "refused")
    }
    figures = ", ".join(f"{kind} {share:.1f} %" for kind, share in shares.items())
    print(f"{name}: {figures}" + (f"; {run} of {len(traps)} traps run" if traps else ""))
    return verdicts


def _show(verdicts: Mapping[str, list[tuple[Case, Any]]], options: argparse.Namespace) -> None:
    failed = [(kind, *one) for kind in ("silent", "refused") for one in verdicts.get(kind, [])]
    failed = [one for one in failed if options.kind in one[1]["class"]]
    for kind, case, found in failed[: options.failures]:
        print(f"\n=== {kind} {case['id']} ({case['class']}, {case['lang']}): {case.get('why', '')}")
        print(case["reply"])
        print("--- wanted:", json.dumps(case["expect"], ensure_ascii=False))
        print("--- found: ", json.dumps(found, ensure_ascii=False))


def main() -> None:
    """Ask every reader about the lists of a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--failures", type=int, default=0, help="show so many of ours")
    parser.add_argument("--class", dest="kind", default="", help="of classes with this word alone")
    options = parser.parse_args()
    for name, ours, other in (
        ("replies.jsonl", _value, _repaired),
        ("calls.jsonl", _calls, _repaired_calls),
    ):
        cases = _cases(options.folder, name)
        if not cases:
            continue
        labels = Counter(case["label"] for case in cases)
        languages = len({case["lang"] for case in cases})
        print(f"{name}: {len(cases)} in {languages} languages, {dict(labels)}")
        verdicts = _run("libriscribe2", ours, cases)
        if find_spec("json_repair"):
            _run("json_repair", other, cases)
        _show(verdicts, options)


if __name__ == "__main__":
    main()
