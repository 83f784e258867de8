"""The whole comparison, and what it says."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from hakaru.accuracy import measure
from hakaru.accuracy.cases import Setting, Workload
from hakaru.lab import Cluster
from hakaru.statistics import median


@dataclass(frozen=True)
class Case:
    """One workload on one setting; times in s. ``error`` is predicted / measured - 1; ``spread`` is the median distance of a launch
    from the median of all, relative: the best that any prediction could be shown to do."""

    workload: str
    setting: str
    predicted_s: float
    measured_s: float
    launches_s: tuple[float, ...]

    @property
    def error(self) -> float:
        return self.predicted_s / self.measured_s - 1.0

    @property
    def spread(self) -> float:
        return median([abs(launch / self.measured_s - 1.0) for launch in self.launches_s])

    def as_dict(self) -> dict:
        return asdict(self) | {"error": self.error, "spread": self.spread}


def summary(cases: Sequence[Case]) -> dict:
    """Median and 90 % quantile of |error|, and the median spread."""
    errors = sorted(abs(case.error) for case in cases)
    at = max(0, -(-9 * len(errors) // 10) - 1)
    return {
        "cases": len(cases),
        "median_error": median(errors),
        "error_of_90_percent": errors[at],
        "median_spread": median([case.spread for case in cases]),
    }


def validate(
    settings: Sequence[Setting],
    workloads: Sequence[Workload],
    launches: int,
    real_time: bool,
    say: Callable[[str], None],
) -> list[Case]:
    """Every workload on every setting: traced here and run there turn by turn, so that both see the same moods of the machine."""
    with tempfile.TemporaryDirectory(prefix="hakaru-accuracy-") as name:
        cases = []
        for number, setting in enumerate(settings):
            say(f"lab {number + 1} of {len(settings)}: {setting.name}")
            folder = Path(name) / str(number)
            folder.mkdir()
            cases += _on_lab(setting, workloads, launches, real_time, folder, say)
        return cases


def _on_lab(
    setting: Setting,
    workloads: Sequence[Workload],
    launches: int,
    real_time: bool,
    folder: Path,
    say: Callable[[str], None],
) -> list[Case]:
    predicted: dict[Workload, list[float]] = {workload: [] for workload in workloads}
    there: dict[Workload, list[float]] = {workload: [] for workload in workloads}
    with Cluster(2, setting.latency_s, setting.rate_bytes_per_s) as cluster:
        machine = measure.lab_machine(cluster, folder / "messages.json", real_time)
        network = measure.network_of(machine)
        for turn in range(launches):
            for index, workload in enumerate(workloads):
                place = folder / f"{turn}-{index}"
                archive = measure.trace(workload, place, real_time)
                predicted[workload].append(measure.predict(archive, network, workload.repetitions))
                there[workload].append(measure.run_there(cluster, workload, place / "record.json", real_time))
    cases = [
        Case(
            workload.name,
            setting.name,
            median(predicted[workload]),
            median(there[workload]),
            tuple(there[workload]),
        )
        for workload in workloads
    ]
    for case in cases:
        say(
            f"  {case.workload}: predicted {case.predicted_s:.4g} s, ran {case.measured_s:.4g} s, "
            f"error {case.error:+.1%}, spread of launches {case.spread:.1%}"
        )
    return cases
