"""Charts of a mix: who runs when and where, and how many nodes and jobs that is."""

from collections.abc import Sequence

from hakaru.base import units
from hakaru.foretell.mix.jobs import Outcome
from hakaru.foretell.mix.placing import Bar, over_time
from hakaru.tell import figure

MOST_BARS = 4000
MOST_STEPS = 4000
OTHERS = "grey"
MINUTE_S, HOUR_S, DAY_S = 60.0, 3600.0, 86400.0
STEPS_S = (
    *(step * MINUTE_S for step in (1, 2, 5, 10, 15, 30)),
    *(step * HOUR_S for step in (1, 2, 3, 6, 12)),
    *(step * DAY_S for step in (1, 2, 5, 10, 20, 50, 100, 200)),
)
MOST_TICKS = 6.0


def gantt(drawn: Sequence[Bar], names: Sequence[str], nodes: int) -> str | None:
    """None where there is too much to see."""
    if not drawn or len(drawn) > MOST_BARS:
        return None
    spoken = f"{units.count(len({bar.job for bar in drawn}), 'job')} of {units.count(len(names), 'kind')}"
    height = min(1.6 + 0.18 * nodes + 0.16 * len(names), 9.0)
    return figure.picture(
        "mix-gantt",
        "Who runs when and where",
        spoken,
        lambda axes: _paint_gantt(axes, drawn, names, nodes),
        height,
    )


def _paint_gantt(axes, drawn: Sequence[Bar], names: Sequence[str], nodes: int) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    shades: dict[str, list[Bar]] = {}
    labels: dict[str, str] = {}
    for bar in drawn:
        shade = _shade(bar.kind)
        shades.setdefault(shade, []).append(bar)
        labels.setdefault(shade, names[bar.kind] if shade != OTHERS else "other kinds")
    for shade, mine in shades.items():
        patches = [Rectangle((bar.begin_s, bar.first), bar.end_s - bar.begin_s, bar.height) for bar in mine]
        axes.add_collection(
            PatchCollection(
                patches, facecolor=figure.color(shade), edgecolor=figure.color("paper"), linewidth=0.5
            )
        )
    order = [shade for shade in (*figure.SERIES, OTHERS) if shade in labels]
    for shade in order:
        axes.plot([], [], color=figure.color(shade), linewidth=6, label=figure.fold(labels[shade], 26))
    axes.set_xlim(0.0, max(bar.end_s for bar in drawn))
    axes.set_ylim(nodes, 0)
    axes.set_xlabel("time")
    axes.set_ylabel("node")
    axes.grid(visible=False, axis="y")
    _time_axis(axes.xaxis, max(bar.end_s for bar in drawn))
    figure.count_axis(axes.yaxis)
    figure.legend_below(axes, columns=3)


def _shade(kind: int) -> str:
    return figure.SERIES[kind] if kind < len(figure.SERIES) else OTHERS


def _time_axis(axis, end_s: float) -> None:
    """Ticks at whole minutes, quarters, hours and days, where it is that long."""
    from matplotlib.ticker import MultipleLocator

    step_s = next((step_s for step_s in STEPS_S if end_s / step_s <= MOST_TICKS), None)
    if step_s is not None and end_s / step_s >= 2.0:
        axis.set_major_locator(MultipleLocator(step_s))
    figure.time_axis(axis)


def load(outcome: Outcome, nodes: int) -> str:
    """Nodes taken and jobs waiting over time; many steps are thinned, each to one that occurred."""
    times, taken, waiting = over_time(outcome)
    keep = slice(None, None, max(len(times) // MOST_STEPS, 1))
    spoken = (
        f"up to {int(taken.max())} of {nodes} nodes, up to {units.count(int(waiting.max()), 'job')} waiting"
    )

    def paint(upper, lower) -> None:
        upper.fill_between(times[keep], taken[keep], step="post", color=figure.color("blue"), linewidth=0)
        upper.axhline(nodes, color=figure.color("vermillion"), linewidth=1.2)
        upper.set_ylabel("nodes taken")
        upper.set_ylim(0, 1.05 * nodes)
        lower.fill_between(times[keep], waiting[keep], step="post", color=figure.color("orange"), linewidth=0)
        lower.set_ylabel("jobs waiting")
        lower.set_ylim(bottom=0)
        lower.set_xlabel("time")
        for axes in (upper, lower):
            axes.set_xlim(float(times[0]), float(times[-1]))
            _time_axis(axes.xaxis, float(times[-1]))
            figure.count_axis(axes.yaxis)

    return figure.picture("mix-load", "Nodes taken and jobs waiting", spoken, paint, 4.2, panels=2)
