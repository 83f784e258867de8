"""``hakaru accuracy``: how wrong replays are, on labs where the run can be made for real, and on machines of which others published results."""

from typing import Annotated

import typer

from hakaru.own.setup import targets as built

PUBLISHED = "machines-today"  # the study


def targets(words: list[str]) -> list[str]:
    """The lab, the tracer's tools, the engine, the programs of its cases; the engine alone for published results."""
    if "--machines" in words:
        return [*built.REPLAY]
    from hakaru.foretell.accuracy.cases import WORKLOADS
    from hakaru.foretell.accuracy.measure import LAB_PROBES

    cases = [workload.program for workload in WORKLOADS] + list(LAB_PROBES)
    return [*built.LAB, *built.REPLAY, *built.TRACES, *cases, *built.mentioned(words)]


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
    machines: Annotated[
        bool,
        typer.Option("--machines", help="Instead: forecasts against published results of other machines."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Trace programs here, replay them with a lab's facts, run them on that lab, and print the errors (needs root)."""
    from hakaru.base import units
    from hakaru.base.output import print_json
    from hakaru.base.tables import print_table
    from hakaru.foretell.accuracy.cases import SETTINGS, WORKLOADS
    from hakaru.foretell.accuracy.measure import Leaf
    from hakaru.foretell.accuracy.own import own
    from hakaru.foretell.accuracy.validate import summary, validate

    if machines:
        _machines(as_json)
        return
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


def _machines(as_json: bool) -> None:
    """The table of errors of the study of published results, the worst kind first."""
    import sys

    from hakaru.base.output import print_json
    from hakaru.base.paths import results_folder
    from hakaru.base.tables import print_table
    from hakaru.facts.records.provenance import now_text
    from hakaru.studies import load
    from hakaru.studies.run import run_study

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    result = run_study(load(PUBLISHED), results_folder(None), False, say)
    table = result.sections[0]
    if as_json:
        rows = [dict(zip(table.columns, line, strict=True)) for line in table.lines]
        print_json({"made": now_text(), "kinds": rows, "summary": result.summary})
        return
    print_table(f"{table.title} ({now_text()})", table.columns, table.lines)
    for line in result.summary[3:]:
        print(line)
