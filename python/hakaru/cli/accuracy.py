"""``hakaru accuracy``: how wrong replays are, on labs where the run can be made for real."""

from typing import Annotated

import typer

from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str]:
    """The lab, the tracer's tools, the engine, the programs of its cases."""
    if "--forecasts" in words:
        from hakaru.main_job.forecasts import programs

        return programs()
    from hakaru.foretell.accuracy.cases import WORKLOADS
    from hakaru.foretell.accuracy.measure import LAB_PROBES

    cases = [workload.program for workload in WORKLOADS] + list(LAB_PROBES)
    where = (*built.CALLS, "memory_bandwidth") if "--here" in words else built.LAB
    return [*where, *built.REPLAY, *built.TRACES, *cases, *built.mentioned(words)]


def register(app: typer.Typer) -> None:
    app.command("accuracy")(accuracy)


def accuracy(
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
            "--forecasts", help="No lab: 54 forecasts of hakaru's programs on this machine, then their runs."
        ),
    ] = False,
    results: Annotated[
        str | None,
        typer.Option("--results", help="Where --forecasts keeps its runs, and goes on after Ctrl-C."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Trace programs here, replay them with a lab's facts, run them on that lab, and print the errors (needs root)."""
    if forecasts:
        from hakaru.main_job.told import of_forecasts

        of_forecasts(results, launches, as_json)
        return
    if here:
        from hakaru.tell.accuracy import of_this_machine

        of_this_machine(command, launches, as_json)
        return
    from hakaru.base import units
    from hakaru.base.output import print_json
    from hakaru.base.tables import print_table
    from hakaru.foretell.accuracy.cases import SETTINGS, WORKLOADS
    from hakaru.foretell.accuracy.measure import Leaf
    from hakaru.foretell.accuracy.own import own
    from hakaru.foretell.accuracy.validate import summary, validate

    say = (lambda text: None) if as_json else (lambda text: print(text, flush=True))
    chosen = SETTINGS[:settings] if only is None else SETTINGS[only - 1 : only]
    programs = [own(command)] if command else [Leaf(workload) for workload in WORKLOADS]
    cases = validate(chosen, programs, launches, real_time, say)
    told = summary(cases)
    if as_json:
        print_json({"cases": [case.as_dict() for case in cases], "summary": told})
        return
    rows = [
        [
            case.setting,
            case.workload,
            units.seconds(case.predicted_s),
            units.seconds(case.measured_s),
            f"{case.error:+.1%}",
            f"{case.spread:.1%}",
        ]
        for case in cases
    ]
    print_table(
        "Replay against run", ["lab", "program", "predicted", "ran", "error", "spread of launches"], rows
    )
    print(
        f"{told['cases']} cases: median error {told['median_error']:.1%}, "
        f"90 % within {told['error_of_90_percent']:.1%}; launches repeat to {told['median_spread']:.1%}"
    )
