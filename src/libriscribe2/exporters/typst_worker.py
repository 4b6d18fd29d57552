"""A process of its own that runs Typst, so that it can be stopped: jobs on stdin, results on stdout.

It is started by its path and imports nothing of this package.
"""

import json
import sys
from typing import Any

import typst


def main() -> None:
    """Do the jobs in order until one fails, and write what came of them as one JSON list."""
    request = json.load(sys.stdin)
    fonts = typst.Fonts(
        include_system_fonts=request["system_fonts"], font_paths=request["font_paths"]
    )
    wanted = set(fonts.families())
    inputs = {
        **request["inputs"],
        "fonts": json.dumps([name for name in request["fonts"] if name in wanted]),
    }
    results = []
    for job in request["jobs"]:
        results.append(_done(job, inputs, fonts))
        if "message" in results[-1]:
            break
    json.dump(results, sys.stdout)


def _done(job: dict[str, Any], inputs: dict[str, str], fonts: typst.Fonts) -> dict[str, Any]:
    """Compile one file; the result says what went wrong, or nothing."""
    try:
        if job["query"]:
            told = {**inputs, **job["inputs"]}
            found = typst.query(
                job["input"],
                job["query"],
                field="value",
                root=".",
                font_paths=fonts,
                sys_inputs=told,
            )
            return {"found": json.loads(found)}
        typst.compile(
            job["input"],
            output=job["output"],
            root=".",
            font_paths=fonts,
            ppi=job["ppi"],
            sys_inputs={**inputs, **job["inputs"]},
            pdf_standards=job["standards"],
            timestamp=job["epoch"],
        )
    except typst.TypstError as error:
        return {"message": error.message, "diagnostic": error.diagnostic, "hints": error.hints}
    return {}


if __name__ == "__main__":
    main()
