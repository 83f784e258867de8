"""The latency staircase: time of one dependent load by working set and stride, with the levels that were
found.
"""

from hakaru.explain import facts, units
from hakaru.report import figure
from hakaru.report.data import ReportData, column
from hakaru.statistics import median

title = "Memory latency by working set and stride"
order = 35
section = "machine"
explanation = (
    "Each step up is a level of the memory hierarchy that the working set no longer fits in; dotted lines "
    "mark the capacities found from the curve, and small strides lie lower because one fetched line "
    "serves several loads."
)
missing = "hakaru probe memory_latency measures it"

MOST_STRIDES = 7
Curves = dict[float, list[tuple[float, float]]]


def draw(data: ReportData) -> str | None:
    found = curves(data)
    levels = facts.levels(data.machine)
    if not found:
        return None
    spoken = ", ".join(
        f"{level['name']} {units.seconds(level['latency'])}" for level in levels if level["latency"]
    )
    return figure.picture("memory-latency", title, spoken, lambda axes: _paint(axes, found, levels), 3.9)


def curves(data: ReportData) -> Curves:
    """Stride in B -> (working set in B, median latency in s), over the probe's tables."""
    samples: dict[tuple[float, float], list[float]] = {}
    for table in data.tables("memory_latency"):
        size = column(table, "working_set_bytes", "working_set", "bytes")
        stride = column(table, "stride_bytes", "stride")
        latency = column(table, "latency_s", "latency", "seconds_per_load", "time_per_load")
        if size is None or latency is None:
            continue
        for row in table["rows"]:
            key = (float(row[stride]) if stride is not None else 0.0, float(row[size]))
            samples.setdefault(key, []).append(float(row[latency]))
    result: Curves = {}
    for (stride, size), values in sorted(samples.items()):
        result.setdefault(stride, []).append((size, median(values)))
    return result


def _paint(axes, found: Curves, levels: list[dict]) -> None:
    strides = sorted(found)
    step = max(1, -(-len(strides) // MOST_STRIDES))
    for index, stride in enumerate(strides[::step]):
        axes.plot(
            [size for size, _ in found[stride]],
            [latency for _, latency in found[stride]],
            marker=figure.MARKERS[index % len(figure.MARKERS)],
            markersize=3.5,
            linewidth=1.4,
            color=figure.color(figure.SERIES[index % len(figure.SERIES)]),
            label=f"stride {units.capacity(stride)}" if stride else "latency",
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.margins(y=0.16)
    top = axes.get_ylim()[1]
    for level in levels:
        if level["capacity"]:
            axes.axvline(level["capacity"], color=figure.color("muted"), linestyle=":", linewidth=1.3)
            text = f"{level['name']}\n{units.capacity(level['capacity'])} "
            axes.text(level["capacity"], top, text, ha="right", va="top", fontsize=8.5)
    axes.set_xlabel("working set")
    axes.set_ylabel("time of one load")
    figure.capacity_axis(axes.xaxis)
    figure.log_ticks(axes.yaxis)
    figure.time_axis(axes.yaxis)
    figure.legend_below(axes, columns=4)
