"""What ``hakaru accuracy`` prints: labs beside replays, and with ``--here`` runs beside replays of their traces, misses first."""

from collections.abc import Sequence
from statistics import median

from hakaru.base import units
from hakaru.base.output import print_json
from hakaru.base.tables import print_table
from hakaru.foretell.accuracy import here
from hakaru.foretell.accuracy.cases import SETTINGS, WORKLOADS
from hakaru.foretell.accuracy.here import Held
from hakaru.foretell.accuracy.measure import Leaf
from hakaru.foretell.accuracy.own import own
from hakaru.foretell.accuracy.validate import LabCase, validate
from hakaru.foretell.accuracy.validate import summary as labs_summary

LABS = ["lab", "program", "predicted", "ran", "error", "spread of launches"]
COLUMNS = ["program", "ran", "replayed / ran", "spread", "traced"]
ORDER = ("misses", "open", "holds")


def of_labs(
    command: Sequence[str] | None, chosen: slice, launches: int, real_time: bool, as_json: bool
) -> None:
    """Traces programs here, replays them with the facts of each lab, runs them there."""
    programs = [own(command)] if command else [Leaf(workload) for workload in WORKLOADS]
    cases = validate(SETTINGS[chosen], programs, launches, real_time, _silent if as_json else _say)
    told = labs_summary(cases)
    if as_json:
        print_json({"cases": [case.as_dict() for case in cases], "summary": told})
        return
    print_table("Replay against run", LABS, [_lab_row(case) for case in cases])
    print(
        f"{told['cases']} cases: median error {told['median_error']:.1%}, "
        f"90 % within {told['error_of_90_percent']:.1%}; launches repeat to {told['median_spread']:.1%}"
    )


def _lab_row(case: LabCase) -> list[str]:
    return [
        case.setting,
        case.workload,
        units.seconds(case.predicted_s),
        units.seconds(case.measured_s),
        f"{case.error:+.1%}",
        f"{case.spread:.1%}",
    ]


def of_this_machine(command: Sequence[str] | None, turns: int, as_json: bool) -> None:
    """Holds replays of a person's own program, or of hakaru's, against their runs here."""
    programs = [own(command)] if command else [*here.calls(), *map(here.leaf, WORKLOADS)]
    held = here.hold(programs, turns, _silent if as_json else _say)
    held.sort(key=lambda one: (ORDER.index(one.verdict), one.name))
    if as_json:
        print_json({"within": here.WITHIN, "programs": [one.as_dict() for one in held]})
        return
    show(held)
    print(summary(held))


def show(held: Sequence[Held]) -> None:
    """A table for each verdict, 80 columns wide at most."""
    print("Replay against run, here: replayed over ran with its 95 % interval,")
    print("spread of the runs, traced over ran")
    for verdict in ORDER:
        rows = [_row(one) for one in held if one.verdict == verdict]
        if rows:
            print_table(verdict, COLUMNS, rows, right=(1, 2, 3, 4))


def summary(held: Sequence[Held]) -> str:
    """One sentence that names what misses."""
    named = {verdict: [one.name for one in held if one.verdict == verdict] for verdict in ORDER}
    parts = [
        f"{len(names)} {verdict} ({', '.join(names)})"
        for verdict, names in named.items()
        if names and verdict != "holds"
    ]
    return "; ".join([*parts, f"{len(named['holds'])} of {len(held)} within {here.WITHIN:.0%}"])


def _row(one: Held) -> list[str]:
    ratio = one.ratio
    return [
        one.name,
        units.seconds(median(one.run_s)),
        f"{ratio.value:.2f} ({ratio.low:.2f}, {ratio.high:.2f})",
        f"{one.spread:.1f}",
        f"{one.tracing:.2f}",
    ]


def _say(text: str) -> None:
    print(text, flush=True)


def _silent(text: str) -> None:
    pass
