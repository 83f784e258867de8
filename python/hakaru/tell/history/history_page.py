"""The page of a history: one self-contained HTML file that opens offline, without script."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from hakaru.base import units
from hakaru.base.files import write_atomically
from hakaru.facts.history.comparison import short_names
from hakaru.facts.history.series import Changed, Series
from hakaru.tell import figure
from hakaru.tell.history.words import summary
from hakaru.tell.shell import fill

DRAWN = 40  # pictures of a page; changed series first, all others stand in its table


def write_page(path: Path, found: Sequence[Series], notes: Sequence[str], alarm: float) -> None:
    """Raises UserError when it cannot be written."""
    text = page(found, notes, alarm).encode(errors="backslashreplace")
    write_atomically(path, lambda file: file.write(text))


def page(found: Sequence[Series], notes: Sequence[str], alarm: float) -> str:
    """Same history, same page, byte by byte."""
    from markupsafe import Markup

    ordered = sorted(found, key=lambda one: (not one.changes, one.name))
    names = short_names(ordered)
    pictures = [
        (one, draw(number, name, one))
        for number, (name, one) in enumerate(zip(names, ordered, strict=True))
        if number < DRAWN
    ]
    return fill(
        Path(__file__).with_name("page.html.j2"),
        filters={"told": _told},
        when=f"{min(one.points[0].moment for one in found)[:10]} to {max(one.points[-1].moment for one in found)[:10]}",
        summary=[summary(found, alarm), *notes],
        pictures=[(one, Markup(svg)) for one, svg in pictures],
        rows=[_row(name, one) for name, one in zip(names, ordered, strict=True)],
    )


def draw(number: int, name: str, one: Series) -> str:
    """Inline SVG: a point a date with the interval of its launches, the levels, and lines where they change."""
    spoken = f"{len(one.points)} values, {units.count(len(one.changes), 'change')}"
    return figure.picture(f"history-{number}", name, spoken, lambda axes: _paint(axes, name, one), 3.2)


def _paint(axes, name: str, one: Series) -> None:
    figure.heading(axes, name)
    moments = [datetime.fromisoformat(point.moment) for point in one.points]
    times = [point.time for point in one.points]
    errors = [figure.error_bar(time.low, time.value, time.high) for time in times]
    axes.errorbar(
        moments,
        [time.value for time in times],
        yerr=[[low[0] for low, _ in errors], [high[0] for _, high in errors]],
        fmt="o",
        markersize=3.5,
        linewidth=0.8,
        color=figure.color("blue"),
        label="median of the launches, with its interval",
    )
    for begin, end, level in one.levels if one.changes else []:
        axes.plot(
            [moments[begin], moments[end - 1]],
            [level, level],
            color=figure.color("orange"),
            label="level" if begin == 0 else None,
        )
    for number, change in enumerate(one.changes):
        axes.axvline(
            moments[change.index],
            color=figure.color("vermillion"),
            linestyle="--",
            linewidth=1.2,
            label=None if number else "change",
        )
    axes.set_ylabel("time")
    figure.time_axis(axes.yaxis)
    axes.tick_params(axis="x", rotation=30)
    figure.legend_below(axes)


def _told(change: Changed) -> str:
    ratio = change.ratio
    return (
        f"{units.digits(ratio.value)} times as long from here on ({units.digits(ratio.low)} to "
        f"{units.digits(ratio.high)} of {ratio.coverage:.0%}), p = {change.probability:.2g}"
    )


def _row(name: str, one: Series) -> list[str]:
    last = one.levels[-1][2]
    launches = sum(len(point.entries) for point in one.points)
    changes = ", ".join(change.moment[:10] for change in one.changes) or (
        "none shown" if one.long_enough else "too few values"
    )
    return [name, str(len(one.points)), str(launches), units.seconds(last), changes]
