"""The options of `libriscribe2 batch`."""

from typing import Annotated

import typer

BatchOption = Annotated[
    str | None,
    typer.Option("--batch", "-b", metavar="NAME", help="Which batch.", show_default="the only one"),
]
DsnOption = Annotated[
    str | None,
    typer.Option(
        "--dsn",
        metavar="ADDRESS",
        help="Database that several machines share, such as postgresql://user@host/name. Its "
        "password belongs into LIBRISCRIBE2_BATCH__DSN: everybody here sees the words of a command.",
        show_default="none",
    ),
]
MaxBatchCostOption = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        metavar="USD",
        min=0,
        help="Most US dollars for all books; holds until another is named.",
    ),
]
AtOnceOption = Annotated[
    int | None,
    typer.Option("--books", "-n", min=1, max=64, show_default="2", help="How many books at once."),
]
BooksArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[BOOK]...", help="Names of books; none means all.")
]


def child_options(model: str | None, max_concurrency: int | None, *, mock: bool) -> list[str]:
    """The options of every book's run."""
    options: list[str] = ["--mock"] if mock else []
    options += ["--model", model] if model is not None else []
    if max_concurrency is not None:
        options += ["--max-concurrency", str(max_concurrency)]
    return options
