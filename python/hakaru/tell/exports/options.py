"""The options of ``hakaru export``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option


@dataclass(frozen=True)
class Request:
    """What is written, as what, and where to."""

    output: Annotated[Path, Option("--output", "-o", help="The file to write.")]
    format: Annotated[str, Option("--format", help="csv, parquet, openmetrics or benchkit.")] = "csv"
    program: Annotated[
        str | None, Argument(metavar="PROGRAM", help="Only this program [all].", show_default=False)
    ] = None
    select: Annotated[
        str | None, Option("--select", help="Only what selectors leave, such as commit=1a2b3c,mpi=MPICH.")
    ] = None
    system: Annotated[
        str | None, Option("--system", help="Name of the machine, for benchkit and openmetrics [its host].")
    ] = None
    results: Annotated[Path | None, Option("--results", help="Results folder [hakaru-results].")] = None
    as_json: Annotated[bool, Option("--json", help="Print JSON.")] = False
