"""What is shown of a study of ways: a table of times, and which way is fastest."""

from hakaru.base import units
from hakaru.studies.result import Result, Section
from hakaru.studies.study import Study

from .settings import Settings

EQUAL = 0.05  # ways within this of the fastest are as fast


def times_section(study: Study[Settings], result: Result) -> Section:
    ways = study.settings.ways
    by_id = {row.id: row for row in result.rows}
    columns = ["N", "message", *(f"{one.name} ({side})" for one in ways for side in ("published", "ours"))]
    lines = []
    for n in study.settings.lengths:
        line = [str(n), units.capacity(8 * n)]
        for one in ways:
            row = by_id[f"time/{n}/{one.way}"]
            line += ["" if row.published is None else units.seconds(row.published), units.seconds(row.ours)]
        lines.append(line)
    words = [
        "Time of ten iterations on all processes. A fact was fitted to each of the cells "
        + ", ".join(_fitted(study))
        + "; all others are predicted."
    ]
    return Section("Times by way of sending", words, [], columns, lines)


def _fitted(study: Study[Settings]) -> list[str]:
    names = {one.way: one.name for one in study.settings.ways}
    cells = [row.split("/") for row in sorted(study.basis.used)]
    return [f"{names[way]} at {n}" for kind, n, way in cells if kind == "time"]


def fastest_lines(study: Study[Settings], result: Result) -> tuple[list[list[str]], int]:
    """A line for each published range that ours has a length in, and in how many the published way is among our fastest."""
    ways = [one for one in study.settings.ways if one.column]
    by_id = {row.id: row.ours for row in result.rows}
    lines, agreeing = [], 0
    for row in study.published.table("fastest").rows:
        inside = [n for n in study.settings.lengths if row["n_low"] <= n <= row["n_high"]]
        if not inside:
            continue
        n = inside[len(inside) // 2]
        times = {one.name: by_id[f"time/{n}/{one.way}"] for one in ways}
        least = min(times.values())
        fastest = [name for name, time_s in times.items() if time_s <= least * (1 + EQUAL)]
        ours = "equal" if len(fastest) == len(times) else ", ".join(fastest)
        agreeing += row["fastest"] == ours or (row["fastest"] in fastest and ours != "equal")
        lines.append([f"{row['n_low']} to {row['n_high']} (ours: {n})", row["fastest"], ours])
    return lines, agreeing
