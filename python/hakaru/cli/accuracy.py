"""``hakaru accuracy``: how wrong replays are, on labs where the run can be made for real, and on machines of which others published results."""

from typing import Annotated, Literal

import typer

from hakaru.own.setup import targets as built

PUBLISHED = "machines-today"  # the study
Rounds = Literal["samples", "growth", "caches", "caches-sample"]
# What is asked instead of labs, and the other options that are heeded then; "": labs.
HEEDED = {
    "machines": {"as_json"},
    "extrapolated": {"as_json"},
    "forecasts": {"launches", "which", "results", "as_json"},
    "here": {"command", "also", "launches", "as_json"},
    "": {
        "command", "also", "settings", "only", "drawn", "seed", "launches", "real_time", "results", "as_json",
    },
}  # fmt: skip
# Of two of these the first decides.
EITHER = (("command", "also"), ("drawn", "only"), ("drawn", "settings"), ("only", "settings"))


def targets(words: list[str]) -> list[str]:
    """The lab, the tracer's tools, the engine, the programs of its cases; the engine alone for published results."""
    if "--machines" in words:
        return [*built.REPLAY]
    if "--extrapolated" in words:
        from hakaru.foretell.extrapolate.own import CASES

        return [*built.REPLAY, *sorted({case.program for case in CASES})]
    if "--forecasts" in words:
        from hakaru.main_job.forecasts import Round

        named = [one for one in Round if one in words or f"--round={one}" in words]
        return (named or [Round.SAMPLES])[0].programs
    from hakaru.foretell.accuracy.cases import HERE, WORKLOADS
    from hakaru.foretell.accuracy.measure import LAB_PROBES

    here = "--here" in words
    cases = [*sorted({workload.program for workload in (HERE if here else WORKLOADS)}), *LAB_PROBES]
    where = (*built.HERE, "memory_bandwidth") if here else (*built.LAB, "hakaru_handover")
    return [*where, *built.REPLAY, *built.TRACES, *cases, *built.mentioned(words)]


def register(app: typer.Typer) -> None:
    app.command("accuracy")(accuracy)


def refuse_unheeded(context: typer.Context) -> None:
    """Raises UserError for an option that would do nothing."""
    from hakaru.base.errors import UserError

    given = {
        parameter.name: parameter.opts[0] if parameter.param_type_name == "option" else "-- COMMAND"
        for parameter in context.command.params
        if context.get_parameter_source(parameter.name).name == "COMMANDLINE"
    }
    modes = [name for name in HEEDED if name in given]
    if len(modes) > 1:
        raise UserError(
            f"--{modes[0]} and --{modes[1]} are two questions", "each is a comparison of its own", "ask one"
        )
    for one, other in EITHER:
        if one in given and other in given:
            raise UserError(
                f"{given[one]} and {given[other]} exclude each other",
                "the second would be ignored",
                "give one of them",
            )
    mode = modes[0] if modes else ""
    for name, option in given.items():
        if name != mode and name not in HEEDED[mode]:
            raise UserError(
                f"{option} is nothing to accuracy {f'--{mode}' if mode else 'on labs'}",
                "it would be ignored",
                "leave it out; ./hakaru accuracy --help says what goes together",
            )


def accuracy(
    context: typer.Context,
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="-- COMMAND...",
            help="Your own program instead of hakaru's: mpirun -n 2 ./mycode arguments.",
            show_default=False,
        ),
    ] = None,
    launches: Annotated[
        int, typer.Option("--launches", min=1, help="Launches of each program on each lab, and traces here.")
    ] = 5,
    settings: Annotated[
        int, typer.Option("--settings", min=1, max=6, help="How many of the six settings of the lab.")
    ] = 6,
    only: Annotated[
        int | None, typer.Option("--only", min=1, max=6, help="One of the settings, by its number.")
    ] = None,
    drawn: Annotated[
        int | None,
        typer.Option(
            "--drawn",
            min=1,
            max=100,
            help="So many settings at random (20 us to 5 ms, 20 Mbit/s to 2 Gbit/s) instead of the six.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of --drawn.")] = 1,
    also: Annotated[
        str | None,
        typer.Option("--also", help="A file of launch lines: programs of yours, held beside hakaru's."),
    ] = None,
    real_time: Annotated[
        bool, typer.Option("--real-time", help="Run before all ordinary processes of the machine.")
    ] = False,
    here: Annotated[
        bool,
        typer.Option(
            "--here",
            help="No lab: replays on this machine against their own traces, with one program for each kind of call.",
        ),
    ] = False,
    forecasts: Annotated[
        bool,
        typer.Option(
            "--forecasts", help="No lab: forecasts of hakaru's programs on this machine, then their runs."
        ),
    ] = False,
    which: Annotated[
        Rounds,
        typer.Option(
            "--round",
            help="With --forecasts: from samples of the wanted size, from growth over smaller ones, "
            "from sizes that fit into caches which the wanted run leaves, or from a sample of such a run.",
        ),
    ] = "samples",
    results: Annotated[
        str | None,
        typer.Option(
            "--results", help="Where labs and --forecasts keep what is finished, and go on after Ctrl-C."
        ),
    ] = None,
    machines: Annotated[
        bool,
        typer.Option("--machines", help="Instead: forecasts against published results of other machines."),
    ] = False,
    extrapolated: Annotated[
        bool,
        typer.Option(
            "--extrapolated",
            help="Instead: schedules extrapolated from 2 to 16 ranks against the true ones on 64.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How wrong hakaru is: replays against runs on labs (needs root), or what an option below names."""
    refuse_unheeded(context)
    if machines:
        from hakaru.studies.accuracy import of_published

        of_published(PUBLISHED, as_json)
    elif extrapolated:
        from hakaru.tell.extrapolated.answers import accuracy as of_extrapolated

        of_extrapolated(as_json)
    elif forecasts:
        from hakaru.main_job.told import of_forecasts

        of_forecasts(results, launches, which, as_json)
    elif here:
        from hakaru.tell.accuracy import of_this_machine

        of_this_machine(command, also, launches, as_json)
    else:
        from hakaru.tell.accuracy import Labs, of_labs

        chosen = slice(settings) if only is None else slice(only - 1, only)
        of_labs(Labs(command, also, chosen, drawn, seed, launches, real_time, results), as_json)
