"""Bandwidth of memory by kernel and number of cores, in both counting conventions, and of each cache level.

Rate of a sample = bytes of the kernel for one element * elements / seconds. The fact is the median of all
samples with its distribution-free interval; ``best`` keeps the largest rate, which is what STREAM prints.
"""

import math
from collections.abc import Iterable

from hakaru.facts.records import Cache, Record, data_caches

# Bytes of one element: loaded and stored (STREAM's count), and with the read of each written cache line.
BYTES = {
    "copy": (16, 24),
    "scale": (16, 24),
    "add": (24, 32),
    "triad": (24, 32),
    "read": (8, 8),
    "triad_nontemporal": (24, 24),
}
ELEMENT_BYTES = 8
ARRAYS = 3
# Working sets of a level lie between MARGIN x the level below and 1 / MARGIN of the level, clear of both.
MARGIN = 2.0


def capped(record: Record) -> str:
    """Why the arrays are smaller than STREAM's rule wants, or ''."""
    return next((row["capped"] for row in record.rows("conditions") if row["capped"] != "no"), "")


def by_rule_first(records: list[Record]) -> list[Record]:
    """Records with arrays by the rule; all of them when each one is capped."""
    return [record for record in records if not capped(record)] or records


def stream_facts(records: list[Record], convention: int) -> list[dict]:
    """Facts in B/s by kernel and cores; ``convention`` 0 is STREAM's count, 1 counts the write-allocate."""
    from hakaru.facts.machines import fact

    rates: dict[tuple[str, int], list[float]] = {}
    sources: dict[tuple[str, int], list[str]] = {}
    for record in records:
        for row in record.rows("stream"):
            key = (row["kernel"], row["cores"])
            elements = row["bytes_per_array"] / ELEMENT_BYTES
            rates.setdefault(key, []).append(BYTES[row["kernel"]][convention] * elements / row["seconds"])
            ids = sources.setdefault(key, [])
            if record.id not in ids:
                ids.append(record.id)
    note = next((reason for reason in map(capped, records) if reason), "")
    facts = []
    for kernel, cores in sorted(rates, key=lambda key: (list(BYTES).index(key[0]), key[1])):
        key = (kernel, cores)
        entry = fact(rates[key], "B/s", sources[key], kernel=kernel, cores=cores, best=max(rates[key]))
        facts.append({**entry, "note": note} if note else entry)
    return facts


def share(cache: Cache, cores: int) -> float:
    """Bytes of a cache for each of ``cores`` cores that are as close together as they can be."""
    return cache.bytes / min(cores, max(cache.shared_by, 1))


def inside(sizes: Iterable[float], below: float, above: float) -> list[float]:
    """The working sets well inside a level that follows one of ``below`` B and ends at ``above`` B.

    When there are none: the one nearest to the geometric middle, if any lies between the two at all.
    """
    sizes = sorted(sizes)
    well_inside = [size for size in sizes if MARGIN * below <= size <= above / MARGIN]
    if well_inside:
        return well_inside
    between = [size for size in sizes if below < size < above]
    middle = math.sqrt(max(below, 1.0) * above)
    return [min(between, key=lambda size: abs(math.log(size / middle)))] if between else []


def sweep_rates(records: list[Record]) -> dict[int, dict[float, list[tuple[str, float]]]]:
    """Cores -> working set of each core in B -> (record id, triad rate of all cores together in B/s)."""
    found: dict[int, dict[float, list[tuple[str, float]]]] = {}
    for record in records:
        for row in record.rows("sweep"):
            if row["kernel"] != "triad":
                continue
            elements = row["bytes_per_array"] / ELEMENT_BYTES
            rate = BYTES["triad"][0] * elements * row["cores"] / row["seconds"]
            working_set = float(ARRAYS * row["bytes_per_array"])
            found.setdefault(row["cores"], {}).setdefault(working_set, []).append((record.id, rate))
    return found


