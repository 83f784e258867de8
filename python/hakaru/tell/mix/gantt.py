"""Who runs when and where, in letters."""

from collections.abc import Sequence

from hakaru.foretell.mix.placing import Bar

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_ROWS = 16
IDLE = "·"


def letter(kind: int) -> str:
    """Kinds beyond the alphabet share the last letter."""
    return LETTERS[min(kind, len(LETTERS) - 1)]


def lines(bars: Sequence[Bar], nodes: int, begin_s: float, end_s: float, columns: int) -> list[str]:
    """A line for each node, or for a group of neighbours: the kind that has most of it in each column's time."""
    rows = min(nodes, MOST_ROWS)
    span_s = (end_s - begin_s) or 1.0
    held = [[dict[int, float]() for _ in range(columns)] for _ in range(rows)]
    for bar in bars:
        left = (bar.begin_s - begin_s) / span_s * columns
        right = (bar.end_s - begin_s) / span_s * columns
        low, high = bar.first * rows / nodes, (bar.first + bar.height) * rows / nodes
        for row in range(int(low), min(int(-(-high // 1)), rows)):
            height = min(high, row + 1) - max(low, row)
            for column in range(int(left), min(int(-(-right // 1)), columns)):
                part = height * (min(right, column + 1) - max(left, column))
                cell = held[row][column]
                cell[bar.kind] = cell.get(bar.kind, 0.0) + part
    return [_name(row, rows, nodes) + "".join(map(_shown, cells)) for row, cells in enumerate(held)]


def _shown(cell: dict[int, float]) -> str:
    """Idle where less than half is taken."""
    if sum(cell.values()) < 0.5:
        return IDLE
    return letter(max(cell, key=lambda kind: (cell[kind], -kind)))


def _name(row: int, rows: int, nodes: int) -> str:
    first, last = row * nodes // rows + 1, (row + 1) * nodes // rows
    name = f"{first}" if first >= last else f"{first}-{last}"
    return f"{name:>9} "
