"""What daemons take from whole eliminations: rows and words."""

from dataclasses import dataclass

from hakaru.studies.daemons import MANNERS, Lost, told
from hakaru.studies.result import Row, Section


@dataclass(frozen=True)
class Case:
    """A run with detours of one length, and its efficiency without noise."""

    run: str
    length: str
    quiet: float
    lost: Lost

    def efficiency(self, manner: str) -> float:
        return self.quiet / (1.0 + self.lost.mean(manner))

    def efficiency_rows(self) -> list[Row]:
        return [
            Row(f"{self.lost.name}/{manner}/efficiency", None, self.efficiency(manner), "1")
            for manner in MANNERS
        ]


def rows(cases: list[Case]) -> list[Row]:
    quiet = {case.run: case.quiet for case in cases}
    return [
        *(Row(f"jitter/{run}/quiet/efficiency", None, value, "1") for run, value in quiet.items()),
        *(row for case in cases for row in [*case.lost.rows(), *case.efficiency_rows()]),
    ]


def section(cases: list[Case], share: float) -> Section:
    lines = [
        [case.run, case.length, _percent(case.quiet), *(case.lost.told(manner, 3) for manner in MANNERS)]
        for case in cases
    ]
    words = [f"Time that daemons add which take {_percent(share)} of the computing of a node by itself."]
    columns = ["run", "detours of", "efficiency without", *MANNERS]
    return Section("Whole LINPACK with jitter", words, [], columns, lines)


def summary(cases: list[Case], share: float) -> list[str]:
    return [
        f"Daemons that take {_percent(share)} of a node, in detours of {case.length}, add to the run {case.run}: "
        f"{told(case.lost, 3)}."
        for case in cases
    ]


def _percent(share: float) -> str:
    return f"{100.0 * share:.2f} %"
