"""Memory bandwidth by number of cores, for the four STREAM kernels."""

from hakaru.facts.machines.fact import Fact
from hakaru.tell import figure
from hakaru.tell.chart_data import ReportData

title = "Memory bandwidth by cores"
order = 30
section = "machine"
explanation = (
    "Where a curve leaves the dashed line, cores share the memory system and further ones bring little; "
    "bytes are counted as STREAM does, without the read of written lines; bars are 95 % intervals."
)
missing = "hakaru probe memory_bandwidth measures it"


def draw(data: ReportData) -> str | None:
    bandwidth = data.machine.values("memory", "bandwidth")
    if not bandwidth:
        return None
    kernels = sorted({fact.keys.get("kernel", "triad") for fact in bandwidth}, key=_stream_order)
    best = data.machine.bandwidth(max(fact.keys["cores"] for fact in bandwidth), write_allocate=False)
    spoken = f"{best.name} reaches {best.value / 1e9:.1f} GB/s on {best.cores} cores"
    return figure.picture(
        "memory-bandwidth", title, spoken, lambda axes: _paint(axes, bandwidth, kernels), 3.7
    )


def _stream_order(kernel: str) -> tuple[int, str]:
    names = ("copy", "scale", "add", "triad")
    return (names.index(kernel) if kernel in names else len(names), kernel)


def _paint(axes, bandwidth: tuple[Fact, ...], kernels: list[str]) -> None:
    single = [fact.value for fact in bandwidth if fact.keys["cores"] == 1]
    cores = sorted({fact.keys["cores"] for fact in bandwidth})
    if single and len(cores) > 1:
        linear = [max(single) * count for count in cores]
        look = {"color": figure.color("muted"), "linestyle": "--", "linewidth": 1.2}
        axes.plot(cores, linear, label="fastest core × cores (bound)", **look)
    for index, kernel in enumerate(kernels):
        points = sorted(
            (f for f in bandwidth if f.keys.get("kernel", "triad") == kernel), key=lambda f: f.keys["cores"]
        )
        values = [fact.value for fact in points]
        low = [fact.value - fact.lowest for fact in points]
        high = [fact.highest - fact.value for fact in points]
        axes.errorbar(
            [fact.keys["cores"] for fact in points],
            values,
            yerr=[low, high],
            marker=figure.MARKERS[index % len(figure.MARKERS)],
            color=figure.color(figure.SERIES[index % len(figure.SERIES)]),
            capsize=3,
            label=kernel.replace("_", " "),
        )
    axes.set_ylim(bottom=0.0)
    axes.margins(x=0.08)
    axes.set_xlabel("cores")
    axes.set_ylabel("bandwidth")
    figure.count_axis(axes.xaxis)
    figure.quantity_axis(axes.yaxis, "B/s")
    figure.legend_below(axes, columns=3)
