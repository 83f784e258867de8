"""Kernels by the length of their vectors: rates on one core, and what threads that share each vector gain."""

from collections import defaultdict

from hakaru.base import units
from hakaru.facts.records import Row
from hakaru.tell import figure
from hakaru.tell.chart_data import ReportData

title = "Kernels by vector length"
order = 27
section = "machine"
program = "vector_length"
explanation = (
    "Best samples: rates rise while what starts and ends a loop still counts, and fall where vectors leave a cache; "
    "threads that share a vector pay where their curve is above the dashed line."
)
missing = "hakaru probe vector_length measures it"

LANGUAGE = "C++"

Curves = dict[str, list[tuple[float, float]]]  # by kernel: (length, value)


def draw(data: ReportData) -> str | None:
    ran = [record for record in data.records if record.program == program and record.ran]
    return "".join(pictures([row for record in ran for row in record.rows("vectors")])) or None


def pictures(rows: list[Row]) -> list[str]:
    """Of the probe's table ``vectors``: rates by length, and what threads gain where there are several."""
    times = least([row for row in rows if row["language"] == LANGUAGE])
    if not times:
        return []
    rates = one_core(times, operations_of(rows))
    best = max((max(rate for _, rate in curve), kernel) for kernel, curve in rates.items())
    spoken = f"{best[1]} reaches {units.quantity(best[0], '1/s')} on one core"
    drawn = [figure.picture("vector-length", title, spoken, lambda axes: _paint_rates(axes, rates), 3.9)]
    cores = max(key[2] for key in times)
    if gained := gains(times, cores):
        spoken = f"{units.count(cores, 'core')} against one"
        name = f"Gain of {units.count(cores, 'thread')} that share a vector"
        drawn.append(
            figure.picture("vector-length-gain", name, spoken, lambda axes: _paint_gains(axes, gained), 3.9)
        )
    return drawn


def least(rows: list[Row]) -> dict[tuple[str, str, int], dict[int, float]]:
    """Seconds of a vector by kernel, way and cores, and by length: the best sample."""
    samples: dict = defaultdict(lambda: defaultdict(list))
    for row in rows:
        seconds = row["seconds"] / row["passes"] / row["vectors"]
        samples[row["kernel"], row["way"], row["cores"]][row["length"]].append(seconds)
    return {key: {length: min(own[length]) for length in sorted(own)} for key, own in samples.items()}


def operations_of(rows: list[Row]) -> dict[str, float]:
    """Of an element, by kernel."""
    return {row["kernel"]: row["operations"] / row["length"] for row in rows}


def one_core(times: dict[tuple[str, str, int], dict[int, float]], operations: dict[str, float]) -> Curves:
    """Operations a second by length."""
    return {
        kernel: [(length, operations[kernel] * length / seconds) for length, seconds in own.items()]
        for (kernel, way, _), own in times.items()
        if way == "one"
    }


def gains(times: dict[tuple[str, str, int], dict[int, float]], cores: int) -> Curves:
    """How many times faster that many cores are that share each vector; empty on one core."""
    found: Curves = {}
    for (kernel, way, count), own in times.items():
        one = times.get((kernel, "one", 1), {})
        if way == "inner" and count == cores:
            found[kernel] = [
                (length, one[length] / seconds) for length, seconds in own.items() if length in one
            ]
    return {kernel: curve for kernel, curve in found.items() if curve}


def _curves(axes, found: Curves) -> None:
    for index, (kernel, points) in enumerate(found.items()):
        axes.plot(
            [length for length, _ in points],
            [value for _, value in points],
            marker=figure.MARKERS[index % len(figure.MARKERS)],
            markersize=3.5,
            linewidth=1.4,
            linestyle="-" if index < len(figure.SERIES) else ":",
            color=figure.color(figure.SERIES[index % len(figure.SERIES)]),
            label=kernel,
        )
    axes.set_xscale("log", base=2)
    axes.set_xlabel("elements of a vector")


def _paint_rates(axes, found: Curves) -> None:
    _curves(axes, found)
    axes.set_yscale("log")
    axes.set_ylabel("operations a second, one core")
    figure.log_ticks(axes.yaxis)
    figure.quantity_axis(axes.yaxis, "1/s")
    figure.legend_below(axes, columns=4)


def _paint_gains(axes, found: Curves) -> None:
    _curves(axes, found)
    axes.axhline(1.0, color=figure.color("muted"), linestyle="--", linewidth=1.2)
    axes.set_ylim(bottom=0.0)
    axes.set_ylabel("times faster than one core")
    figure.legend_below(axes, columns=4)
