"""A machine as a table with bars: the facts that people ask for first, then how many more there are."""

from typing import Any

from hakaru.base.units import shown
from hakaru.facts.machines.facts import keys_of, walk

BAR = 12  # characters
MOST_SHOWN = 8  # facts of one path


def bar(value: float, largest: float) -> str:
    return "█" * max(1, round(BAR * value / largest)) if largest > 0 and value > 0 else ""


def shortened(text: str, most: int = 20) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def interval(entry: dict[str, Any]) -> str:
    if "low" not in entry or "high" not in entry:
        return ""
    unit = entry.get("unit", "1")
    low, high = shown(entry["low"], unit), shown(entry["high"], unit)
    same_unit = low.rpartition(" ")[2] == high.rpartition(" ")[2]
    return f"{low.rpartition(' ')[0] if same_unit else low} to {high}"


def print_machine(machine: dict[str, Any]) -> None:
    """Facts grouped by path, the path above its facts; a bar compares the facts of one path and unit."""
    from hakaru.base.tables import print_table

    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for path, entry in walk(machine):
        groups.setdefault((path, entry.get("unit", "text")), []).append(entry)
    rows = []
    for (path, unit), entries in groups.items():
        rows += _group(path, unit, entries)
    print_table(
        f"{machine['name']}: {machine.get('description', '')} ({machine['kind']}, {machine['date']})",
        ["fact", "value", "95 % interval", ""],
        rows,
        wrap=False,
    )


def _group(path: str, unit: str, entries: list[dict[str, Any]]) -> list[list[str]]:
    """Rows of the facts of one path: one line when there is a single fact, else the path and a line each."""
    numbers = [entry["value"] for entry in entries if isinstance(entry["value"], int | float)]
    rows = [] if len(entries) == 1 else [[path, "", "", ""]]
    for entry in entries[:MOST_SHOWN]:
        about = " ".join(f"{name}={value}" for name, value in keys_of(entry).items() if name != "name")
        name = f"{path} {about}".strip() if len(entries) == 1 else f"  {about}"
        value = entry["value"]
        text = shown(value, unit) if isinstance(value, int | float) else shortened(value)
        picture = bar(value, max(numbers)) if len(numbers) > 1 and isinstance(value, int | float) else ""
        rows.append([shortened(name, 40), text, interval(entry), picture])
    if len(entries) > MOST_SHOWN:
        rows.append([f"  ... {len(entries) - MOST_SHOWN} more in the file", "", "", ""])
    return rows
