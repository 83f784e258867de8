"""What the publication left open, by replay: its rows, and their part of the page."""

from typing import Any

from hakaru.base import units
from hakaru.studies.analyses import Context
from hakaru.studies.result import Result, Section
from hakaru.studies.study import Study
from hakaru.tell import figure

from . import further, multiscale, per_node
from .nodes import Nodes
from .settings import LeftOpen, Settings

CHANGED = {"latency": "latency", "per_byte": "time of a byte", "adding": "adding numbers"}
COLOURS = ("blue", "vermillion", "green", "orange")


def add(study: Study[Settings], context: Context, result: Result) -> None:
    nodes = Nodes(study, context)
    for part in (further, multiscale, per_node):
        result.add(part.rows(nodes))
    result.sections += sections(nodes.asked, result)


def sections(asked: LeftOpen, result: Result) -> list[Section]:
    by_id = {row.id: row.ours for row in result.rows}
    return [
        _weak(asked, by_id),
        _strong(asked, by_id),
        _sums(asked, by_id),
        _changes(asked, by_id),
        _halo(asked, by_id),
        _interrupted(asked, by_id),
        _per_node(asked, by_id),
    ]


Rows = dict[str, float | None]


def seconds(value: float | None) -> str:
    return "" if value is None else units.seconds(value)


def percent(value: float | None) -> str:
    return "" if value is None else f"{value:.2%}".replace("%", " %")


def _weak(asked: LeftOpen, rows: Rows) -> Section:
    loads, most = asked.weak.k_points, max(asked.weak.nodes)
    lines = []
    for nodes in asked.weak.nodes:
        cells = [str(nodes), seconds(rows[f"weak/{loads[0]}/{nodes}/messages"])]
        for each in loads:
            cells += [seconds(rows[f"weak/{each}/{nodes}/step"]), percent(rows[f"weak/{each}/{nodes}/share"])]
        lines.append(cells)
    words = [
        f"Of {asked.case}, one process a node, as many k-points on each node whatever their number; "
        f"algorithms as {asked.library} chooses by bytes and processes.",
        *(
            f"On {most} nodes messages take {share:.0%} of a step where a node has "
            f"{units.digits(rows[f'weak/k-points for {share:.0%} on {most}'] or 0.0)} k-points."
            for share in further.SHARES
        ),
    ]
    shown = figure.picture(
        "left-open-weak",
        "Share of messages by nodes, k-points of a node fixed",
        "; ".join(f"{each} k-points: {percent(rows[f'weak/{each}/{most}/share'])}" for each in loads),
        lambda axes: _paint(axes, asked, rows),
    )
    columns = ["nodes", "messages"]
    columns += [text for each in loads for text in (f"step, {each} k-points", "messages' share")]
    title = f"Left open: weak scaling, {asked.case}"
    return Section(title, words, [(shown, "Share of a step that is not computing.")], columns, lines)


def _paint(axes: Any, asked: LeftOpen, rows: Rows) -> None:
    for each, colour in zip(asked.weak.k_points, COLOURS, strict=False):
        shares = [100.0 * (rows[f"weak/{each}/{nodes}/share"] or 0.0) for nodes in asked.weak.nodes]
        label = f"{each} k-points a node"
        axes.plot(asked.weak.nodes, shares, marker="o", color=figure.color(colour), label=label)
    for share in further.SHARES:
        axes.axhline(100.0 * share, linestyle=":", linewidth=0.8, color=figure.color("muted"))
    axes.set_xscale("log", base=2)
    axes.set_xticks(asked.weak.nodes[::2], [str(nodes) for nodes in asked.weak.nodes[::2]])
    axes.minorticks_off()
    axes.set_xlabel("nodes")
    axes.set_ylabel("%")
    figure.heading(axes, "Share of messages in a step")
    figure.legend_below(axes, columns=3)


def _strong(asked: LeftOpen, rows: Rows) -> Section:
    names = [(threads, nodes) for threads in asked.strong.threads for nodes in asked.strong.nodes]
    lines = []
    for threads, nodes in names:
        name = f"strong/{threads}/{nodes}"
        gain = units.digits(rows[f"{name}/gain"] or 0.0)
        cells = [str(threads), str(nodes), seconds(rows[f"{name}/step"]), gain]
        lines.append([*cells, seconds(rows[f"{name}/messages"]), percent(rows[f"{name}/share"])])
    words = [
        f"{asked.case} as published. An orbital is done by one thread; a node's speed is divided among so many threads, "
        "and one that has no orbital leaves its part to nobody.",
        "Fewer threads stand for threads of a core that leave it to those that have work: the other bound.",
    ]
    columns = ["threads", "nodes", "step", "gain", "messages", "messages' share"]
    return Section(f"Left open: strong scaling, {asked.case}", words, [], columns, lines)


