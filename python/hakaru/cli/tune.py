"""``hakaru tune``: settings of the MPI library for a person's own program."""

from pathlib import Path

import typer

from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str]:
    return [*built.REPLAY, *built.MEASURE, *built.mentioned(words)]


def register(app: typer.Typer) -> None:
    app.command("tune", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})(
        tune
    )


def tune(
    command: list[str] = typer.Argument(
        None,
        metavar="-- COMMAND...",
        help="The launch line: mpirun -n 8 ./program arguments.",
        show_default=False,
    ),
    pattern: str = typer.Option(
        None,
        "--time",
        help="A regular expression whose group is the time that the program prints (default: the whole launch counts).",
    ),
    rounds: int = typer.Option(5, "--rounds", min=3, help="Rounds in which every setting runs once."),
    pairs: int = typer.Option(8, "--pairs", min=6, help="Fresh pairs of launches that confirm the best one."),
    collective: list[str] = typer.Option(
        None,
        "--collective",
        help="Only algorithms of this collective; may be repeated (default: those the program calls).",
    ),
    results: Path = typer.Option(None, "--results", help="Results folder."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Try binding policies and collective algorithms of Open MPI or MPICH on your own program; print what to export, or that nothing helps."""
    import sys

    from hakaru.base.output import INTERRUPTED, AlreadyTold, print_json
    from hakaru.run.tune import display
    from hakaru.run.tune.command import run

    tuning, path = run(
        command or [],
        pattern,
        rounds,
        pairs,
        collective or None,
        results,
        lambda text: print(text, file=sys.stderr, flush=True),
    )
    if as_json:
        print_json(tuning.as_dict() | {"file": str(path)})
    else:
        display.show(tuning)
        print(f"Stored: {path}")
    if not tuning.complete:
        raise AlreadyTold(INTERRUPTED)
