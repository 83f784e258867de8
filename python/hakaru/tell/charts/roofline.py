"""The measured roofline with every phase that counts its work as a point."""

from hakaru.base import units
from hakaru.tell import figure
from hakaru.tell.chart_data import ReportData
from hakaru.tell.charts.phase_bars import shown

title = "Roofline"
order = 25
section = "programs"
explanation = (
    "The roof is the most this machine can do: memory bandwidth on the slope, arithmetic on the flat; the "
    "further a point lies below its roof the more it can gain, and one above the slope gets its data from "
    "a cache (diamond: one core, ring: flat MPI, square: threads)."
)
missing = "hakaru probe measures the roof, and hakaru run the phases"

ROOF_LOOKS = (("ink", "-"), ("muted", "--"), ("grey", "-."), ("pale", ":"))


def draw(data: ReportData) -> str | None:
    points = _points(data)
    roofs = sorted(
        {
            (p["cores"], p["peak"], p["bandwidth"], p["precision"])
            for p in points
            if p["peak"] and p["bandwidth"]
        }
    )
    if not points or not roofs:
        return None
    spoken = "; ".join(
        f"{p['name']} {units.quantity(p['rate'], 'flop/s')} at {units.digits(p['intensity'])} flop/B"
        for p in points
    )
    return figure.picture(
        "roofline", title, spoken, lambda axes: _paint(axes, points, roofs[::-1][: len(ROOF_LOOKS)]), 4.6
    )


def _points(data: ReportData) -> list[dict]:
    """Phases of the longest case of each program, on every layout; flop/s by flop/B."""
    result = []
    for program in dict.fromkeys(case.program for case in data.explanation.cases):
        case = shown([case for case in data.explanation.cases if case.program == program])[0]
        for layout in case.layouts:
            for bound in layout.bounds:
                if bound.flop_rate and bound.intensity:
                    result.append(
                        {
                            "name": f"{program}: {bound.phase}",
                            "style": layout.style,
                            "cores": layout.cores,
                            "rate": bound.flop_rate,
                            "intensity": bound.intensity,
                            "peak": bound.peak,
                            "bandwidth": bound.bandwidth,
                            "precision": bound.precision,
                        }
                    )
    return result


def _roof_name(cores: int, precision: str, roofs: list[tuple]) -> str:
    """The core count, and the precision where there are several."""
    name = f"bound, {units.count(cores, 'core')}"
    return f"{name}, {precision}" if len({roof[3] for roof in roofs}) > 1 else name


def _paint(axes, points: list[dict], roofs: list[tuple]) -> None:
    ridge = max(peak / memory for _, peak, memory, _ in roofs)
    low = min(0.4 * min(point["intensity"] for point in points), 0.05 * ridge)
    high = max(2.0 * max(point["intensity"] for point in points), 5.0 * ridge)
    axes.set_xscale("log")
    axes.set_yscale("log")
    for (cores, peak, memory, precision), (colour, line) in zip(roofs, ROOF_LOOKS, strict=False):
        corner = peak / memory
        xs, ys = [low, corner, high], [low * memory, peak, peak]
        look = {"color": figure.color(colour), "linestyle": line, "linewidth": 1.6}
        axes.plot(xs, ys, label=_roof_name(cores, precision, roofs), **look)
    names = list(dict.fromkeys(point["name"] for point in points))
    markers = {"one core": "D", "flat MPI": "o", "MPI + OpenMP": "s"}
    for index, name in enumerate(names):
        colour = figure.color(figure.SERIES[index % len(figure.SERIES)])
        for number, point in enumerate(point for point in points if point["name"] == name):
            axes.plot(
                [point["intensity"]],
                [point["rate"]],
                marker=markers[point["style"]],
                color=colour,
                fillstyle="none" if point["style"] == "flat MPI" else "full",
                linestyle="none",
                markersize=10 if point["style"] == "flat MPI" else 6,
                markeredgewidth=1.6,
                label=name if number == 0 else None,
            )
    axes.set_xlim(low, high)
    axes.set_xlabel("arithmetic intensity in flop/B")
    axes.set_ylabel("attained rate")
    for axis in (axes.xaxis, axes.yaxis):
        figure.log_ticks(axis)
    figure.number_axis(axes.xaxis)
    figure.quantity_axis(axes.yaxis, "flop/s")
    figure.legend_below(axes, columns=2)
