"""Time and rate of one message by its size, with the change from eager to rendezvous."""

from hakaru.base import units
from hakaru.facts.machines.fact import Fact
from hakaru.facts.machines.machine import LEVELS, Machine
from hakaru.tell import figure
from hakaru.tell.chart_data import ReportData

title = "Message costs by size"
order = 40
section = "machine"
explanation = (
    "Small messages cost the latency whatever their size and large ones their bytes over the bandwidth; "
    "the dotted line marks the size from which the sender first asks the receiver (rendezvous)."
)
missing = "hakaru probe messages measures them"

LEVEL_WORDS = {"core": "two cores", "socket": "two sockets", "node": "two nodes", "switch": "across switches"}


def draw(data: ReportData) -> str | None:
    curves = {
        level: sorted(data.machine.values("network", level, "pingpong"), key=lambda fact: fact.keys["bytes"])
        for level in LEVELS
    }
    curves = {level: points for level, points in curves.items() if points}
    if not curves:
        return None
    spoken = "; ".join(
        f"{LEVEL_WORDS[level]}: {units.seconds(points[0].value)} for {points[0].keys['bytes']:g} B"
        for level, points in curves.items()
    )
    return figure.picture(
        "message-costs", title, spoken, lambda top, low: _paint(top, low, curves, data.machine), 5.4, panels=2
    )


def _paint(top, low, curves: dict[str, list[Fact]], machine: Machine) -> None:
    for index, (level, points) in enumerate(curves.items()):
        points = [fact for fact in points if fact.keys["bytes"] > 0]
        sizes = [fact.keys["bytes"] for fact in points]
        look = {
            "color": figure.color(figure.SERIES[index]),
            "marker": figure.MARKERS[index],
            "markersize": 4,
            "label": f"ping-pong, {LEVEL_WORDS[level]}",
        }
        top.plot(sizes, [fact.value for fact in points], **look)
        low.plot(sizes, [fact.keys["bytes"] / fact.value for fact in points], **look)
        top.fill_between(
            sizes,
            [fact.lowest for fact in points],
            [fact.highest for fact in points],
            color=look["color"],
            alpha=0.25,
            linewidth=0,
        )
        _parameters(top, low, machine, level, sizes, index == 0)
    for axes in (top, low):
        axes.set_xscale("log", base=2)
        figure.capacity_axis(axes.xaxis)
    top.set_yscale("log")
    figure.log_ticks(top.yaxis)
    low.set_ylim(bottom=0.0)
    figure.time_axis(top.yaxis)
    figure.quantity_axis(low.yaxis, "B/s")
    top.set_ylabel("time, one way")
    low.set_ylabel("rate")
    low.set_xlabel("message size")
    figure.legend_below(low, columns=2)


def _parameters(top, low, machine: Machine, level: str, sizes: list[float], named: bool) -> None:
    """Eager limit and the asymptotes: latency L below; 1 / G of the largest messages as the bound."""
    latency = machine.value("network", level, "latency")
    if latency:
        look = {"color": figure.color("muted"), "linestyle": "--", "linewidth": 1.2}
        top.plot(sizes, [latency.value] * len(sizes), label="latency L (bound)" if named else None, **look)
    gaps = sorted(
        machine.values("network", level, "gap_per_byte"), key=lambda f: f.keys.get("maximum_bytes", 0)
    )
    if gaps and gaps[-1].value > 0:
        look = {"color": figure.color("muted"), "linestyle": "-.", "linewidth": 1.2}
        rate = 1.0 / gaps[-1].value
        low.plot(sizes, [rate] * len(sizes), label="1 / G (bound)" if named else None, **look)
    eager = machine.value("network", level, "eager_limit")
    if eager and eager.value > 0:
        for axes in (top, low):
            axes.axvline(eager.value, color=figure.color("ink"), linestyle=":", linewidth=1.3)
        text = f"eager up to {units.capacity(eager.value)} "
        look = {"fontsize": 8.5, "ha": "right", "transform": top.get_xaxis_transform()}
        top.text(eager.value, 0.9, text, **look)
