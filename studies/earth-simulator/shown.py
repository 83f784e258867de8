"""The page of a study of layouts: its tables and pictures."""

from hakaru.base import units
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.shown import error, number
from hakaru.studies.study import Study
from hakaru.tell import figure

from .layouts import Found, Replayed
from .settings import Settings
from .vector_machine import Layout

COLOURS = {32: "purple", 64: "sky", 128: "green", 256: "blue", 512: "vermillion"}


def sections(study: Study[Settings], found: Found, result: Result) -> list[Section]:
    return [
        _stated(result),
        _one_node(found),
        _nodes(found),
        _shares(found),
        _table_two(result),
        _later(result),
    ]


def _stated(result: Result) -> Section:
    section = Section(
        "Published beside replayed",
        ["Fitted rows hold no information about the model; predictions and counted (measured) rows do."],
        [],
        ["what", "published", "ours", "error", "kind"],
    )
    for prefix in ("table1/", "section4/", "figure6/", "figure9/"):
        section.lines += [_line(row) for row in result.of(prefix) if row.published is not None]
    return section


def _line(row: Row) -> list[str]:
    where, _, what = row.id.partition("/")
    label = (
        what.replace("/", ", ")
        if where.startswith(("table2", "later"))
        else f"{what.replace('/', ', ')} ({where})"
    )
    return [label, _shown(row.published, row.unit), _shown(row.ours, row.unit), error(row), row.kind]


def _shown(value: float | None, unit: str) -> str:
    return number(value) if value is None or unit in ("1", "times") else units.quantity(value, unit)


def _table_two(result: Result) -> Section:
    section = Section(
        "Where 100 steps go at 32^3 (table 2)",
        ["Arithmetic of hybrid holds its microtasks; overhead is hybrid's arithmetic less flat's."],
        [],
        ["what", "published", "ours", "error", "kind"],
    )
    section.lines = [_line(row) for row in result.of("table2/")]
    return section


def _later(result: Result) -> Section:
    section = Section(
        "Larger grids",
        [
            "Hybrid on the nodes whose memory holds them. The published 16.4 Tflop/s are of a later program with faster transforms; its abstract does "
            "not say on how many nodes, and it stands beside 512 here."
        ],
        [],
        ["what", "published", "ours", "error", "kind"],
    )
    section.lines = [_line(row) for row in result.of("later/")]
    return section


def _one_node(found: Found) -> Section:
    base = {layout.n: one.time_s for layout, one in found.items() if layout.nodes == layout.processors == 1}
    curves = _curves(found, lambda layout: layout.nodes == 1 and layout.n in base)
    lines = []
    for (n, model), points in curves.items():
        for layout, one in points:
            cells = [units.seconds(one.time_s), units.digits(base[n] / one.time_s)]
            lines.append([f"{n}^3", model, str(layout.processors), *cells])

    def paint(axes) -> None:
        for (n, model), points in curves.items():
            where = [1, *[layout.processors for layout, _ in points if layout.processors > 1]]
            rise = [1.0, *[base[n] / one.time_s for layout, one in points if layout.processors > 1]]
            _plot(axes, where, rise, n, model)
        axes.plot([1, 8], [1, 8], color=figure.color("rule"), label="ideal")
        axes.set_xlabel("processors of a node")
        axes.set_ylabel("speed-up")
        _finish(axes, "One node: speed-up (figure 6)", [1, 2, 4, 8])

    picture = figure.picture("one-node", "Speed-up in one node", _spoken(curves), paint, 3.8, width_inch=6.4)
    words = ["The curves of figures 5 and 6 are not in the text; stated are 7.8 and 7.5 times at 256^3."]
    caption = "Filled: flat; open: hybrid."
    return Section(
        "In one node",
        words,
        [(picture, caption)],
        ["grid", "model", "processors", "a step", "speed-up"],
        lines,
    )


def _nodes(found: Found) -> Section:
    curves = _curves(found, lambda layout: layout.processors == 8 and layout.n in (128, 256, 512))
    lines = []
    for (n, model), points in curves.items():
        for layout, one in points:
            cells = [units.seconds(one.time_s), units.quantity(one.rate, "flop/s"), units.percent(one.share)]
            lines.append([f"{n}^3", model, str(layout.nodes), str(layout.ranks), *cells])

    def paint(axes) -> None:
        for (n, model), points in curves.items():
            _plot(axes, [p[0].nodes for p in points], [p[1].rate / 1e9 for p in points], n, model)
        axes.set_yscale("log")
        axes.set_xlabel("nodes of eight processors")
        axes.set_ylabel("Gflop/s")
        _finish(
            axes, "Many nodes: speed (figure 7)", sorted({p[0].nodes for c in curves.values() for p in c})
        )

    picture = figure.picture("nodes", "Speed on many nodes", _spoken(curves), paint, 3.8, width_inch=6.4)
    words = [
        "Flat ends where there are more processes than N/2 planes: hybrid reaches eight times as many nodes."
    ]
    columns = ["grid", "model", "nodes", "processes", "a step", "speed", "transposition"]
    return Section("On many nodes", words, [(picture, "Filled: flat; open: hybrid.")], columns, lines)


def _shares(found: Found) -> Section:
    curves = _curves(found, lambda layout: layout.processors == 8 and layout.n in (128, 256, 512))

    def paint(axes) -> None:
        for (n, model), points in curves.items():
            _plot(axes, [p[0].nodes for p in points], [100.0 * p[1].share for p in points], n, model)
        axes.set_ylim(0.0, 100.0)
        axes.set_xlabel("nodes of eight processors")
        axes.set_ylabel("% of the time")
        _finish(
            axes, "Transposition's share (figure 9)", sorted({p[0].nodes for c in curves.values() for p in c})
        )

    picture = figure.picture("shares", "Transposition's share", _spoken(curves), paint, 3.8, width_inch=6.4)
    words = [
        "Messages and copies, of all time. Flat has eight times as many processes, so 64 times as many messages of a 64th of the bytes."
    ]
    return Section("What transposing takes", words, [(picture, "Filled: flat; open: hybrid.")])


def _curves(found: Found, wanted) -> dict[tuple[int, str], list[tuple[Layout, Replayed]]]:
    curves: dict[tuple[int, str], list] = {}
    for layout, one in sorted(
        found.items(), key=lambda item: (item[0].n, item[0].hybrid, item[0].nodes, item[0].processors)
    ):
        if wanted(layout):
            curves.setdefault((layout.n, layout.model), []).append((layout, one))
    return curves


def _plot(axes, x: list, y: list[float], n: int, model: str) -> None:
    look = {"color": figure.color(COLOURS.get(n, "grey")), "marker": "o" if model == "flat" else "s"}
    style = {} if model == "flat" else {"fillstyle": "none", "linestyle": "--"}
    axes.plot(x, y, label=f"{n}^3 {model}", **look, **style)


def _finish(axes, title: str, ticks: list[int]) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [str(one) for one in ticks])
    figure.number_axis(axes.yaxis)
    figure.heading(axes, title)
    figure.legend_below(axes, columns=3)


def _spoken(curves: dict) -> str:
    return "; ".join(
        f"{n}^3 {model}: {units.quantity(points[-1][1].rate, 'flop/s')} on {units.count(points[-1][0].nodes * points[-1][0].processors, 'processor')}"
        for (n, model), points in curves.items()
    )
