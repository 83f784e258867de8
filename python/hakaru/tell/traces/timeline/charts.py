"""What a timeline counts, as charts: sizes of messages, lengths of waits, shares of each rank's time."""

from hakaru.base import units
from hakaru.facts.traces.timeline import Histogram, Timeline
from hakaru.tell import figure

WAITS = {
    "late_sender": ("for a sender", "blue"),
    "late_receiver": ("for a receiver", "orange"),
    "collective": ("at collectives", "vermillion"),
}
SHARES = (
    ("compute", "computing", "sky"),
    ("point_to_point", "sends and receives", "orange"),
    ("wait", "waits for requests", "purple"),
    ("collective", "collectives", "vermillion"),
    ("one_sided", "one-sided", "yellow"),
    ("io", "files", "green"),
    ("other", "other calls", "grey"),
    ("environment", "MPI_Init, MPI_Finalize", "pale"),
)


def message_sizes(found: Timeline) -> str | None:
    """Messages by their bytes; None where there are none."""
    sizes = found.histograms.message_bytes
    if not sizes.counts:
        return None
    total = sum(sizes.counts)

    def paint(axes) -> None:
        figure.heading(axes, f"{total} messages by size")
        edges = _edges(sizes)
        axes.bar(edges, sizes.counts, width=edges, align="edge", color=figure.color("blue"), linewidth=0)
        axes.set_xscale("log", base=2)
        _logarithmic(axes, "bytes of a message", "messages")
        figure.capacity_axis(axes.xaxis)

    spoken = f"{total} messages of {units.capacity(sum(sizes.sums))} in all, by powers of two"
    return figure.picture("message-sizes", "Messages by size", spoken, paint)


def waits(found: Timeline) -> str | None:
    """Single waits by their length; None where nobody waited."""
    kinds = {name: one for name, one in found.histograms.waiting_s.items() if one.counts}
    if not kinds:
        return None

    def paint(axes) -> None:
        figure.heading(axes, "Waits by length")
        for name, one in kinds.items():
            words, colour = WAITS[name]
            edges = [*_edges(one), _edges(one)[-1] * 2]
            label = f"{words}: {units.seconds(sum(one.sums))} in {sum(one.counts)}"
            axes.stairs(one.counts, edges, color=figure.color(colour), linewidth=1.8, label=label)
        axes.set_xscale("log")
        _logarithmic(axes, "length of a wait", "waits")
        figure.log_ticks(axes.xaxis)
        figure.time_axis(axes.xaxis)
        figure.legend_below(axes, 1)

    spoken = ", ".join(f"{sum(one.counts)} {WAITS[name][0]}" for name, one in kinds.items())
    return figure.picture("waits", "Waits by length", spoken, paint)


def shares(found: Timeline) -> str | None:
    """Where the time of each row went; None where nothing was recorded."""
    if not found.rows or found.length_s <= 0.0:
        return None

    def paint(axes) -> None:
        figure.heading(axes, "Shares of each rank's time")
        places = [row.first_rank for row in found.rows]
        below = [0.0] * len(places)
        width = found.ranks_per_row
        for kind, words, colour in SHARES:
            part = [row.time_by_kind.get(kind, 0.0) / row.ranks / found.length_s for row in found.rows]
            if sum(part) <= 0.0005 * len(part):
                continue
            upper = [low + one for low, one in zip(below, part, strict=True)]
            edges = [place - 0.5 for place in (*places, places[-1] + width)]
            axes.stairs(
                upper, edges, baseline=below, fill=True, color=figure.color(colour), label=words, linewidth=0
            )
            below = upper
        waiting = [row.waiting_s / row.ranks / found.length_s for row in found.rows]
        middle = [place + (width - 1) / 2 for place in places]
        few = {"marker": "_", "linestyle": "none"} if len(places) < 200 else {}
        axes.plot(middle, waiting, color=figure.color("ink"), label="waiting for others", **few)
        axes.set_ylim(0.0, 1.0)
        axes.set_xlim(-0.5, found.ranks - 0.5)
        axes.set_xlabel("rank")
        axes.set_ylabel("share of the time shown")
        figure.count_axis(axes.xaxis)
        figure.legend_below(axes)

    spoken = f"{len(found.rows)} rows; what is missing to 1 is not recorded"
    return figure.picture("shares", "Shares of each rank's time", spoken, paint, 3.6)


def _edges(histogram: Histogram) -> list[float]:
    """Where each bin begins."""
    return [histogram.first * 2.0**place for place in range(len(histogram.counts))]


def _logarithmic(axes, along: str, up: str) -> None:
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.5)
    figure.log_ticks(axes.yaxis)
    figure.quantity_axis(axes.yaxis, "")
    axes.set_xlabel(along)
    axes.set_ylabel(up)
