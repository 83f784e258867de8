"""Levels of the memory hierarchy from the latency curve: how many, where each ends, how long a load takes.

The curve is a staircase with rounded steps. A piecewise constant function is fitted to the logarithm of the
latency by optimal partitioning (Jackson et al., IEEE Signal Processing Letters 12, 2005) with a bounded
loss, so that single outliers make no step (Fearnhead and Rigaill, "Changepoint detection in the presence of
outliers", Journal of the American Statistical Association 114, 2019). Wide pieces are plateaus, narrow ones
between them belong to a step. A capacity is the largest working set whose latency lies below the geometric
mean of two plateaus; its interval reaches from the end of one to the start of the other.
"""

import math
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median

from hakaru.base.units import capacity
from hakaru.facts.records import Cache, Record, data_caches

LOSS_BOUND = 3.0  # residuals beyond this many noise widths count no further
NOISE_FLOOR = 0.03  # of the logarithm of the latency: differences below 3 % are never a step
LEAST_STEP = 1.4  # ratio of the latencies of neighbouring levels
LEAST_WIDTH_OCTAVES = 1.25  # of a plateau between two steps
LEAST_WIDTH_AT_AN_END_OCTAVES = 0.5
MOST_MISMATCH_OCTAVES = (
    6.0  # between a capacity seen and the one reported: a guest gets as little as a 64th of a cache
)
REFERENCE_ORDER = ("random_local", "random", "sequential")


@dataclass(frozen=True)
class Level:
    """A plateau between the indices ``first`` and ``last`` of the curve.

    ``capacity`` in B with bounds ``low`` and ``high`` is where it ends (None: outermost); ``latency`` in s.
    """

    first: int
    last: int
    latency: float
    capacity: float | None = None
    low: float | None = None
    high: float | None = None
    name: str = ""


def noise_width(logarithms: list[float]) -> float:
    """Standard deviation of the noise around a staircase, from the absolute differences of neighbours."""
    differences = [abs(b - a) for a, b in zip(logarithms, logarithms[1:], strict=False)]
    return max(NOISE_FLOOR, 1.4826 * median(differences) / math.sqrt(2.0)) if differences else NOISE_FLOOR


def partition(logarithms: list[float], penalty: float) -> list[tuple[int, int]]:
    """Pieces (first, last) that minimise bounded losses around their medians plus ``penalty`` a piece."""
    width, count = noise_width(logarithms), len(logarithms)
    best, previous = [0.0] + [math.inf] * count, [0] * (count + 1)
    for end in range(1, count + 1):
        for begin in range(end):
            centre = median(logarithms[begin:end])
            loss = sum(min(abs(value - centre) / width, LOSS_BOUND) for value in logarithms[begin:end])
            if best[begin] + loss + penalty < best[end]:
                best[end], previous[end] = best[begin] + loss + penalty, begin
    pieces, end = [], count
    while end > 0:
        pieces.append((previous[end], end - 1))
        end = previous[end]
    return pieces[::-1]


def join_similar(pieces: list[tuple[int, int]], logarithms: list[float]) -> list[tuple[int, int]]:
    """Joins the most similar neighbours until all neighbours differ by a step at least."""
    pieces = list(pieces)
    while len(pieces) > 1:
        centres = [median(logarithms[first : last + 1]) for first, last in pieces]
        gaps = [abs(b - a) for a, b in zip(centres, centres[1:], strict=False)]
        smallest = min(range(len(gaps)), key=gaps.__getitem__)
        if gaps[smallest] >= math.log(LEAST_STEP):
            break
        pieces[smallest : smallest + 2] = [(pieces[smallest][0], pieces[smallest + 1][1])]
    return pieces


def plateaus(sizes: list[float], logarithms: list[float]) -> list[tuple[int, int]]:
    """Pieces that are levels: wide enough, each slower than the one before."""
    pieces = join_similar(partition(logarithms, 2.0 * math.log(len(sizes))), logarithms)
    grid = median([math.log2(b / a) for a, b in zip(sizes, sizes[1:], strict=False)])
    kept = []
    for first, last in pieces:
        width = math.log2(sizes[last] / sizes[first]) + grid
        at_an_end = first == 0 or last == len(sizes) - 1
        if width >= (LEAST_WIDTH_AT_AN_END_OCTAVES if at_an_end else LEAST_WIDTH_OCTAVES) - 1e-9:
            kept.append((first, last))
    rising: list[tuple[int, int]] = []
    for piece in kept:
        centre = median(logarithms[piece[0] : piece[1] + 1])
        if rising:
            before = median(logarithms[rising[-1][0] : rising[-1][1] + 1])
            if centre < before + math.log(LEAST_STEP):
                rising[-1] = (rising[-1][0], piece[1])
                continue
        rising.append(piece)
    return rising


def crossing(logarithms: list[float], lower: tuple[int, int], upper: tuple[int, int]) -> int:
    """Index of the last point below the middle of two plateaus: the split that misplaces fewest points."""
    middle = 0.5 * sum(median(logarithms[first : last + 1]) for first, last in (lower, upper))
    candidates = range(lower[0], upper[1])

    def misplaced(split: int) -> tuple[int, float]:
        wrong = sum(logarithms[i] > middle for i in range(lower[0], split + 1))
        wrong += sum(logarithms[i] <= middle for i in range(split + 1, upper[1] + 1))
        return wrong, abs(split - 0.5 * (lower[1] + upper[0]))

    return min(candidates, key=misplaced)


