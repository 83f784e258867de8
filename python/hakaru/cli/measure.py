"""``hakaru measure``: anybody's program, run at several sizes and layouts, timed, traced in a share of its launches, and recorded."""

from pathlib import Path

import typer

from hakaru.own.setup import targets as built

targets = built.MEASURE


def register(app: typer.Typer) -> None:
    settings = {"allow_interspersed_args": True}
    app.command("measure", context_settings=settings)(measure)


def measure(
    command: list[str] = typer.Argument(
        None,
        metavar="[FILE | NAME | -- COMMAND...]",
        help="The launch line with {parameters} in it, a program file, or a program measured before.",
        show_default=False,
    ),
    size: list[str] = typer.Option(
        [],
        "--size",
        metavar="NAME=VALUES",
        help="Values of what sets the problem's size: n=8,12,16. May be repeated.",
    ),
    steps: list[str] = typer.Option(
        [],
        "--steps",
        metavar="NAME=VALUES",
        help="Values of what the time is proportional to, such as time steps.",
    ),
    others: list[str] = typer.Option(
        [], "--set", metavar="NAME=VALUES", help="Values of any other parameter."
    ),
    ranks: str = typer.Option(None, help="Numbers of MPI ranks, such as 1,2: {ranks} in the command."),
    threads: str = typer.Option(None, help="Numbers of threads of a rank: {threads}, and OMP_NUM_THREADS."),
    time: str = typer.Option(
        None,
        metavar="PATTERN",
        help="Where the program prints its time in s; without it the launch's time counts.",
    ),
    region: str = typer.Option(
        None, help="Region of MPI_Pcontrol whose time counts; every launch is traced then."
    ),
    phase: list[str] = typer.Option(
        [], metavar="NAME=PATTERN", help="Time of a part that the program prints."
    ),
    check: list[str] = typer.Option(
        [], metavar="'PATTERN == VALUE'", help="A result that must be printed: ... == VALUE +- TOLERANCE."
    ),
    metric: list[str] = typer.Option(
        [], metavar="NAME=PATTERN", help="A figure of merit that the program prints."
    ),
    name: str = typer.Option(None, help="Name of the program (default: that of its file)."),
    save: Path = typer.Option(None, metavar="NAME.toml", help="Write what was typed as a program file."),
    repeats: int = typer.Option(None, min=1, help="Launches of each point (default 5)."),
    most_repeats: int = typer.Option(
        None, min=1, help="More launches, up to so many, where they differ much."
    ),
    timeout: float = typer.Option(600.0, min=1.0, help="Seconds after which a launch is ended."),
    no_trace: bool = typer.Option(False, "--no-trace", help="Put the tracer into no launch."),
    build: bool = typer.Option(False, "--build", help="Run the file's build command first."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Show every launch line; start nothing."),
    results: str = typer.Option(None, help="Results folder (default HAKARU_RESULTS or ./hakaru-results)."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Measure any program: sizes x ranks x threads, interleaved and repeated; resumes where it was interrupted."""
    from hakaru.tell.measured.command import Request
    from hakaru.tell.measured.command import measure as measure_it

    request = Request(
        command or (),
        size,
        steps,
        others,
        ranks,
        threads,
        time,
        region,
        phase,
        check,
        metric,
        name,
        save,
        repeats,
        most_repeats,
        timeout,
        no_trace,
        build,
        dry_run,
        results,
        as_json,
    )
    if status := measure_it(request):
        raise typer.Exit(status)
