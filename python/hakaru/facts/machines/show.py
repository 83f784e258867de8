"""A machine as a table with bars: the facts that people ask for first, then how many more there are."""

from hakaru.base.units import shown
from hakaru.facts.machines.fact import Fact
from hakaru.facts.machines.hidden_threads import hidden_threads
from hakaru.facts.machines.machine import Machine
from hakaru.facts.machines.missing import missing

BAR = 12  # characters
MOST_SHOWN = 8  # facts of one path


def bar(value: float, largest: float) -> str:
    return "█" * max(1, round(BAR * value / largest)) if largest > 0 and value > 0 else ""


def shortened(text: str, most: int = 20) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def interval(fact: Fact) -> str:
    if not fact.has_interval:
        return ""
    unit = fact.unit or "1"
    low, high = shown(fact.low, unit), shown(fact.high, unit)
    same_unit = low.rpartition(" ")[2] == high.rpartition(" ")[2]
    return f"{low.rpartition(' ')[0] if same_unit else low} to {high}"


def print_machine(machine: Machine) -> None:
    """Facts grouped by path, the path above its facts; a bar compares the facts of one path and unit."""
    from hakaru.base.tables import print_table

    groups: dict[tuple[str, str], list[Fact]] = {}
    for path, fact in machine.walk():
        groups.setdefault((path, fact.unit or "text"), []).append(fact)
    rows = []
    for (path, unit), facts in groups.items():
        rows += _group(path, unit, facts)
    print_table(
        machine.title,
        ["fact", "value", "95 % interval", ""],
        rows,
        wrap=False,
    )
    if shared := hidden_threads(machine):
        print(f"attention: {shared.words}")
    for one in missing(machine):
        print(f"not said: {one.name}; {one.without}")


def _group(path: str, unit: str, facts: list[Fact]) -> list[list[str]]:
    """Rows of the facts of one path: one line when there is a single fact, else the path and a line each."""
    numbers = [fact.value for fact in facts if fact.is_number]
    rows = [] if len(facts) == 1 else [[path, "", "", ""]]
    for fact in facts[:MOST_SHOWN]:
        about = " ".join(f"{name}={value}" for name, value in fact.keys.items() if name != "name")
        name = f"{path} {about}".strip() if len(facts) == 1 else f"  {about}"
        text = shown(fact.value, unit) if fact.is_number else shortened(fact.value)
        picture = bar(fact.value, max(numbers)) if len(numbers) > 1 and fact.is_number else ""
        rows.append([shortened(name, 40), text, interval(fact), picture])
    if len(facts) > MOST_SHOWN:
        rows.append([f"  ... {len(facts) - MOST_SHOWN} more in the file", "", "", ""])
    return rows
