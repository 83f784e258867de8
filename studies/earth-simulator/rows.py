"""Rows of a study of layouts: published numbers beside replayed ones, with what each is computed from."""

from hakaru.base import units
from hakaru.studies.analyses import Context
from hakaru.studies.evidence import MEASURED, MISS
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study

from .layouts import Found, Replayed
from .settings import Settings
from .vector_machine import DOUBLE_BYTES, Layout

# What arithmetic is computed from; the work is divided evenly, so that nothing else goes in.
FLAT_ARITHMETIC = ("compute.vector_rate", "compute.vector_half_length", "work.constant")
ARITHMETIC = {"flat": FLAT_ARITHMETIC, "hybrid": (*FLAT_ARITHMETIC, "threads.loss", "threads.parallel")}
BASE_SPEED = "section4/256^3/1 node/one processor/speed"
SMALL, MIDDLE, LARGE = 32, 256, 512
MEMORY_GB = 2.0**30  # a node's 16 GB are 2048 equal banks


def rows(study: Study[Settings], found: Found, context: Context) -> list[Row]:
    return [
        *condition_rows(study, found),
        *table_two(study, found),
        *speed_rows(study, found),
        *share_rows(study, found),
        *memory_rows(study),
        *crossover_rows(found),
        *later_rows(study, found),
        *time_rows(found, study.settings.steps),
    ]


