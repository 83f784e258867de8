"""What ``hakaru accuracy`` prints: labs beside replays, and with ``--here`` runs beside replays of their traces, misses first."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import msgspec

from hakaru.base import units
from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.output import print_json
from hakaru.base.paths import results_folder
from hakaru.base.statistics import Interval
from hakaru.base.tables import print_table
from hakaru.facts.records.provenance import now_text
from hakaru.foretell.accuracy import here
from hakaru.foretell.accuracy.cases import HERE, SETTINGS, WORKLOADS, Setting, drawn
from hakaru.foretell.accuracy.here import Held, judged
from hakaru.foretell.accuracy.lab_cases import NEAR, Kept, LabCase
from hakaru.foretell.accuracy.lab_cases import summary as labs_summary
from hakaru.foretell.accuracy.measure import Leaf, Measured
from hakaru.foretell.accuracy.own import Own, lines, own
from hakaru.foretell.accuracy.validate import validate

LABS = ["lab", "program", "predicted", "ran", "error", "spread"]
COLUMNS = ["program", "ran", "replayed / ran", "of traced", "traced"]
ORDER = ("misses", "open", "holds")


@dataclass(frozen=True)
class Labs:
    """What ``hakaru accuracy`` was asked: ``command`` is a program alone, ``also`` a file of launch lines beside hakaru's programs,
    ``drawn`` so many settings at random instead of the ``chosen``; ``results`` keeps the settings that are finished."""

    command: Sequence[str] | None
    also: str | None
    chosen: slice
    drawn: int | None
    seed: int
    launches: int
    real_time: bool
    results: str | None

    def programs(self) -> list[Measured]:
        if self.command:
            return [own(self.command)]
        return [*(Leaf(workload) for workload in WORKLOADS), *_of_file(self.also)]

    def settings(self) -> Sequence[Setting]:
        return drawn(self.drawn, self.seed) if self.drawn else SETTINGS[self.chosen]


def _of_file(also: str | None) -> list[Own]:
    return lines(Path(also)) if also else []


def of_labs(asked: Labs, as_json: bool) -> None:
    """Traces programs here, replays them with the facts of each lab, runs them there. Misses first."""
    kept = Kept(results_folder(asked.results) / "labs")
    done = validate(
        asked.settings(),
        asked.programs(),
        asked.launches,
        asked.real_time,
        kept,
        _silent if as_json else _say,
    )
    cases = sorted((case for lab in done for case in lab.cases), key=lambda case: -abs(case.error))
    failures = [failure for lab in done for failure in lab.failures]
    if not cases:
        raise UserError(
            "no program met a lab",
            "; ".join(sorted({f"{failure.workload}: {failure.problem}" for failure in failures})),
            "run it by hand",
            ENVIRONMENT,
        )
    told = labs_summary(cases)
    if as_json:
        failed = [msgspec.to_builtins(failure) for failure in failures]
        print_json(
            {
                "made": now_text(),
                "cases": [case.as_dict() for case in cases],
                "failures": failed,
                "summary": told,
            }
        )
    else:
        for failure in failures:
            print(f"no result: {failure.workload} on {failure.setting}: {failure.problem}")
        title = f"Replay against run on labs, since {min(lab.made for lab in done)}, worst first"
        print_table(title, LABS, [_lab_row(case) for case in cases])
        print(sentence(told, len(failures)))
    kept.forget([lab.setting for lab in done])


def sentence(told: dict, failures: int) -> str:
    """The whole, misses first."""
    return (
        f"{told['far']} of {told['cases']} cases more than {NEAR:.0%} off, {failures} without a result: "
        f"median error {told['median_error']:.1%}, 90 % within {told['error_of_90_percent']:.1%}, "
        f"largest {told['largest_error']:.0%}, median with its sign {told['bias']:+.1%}; "
        f"{told['programs']} programs; launches repeat to {told['median_spread']:.1%}"
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


def of_this_machine(command: Sequence[str] | None, also: str | None, turns: int, as_json: bool) -> None:
    """Holds replays of a person's own program, or of hakaru's and those of a file, against their runs here."""
    programs = [own(command)] if command else [*here.calls(), *map(here.leaf, HERE), *_of_file(also)]
    found = here.hold(programs, turns, _silent if as_json else _say)
    if not found.held:
        why = "; ".join(f"{name}: {reason}" for name, reason in found.failed.items())
        raise UserError("no program was replayed", why, "run it by hand", ENVIRONMENT)
    held = sorted(found.held, key=lambda one: (ORDER.index(one.verdict), one.name))
    if as_json:
        programs_told = [one.as_dict() for one in held]
        print_json({"within": here.WITHIN, "programs": programs_told, "failures": found.failed})
        return
    for name, why in found.failed.items():
        print(f"no result: {name}: {why}")
    show(held)
    print(summary(held, found.failed))


def show(held: Sequence[Held]) -> None:
    """A table for each verdict, 80 columns wide at most."""
    print("Replay against run, here: replayed over ran, and replayed with what tracing took")
    print("over the traced run, each with its 95 % interval; traced over ran")
    for verdict in ORDER:
        rows = [_row(one) for one in held if one.verdict == verdict]
        if rows:
            print_table(verdict, COLUMNS, rows, right=(1, 2, 3, 4))


def summary(held: Sequence[Held], failed: Collection[str] = ()) -> str:
    """One sentence that names what has no result, and what misses."""
    named = {verdict: [one.name for one in held if one.verdict == verdict] for verdict in ORDER}
    parts = [
        f"{len(names)} {verdict} ({', '.join(names)})"
        for verdict, names in named.items()
        if names and verdict != "holds"
    ]
    off = [one.name for one in held if judged(one.of_traced) == "misses"]
    near = sum(abs(one.of_traced.value - 1.0) <= here.WITHIN for one in held)
    traced = [f"{len(off)} off the traced run ({', '.join(off)})"] if off else []
    lacking = [f"{len(failed)} without a result ({', '.join(failed)})"] if failed else []
    return "; ".join(
        [
            *lacking,
            *traced,
            *parts,
            f"{len(named['holds'])} of {len(held)} within {here.WITHIN:.0%} of the run without tracing",
            f"{near} within {here.WITHIN:.0%} of the traced one",
        ]
    )


def _row(one: Held) -> list[str]:
    return [
        one.name,
        units.seconds(median(one.run_s)),
        _shown(one.ratio, 2),
        _shown(one.of_traced, 3),
        f"{one.tracing:.2f}",
    ]


def _shown(ratio: Interval, digits: int) -> str:
    return f"{ratio.value:.{digits}f} ({ratio.low:.2f}, {ratio.high:.2f})"


def _say(text: str) -> None:
    print(text, flush=True)


def _silent(text: str) -> None:
    pass
