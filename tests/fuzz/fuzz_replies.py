"""Coverage-guided fuzzing of everything that reads a reply: `make fuzz`.

Needs atheris, which `uv run --with atheris` brings. The arguments are libFuzzer's: corpus folders,
`-max_total_time=600`, `-max_len=2000`. A finding is written to `crash-*`; add it to
`tests/fuzz/corpus/`, where `test_corpus.py` reads it at every test run.
"""

import sys

import atheris  # type: ignore[import-not-found, unused-ignore]

with atheris.instrument_imports(include=["libriscribe2.replies"]):
    from tests.fuzz.reply_laws import check


def main() -> None:
    """Fuzz until the time is over or a law is broken."""
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
