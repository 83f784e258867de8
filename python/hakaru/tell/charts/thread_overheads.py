"""What OpenMP constructs cost by number of threads, in the EPCC benchmarks' sense."""

from hakaru.base import units
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.tell import figure
from hakaru.tell.chart_data import ReportData

title = "Thread overheads"
order = 50
section = "machine"
explanation = (
    "The time one construct adds to the work inside it (EPCC's definition): a loop is worth threading "
    "only when it takes many times longer; zero would be the ideal, whiskers are 95 % intervals."
)
missing = "hakaru probe threads measures them"

MOST_ROWS = 24
CONSTRUCTS = ("parallel", "for", "barrier", "reduction", "fork")


def draw(data: ReportData) -> str | None:
    found = {name: data.machine.values("threads", name) for name in constructs(data.machine)}
    found = {
        name: sorted(points, key=lambda fact: fact.keys.get("threads", 0))
        for name, points in found.items()
        if points
    }
    if not found:
        return None
    found = shown(found)
    spoken = "; ".join(f"{name} {units.seconds(points[-1].value)}" for name, points in found.items())
    rows = sum(len(points) for points in found.values())
    height = 1.0 + 0.3 * rows
    return figure.picture("thread-overheads", title, spoken, lambda axes: _paint(axes, found), height)


def constructs(machine: Machine) -> list[str]:
    """EPCC's constructs first, then whatever else the machine file has."""
    others = [name for name in machine.parts("threads") if machine.values("threads", name)]
    return list(dict.fromkeys([*CONSTRUCTS, *others]))


def shown(found: dict[str, list[Fact]]) -> dict[str, list[Fact]]:
    """All thread counts where they are few; else two threads and the most."""
    counts = sorted({fact.keys.get("threads", 0) for points in found.values() for fact in points})
    kept = counts if len(found) * len(counts) <= MOST_ROWS else [counts[min(1, len(counts) - 1)], counts[-1]]
    kept_points = {
        n: [fact for fact in points if fact.keys.get("threads", 0) in kept] for n, points in found.items()
    }
    return {name: points for name, points in kept_points.items() if points}


def _paint(axes, found: dict[str, list[Fact]]) -> None:
    row, ticks, names = 0, [], []
    counts = sorted({fact.keys.get("threads", 0) for points in found.values() for fact in points})
    for name, points in found.items():
        for fact in points:
            index = counts.index(fact.keys.get("threads", 0))
            span = figure.error_bar(fact.lowest, fact.value, fact.highest)
            look = {"color": figure.color(figure.SERIES[index % len(figure.SERIES)]), "capsize": 3}
            axes.errorbar(
                [fact.value], [row], xerr=span, fmt=figure.MARKERS[index % len(figure.MARKERS)], **look
            )
            axes.annotate(
                units.seconds(fact.value),
                (fact.value, row),
                xytext=(8, 6),
                textcoords="offset points",
                fontsize=8.5,
            )
            ticks.append(row)
            names.append(f"{name}, {units.count(fact.keys.get('threads', 0), 'thread')}")
            row += 1
    axes.set_xscale("log")
    values = [fact.value for points in found.values() for fact in points if fact.value > 0]
    if values:
        axes.set_xlim(0.5 * min(values), 3.0 * max(values))
    axes.set_ylim(row - 0.4, -0.6)
    axes.set_yticks(ticks, names)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("overhead of one construct")
    figure.log_ticks(axes.xaxis)
    figure.time_axis(axes.xaxis)
