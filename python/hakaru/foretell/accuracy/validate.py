"""The whole comparison on labs."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts.records import Record
from hakaru.facts.records.nearness import alike
from hakaru.facts.records.provenance import now_text
from hakaru.foretell.accuracy import measure
from hakaru.foretell.accuracy.cases import Setting
from hakaru.foretell.accuracy.lab_cases import Kept, LabCase, LabFailure, OnLab
from hakaru.foretell.replay.documents import Network
from hakaru.run.lab import Cluster
from hakaru.run.measuring.handover import handover_s

TRIES = 3  # of a turn during which the cores change their state
READINGS = 3  # of the state

Say = Callable[[str], None]


def validate(
    settings: Sequence[Setting],
    workloads: Sequence[measure.Measured],
    launches: int,
    real_time: bool,
    kept: Kept,
    say: Say,
) -> list[OnLab]:
    """Every workload on every setting: traced here and run there turn by turn, so that both see the same moods of the machine.

    Settings that ``kept`` has, of a round that was broken off, are not measured again."""
    names = [workload.name for workload in workloads]
    done: list[OnLab] = []
    memory: Record | None = None
    for number, setting in enumerate(settings):
        found = kept.of(setting.name, names, launches)
        say(
            f"lab {number + 1} of {len(settings)}: {setting.name}{f' (kept, of {found.made})' if found else ''}"
        )
        if not found:
            with tempfile.TemporaryDirectory(prefix="hakaru-accuracy-") as name:
                folder = Path(name)
                memory = memory or measure.probe_here(measure.MEMORY_PROBE, 1, folder / "memory.json")
                found = _on_lab(setting, workloads, launches, real_time, memory, folder)
            kept.keep(found)
            for result in (*found.failures, *found.cases):
                say(_told(result))
        done.append(found)
    return done


class _Turns:
    """One workload on one lab, turn by turn until it fails."""

    def __init__(self, workload: measure.Measured, setting: Setting):
        self.workload, self.setting = workload, setting
        self.predicted: list[float] = []
        self.there: list[float] = []
        self.problem = ""

    def turn(self, cluster: Cluster, network: Network, place: Path, real_time: bool) -> None:
        if self.problem:
            return
        try:
            predicted_s, there_s = self._in_one_state(cluster, network, place, real_time)
        except UserError as error:
            self.problem = f"{error.problem}: {error.why}"
            return
        self.predicted.append(predicted_s)
        self.there.append(there_s)

    def _in_one_state(
        self, cluster: Cluster, network: Network, place: Path, real_time: bool
    ) -> tuple[float, float]:
        """Predicted and run there; again where the trace and the run may have met two states of the cores, in one of which memory gives
        twice as much."""
        for attempt in range(TRIES):
            before_s = _handover_s()
            folder = place.with_name(f"{place.name}-{attempt}")
            predicted_s = self.workload.predict(self.workload.trace(folder, real_time), network)
            there_s = self.workload.run_there(cluster, folder, real_time)
            if alike(before_s, _handover_s()):
                break
        return predicted_s, there_s

    @property
    def result(self) -> LabCase | LabFailure:
        if self.problem:
            return LabFailure(self.workload.name, self.setting.name, self.problem)
        return LabCase(self.workload.name, self.setting.name, tuple(self.predicted), tuple(self.there))


def _handover_s() -> float:
    """Of a few: single ones are up to twice as long."""
    return min(handover_s() for _ in range(READINGS))


def _on_lab(
    setting: Setting,
    workloads: Sequence[measure.Measured],
    launches: int,
    real_time: bool,
    memory: Record,
    folder: Path,
) -> OnLab:
    ranks = max(workload.ranks for workload in workloads)
    turns = [_Turns(workload, setting) for workload in workloads]
    with Cluster(ranks, setting.latency_s, setting.rate_bytes_per_s) as cluster:
        network = measure.network_of(measure.lab_machine(cluster, memory, folder, real_time), ranks)
        for number in range(launches):
            for index, one in enumerate(turns):
                one.turn(cluster, network, folder / f"{number}-{index}", real_time)
    results = [one.result for one in turns]
    return OnLab(
        now_text(),
        setting.name,
        tuple(workload.name for workload in workloads),
        launches,
        tuple(result for result in results if isinstance(result, LabCase)),
        tuple(result for result in results if isinstance(result, LabFailure)),
    )


def _told(result: LabCase | LabFailure) -> str:
    if isinstance(result, LabFailure):
        return f"  {result.workload}: {result.problem}"
    return (
        f"  {result.workload}: predicted {result.predicted_s:.4g} s, ran {result.measured_s:.4g} s, "
        f"error {result.error:+.1%}, spread of launches {result.spread:.1%}"
    )
