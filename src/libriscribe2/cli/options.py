"""Options that several commands share."""

from typing import Annotated

import typer

ProjectArgument = Annotated[
    str | None, typer.Argument(metavar="PROJECT", help="Name of the project, or its folder.")
]
RequiredProjectArgument = Annotated[
    str, typer.Argument(metavar="PROJECT", help="Name of the project, or its folder.")
]
ProjectNameOption = Annotated[
    str | None,
    typer.Option("--project-name", "-p", help="Name of the project, where no PROJECT is given."),
]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", "-m", help="Model as LiteLLM spells it, such as openai/gpt-4o-mini."),
]
MockOption = Annotated[
    bool, typer.Option("--mock", help="Use the offline author; the same as --model offline.")
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        "--until", metavar="STAGE", help="Stop after this stage, such as outline, plan or chapters."
    ),
]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option("--max-concurrency", min=1, max=64, help="Most requests under way at once."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON to stdout.")]
JsonLinesOption = Annotated[
    bool, typer.Option("--json", help="Write one JSON event per line to stdout.")
]
NoInputOption = Annotated[bool, typer.Option("--no-input", help="Never ask a question.")]
RefreshOption = Annotated[
    bool, typer.Option("--refresh", help="Also remake what is stale; the old text goes to trash.")
]
MaxCostOption = Annotated[
    float | None,
    typer.Option("--max-cost", metavar="USD", min=0, help="Most US dollars for the whole book."),
]
MaxCallsOption = Annotated[
    int | None,
    typer.Option("--max-calls", metavar="N", min=0, help="Most requests for the whole book."),
]
MaxMinutesOption = Annotated[
    float | None,
    typer.Option("--max-minutes", metavar="M", min=0, help="Most minutes of this run."),
]
DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Only say what it would take: calls, tokens, cost; send nothing."
    ),
]
LogLevelOption = Annotated[
    str | None, typer.Option("--log-level", help="DEBUG, INFO, WARNING or ERROR.")
]