def condition_rows(study: Study[Settings], found: Found) -> list[Row]:
    """The limit on processes: counted, since the program refuses more."""
    from hakaru.facts import programs

    n, program = LARGE, study.programs[0]

    def runs(ranks: int) -> bool:
        evaluated = programs.named(program.program).work({"n": n}, ranks, 1)
        return not evaluated.refused

    most = max(ranks for ranks in (n // 4, n // 2, n) if runs(ranks))
    published = float(study.published.row("conditions", "item", "MPI processes")["value"][1])
    found_rows = [Row(f"table1/{n}^3/most MPI processes", published, float(most), "1", "measured")]
    largest = max(one.nodes for one in found if one.n == n)
    nodes = float(study.published.row("conditions", "item", "nodes")["value"][1])
    return [*found_rows, Row(f"table1/{n}^3/most nodes", nodes, float(largest), "1", "measured")]


def table_two(study: Study[Settings], found: Found) -> list[Row]:
    """Times of 100 steps at 32^3 in one node, by their parts."""
    steps, result = study.settings.steps, []
    for row in study.published.table("microtask-overhead").rows:
        model, processors = row["model"], row["processors"]
        one = found.get(Layout(SMALL, 1, processors, model == "hybrid"))
        if one is None:
            continue
        ours = {
            "total": one.time_s,
            "transpose": one.transposition_s,
            "cache_miss": one.computed.misses_s,
            "arithmetic": one.computed.arithmetic_s,
        }
        if model == "hybrid":
            flat = found[Layout(SMALL, 1, processors, False)]
            ours["overhead"] = one.computed.arithmetic_s - flat.computed.arithmetic_s
        for part, value in ours.items():
            rests = _rests(f"table2/{model}/{processors}", part, model)
            result.append(Row(f"table2/{model}/{processors}/{part}", row[part], steps * value, "s", **rests))
    return result


def _rests(label: str, part: str, model: str) -> dict[str, tuple[str, ...]]:
    """What a part of table 2 is computed from, or the sum of; a transposition is replayed."""
    if part == "total":
        return {"parts": tuple(f"{label}/{one}" for one in ("transpose", "cache_miss", "arithmetic"))}
    if part == "overhead":
        return {"of": (f"{label}/arithmetic", f"{label.replace(model, 'flat')}/arithmetic")}
    return {"of": {"arithmetic": ARITHMETIC[model], "cache_miss": (f"memory.miss_{model}",)}.get(part, ())}


def speed_rows(study: Study[Settings], found: Found) -> list[Row]:
    """Stated speeds at 256^3, and the speed-ups in one node."""
    result = []
    base = found[Layout(MIDDLE, 1, 1, False)]
    for row in study.published.table("sustained").rows:
        nodes, processors = row["nodes"], row["processors"]
        one = found[Layout(MIDDLE, nodes, processors // nodes, row["model"] == "hybrid")]
        label = f"section4/{MIDDLE}^3/{units.count(nodes, 'node')}/{row['model']}"
        result.append(Row(f"{label}/speed", 1e9 * row["speed"], one.rate, "flop/s"))
        if row.get("speedup", 1) > 1:
            result.append(
                Row(
                    f"figure6/{label.removeprefix('section4/')}/speed-up",
                    row["speedup"],
                    one.rate / base.rate,
                    "times",
                    of=(f"{label}/speed", BASE_SPEED),
                )
            )
    return result


def share_rows(study: Study[Settings], found: Found) -> list[Row]:
    """Share of the transposition, of all time, and how much of one processor's speed is left on 16 nodes."""
    result = []
    stated = {
        ("flat", 16): 0.5,
        ("hybrid", 16): 0.01 * _statement(study, "transpose share of the time, 16 nodes, hybrid"),
    }
    left = {
        "flat": 0.5,
        "hybrid": 0.01 * _statement(study, "hybrid, 16 nodes: share of peak against one process on one node"),
    }
    base = found[Layout(MIDDLE, 1, 1, False)]
    for layout, one in _sorted(found):
        if layout.processors != 8 or layout.n not in (128, MIDDLE, LARGE):
            continue
        published = stated.get((layout.model, layout.nodes)) if layout.n == MIDDLE else None
        speed = f"section4/{layout.n}^3/{units.count(layout.nodes, 'node')}/{layout.model}/speed"
        computed = (*ARITHMETIC[layout.model], f"memory.miss_{layout.model}")
        result.append(
            Row(
                f"figure9/{layout.n}^3/{layout.nodes}/{layout.model}/transposition",
                published,
                one.share,
                "1",
                of=(speed, *computed) if published else (),
            )
        )
        if layout.n == MIDDLE and layout.nodes == 16:
            kept = one.rate / (8 * layout.nodes) / base.rate
            result.append(
                Row(
                    f"section4/{MIDDLE}^3/16 nodes/{layout.model}/speed of a processor kept",
                    left[layout.model],
                    kept,
                    "1",
                    of=(speed, BASE_SPEED),
                )
            )
    return result


def _statement(study: Study[Settings], item: str) -> float:
    return float(study.published.row("statements", "item", item)["value"])


def memory_rows(study: Study[Settings]) -> list[Row]:
    from hakaru.facts import programs

    program = study.programs[0]
    evaluated = programs.named(program.program).work({"n": LARGE}, 4, 1)
    published = MEMORY_GB * _statement(study, "memory at 512^3")
    return [Row(f"section4/{LARGE}^3/memory", published, float(evaluated.memory_bytes), "B", "measured")]


def crossover_rows(found: Found) -> list[Row]:
    """Nodes from which hybrid is faster, on full nodes."""
    result = []
    for n in sorted({layout.n for layout in found}):
        both = [
            (layout.nodes, found[layout].time_s, found[Layout(n, layout.nodes, 8, False)].time_s)
            for layout in sorted(found, key=lambda one: one.nodes)
            if layout.n == n
            and layout.hybrid
            and layout.processors == 8
            and Layout(n, layout.nodes, 8, False) in found
        ]
        faster = [nodes for nodes, hybrid_s, flat_s in both if hybrid_s < flat_s]
        if len(both) > 1:
            first = float(min(faster)) if faster else None
            result.append(Row(f"crossover/{n}^3/nodes", None, first, "1"))
    return result


def later_rows(study: Study[Settings], found: Found) -> list[Row]:
    """The largest grids: no run of the publication; another program's speed stands beside 2048^3."""
    result = []
    for layout, one in _sorted(found):
        if layout.n > LARGE:
            at_most = layout.n == 2048 and layout.nodes == 512
            published = (
                1e12 * study.published.number("later", "item", "speed at 2048^3", "value")
                if at_most
                else None
            )
            precision = "double" if layout.value_bytes == DOUBLE_BYTES else "single"
            label = f"later/{layout.n}^3/{layout.nodes}/{layout.model}/{precision}"
            result.append(Row(f"{label}/speed", published, one.rate, "flop/s"))
    return result


def time_rows(found: Found, steps: int) -> list[Row]:
    """Curves of figures 5 and 7, whose numbers are not in the text."""
    return [
        Row(
            f"{'figure5' if layout.nodes == 1 else 'figure7'}/{layout.n}^3/{layout.nodes}x{layout.processors}/{layout.model}/time",
            None,
            steps * one.time_s,
            "s",
        )
        for layout, one in _sorted(found)
        if layout.n <= LARGE
    ]


def _sorted(found: Found) -> list[tuple[Layout, Replayed]]:
    return sorted(
        found.items(), key=lambda item: (item[0].n, item[0].nodes, item[0].processors, item[0].hybrid)
    )


def summary(result: Result) -> list[str]:
    """What is counted, and where hybrid wins."""
    counted = [row for row in result.rows if row.kind == MEASURED and row.error is not None]
    within = sum(abs(row.error) <= MISS for row in counted)
    lines = [f"Counted: {within} of {len(counted)} published numbers within {100 * MISS:.0f} %."]
    for row in result.of("crossover/"):
        size = row.id.split("/")[1]
        where = (
            "at no number of nodes" if row.ours is None else f"from {units.count(int(row.ours), 'node')} on"
        )
        lines.append(f"{size}: hybrid is faster {where}.")
    return lines
