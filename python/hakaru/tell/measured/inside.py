"""What was seen inside of traced launches: the routines that compute most, by size and layout, and files with bytes that look wrong."""

from collections.abc import Sequence

from hakaru.base import units
from hakaru.base.tables import print_table
from hakaru.facts.records import Record

ROUTINES_SHOWN = 6
POINTS_SHOWN = 4


def show(records: Sequence[Record]) -> None:
    """Of the launches of one program, in any order."""
    sampled = [record for record in records if record.ok and record.routines]
    latest = {(record.work.size or 0.0, record.ranks, record.threads): record for record in sampled}
    points = [latest[key] for key in sorted(latest)][-POINTS_SHOWN:]
    if points:
        _show_routines(points)
    for line in file_lines(records):
        print(line)


def _show_routines(points: Sequence[Record]) -> None:
    largest = points[-1]
    shares = [{row["routine"]: row for row in record.routines} for record in points]
    rows = [
        [_short(row["routine"]), *(_share(one.get(row["routine"])) for one in shares)]
        for row in largest.routines[:ROUTINES_SHOWN]
    ]
    columns = ["computes most in", *(f"N={one.work.size:g} {one.ranks}x{one.threads}" for one in points)]
    print_table(f"{largest.program}: share of the samples", columns, rows, right=range(1, len(columns)))


def _share(row: dict | None) -> str:
    return units.percent(row["share"]) if row else ""


def _short(name: str) -> str:
    """Without the arguments that a C++ name has."""
    plain = name.partition("(")[0] or name
    return plain if len(plain) <= 36 else f"{plain[:33]}..."


def file_lines(records: Sequence[Record]) -> list[str]:
    """Files in which bytes were written by several ranks or by nobody."""
    lines = []
    for record in records:
        for one in record.used_files:
            wrong = []
            if one["twice_bytes"]:
                wrong.append(f"{units.capacity(one['twice_bytes'])} written by more than one rank")
            if one["hole_bytes"]:
                wrong.append(f"{units.capacity(one['hole_bytes'])} written by nobody")
            if wrong:
                lines.append(f"ATTENTION: {one['path']}: {' and '.join(wrong)}")
    return list(dict.fromkeys(lines))