def _sums(asked: LeftOpen, rows: Rows) -> Section:
    lines = []
    for nodes in asked.sums.nodes:
        for algorithm in asked.sums.algorithms:
            name = f"sum/{nodes}/{algorithm}"
            shares = [percent(rows[f"{name}/share of {each}"]) for each in asked.weak.k_points]
            lines.append([str(nodes), algorithm.replace("_", " "), seconds(rows[f"{name}/time"]), *shares])
    words = [
        "The sum of a step's density over all nodes alone, and its share of a step by k-points of a node."
    ]
    columns = ["nodes", "algorithm", "sum", *(f"{each} k-points" for each in asked.weak.k_points)]
    return Section("Left open: the sum by algorithm", words, [], columns, lines)


def _changes(asked: LeftOpen, rows: Rows) -> Section:
    loads, most = asked.weak.k_points, max(asked.weak.nodes)
    lines = []
    for name, text in CHANGED.items():
        for factor in getattr(asked.changes, name):
            shares = [percent(rows[f"change/{each}/{name}/{factor:g}/share"]) for each in loads]
            lines.append([f"{text} x {factor:g}", *shares])
    for share in further.SHARES:
        reached = [rows[f"change/{each}/latency for {share:.0%}"] for each in loads]
        shown = ["at any" if factor is None else f"{factor:.1f} times" for factor in reached]
        lines.append([f"latency for {share:.0%}", *shown])
    busiest = loads.index(max(loads))
    for one in asked.interruptions:
        longer = percent(rows[f"interruptions/{one.rate_per_s:g}/{one.length_s:g}/longer"])
        cells = ["" for _ in loads]
        cells[busiest] = f"+{longer}"
        lines.append([f"{units.seconds(one.length_s)} lost, {one.rate_per_s:g} a second and node", *cells])
    words = [
        f"On {most} nodes: messages' share of a step where the facts were others, by k-points of a node, "
        "and by how much interruptions of single nodes lengthen it."
    ]
    columns = ["change", *(f"{each} k-points" for each in loads)]
    return Section("Left open: what would change the answer", words, [], columns, lines)


def _halo(asked: LeftOpen, rows: Rows) -> Section:
    lines = []
    for layout in asked.halo.layouts:
        for points in layout.points:
            cells = [str(layout.nodes), str(points), str(layout.nodes * points)]
            for way in ("density", *multiscale.WAYS):
                name = f"halo/{layout.nodes}/{points}/{way}"
                cells += [seconds(rows[f"{name}/time"]), percent(rows[f"{name}/share"])]
            lines.append(cells)
    words = [
        f"What the field's messages add to a step of {asked.case} at each macroscopic point, one process a node: "
        f"16 B to each of two neighbours, or {asked.halo.bytes} B of each process to all, "
        f"or a sum over all processes of {asked.halo.bytes} B a point.",
        f"The allgather is as {asked.library} chooses; in rounds, whose number is the logarithm of that of processes, it is Bruck's.",
    ]
    columns = ["nodes a point", "points", "processes"]
    columns += [text for way in ("density's sum", *multiscale.WAYS) for text in (way, "share")]
    return Section("Left open: the field between macroscopic points", words, [], columns, lines)


def _interrupted(asked: LeftOpen, rows: Rows) -> Section:
    ways = (multiscale.NEIGHBOURS, multiscale.ALLGATHER, multiscale.NOTHING)
    lines = []
    for layout in asked.halo.interrupted:
        for points in layout.points:
            for one in asked.interruptions:
                name = f"interrupted/{layout.nodes}/{points}/{one.rate_per_s:g}/{one.length_s:g}"
                lost = f"{units.seconds(one.length_s)}, {one.rate_per_s:g} a second"
                cells = [percent(rows[f"{name}/{way}/longer"]) for way in ways]
                lines.append([str(layout.nodes), str(points), lost, *cells])
    words = [
        "By how much a step becomes longer when single nodes are interrupted, against the same step without. An allgather holds up all points "
        "at every step; neighbours hold up each other."
    ]
    columns = ["nodes a point", "points", "lost on each node", *ways]
    return Section("Left open: the field's messages, interrupted", words, [], columns, lines)


def _per_node(asked: LeftOpen, rows: Rows) -> Section:
    others = [factor for factor in asked.per_node.inside if factor != 1.0]
    ways = [per_node.BY_NODE, *(f"{per_node.FLAT}, inside x {factor:g}" for factor in others)]
    lines = []
    for each in asked.per_node.k_points:
        for nodes in asked.per_node.nodes:
            for processes in asked.per_node.processes:
                name = f"per node/{each}/{nodes}/{processes}"
                step, messages, share = (
                    rows[f"{name}/{per_node.FLAT}/{what}"] for what in ("step", "messages", "share")
                )
                cells = [
                    str(each),
                    str(nodes),
                    str(processes),
                    seconds(step),
                    seconds(messages),
                    percent(share),
                ]
                lines.append([*cells, *(seconds(rows.get(f"{name}/{way}/messages")) for way in ways)])
    words = [
        "Processes of a node share its threads, memory and link. Messages also where a sum is made inside each node first and then among "
        "nodes, and where the latency inside a node, which is assumed, is another."
    ]
    columns = ["k-points a node", "nodes", "processes a node", "step", "messages", "share", per_node.BY_NODE]
    columns += [f"latency inside x {factor:g}" for factor in others]
    return Section("Left open: several processes a node", words, [], columns, lines)