def level_facts(records: list[Record]) -> list[dict]:
    """``memory.levels`` entries with the triad bandwidth by cores of each cache that the kernel reports."""
    from hakaru.facts.machines import fact

    caches, rates = data_caches(records), sweep_rates(records)
    levels = []
    for index, cache in enumerate(caches):
        facts = []
        for cores, by_size in sorted(rates.items()):
            below = share(caches[index - 1], cores) if index else 0.0
            chosen = inside(by_size, below, share(cache, cores))
            samples = [sample for size in chosen for sample in by_size[size]]
            if samples:
                ids = list(dict.fromkeys(identifier for identifier, _ in samples))
                values = [rate for _, rate in samples]
                facts.append(fact(values, "B/s", ids, kernel="triad", cores=cores, best=max(values)))
        if facts:
            levels.append({"name": f"L{cache.level}", "bandwidth": facts})
    return levels


def beyond_caches(records: list[Record]) -> dict[int, dict[float, list[tuple[str, float]]]]:
    """As ``sweep_rates``, of STREAM's triad, whose arrays the cores share: where the curve ends."""
    found: dict[int, dict[float, list[tuple[str, float]]]] = {}
    for record in records:
        for row in record.rows("stream"):
            if row["kernel"] == "triad":
                working_set = float(ARRAYS * row["bytes_per_array"] / row["cores"])
                rate = BYTES["triad"][0] * row["bytes_per_array"] / ELEMENT_BYTES / row["seconds"]
                found.setdefault(row["cores"], {}).setdefault(working_set, []).append((record.id, rate))
    return found


def curve_facts(records: list[Record]) -> list[dict]:
    """Triad rate of all cores together by cores and by the working set of each of them (``bytes``)."""
    from hakaru.facts.machines import fact

    facts, ends = [], beyond_caches(records)
    for cores, by_size in sorted(sweep_rates(records).items()):
        largest = max(by_size)
        by_size = by_size | {size: end for size, end in ends.get(cores, {}).items() if size > largest}
        for size, samples in sorted(by_size.items()):
            ids = list(dict.fromkeys(identifier for identifier, _ in samples))
            rates = [rate for _, rate in samples]
            facts.append(fact(rates, "B/s", ids, kernel="triad", cores=cores, bytes=size))
    return facts


def indexed_facts(records: list[Record]) -> list[dict]:
    """Rate of products of square sparse matrices by cores, elements of a row (``row``) and the working set of each core (``bytes``), of all
    cores together; 12 B an element and 16 B a row."""
    from hakaru.facts.machines import fact
    from hakaru.facts.machines.machine import SPARSE_ROW

    found: dict[tuple[int, int, float], dict[str, list[float]]] = {}
    for record in records:
        for row in record.rows("indexed"):
            key = (row["cores"], row.get("row_elements", SPARSE_ROW), float(row["working_set_bytes"]))
            rates = found.setdefault(key, {})
            rates.setdefault(record.id, []).append(row["cores"] * row["working_set_bytes"] / row["seconds"])
    return [
        fact(sum(rates.values(), []), "B/s", list(rates), cores=cores, row=row, bytes=size)
        for (cores, row, size), rates in sorted(found.items())
    ]


def distil(records: list[Record]) -> dict:
    """``memory.bandwidth``, ``memory.bandwidth_write_allocate``, the curves ``memory.working_sets`` and ``memory.indexed_sets`` and the
    bandwidths of ``memory.levels``."""
    chosen = by_rule_first(records)
    bandwidth = stream_facts(chosen, 0)
    if not bandwidth:
        return {}
    levels = level_facts(records)
    memory_level = [dict(entry) for entry in bandwidth if entry["kernel"] == "triad"]
    if levels and memory_level:
        levels.append({"name": "memory", "bandwidth": memory_level})
    tree = {"bandwidth": bandwidth, "bandwidth_write_allocate": stream_facts(chosen, 1)}
    curve = curve_facts(records)
    tree |= {"working_sets": curve} if curve else {}
    indexed = indexed_facts(records)
    tree |= {"indexed_sets": indexed} if indexed else {}
    return {"memory": {**tree, "levels": levels} if levels else tree}
