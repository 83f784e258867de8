"""What ``hakaru measure`` is asked: each field is an option of the command."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer


@dataclass(frozen=True)
class Request:
    """``words``: a launch line, a program file, or the name of a program measured before."""

    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[FILE | NAME | -- COMMAND...]",
            help="The launch line with {parameters} in it, a program file, or a program measured before.",
            show_default=False,
        ),
    ] = ()
    size: Annotated[
        list[str],
        typer.Option(
            "--size",
            metavar="NAME=VALUES",
            help="Values of what sets the problem's size: n=8,12,16. May be repeated.",
        ),
    ] = ()
    steps: Annotated[
        list[str],
        typer.Option(
            "--steps",
            metavar="NAME=VALUES",
            help="Values of what the time is proportional to, such as time steps.",
        ),
    ] = ()
    set_: Annotated[
        list[str], typer.Option("--set", metavar="NAME=VALUES", help="Values of any other parameter.")
    ] = ()
    ranks: Annotated[
        str | None, typer.Option(help="Numbers of MPI ranks, such as 1,2: {ranks} in the command.")
    ] = None
    threads: Annotated[
        str | None, typer.Option(help="Numbers of threads of a rank: {threads}, and OMP_NUM_THREADS.")
    ] = None
    time: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN",
            help="Where the program prints its time in s; without it the launch's time counts.",
        ),
    ] = None
    region: Annotated[
        str | None,
        typer.Option(help="Region of MPI_Pcontrol whose time counts; every launch is traced then."),
    ] = None
    phase: Annotated[
        list[str], typer.Option(metavar="NAME=PATTERN", help="Time of a part that the program prints.")
    ] = ()
    check: Annotated[
        list[str],
        typer.Option(
            metavar="'PATTERN == VALUE'", help="A result that must be printed: ... == VALUE +- TOLERANCE."
        ),
    ] = ()
    metric: Annotated[
        list[str], typer.Option(metavar="NAME=PATTERN", help="A figure of merit that the program prints.")
    ] = ()
    name: Annotated[str | None, typer.Option(help="Name of the program (default: that of its file).")] = None
    save: Annotated[
        Path | None, typer.Option(metavar="NAME.toml", help="Write what was typed as a program file.")
    ] = None
    repeats: Annotated[int | None, typer.Option(min=1, help="Launches of each point (default 5).")] = None
    most_repeats: Annotated[
        int | None, typer.Option(min=1, help="More launches, up to so many, where they differ much.")
    ] = None
    timeout_s: Annotated[
        float, typer.Option("--timeout", min=1.0, help="Seconds after which a launch is ended.")
    ] = 600.0
    no_trace: Annotated[bool, typer.Option("--no-trace", help="Put the tracer into no launch.")] = False
    build: Annotated[bool, typer.Option("--build", help="Run the file's build command first.")] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show every launch line; start nothing.")] = False
    results: Annotated[
        str | None, typer.Option(help="Results folder (default HAKARU_RESULTS or ./hakaru-results).")
    ] = None
    meter: Annotated[
        str | None,
        typer.Option(
            help="A command that prints what the node takes, such as 215 W or 81.3 kJ package (docs/how-to/power.md)."
        ),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
