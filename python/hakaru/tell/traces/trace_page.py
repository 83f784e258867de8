"""The page of a trace: one self-contained HTML file that opens offline, complete without its script."""

import math
from dataclasses import dataclass
from pathlib import Path

from hakaru.base import units
from hakaru.base.files import write_atomically
from hakaru.facts.traces.summary import Matrix, TraceSummary
from hakaru.tell.shell import fill
from hakaru.tell.traces.analysis import lines
from hakaru.tell.traces.timeline.section import Section


@dataclass(frozen=True)
class Shown:
    """What a page is of: ``kind`` is trace or replay; ``go_on``: command lines and what each does; ``source``: the archive as command lines
    name it, where it is kept."""

    name: str
    kind: str = "trace"
    go_on: tuple[tuple[str, str], ...] = ()
    timeline: Section | None = None
    source: str = ""


def of_trace(name: str, archive: str, timeline: Section | None = None) -> Shown:
    """A trace whose archive is named so in command lines."""
    go_on = (
        (f"hakaru replay {archive} --machine NAME", "replays this trace on the facts of another machine."),
        (f"hakaru trace timeline {archive} --from 0.1 --to 0.2", "shows a stretch of it with more detail."),
        (f"hakaru trace export --perfetto {archive} -o trace.json", "writes it for other viewers."),
    )
    return Shown(name, "trace", go_on, timeline, archive)


def write_page(path: Path, found: TraceSummary, shown: Shown) -> None:
    """Writes the page of an analysed trace. Raises UserError when it cannot be written."""
    text = page(found, shown).encode()
    write_atomically(path, lambda file: file.write(text))


def page(found: TraceSummary, shown: Shown) -> str:
    """Same analysis, same page, byte by byte."""
    from markupsafe import Markup

    matrix = draw_matrix(found.matrix, len(found.ranks))
    return fill(
        Path(__file__).with_name("page.html.j2"),
        name=shown.name,
        kind=shown.kind,
        go_on=shown.go_on,
        timeline=shown.timeline,
        source=shown.source,
        ranks=len(found.ranks),
        events=found.events,
        lines=lines(found),
        matrix=Markup(matrix) if matrix else None,
        calls=[
            [
                call.name,
                f"{call.calls}",
                units.quantity(call.bytes, "B"),
                units.seconds(call.seconds),
            ]
            for call in sorted(found.calls, key=lambda call: -call.seconds)
        ],
        phases=[
            [
                phase.name or "outside of phases",
                units.seconds(phase.mean_s),
                units.seconds(phase.max_s),
            ]
            for phase in sorted(found.phases, key=lambda phase: -phase.mean_s)
        ],
    )


def draw_matrix(matrix: Matrix, ranks: int) -> str | None:
    """Inline SVG of the bytes from every rank (down) to every rank (across); None when nobody sent anything.

    A field stands for ``ranks_per_block`` ranks each way; colours go with the logarithm of the bytes.
    """
    from matplotlib.patches import Rectangle

    from hakaru.tell import figure

    sent = matrix.sent
    if not sent:
        return None
    block = matrix.ranks_per_block
    fields = -(-ranks // block)
    least, most = min(sent.values()), max(sent.values())

    def paint(axes) -> None:
        figure.heading(axes, "Bytes from each rank to each rank")
        for (source, target), size in sent.items():
            share = math.log(size / least) / math.log(most / least) if most > least else 1.0
            fill = figure.RAMP[round(share * (len(figure.RAMP) - 1))]
            axes.add_patch(
                Rectangle(
                    (target // block - 0.5, source // block - 0.5), 1.0, 1.0, facecolor=fill, edgecolor="none"
                )
            )
        ticks = range(0, fields, max(1, -(-fields // 8)))
        for axis, limits, label in (
            (axes.xaxis, axes.set_xlim, "to rank"),
            (axes.yaxis, axes.set_ylim, "from rank"),
        ):
            axis.set_ticks(list(ticks), [str(tick * block) for tick in ticks])
            axis.set_label_text(label)
            limits(-0.5, fields - 0.5)
        axes.invert_yaxis()
        axes.grid(False)

    spoken = f"{len(sent)} pairs send; the most is {units.quantity(most, 'B')}, the least {units.quantity(least, 'B')}"
    return figure.picture("communication-matrix", "Who talks to whom", spoken, paint, 4.6, width_inch=5.0)
