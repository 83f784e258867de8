"""The page of a sweep: one self-contained HTML file that opens offline, without script."""

from pathlib import Path

from hakaru.base import units
from hakaru.base.files import write_atomically
from hakaru.foretell.replay.basis import fact_lines
from hakaru.foretell.replay.documents import Sweep
from hakaru.foretell.replay.documents.answer import Axis, SweptPoint
from hakaru.tell.charts._axes import shown_value
from hakaru.tell.shell import fill


def write_page(path: Path, sweep: Sweep, command: str) -> None:
    """Writes the page of a sweep over one fact or two. Raises UserError when it cannot be written."""
    text = page(sweep, command).encode()
    write_atomically(path, lambda file: file.write(text))


def page(sweep: Sweep, command: str) -> str:
    """Same sweep, same page, byte by byte."""
    from markupsafe import Markup

    from hakaru.tell.charts import _sweep_curve, _sweep_map

    chart = _sweep_curve if len(sweep.axes) == 1 else _sweep_map
    svg = chart.draw(sweep)
    return fill(
        Path(__file__).with_name("page.html.j2"),
        svg=Markup(svg) if svg else None,
        explanation=chart.explanation,
        base=sweep.base,
        summary=summary(sweep),
        columns=[*[axis.fact for axis in sweep.axes], "time", "speed"],
        rows=[_row(sweep.axes, point) for point in sweep.points],
        facts=fact_lines(sweep.base.facts),
        command=command,
    )


def summary(sweep: Sweep) -> list[str]:
    """What the sweep says, in a few lines."""
    done = sweep.done
    lines = [f"The machine as it is: {units.seconds(sweep.base.time_s)}."]
    if done:
        for word, point in (("Fastest", max(done, key=_speed)), ("Slowest", min(done, key=_speed))):
            where = ", ".join(
                f"{axis.fact} {shown_value(axis, value)}"
                for axis, value in zip(sweep.axes, point.values, strict=True)
            )
            lines.append(
                f"{word}: speed {units.digits(point.speed)} ({units.seconds(point.time_s)}) at {where}."
            )
    if sweep.bound:
        lines.append(f"Bound when messages cost nothing: speed {units.digits(sweep.bound)}.")
    if not sweep.complete:
        lines.append(f"Stopped after {len(done)} of {len(sweep.points)} replays.")
    return lines


def _speed(point: SweptPoint) -> float:
    return point.speed


def _row(axes: tuple[Axis, ...], point: SweptPoint) -> list[str]:
    values = [shown_value(axis, value) for axis, value in zip(axes, point.values, strict=True)]
    if point.time_s is None:
        return [*values, "not replayed", ""]
    return [*values, units.seconds(point.time_s), units.digits(point.speed)]
