"""The latency staircase: time of one dependent load by working set and stride, with the levels that were
found.
"""

from statistics import median

from hakaru.base import units
from hakaru.facts.machines.machine import MemoryLevel
from hakaru.tell import figure
from hakaru.tell.chart_data import ReportData

title = "Memory latency by working set and stride"
order = 35
section = "machine"
explanation = (
    "Each step up is a level of the memory hierarchy that the working set no longer fits in; dotted lines "
    "mark the capacities found from the curve, and small strides lie lower because one fetched line "
    "serves several loads."
)
missing = "hakaru probe memory_latency measures it"

MOST = 7
ORDERS = ("random_local", "random", "sequential")

Key = tuple[str, str, float]  # order of the loads, kind of pages, stride in B
Curves = dict[Key, list[tuple[float, float]]]


def draw(data: ReportData) -> str | None:
    found = curves(data)
    levels = data.machine.levels
    if not found:
        return None
    spoken = ", ".join(f"{level.name} {units.seconds(level.latency)}" for level in levels if level.latency)
    return figure.picture("memory-latency", title, spoken, lambda axes: _paint(axes, found, levels), 3.9)


def curves(data: ReportData) -> Curves:
    """Working sets in B with their median latency in s, by order, pages and stride."""
    samples: dict[tuple[Key, float], list[float]] = {}
    for table in data.tables("memory_latency"):
        size, latency = table.index("working_set_bytes"), table.index("latency_s")
        if table.name != "latency" or size is None or latency is None:
            continue
        order, pages, stride = (table.index(name) for name in ("pattern", "pages", "stride_bytes"))
        for row in table.rows:
            key = (_text(row, order), _text(row, pages), float(row[stride]) if stride is not None else 0.0)
            samples.setdefault((key, float(row[size])), []).append(float(row[latency]))
    result: Curves = {}
    for (key, size), values in sorted(samples.items()):
        result.setdefault(key, []).append((size, median(values)))
    return result


def chosen(found: Curves) -> list[Key]:
    """The least disturbed order on huge pages at every stride, then the others at their smallest stride."""

    def rank(key: Key) -> tuple:
        return (ORDERS.index(key[0]) if key[0] in ORDERS else len(ORDERS), key[1] != "huge", key[2])

    keys = sorted(found, key=rank)
    first = [key for key in keys if key[:2] == keys[0][:2]]
    others = {key[:2]: key for key in reversed(keys) if key[:2] != keys[0][:2]}
    room = MOST - min(len(others), MOST - 2)
    step = max(1, -(-len(first) // room))
    return [*first[::step], *reversed(others.values())][:MOST]


def names(keys: list[Key]) -> list[str]:
    """What tells the curves apart."""
    varies = [len({key[part] for key in keys}) > 1 for part in range(2)]
    result = []
    for order, pages, stride in keys:
        words = [order.replace("_", " ")] * varies[0] + [f"{pages} pages"] * varies[1]
        result.append(", ".join([*words, f"stride {units.capacity(stride)}"]))
    return result


def _text(row: list, index: int | None) -> str:
    return "" if index is None else str(row[index])


def _paint(axes, found: Curves, levels: tuple[MemoryLevel, ...]) -> None:
    keys = chosen(found)
    for index, (key, name) in enumerate(zip(keys, names(keys), strict=True)):
        axes.plot(
            [size for size, _ in found[key]],
            [latency for _, latency in found[key]],
            marker=figure.MARKERS[index % len(figure.MARKERS)],
            markersize=3.5,
            linewidth=1.4,
            color=figure.color(figure.SERIES[index % len(figure.SERIES)]),
            label=name,
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.margins(y=0.16)
    top = axes.get_ylim()[1]
    for level in levels:
        if level.capacity:
            axes.axvline(level.capacity, color=figure.color("muted"), linestyle=":", linewidth=1.3)
            text = f"{level.name}\n{units.capacity(level.capacity)} "
            axes.text(level.capacity, top, text, ha="right", va="top", fontsize=8.5)
    axes.set_xlabel("working set")
    axes.set_ylabel("time of one load")
    figure.capacity_axis(axes.xaxis)
    figure.log_ticks(axes.yaxis)
    figure.time_axis(axes.yaxis)
    figure.legend_below(axes, columns=4)
