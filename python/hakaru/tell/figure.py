"""Matplotlib figures as inline SVG that follows the page: its font, its width, its light or dark colours; no
script.
"""

import html
import io
import re
import textwrap
from collections.abc import Callable

# Okabe and Ito's colours ("Color Universal Design", 2008), readable with any colour vision. Figures are drawn
# with these values; ``themed`` replaces them by CSS variables of the same names, lighter in dark mode.
PALETTE = {
    "ink": "#101112",
    "muted": "#606162",
    "rule": "#d0d1d2",
    "paper": "#fdfefd",
    "blue": "#0072b2",
    "orange": "#e69f00",
    "green": "#009e73",
    "vermillion": "#d55e00",
    "purple": "#cc79a7",
    "sky": "#56b4e9",
    "yellow": "#b8a800",
    "grey": "#8c8d8e",
    "pale": "#b9babb",
}
SERIES = ("blue", "vermillion", "green", "orange", "purple", "sky", "yellow")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
WIDTH_INCH = 5.0
HEADING_CHARACTERS = 52
TIP = "tip: "

_PARAMETERS = {
    "svg.fonttype": "none",
    "svg.hashsalt": "hakaru",
    "text.parse_math": False,
    "axes.formatter.use_mathtext": False,
    "axes.unicode_minus": True,
    "font.size": 9.5,
    "axes.labelsize": 9.5,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": PALETTE["muted"],
    "axes.labelcolor": PALETTE["ink"],
    "axes.titlecolor": PALETTE["ink"],
    "text.color": PALETTE["ink"],
    "xtick.color": PALETTE["muted"],
    "ytick.color": PALETTE["muted"],
    "xtick.labelcolor": PALETTE["ink"],
    "ytick.labelcolor": PALETTE["ink"],
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": PALETTE["rule"],
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.5,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "hatch.linewidth": 0.8,
}


# Light to dark, one hue: readable with any colour vision and in grey.
RAMP = ("#eef4fa", "#c6dcee", "#93bfdf", "#569fcf", "#1f7db8", "#0b5c91", "#07406a")


def color(name: str) -> str:
    return PALETTE[name]


