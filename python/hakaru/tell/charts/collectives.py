"""Time of collective operations by message size."""

from hakaru.base import units
from hakaru.facts.machines.fact import Fact
from hakaru.facts.machines.machine import LEVELS, Machine
from hakaru.tell import figure
from hakaru.tell.chart_data import ReportData

title = "Collective operations by size"
order = 45
section = "machine"
explanation = (
    "The time all ranks need together for one operation; the flat dotted line is the barrier, which no "
    "collective that waits for everybody can beat; bands are 95 % intervals."
)
missing = "hakaru probe messages measures them"

OPERATIONS = ("allreduce", "alltoall")


def draw(data: ReportData) -> str | None:
    curves: dict[tuple[str, int], list[Fact]] = {}
    for operation in OPERATIONS:
        for fact in _facts(data.machine, operation):
            if fact.keys.get("bytes", 0) > 0:
                curves.setdefault((operation, fact.keys.get("ranks", 2)), []).append(fact)
    if not curves:
        return None
    barriers = {fact.keys.get("ranks", 2): fact.value for fact in _facts(data.machine, "barrier")}
    spoken = "; ".join(f"barrier of {ranks} ranks {units.seconds(time)}" for ranks, time in barriers.items())
    return figure.picture(
        "collectives", title, spoken or title, lambda axes: _paint(axes, curves, barriers), 3.6
    )


def _facts(machine: Machine, operation: str) -> tuple[Fact, ...]:
    return next((f for level in LEVELS if (f := machine.values("network", level, operation))), ())


def _paint(axes, curves: dict[tuple[str, int], list[Fact]], barriers: dict[int, float]) -> None:
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    extent = [fact.keys["bytes"] for points in curves.values() for fact in points]
    for index, ((operation, ranks), points) in enumerate(sorted(curves.items())):
        points.sort(key=lambda fact: fact.keys["bytes"])
        sizes = [fact.keys["bytes"] for fact in points]
        colour = figure.color(figure.SERIES[index % len(figure.SERIES)])
        marker = figure.MARKERS[index % len(figure.MARKERS)]
        times = [fact.value for fact in points]
        axes.plot(
            sizes, times, color=colour, marker=marker, markersize=4, label=f"{operation}, {ranks} ranks"
        )
        low = [fact.lowest for fact in points]
        high = [fact.highest for fact in points]
        axes.fill_between(sizes, low, high, color=colour, alpha=0.25, linewidth=0)
    for ranks, time in sorted(barriers.items()):
        look = {"color": figure.color("muted"), "linestyle": ":", "linewidth": 1.4}
        axes.plot([min(extent), max(extent)], [time, time], label=f"barrier, {ranks} ranks", **look)
    axes.set_xlabel("bytes per rank (allreduce) or per pair of ranks (alltoall)")
    axes.set_ylabel("time")
    figure.capacity_axis(axes.xaxis)
    figure.log_ticks(axes.yaxis)
    figure.time_axis(axes.yaxis)
    figure.legend_below(axes)
