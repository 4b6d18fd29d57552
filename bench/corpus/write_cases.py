"""Write the fixed cases of the test suite: `python -m bench.corpus.write_cases`.

One folder per case under tests/cases/json: `in.txt` is the reply byte for byte, `expected.json`
says policy, schema and value. Run again only after a class changed; folders of this script are
replaced, folders with other names are left alone.
"""

import json
import shutil
from pathlib import Path
from typing import Any, Final

from bench.corpus.case import Case, same
from bench.corpus.catalogue import all_classes
from bench.corpus.generate import of_class
from bench.corpus.vectors import vectors

SEED: Final = 20_250
EACH: Final = 5
TRIES: Final = 40
FOLDER: Final = Path("tests/cases/json")


def expected(case: Case) -> dict[str, Any]:
    """What `expected.json` says of a case."""
    draft = case.draft
    found = {"policy": case.kind.policy.value, "schema": draft.schema, "value": draft.value}
    others = [value for value in draft.accept if not same(value, draft.value)]
    return found | ({"accept": others} if others else {})


def write(case: Case, folder: Path) -> None:
    """Write the folder of one case."""
    place = folder / case.name
    if place.exists():
        shutil.rmtree(place)
    place.mkdir(parents=True)
    (place / "in.txt").write_bytes(case.draft.text.encode("utf-8"))
    text = json.dumps(expected(case), ensure_ascii=False, indent=1) + "\n"
    (place / "expected.json").write_text(text, encoding="utf-8", newline="\n")


def fixed_cases() -> list[Case]:
    """The cases to write: some of every class with texts of their own, and all vectors."""
    found = []
    for kind in all_classes():
        texts: dict[str, Case] = {}
        for case in of_class(kind, SEED, TRIES):
            texts.setdefault(case.draft.text, case)
        kept = list(texts.values())[:EACH]
        found += [Case(kind, index, case.draft) for index, case in enumerate(kept, start=1)]
    return found + vectors()


def main() -> None:
    """Write them all."""
    chosen = fixed_cases()
    for case in chosen:
        write(case, FOLDER)
    print(f"{len(chosen)} cases of {len({case.kind.name for case in chosen})} classes in {FOLDER}")


if __name__ == "__main__":
    main()