def picture(
    name: str,
    title: str,
    description: str,
    paint: Callable,
    height_inch: float = 3.3,
    panels: int = 1,
    width_inch: float = WIDTH_INCH,
) -> str:
    """Inline SVG of what ``paint(axes)`` draws (``paint(axes_1, ..., axes_n)`` for ``panels`` side above
    side).

    ``name`` is unique in the page: every id in the SVG starts with it, since inlined pictures share one name
    space. ``title`` and ``description`` are read out by screen readers.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_PARAMETERS):
        figure = Figure(figsize=(width_inch, height_inch), layout="constrained")
        axes = figure.subplots(panels, 1, squeeze=False)[:, 0]
        paint(*axes)
        target = io.StringIO()
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(target, format="svg", metadata=metadata)
    return themed(target.getvalue(), name, title, description)


def themed(svg: str, name: str, title: str, description: str) -> str:
    """The SVG without document header, metadata, style sheet and size; ids prefixed; colours as CSS
    variables.
    """
    prefix = "picture-" + re.sub(r"[^A-Za-z0-9_-]", "-", name)
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, flags=re.S)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.S)
    svg = re.sub(rf"<g id=([\"']){TIP}(.*?)\1>", r"<g><title>\2</title>", svg)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#{prefix}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", svg)
    for variable, value in PALETTE.items():
        svg = re.sub(rf"\b(fill|stroke|stop-color): {value}\b", rf"\1: var(--{variable}, {value})", svg)
        svg = re.sub(rf'\b(fill|stroke)="{value}"', rf'style="\1: var(--{variable}, {value})"', svg)
    view = re.search(r'viewBox="([^"]+)"', svg).group(1)
    labels = f"<title>{html.escape(title)}</title><desc>{html.escape(description)}</desc>"
    spoken = f'role="img" aria-label="{html.escape(title)}"'
    head = f'<svg class="picture" {spoken} viewBox="{view}" id="{prefix}">{labels}'
    return head + svg[svg.index(">") + 1 :]


def tip(axes, x: float, y: float, text: str) -> None:
    """Words that a browser shows where the pointer is, without script: the title of an unseen spot around the point."""
    axes.plot([x], [y], "o", color=color("ink"), alpha=0.0, markersize=14, gid=TIP + text, label="_tip")


def time_axis(axis) -> None:
    """Ticks in s, ms, µs or ns."""
    from hakaru.base import units

    _ticks(axis, units.seconds)


def quantity_axis(axis, unit: str) -> None:
    """Ticks with decimal prefixes."""
    from hakaru.base import units

    _ticks(axis, lambda value: units.quantity(value, unit) if value else "0")


def number_axis(axis) -> None:
    """Ticks as plain numbers."""
    from hakaru.base import units

    _ticks(axis, units.digits)


def capacity_axis(axis) -> None:
    """Ticks at powers of two, with binary prefixes; needs a logarithmic axis of base 2."""
    from matplotlib.ticker import LogLocator

    from hakaru.base import units

    axis.set_major_locator(LogLocator(base=2, numticks=8))
    _ticks(axis, units.capacity)


def log_ticks(axis) -> None:
    """Ticks at 1, 2, 5 times powers of ten, fewer on long axes, where words stand beside each other even sooner; a few round numbers on
    short ones."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    low, high = sorted(axis.get_view_interval())
    range_ = high / low if low > 0 else 1.0
    if range_ < 5.0:  # LogLocator would fall back on ticks as for a linear axis, which crowd at its upper end
        axis.set_major_locator(MaxNLocator(nbins=4, steps=(1, 2, 5, 10)))
        return
    side_by_side = axis.axis_name == "x" and range_ > 30.0
    subs = (1.0,) if range_ > 300.0 else (1.0, 3.0) if side_by_side else (1.0, 2.0, 5.0)
    axis.set_major_locator(LogLocator(base=10, subs=subs, numticks=12))


def count_axis(axis) -> None:
    """Ticks at whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True, nbins=8))
    _ticks(axis, lambda value: f"{value:g}")


def _ticks(axis, text: Callable[[float], str]) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    from hakaru.base import units

    axis.set_major_formatter(FuncFormatter(lambda value, _: units.tick(text(value))))
    axis.set_minor_formatter(NullFormatter())


def heading(axes, text: str) -> None:
    """The figure's own title, from its left edge, on as many lines as it needs."""
    axes.figure.suptitle(
        textwrap.fill(text, HEADING_CHARACTERS), x=0.01, ha="left", fontsize=10, fontweight="bold"
    )


def fold(text: str, width: int = 26) -> str:
    """A label on as many lines as it needs; what has no blank to break at is cut with an ellipsis."""
    lines = textwrap.wrap(text, width, break_long_words=False) or [""]
    return "\n".join(line if len(line) <= width else line[: width - 1] + "…" for line in lines[:3])


def legend_below(axes, columns: int = 3) -> None:
    """One legend for the whole figure under its axes, where it never hides data."""
    entries = {}
    for each in axes.figure.axes:
        handles, labels = each.get_legend_handles_labels()
        entries.update(zip((fold(label, 60) for label in labels), handles, strict=True))
    if entries:
        longest = max(len(label) for label in entries)
        columns = max(1, min(columns, 72 // (longest + 6)))
        axes.figure.legend(
            entries.values(),
            entries.keys(),
            loc="outside lower left",
            ncols=columns,
            columnspacing=1.2,
            handlelength=1.6,
            handletextpad=0.5,
        )


def error_bar(low: float, value: float, high: float) -> list[list[float]]:
    """Matplotlib's asymmetric error from an interval."""
    return [[max(0.0, value - low)], [max(0.0, high - value)]]
