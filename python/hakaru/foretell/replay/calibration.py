"""How many times longer than its roofline each phase of a program took where it was measured: carried to sizes, layouts and machines.

For a phase with W flops and Q bytes of all ranks, on a layout whose ranks have (peak, bandwidth) each:

    factor = measured mean over ranks / max(W / (ranks peak), Q / (ranks bandwidth))
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

from hakaru.base.errors import UserError
from hakaru.base.statistics import Interval, median_interval
from hakaru.base.units import count
from hakaru.facts.machines import Machine
from hakaru.facts.records import Record
from hakaru.facts.work import Work
from hakaru.foretell import models
from hakaru.foretell.models.relevance import Describe
from hakaru.foretell.replay import compute
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.placement import placement


@dataclass(frozen=True)
class Calibration:
    """Factors with their intervals over launches, the observation they come from, and its setting."""

    factors: dict[str, Interval]
    observation: models.Observation
    left_out: tuple[str, ...]
    setting: dict[str, str]
    text: str

    def bound(self, which: str) -> dict[str, float]:
        """``value``, ``low`` or ``high`` of each phase's factor."""
        return {phase: getattr(factor, which) for phase, factor in self.factors.items()}


def calibrate(
    records: Sequence[Record],
    wanted: Work,
    describe: Describe | None,
    measured_on: Machine,
    told: Told,
    bandwidth_share: Callable[[int, int], float] = lambda ranks, threads: 1.0,
) -> Calibration:
    """From the runs nearest to the wanted one. ``bandwidth_share(ranks, threads)`` is how much of its share of the
    node's memory bandwidth a rank of a run had. Raises UserError where there is none."""
    found = models.relevant(list(records), wanted, describe)
    target = models.point_of(wanted)
    usable = [one for one in found.observations if one.point.threads == target.threads]
    if not usable:
        threads = count(wanted.threads, "thread")
        raise UserError(
            "no run says how long computing takes",
            "; ".join([f"no run of it has {threads} to a rank", *found.left_out]),
            f"run the program here at a small size with {threads} first",
        )
    nearest = min(usable, key=lambda one: (_apart(one.point, target), one.point.size))
    point = nearest.point
    precision = precision_of(wanted.parameters)
    placed = placement(measured_on, point.threads, point.ranks, told)
    rates = compute.rates(measured_on, placed, point.ranks, told, precision)
    share = bandwidth_share(point.ranks, point.threads)
    rates = replace(rates, bytes_per_s=rates.bytes_per_s * share)
    factors = {}
    for phase, kind in found.kinds.items():
        counts = point.work.get(phase)
        if kind != "compute" or not counts:
            continue
        shortest_s = compute.roofline_s(counts, rates) / point.ranks
        if shortest_s > 0.0:
            factors[phase] = median_interval([value / shortest_s for value in nearest.values(phase)])
    if not factors:
        raise UserError(
            "no phase can be calibrated",
            "none of the computing phases of the runs counts its work",
            "leave --compute measured away",
        )
    text = f"{len(nearest.launches)} launches at size {point.size:g} on {point.ranks} ranks x {point.threads} threads"
    return Calibration(factors, nearest, found.left_out, found.records[-1].setting.named(), text)


def precision_of(parameters: Mapping[str, object]) -> str:
    """Of a program that lets one choose, else double."""
    return str(parameters.get("precision", "double"))


def _apart(one: models.Point, other: models.Point) -> float:
    return abs(log(one.size / other.size)) + 0.5 * abs(log(one.ranks / other.ranks))