def find_levels(sizes: list[float], latencies: list[float]) -> list[Level]:
    """Levels of one curve, innermost first; none for fewer than four points.

    ``sizes`` in B ascending, ``latencies`` in s.
    """
    if len(sizes) < 4:
        return []
    logarithms = [math.log(latency) for latency in latencies]
    pieces = plateaus(sizes, logarithms)
    levels = []
    for index, (first, last) in enumerate(pieces):
        level = Level(first, last, median(latencies[first : last + 1]))
        if index + 1 < len(pieces):
            split = crossing(logarithms, pieces[index], pieces[index + 1])
            level = replace(
                level,
                last=min(last, split),
                capacity=sizes[split],
                low=sizes[min(last, split)],
                high=sizes[max(pieces[index + 1][0], split + 1)],
            )
        levels.append(level)
    return levels


def match(seen: list[float], reported: list[float]) -> list[int | None]:
    """Index of the reported capacity that each one seen belongs to, in order; None where none is near."""
    best, choice = math.inf, [None] * len(seen)
    for count in range(min(len(seen), len(reported)) + 1):
        for ours in combinations(range(len(seen)), count):
            for theirs in combinations(range(len(reported)), count):
                apart = [abs(math.log2(seen[i] / reported[j])) for i, j in zip(ours, theirs, strict=True)]
                if any(distance > MOST_MISMATCH_OCTAVES for distance in apart):
                    continue
                cost = sum(apart) + MOST_MISMATCH_OCTAVES * (len(seen) + len(reported) - 2 * count)
                if cost < best:
                    best, choice = cost, [None] * len(seen)
                    for i, j in zip(ours, theirs, strict=True):
                        choice[i] = j
    return choice


def name_levels(levels: list[Level], caches: list[Cache], largest: float) -> list[Level]:
    """Names after the caches that the kernel reports (more or fewer than were seen); else in order.

    The outermost level is memory when the working sets reached beyond the last cache reported, or when the
    step out of that cache was seen.
    """
    if not levels:
        return []
    reported = [float(cache.bytes) for cache in caches]
    inner = [level.capacity for level in levels[:-1]]
    indices = match(inner, reported) if reported else [None] * len(inner)
    names = []
    for number, index in enumerate(indices):
        if index is not None:
            names.append(f"L{caches[index].level}")
        else:
            names.append(f"step at {capacity(inner[number])}" if reported else f"L{number + 1}")
    matched = max((index for index in indices if index is not None), default=-1)
    beyond = not reported or largest >= 1.5 * reported[-1] or matched == len(reported) - 1
    names.append(
        "memory" if beyond and len(levels) > 1 else f"L{caches[matched + 1].level}" if reported else "L1"
    )
    return [replace(level, name=name) for level, name in zip(levels, names, strict=True)]


def curve_of(record: Record) -> dict[float, list[float]]:
    """Working set in B -> latency samples in s of the curve that levels are found from.

    It is the one with the least disturbed order, huge pages rather than base pages, and the smallest stride.
    """
    rows = record.rows("latency")
    if not rows:
        return {}

    def rank(row: dict) -> tuple:
        return REFERENCE_ORDER.index(row["pattern"]), row["pages"] != "huge", row["stride_bytes"]

    best = min(map(rank, rows))
    samples: dict[float, list[float]] = {}
    for row in rows:
        if rank(row) == best:
            samples.setdefault(float(row["working_set_bytes"]), []).append(row["latency_s"])
    return dict(sorted(samples.items()))


def distil(records: list[Record]) -> dict:
    """``memory.levels`` with capacity and latency as seen, the reported capacity beside; the unseen apart."""
    from hakaru.facts.machines import fact

    caches = data_caches(records)
    found: dict[str, list[tuple[str, Level, list[float]]]] = {}
    used = 0
    for record in records:
        curve = curve_of(record)
        sizes = list(curve)
        levels = find_levels(sizes, [median(samples) for samples in curve.values()])
        used += bool(levels)
        for level in name_levels(levels, caches, sizes[-1] if sizes else 0.0):
            samples = [s for size in sizes[level.first : level.last + 1] for s in curve[size]]
            found.setdefault(level.name, []).append((record.id, level, samples))
    # A level counts when at least half of the records show it.
    kept = {name: entries for name, entries in found.items() if 2 * len(entries) >= used}
    reported = {f"L{cache.level}": float(cache.bytes) for cache in caches}

    levels = []
    for name, entries in sorted(
        kept.items(), key=lambda item: median(level.latency for _, level, _ in item[1])
    ):
        ids = [identifier for identifier, _, _ in entries]
        entry: dict = {"name": name}
        ends = [level for _, level, _ in entries if level.capacity is not None]
        if ends:
            low, high = min(level.low for level in ends), max(level.high for level in ends)
            entry["capacity"] = fact(median(level.capacity for level in ends), "B", ids, low=low, high=high)
        if name in reported:
            entry["capacity_reported"] = {"value": reported[name], "unit": "B", "source": "operating system"}
        entry["latency"] = fact([s for _, _, samples in entries for s in samples], "s", ids)
        levels.append(entry)
    if not levels:
        return {}
    memory: dict = {"levels": levels}
    unseen = [name for name in reported if name not in kept]
    if unseen:
        memory["levels_not_seen"] = [
            {
                "level": name,
                "value": reported[name],
                "unit": "B",
                "source": "operating system",
                "note": "reported, but the latency curve shows no step of its own for it",
            }
            for name in unseen
        ]
    return {"memory": memory}
