"""Facts from records of the probe ``vector_length``: Hockney's two numbers by fit, and the lengths at which threads pay."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hakaru.facts.records import Record, Row, data_caches

FLOPS = ("daxpy", "dot", "polynomial", "divide", "divide equal")  # the others count results
MOST_RESIDUAL = 0.3  # of a time: a fit that misses more is no fact
FEWEST_LENGTHS = 4
SOFT = 0.03
PARTS = 3  # of the samples
ONE = "one"
SHARE_OF_L1 = 0.5  # beyond, other data and lines of one set push vectors out

Key = tuple[str, str, str, int]  # kernel, language, way, cores


@dataclass(frozen=True)
class Line:
    """t(n) = (n + n_half) / rate, in s; ``residual``: the largest |fitted - measured| / measured. Hockney and Jesshope, Parallel Computers 2 (1988)."""

    rate: float
    n_half: float
    residual: float


def fitted(times: Mapping[int, float]) -> Line | None:
    """The line through times of a vector by its length: least squares of relative errors, where errors of more than SOFT count by their size only,
    so that a disturbed time does not turn the line. None where it does not rise, or points are few."""
    import numpy as np
    from scipy.optimize import least_squares

    if len(times) < FEWEST_LENGTHS:
        return None
    lengths, seconds = (np.array(part, dtype=float) for part in zip(*sorted(times.items()), strict=True))
    system = np.stack([1.0 / seconds, lengths / seconds], axis=1)
    scale = np.array([seconds[0], seconds[-1] / lengths[-1]])
    found = least_squares(
        lambda unknowns: system @ (unknowns * scale) - 1.0, np.ones(2), loss="soft_l1", f_scale=SOFT
    )
    start, slope = found.x * scale
    if slope <= 0.0:
        return None
    return Line(1.0 / float(slope), float(start / slope), residual_of(float(start), float(slope), times))


def residual_of(start: float, slope: float, times: Mapping[int, float]) -> float:
    """The largest |fitted - measured| / measured."""
    return max(abs((start + slope * length) / seconds - 1.0) for length, seconds in times.items())


def per_vector(row: Row) -> float:
    """Seconds of a vector: threads with a vector each count as so many times faster."""
    return row["seconds"] / row["passes"] / row["vectors"]


def times_of(records: Sequence[Record]) -> dict[Key, dict[int, list[float]]]:
    """Seconds of a vector by its length, sample by sample."""
    found: dict[Key, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        for row in record.rows("vectors"):
            key = (row["kernel"], row["language"], row["way"], row["cores"])
            found[key][row["length"]].append(per_vector(row))
    return {key: dict(own) for key, own in found.items()}


def per_element(records: Sequence[Record], column: str) -> dict[str, float]:
    return {
        row["kernel"]: row[column] / row["length"] for record in records for row in record.rows("vectors")
    }


def least(times: Mapping[int, Sequence[float]], part: int = 0, parts: int = 1) -> dict[int, float]:
    """The least time of each length, of every ``parts``-th sample: what disturbs only adds."""
    return {length: min(own[part::parts]) for length, own in times.items()}


def parts_of(times: Mapping[int, Sequence[float]]) -> int:
    """Into how many parts the samples go, each with an answer of its own."""
    return min(PARTS, min((len(own) for own in times.values()), default=0))


def lines_of(times: Mapping[int, Sequence[float]], most: float) -> list[Line]:
    """A fit for each part of the samples, over the lengths of at most ``most`` elements; the last one is of all samples. Empty where that is none."""
    inside = {length: own for length, own in times.items() if length <= most}
    parts = parts_of(inside)
    whole = fitted(least(inside))
    lines = [fitted(least(inside, part, parts)) for part in range(parts)]
    return [line for line in lines if line is not None] + [whole] if whole else []


def break_evens(one: Mapping[int, Sequence[float]], other: Mapping[int, Sequence[float]]) -> list[float]:
    """``break_even`` of each part of the samples; empty where most have none."""
    lengths = set(one) & set(other)
    both = [{n: own[n] for n in lengths} for own in (one, other)]
    parts = min(map(parts_of, both))
    found = [break_even(least(both[0], part, parts), least(both[1], part, parts)) for part in range(parts)]
    there = [length for length in found if length is not None]
    return there if 2 * len(there) > parts else []


def break_even(one: Mapping[int, float], other: Mapping[int, float]) -> float | None:
    """The length from which ``other`` is faster than ``one``: where the fewest lengths contradict it, a longer one where several do as well;
    interpolated in logarithms. The shortest length where it always is faster, None where it never is."""
    lengths = sorted(one)
    gains = [math.log(one[n] / other[n]) for n in lengths]

    def contradicting(split: int) -> int:
        return sum(gain > 0.0 for gain in gains[:split]) + sum(gain <= 0.0 for gain in gains[split:])

    split = min(range(len(gains) + 1), key=lambda place: (contradicting(place), -place))
    if split == len(gains):
        return None
    if split == 0:
        return float(lengths[0])
    low, high = gains[split - 1], gains[split]
    share = -low / (high - low) if low <= 0.0 < high else 0.5
    return math.exp(math.log(lengths[split - 1]) + share * math.log(lengths[split] / lengths[split - 1]))


def unit_of(kernel: str) -> str:
    return "flop/s" if kernel in FLOPS else "1/s"


def distil(records: list[Record]) -> dict:
    """``compute.vector``: ``r_inf`` in flop/s (results a second where a kernel computes nothing) and ``n_half`` in elements, of one core with its data
    in half of L1, by ``kernel`` and ``language``, each with the ``residual`` of its fit; ``break_even``: the length from which ``cores`` that share a vector
    (``inner``), or have one each (``outer``), are faster than one. ``findings``: fits that miss, which are no facts.
    """
    from hakaru.facts.machines import fact

    records = [record for record in records if record.ran]
    ids = [record.id for record in records]
    operations, sizes = (per_element(records, column) for column in ("operations", "bytes"))
    times = times_of(records)
    first = min((cache.bytes for cache in data_caches(records) if cache.level == 1), default=32768)
    tree: dict[str, list[Any]] = defaultdict(list)
    for (kernel, language, way, cores), own in times.items():
        about = {"kernel": kernel, "language": language}
        if way != ONE:
            if lengths := break_evens(times.get((kernel, language, ONE, 1), {}), own):
                tree["break_even"].append(fact(lengths, "1", ids, **about, way=way, cores=cores))
            continue
        lines = lines_of(own, SHARE_OF_L1 * first / sizes[kernel])
        if lines and lines[-1].residual <= MOST_RESIDUAL:
            more = about | {"residual": round(lines[-1].residual, 4)}
            rates = [operations[kernel] * line.rate for line in lines[:-1]]
            tree["r_inf"].append(fact(rates, unit_of(kernel), ids, **more))
            tree["n_half"].append(fact([line.n_half for line in lines[:-1]], "1", ids, **more))
        elif lines:
            tree["findings"].append(finding(kernel, language, lines[-1].residual, ids))
    return {"compute": {"vector": dict(tree)}} if tree else {}


def finding(kernel: str, language: str, residual: float, ids: Sequence[str]) -> dict[str, Any]:
    return {
        "value": f"{kernel} in {language}: a straight line misses its times in half of L1 by {100 * residual:.0f} %, so that it has no r_inf and n_1/2",
        "source": f"probe {', '.join(ids)}",
    }
