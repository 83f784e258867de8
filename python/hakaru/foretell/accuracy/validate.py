"""The whole comparison, and what it says."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from hakaru.foretell.accuracy import measure
from hakaru.foretell.accuracy.cases import Setting
from hakaru.run.lab import Cluster


@dataclass(frozen=True)
class LabCase:
    """One workload on one setting; times in s of each turn, a trace and the launch after it. ``error`` is the median over turns of
    predicted / measured - 1, as a machine whose speed changes is mostly the same for neighbours; ``spread`` is the median distance
    of a launch from the median of all, relative: the best that any prediction could be shown to do."""

    workload: str
    setting: str
    predictions_s: tuple[float, ...]
    launches_s: tuple[float, ...]

    @property
    def predicted_s(self) -> float:
        return median(self.predictions_s)

    @property
    def measured_s(self) -> float:
        return median(self.launches_s)

    @property
    def error(self) -> float:
        pairs = zip(self.predictions_s, self.launches_s, strict=True)
        return median([predicted / measured - 1.0 for predicted, measured in pairs])

    @property
    def spread(self) -> float:
        return median([abs(launch / self.measured_s - 1.0) for launch in self.launches_s])

    def as_dict(self) -> dict:
        told = {name: getattr(self, name) for name in ("predicted_s", "measured_s", "error", "spread")}
        return asdict(self) | told


def summary(cases: Sequence[LabCase]) -> dict:
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
    workloads: Sequence[measure.Measured],
    launches: int,
    real_time: bool,
    say: Callable[[str], None],
) -> list[LabCase]:
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
    workloads: Sequence[measure.Measured],
    launches: int,
    real_time: bool,
    folder: Path,
    say: Callable[[str], None],
) -> list[LabCase]:
    predicted: list[list[float]] = [[] for _ in workloads]
    there: list[list[float]] = [[] for _ in workloads]
    ranks = max(workload.ranks for workload in workloads)
    with Cluster(ranks, setting.latency_s, setting.rate_bytes_per_s) as cluster:
        machine = measure.lab_machine(cluster, folder, real_time)
        network = measure.network_of(machine, ranks)
        for turn in range(launches):
            for index, workload in enumerate(workloads):
                place = folder / f"{turn}-{index}"
                archive = workload.trace(place, real_time)
                predicted[index].append(workload.predict(archive, network))
                there[index].append(workload.run_there(cluster, place, real_time))
    cases = [
        LabCase(workload.name, setting.name, tuple(predicted[index]), tuple(there[index]))
        for index, workload in enumerate(workloads)
    ]
    for case in cases:
        say(
            f"  {case.workload}: predicted {case.predicted_s:.4g} s, ran {case.measured_s:.4g} s, "
            f"error {case.error:+.1%}, spread of launches {case.spread:.1%}"
        )
    return cases
