"""An explanation in the terminal: how the time and its parts change with size and layout, what limits the longest run, what to do."""

from collections import Counter
from collections.abc import Sequence

from hakaru.base import units
from hakaru.base.last_words import last_words
from hakaru.base.tables import print_table
from hakaru.tell.explain import CaseResult, Explanation, LayoutResult
from hakaru.tell.explain.advice import longest_of_each_program
from hakaru.tell.explain.conditions import Failure

PHASES_SHOWN = 8
FAILURES_SHOWN = 3


def show(explanation: Explanation) -> None:
    for longest in longest_of_each_program(explanation.cases):
        cases = [case for case in explanation.cases if case.program == longest.program]
        _show_program(longest.program, cases)
        _show_phases(longest)
    _show_failures(explanation.failures)
    for one in explanation.advice:
        print(f"{one.about}: {one.what}. {one.do}.")


def _show_failures(failures: Sequence[Failure]) -> None:
    said = Counter((one.program, one.reason, last_words(one.standard_error)) for one in failures)
    for (program, reason, words), times in said.most_common(FAILURES_SHOWN):
        told = f"; it said: {words}" if words else ""
        print(f"failed: {units.count(times, 'run')} of {program}: {reason}{told}")


def _show_program(program: str, cases: list[CaseResult]) -> None:
    columns = ["size", "layout", "time", "speed-up", "balance", "transfer", "in messages", "in files"]
    ordered = sorted(cases, key=lambda case: case.size or 0.0)
    rows = [_row(case, layout) for case in ordered for layout in case.layouts]
    print_table(f"{program} by size and layout", columns, rows, right=(2, 3, 4, 5, 6, 7))


def _row(case: CaseResult, layout: LayoutResult) -> list[str]:
    known = any(phase.kind == "communicate" for phase in layout.phases)
    return [
        f"{case.size:g}" if case.size else case.label,
        f"{layout.ranks}x{layout.threads}",
        units.seconds(layout.wall.value),
        f"{layout.scaling.speed_up.value:.2f}" if len(case.layouts) > 1 else "",
        units.percent(layout.efficiency.load_balance) if known else "",
        units.percent(layout.efficiency.communication) if known else "",
        units.percent(layout.kind_shares["communicate"]) if known else "",
        units.percent(layout.kind_shares["io"]) if layout.kind_shares["io"] else "",
    ]


def _show_phases(case: CaseResult) -> None:
    best = case.best
    phases = sorted(best.phases, key=lambda phase: -phase.share)[:PHASES_SHOWN]
    rows = [
        [
            one.name,
            one.kind,
            units.seconds(one.mean_s),
            units.percent(one.share),
            units.percent(one.imbalance),
        ]
        for one in phases
        if one.share > 0.0
    ]
    columns = ["phase", "kind", "mean of ranks", "share", "slowest above mean"]
    print_table(f"{case.label} on {best.name}", columns, rows, right=(2, 3, 4))
