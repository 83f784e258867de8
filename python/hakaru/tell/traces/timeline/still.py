"""The still picture of a timeline: what a reader without scripts, and a printer, sees. One SVG path for each colour."""

import base64
import html
from collections import Counter

from hakaru.base import units
from hakaru.facts.traces.timeline import NOTHING, Timeline
from hakaru.tell.figure import PALETTE

BINS = 256
MOST_ROWS = 128
WIDTH, LEFT, TOP, LEGEND = 1000.0, 74.0, 8.0, 18.0
KINDS = {
    "compute": "sky",
    "point_to_point": "orange",
    "collective": "vermillion",
    "wait": "purple",
    "one_sided": "yellow",
    "io": "green",
    "other": "grey",
    "environment": "pale",
}
PHASES = ("blue", "orange", "green", "vermillion", "purple", "sky", "yellow")
COLUMNS = 4  # of the legend
MOST_NAMED = 12


def draw(found: Timeline) -> str | None:
    """Inline SVG of the coarsest level; None when nothing was recorded."""
    if not found.levels:
        return None
    by_phase = len(found.phases) > 1
    level = found.levels[0]
    cells = base64.b64decode(level.phases if by_phase else level.states)
    rows = [cells[at : at + level.bins] for at in range(0, len(cells), level.bins)]
    shown = _fewer(rows, MOST_ROWS)
    height = max(3.0, min(14.0, 560.0 / len(shown)))
    colours = _phase_colours(found) if by_phase else _state_colours(found)
    names = [one.name or "outside of phases" for one in (found.phases if by_phase else found.states)]
    bottom = TOP + height * len(shown)
    used = Counter(cell for row in shown for cell in row if cell != NOTHING)
    parts = [_paths(shown, height, colours)]
    parts.append(_labels(found, len(shown), height))
    parts.append(_axis(found, bottom))
    legend, bottom = _legend(
        [cell for cell, _ in used.most_common(MOST_NAMED)], names, colours, bottom + 26.0
    )
    words = html.escape(f"What {found.ranks} ranks do over {units.seconds(found.length_s)}")
    head = f'<svg class="still" role="img" aria-label="{words}" viewBox="0 0 {WIDTH:g} {bottom:g}"><title>{words}</title>'
    return "".join([head, *parts, legend, "</svg>"])


def _fewer(rows: list[bytes], most: int) -> list[bytes]:
    """Neighbouring rows as one: of each bin what most of them have."""
    together = -(-len(rows) // most)
    if together == 1:
        return rows
    groups = [rows[at : at + together] for at in range(0, len(rows), together)]
    return [
        bytes(Counter(column).most_common(1)[0][0] for column in zip(*group, strict=True)) for group in groups
    ]


def _state_colours(found: Timeline) -> list[str]:
    return [KINDS.get(state.kind, "grey") for state in found.states]


def _phase_colours(found: Timeline) -> list[str]:
    return ["pale"] + [PHASES[number % len(PHASES)] for number in range(len(found.phases) - 1)]


def _paths(rows: list[bytes], height: float, colours: list[str]) -> str:
    """Runs of one colour as rectangles."""
    width = (WIDTH - LEFT) / len(rows[0])
    paths: dict[str, list[str]] = {}
    for number, row in enumerate(rows):
        begin = 0
        top = TOP + number * height
        for place in range(1, len(row) + 1):
            if place < len(row) and row[place] == row[begin]:
                continue
            if row[begin] != NOTHING:
                x, long = LEFT + begin * width, (place - begin) * width
                rectangle = f"M{x:.5g} {top:.5g}h{long:.5g}v{height * 0.94:.4g}h{-long:.5g}z"
                paths.setdefault(colours[row[begin]], []).append(rectangle)
            begin = place
    return "".join(f'<path d="{"".join(d)}" {_fill(name)}/>' for name, d in sorted(paths.items()))


def _fill(name: str) -> str:
    return f'style="fill: var(--{name}, {PALETTE[name]})"'


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.5g}" y="{y:.5g}" text-anchor="{anchor}" font-size="11" {_fill("ink")}>{html.escape(words)}</text>'


def _labels(found: Timeline, rows: int, height: float) -> str:
    step = max(1, round(16.0 / height))
    ranks_each = found.ranks_per_row * -(-len(found.rows) // rows)
    return "".join(
        _text(LEFT - 6, TOP + (row + 0.5) * height + 4, f"rank {row * ranks_each}", "end")
        for row in range(0, rows, step)
    )


def _axis(found: Timeline, bottom: float) -> str:
    ticks = []
    for part in range(5):
        x = LEFT + (WIDTH - LEFT) * part / 4
        anchor = "start" if part == 0 else "end" if part == 4 else "middle"
        ticks.append(_text(x, bottom + 14, units.seconds(found.from_s + found.length_s * part / 4), anchor))
    return "".join(ticks)


def _legend(cells: list[int], names: list[str], colours: list[str], top: float) -> tuple[str, float]:
    parts = []
    for place, cell in enumerate(cells):
        x, y = LEFT + (WIDTH - LEFT) / COLUMNS * (place % COLUMNS), top + LEGEND * (place // COLUMNS)
        parts.append(f'<rect x="{x:.5g}" y="{y:.5g}" width="11" height="11" {_fill(colours[cell])}/>')
        name = names[cell]
        parts.append(_text(x + 16, y + 10, name if len(name) <= 34 else name[:33] + "…"))
    return "".join(parts), top + LEGEND * -(-len(cells) // COLUMNS) + 4
