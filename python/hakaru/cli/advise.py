"""``hakaru advise``: flat or hybrid, and in which layout."""

from typing import Annotated

import typer

from hakaru.foretell.advise.by import BY
from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str]:
    return [*built.REPLAY, *built.MEASURE, *built.mentioned(words)]


def register(app: typer.Typer) -> None:
    app.command("advise")(advise)


def advise(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help="A program of hakaru and its parameters (turbulence n=128), or traces and schedules of one program in several layouts, "
            "each with its threads: flat.otf2 hybrid.otf2@4.",
            show_default=False,
        ),
    ] = None,
    nodes: Annotated[int, typer.Option("--nodes", min=1, help="Nodes that may be used.")] = 1,
    machine: Annotated[str, typer.Option("--on", help="Machine: a name, a file, or here.")] = "here",
    cores: Annotated[int | None, typer.Option(min=1, help="Cores of a node to use (default: all).")] = None,
    vary: Annotated[
        list[str] | None, typer.Option("--vary", help="A parameter to try too: NAME, or NAME=A,B.")
    ] = None,
    collective: Annotated[
        list[str] | None, typer.Option("--collective", help="Algorithms to try too: alltoall=pairwise,bruck.")
    ] = None,
    calibrate: Annotated[
        list[str] | None,
        typer.Option(
            "--calibrate",
            help="Run the program here first with this parameter changed, such as steps=2, to time its computing; auto: at its size, with fewer "
            "repeats of the work.",
        ),
    ] = None,
    most_ranks: Annotated[int, typer.Option(min=1, help="Leave out layouts of more ranks.")] = 4096,
    everything: Annotated[bool, typer.Option("--all", help="Show all layouts, not ten.")] = False,
    one_program: Annotated[
        bool, typer.Option("--one-program", help="Traces of differently named programs are builds of one.")
    ] = False,
    by: Annotated[str, typer.Option("--by", help=f"What layouts are ranked by: {', '.join(BY)}.")] = BY[0],
    io: Annotated[
        bool, typer.Option("--io", help="Rank ways of writing for the files that a traced run wrote.")
    ] = False,
    results: Annotated[str | None, typer.Option("--results", help="Results folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Rank the layouts of a program (ranks, threads, nodes, ways of communicating) by predicted time, and say why the best one wins."""
    from hakaru.base.errors import UserError
    from hakaru.base.output import print_json

    if by not in BY:
        raise UserError(
            f"layouts cannot be ranked by '{by}'", f"known are {', '.join(BY)}", "choose one of them"
        )
    if io:
        return _advise_io(list(words or []), machine, results, as_json)
    from hakaru.foretell.advise import command

    request = command.Request(
        list(words or []),
        nodes,
        machine,
        cores,
        tuple(vary or ()),
        tuple(collective or ()),
        most_ranks,
        calibrate,
        results,
        one_program,
        by=by,
    )
    found = command.advise(request)
    if as_json:
        print_json(found.as_dict())
        return
    command.show(found, len(found.ranked) if everything else 10)


def _advise_io(words: list[str], machine: str, results: str | None, as_json: bool) -> None:
    from hakaru.base.output import print_json
    from hakaru.foretell.advise import io

    found = io.advise(words, machine, results)
    if as_json:
        print_json(found.as_dict())
    else:
        io.show(found)
