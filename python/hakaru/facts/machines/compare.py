"""Two machine files side by side."""

from typing import Any

from hakaru.facts.machines.facts import keys_of, walk


def compare(first: dict[str, Any], second: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows for numeric facts that both machines have: path, keys, both values, ratio second / first, and whether the intervals are
    apart (None when one has no interval)."""
    index = {(path, tuple(sorted(keys_of(entry).items()))): entry for path, entry in walk(second)}
    rows = []
    for path, entry in walk(first):
        keys = keys_of(entry)
        other = index.get((path, tuple(sorted(keys.items()))))
        if other is None or not _numeric(entry) or not _numeric(other):
            continue
        rows.append(
            {
                "fact": path,
                "keys": keys,
                "unit": entry.get("unit", "1"),
                "first": entry["value"],
                "second": other["value"],
                "ratio": other["value"] / entry["value"] if entry["value"] else None,
                "differs": _apart(entry, other),
            }
        )
    return rows


def _numeric(entry: dict[str, Any]) -> bool:
    return isinstance(entry["value"], int | float)


def _apart(first: dict[str, Any], second: dict[str, Any]) -> bool | None:
    if not all("low" in entry and "high" in entry for entry in (first, second)):
        return None
    return first["high"] < second["low"] or second["high"] < first["low"]
