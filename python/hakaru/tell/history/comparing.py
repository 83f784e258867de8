"""``hakaru compare``: two sides, their ratios and verdicts."""

import sys
from dataclasses import asdict
from typing import Any

import typer

from hakaru.base import units
from hakaru.base.output import print_json
from hakaru.base.paths import results_folder
from hakaru.base.tables import print_table
from hakaru.facts.history.comparison import FASTER, SLOWER, Comparison, Pair, Row, compare, short_names
from hakaru.facts.history.selection import sides
from hakaru.tell.history.options import Compare, fraction

REGRESSED = 1  # exit code
DETAILED = 10  # problems with a table each; of more, only those that changed


def answer(request: Compare) -> None:
    """Ends with 1 where something got slower. Raises UserError where there is nothing to compare."""
    results = results_folder(request.results)
    threshold = fraction("--threshold", request.threshold, 0.0, 10.0)
    found = compare(*sides((request.before, request.after), results, request.program), threshold)
    if request.as_json:
        print_json(as_dict(found))
    else:
        _print(found)
    if found.regressed:
        raise typer.Exit(REGRESSED)


def as_dict(found: Comparison) -> dict[str, Any]:
    return {
        "before": {"name": found.before.name, "launches": len(found.before.entries)},
        "after": {"name": found.after.name, "launches": len(found.after.entries)},
        "threshold": found.threshold,
        "regressed": found.regressed,
        "notes": found.notes,
        "left_out": {one.name: dict(one.left_out) for one in (found.before, found.after)},
        "damaged": [
            {"file": str(path), "reason": reason}
            for one in (found.before, found.after)
            for path, reason in one.damaged
        ],
        "only": found.only,
        "pairs": [asdict(pair) for pair in found.pairs],
    }


def _print(found: Comparison) -> None:
    for text in found.notes:
        print(f"Note: {text}.", file=sys.stderr)
    common = [text for text in found.pairs[0].changed if all(text in pair.changed for pair in found.pairs)]
    for text in common:
        print(f"Changed: {text}")
    if not common:
        print("Changed: nothing that the records of all problems know of.")
    shown = found.pairs if len(found.pairs) <= DETAILED else _telling(found)[:DETAILED]
    names = dict(zip(map(id, found.pairs), short_names(found.pairs), strict=True))
    for pair in shown:
        _print_pair(names[id(pair)], pair)
        for text in pair.changed:
            if text not in common:
                print(f"Changed here: {text}")
    if len(shown) < len(found.pairs):
        print(
            f"{len(found.pairs) - len(shown)} more problems are not shown; --program chooses, --json has all."
        )
    for name, points in found.only.items():
        if points:
            print(f"Only in '{name}': {'; '.join(points)}")
    print(verdict(found))


def _telling(found: Comparison) -> list[Pair]:
    """Problems in which something got slower, then those in which something only got faster."""
    verdicts = [{row.verdict for row in pair.rows} for pair in found.pairs]
    slower = [pair for pair, seen in zip(found.pairs, verdicts, strict=True) if SLOWER in seen]
    return slower + [
        pair
        for pair, seen in zip(found.pairs, verdicts, strict=True)
        if SLOWER not in seen and FASTER in seen
    ]


def _print_pair(name: str, pair: Pair) -> None:
    columns = ["", "A", "B", "B / A [95 %]", "n", "verdict"]
    rows = [_line(row) for row in pair.rows if row.before_s or row.after_s]
    print_table(name, columns, rows, right=(1, 2, 3, 4))


def _line(row: Row) -> list[str]:
    middle = [units.seconds(value) if value is not None else "" for value in (row.before_s, row.after_s)]
    launches = f"{row.before_launches}, {row.after_launches}"
    one = row.ratio
    ratio = f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]" if one else ""
    return [row.phase or "time", *middle, ratio, launches, row.verdict]


def verdict(found: Comparison) -> str:
    """One sentence, with what luck alone would do."""
    counts = {
        name: sum(row.verdict == name for row in found.rows)
        for name in dict.fromkeys(r.verdict for r in found.rows)
    }
    said = ", ".join(f"{count} {name}" for name, count in counts.items())
    judged = sum(row.ratio is not None for row in found.rows)
    luck = f"; of {judged} intervals about {0.05 * judged:.0f} miss by luck" if judged >= 20 else ""
    head = "Slower" if counts.get(SLOWER) else "Not shown to be slower"
    return f"{head} (beyond {found.threshold:.3g}): {said}{luck}."
