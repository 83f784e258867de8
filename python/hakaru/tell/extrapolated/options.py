"""What ``hakaru extrapolate`` is asked; read by every start of the command line, so it loads nothing else."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option


@dataclass(frozen=True)
class Request:
    """Of ``hakaru extrapolate``."""

    words: Annotated[
        list[str],
        Argument(
            metavar="TRACE... [n=512]",
            help="Traces or schedules, as FOLDER:n=64, and the sizes that are asked for.",
        ),
    ]
    ranks: Annotated[int, Option("--ranks", min=1, help="Ranks of the schedule.")]
    output: Annotated[Path | None, Option("--output", "-o", help="Where to write the schedule (JSON).")] = (
        None
    )
    against: Annotated[
        str | None,
        Option("--against", metavar="TRACE", help="The true one: compared operation by operation."),
    ] = None
    results: Annotated[str | None, Option("--results", help="Results folder.")] = None
    as_json: Annotated[bool, Option("--json", help="Print JSON.")] = False
