"""Facts of a machine file by key: the bound that holds for so many cores, and where it comes from."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace

NETWORK_LEVELS = ("core", "socket", "node", "switch")


@dataclass(frozen=True)
class Fact:
    """``value`` in ``unit`` for ``cores`` cores; ``note`` says when the machine file has no fact at exactly
    that count.
    """

    value: float
    unit: str
    cores: int
    name: str
    source: str
    note: str = ""


def values(machine: dict | None, *path: str) -> list[dict]:
    """The array of facts at ``path``; empty where the file has none."""
    node: object = machine or {}
    for key in path:
        node = node.get(key, {}) if isinstance(node, dict) else {}
    return [entry for entry in node if "value" in entry] if isinstance(node, list) else []


def value(machine: dict | None, *path: str) -> dict | None:
    """The single fact at ``path``."""
    node: object = machine or {}
    for key in path:
        node = node.get(key, {}) if isinstance(node, dict) else {}
    return node if isinstance(node, dict) and "value" in node else None


def walk(node: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict]]:
    """Every fact of the tree with its path."""
    if isinstance(node, dict):
        if "value" in node:
            yield path, node
            return
        for key, child in node.items():
            yield from walk(child, (*path, str(key)))
    elif isinstance(node, list):
        for entry in node:
            if isinstance(entry, dict) and "value" not in entry and "name" in entry:
                yield from walk({k: v for k, v in entry.items() if k != "name"}, (*path, str(entry["name"])))
            else:
                yield from walk(entry, path)


def at_cores(facts: list[dict], cores: int, name: str) -> Fact | None:
    """The fact for ``cores`` cores: exact, else of the next larger count (still an upper bound), else of the
    largest.
    """
    best: dict[int, dict] = {}
    for fact in facts:
        if "cores" in fact and fact["value"] > best.get(fact["cores"], {"value": 0.0})["value"]:
            best[fact["cores"]] = fact
    known = [best[count] for count in sorted(best)]
    if not known:
        return None
    index = bisect_left([fact["cores"] for fact in known], cores)
    fact = known[min(index, len(known) - 1)]
    note = "" if fact["cores"] == cores else f"no fact for {cores} cores, that of {fact['cores']} is used"
    return Fact(fact["value"], fact.get("unit", ""), fact["cores"], name, fact.get("source", ""), note)


def peak(machine: dict | None, cores: int, precision: str = "double") -> Fact | None:
    """Largest measured rate of arithmetic in that precision: fused multiply-add, or DGEMM where it is faster.

    Facts that name no precision are double. Without any in single precision, the double one is given, noted.
    """
    fma = [fact for fact in values(machine, "compute", "kernels") if fact.get("kernel") == "fma"]
    sources = {
        "fma_peak": values(machine, "compute", "fma_peak") + fma,
        "dgemm": values(machine, "compute", "dgemm"),
    }
    found = [
        at_cores([f for f in entries if f.get("precision", "double") == precision], cores, name)
        for name, entries in sources.items()
    ]
    best = max((fact for fact in found if fact), key=lambda fact: fact.value, default=None)
    if best is None and precision != "double":
        best = peak(machine, cores)
        return best and replace(best, note=f"no peak in {precision} precision, that in double is used")
    return best


def bandwidth(machine: dict | None, cores: int, write_allocate: bool = True) -> Fact | None:
    """Memory bandwidth of the fastest STREAM kernel, in the counting convention of the bytes it is compared
    with.
    """
    key = "bandwidth_write_allocate" if write_allocate else "bandwidth"
    facts = values(machine, "memory", key)
    kernels = sorted({fact.get("kernel", "") for fact in facts})
    found = [
        at_cores([f for f in facts if f.get("kernel", "") == kernel], cores, kernel) for kernel in kernels
    ]
    return max((fact for fact in found if fact), key=lambda fact: fact.value, default=None)


def levels(machine: dict | None) -> list[dict]:
    """Levels of the memory hierarchy: name, capacity in B as seen, else as reported, latency in s; those with a latency in its order.

    Several probes may each tell a part of a level under its name, and a level that only one of them sees comes last in the file.
    """
    found: dict[str, dict] = {}
    for entry in (machine or {}).get("memory", {}).get("levels", []):
        level = found.setdefault(entry.get("name", "?"), {})
        for name, fact in entry.items():
            if isinstance(fact, dict) and "value" in fact:
                level[name] = fact["value"]
    levels = [
        {
            "name": name,
            "capacity": level.get("capacity", level.get("capacity_reported")),
            "latency": level.get("latency"),
        }
        for name, level in found.items()
    ]
    by_latency = iter(sorted((one for one in levels if one["latency"]), key=lambda one: one["latency"]))
    return [next(by_latency) if one["latency"] else one for one in levels]


def last_cache_bytes(machine: dict | None) -> float | None:
    """Capacity of the largest cache, in B."""
    capacities = [
        level["capacity"] for level in levels(machine) if level["capacity"] and level["name"] != "memory"
    ]
    return max(capacities, default=None)


def cores(machine: dict | None) -> int | None:
    fact = value(machine, "processor", "cores")
    return int(fact["value"]) if fact else None


def pingpong_s(machine: dict | None, message_bytes: float) -> tuple[float, str] | None:
    """Time in s of one message of that size on the fastest level known, linear between the measured sizes."""
    for level in NETWORK_LEVELS:
        points = sorted(
            (fact["bytes"], fact["value"]) for fact in values(machine, "network", level, "pingpong")
        )
        if not points:
            continue
        if len(points) == 1 or message_bytes <= points[0][0]:
            return points[0][1], level
        index = min(max(bisect_left([size for size, _ in points], message_bytes), 1), len(points) - 1)
        (x0, t0), (x1, t1) = points[index - 1], points[index]
        return t0 + (t1 - t0) * (message_bytes - x0) / (x1 - x0), level
    return None
