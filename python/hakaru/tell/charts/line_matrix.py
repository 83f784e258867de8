"""The latency of a line of the caches between every two cores, as a matrix."""

import math
from statistics import median

from hakaru.base import units
from hakaru.tell import figure
from hakaru.tell.chart_data import ReportData

title = "A line from core to core"
order = 37
section = "machine"
explanation = (
    "Each field is the time that a line of the caches takes from one core to another, darker is slower; blocks of one shade are cores "
    "that share a cache, and a step between shades is the border of a cache, a memory node or a package."
)
missing = "hakaru probe sharing measures it"

Matrix = dict[tuple[int, int], float]


def draw(data: ReportData) -> str | None:
    found = matrix(data)
    if not found:
        return None
    slowest = max(found, key=found.__getitem__)
    spoken = (
        f"{units.count(len(found), 'pair')} of cores, from {units.seconds(min(found.values()))} to {units.seconds(found[slowest])} "
        f"between {slowest[0]} and {slowest[1]}"
    )
    cores = sorted({core for pair in found for core in pair})
    size = min(2.6 + 0.34 * len(cores), 9.0)
    return figure.picture(
        "line-matrix",
        title,
        spoken,
        lambda axes: _paint(axes, found, cores),
        size,
        width_inch=min(size + 0.6, 9.0),
    )


def matrix(data: ReportData) -> Matrix:
    """Medians in s by pair of processors, of all records of the probe ``sharing``."""
    samples: dict[tuple[int, int], list[float]] = {}
    for table in data.tables("sharing"):
        columns = [table.index(name) for name in ("first", "second", "seconds")]
        if table.name != "lines" or None in columns:
            continue
        first, second, seconds = columns
        for row in table.rows:
            samples.setdefault((int(row[first]), int(row[second])), []).append(float(row[seconds]))
    return {pair: median(values) for pair, values in samples.items()}


def _paint(axes, found: Matrix, cores: list[int]) -> None:
    from matplotlib.patches import Rectangle

    low, high = min(found.values()), max(found.values())
    figure.heading(axes, f"{units.seconds(low)} (light) to {units.seconds(high)} (dark)")
    for (first, second), seconds in found.items():
        share = math.log(seconds / low) / math.log(high / low) if high > low else 0.0
        fill = figure.RAMP[round(share * (len(figure.RAMP) - 1))]
        for x, y in ((first, second), (second, first)):
            column, row = cores.index(x), cores.index(y)
            axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1.0, 1.0, facecolor=fill, edgecolor="none"))
    step = max(1, -(-len(cores) // 16))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(range(0, len(cores), step), [str(core) for core in cores[::step]])
    axes.set_xlim(-0.5, len(cores) - 0.5)
    axes.set_ylim(len(cores) - 0.5, -0.5)
    axes.grid(False)
    axes.set_xlabel("processor")
    axes.set_ylabel("processor")
