"""How far a prediction leaves the measured range, and whether the data can carry it."""

from collections.abc import Sequence
from dataclasses import dataclass

from hakaru.facts.records.record import Cache
from hakaru.foretell.models.growth import Growth
from hakaru.foretell.models.observations import LEAST_SIZES, Observation, Point
from hakaru.foretell.models.prediction import Prediction

FAR_WORK = 16.0  # one doubling of N of a program whose work grows as N^4
REFUSED_WORK = 4096.0  # three doublings
FAR_DISAGREEMENT = 0.25
FAR_INTERVAL = 2.0  # high / low
CONDITION = "rests on no jump in cost beyond the measured sizes"


@dataclass(frozen=True)
class Verdict:
    """``flag``: ok, far or refused. ``factor``: work of the wanted run over the largest measured run's
    (sizes where no work is declared); below 1 inside the measured range. ``reason`` says it in words."""

    flag: str
    factor: float
    size_factor: float
    reason: str


def chosen_layout(observations: Sequence[Observation], target: Point) -> tuple[Observation, ...]:
    """Observations of the wanted layout where it has at least three sizes, or all of them."""
    own = tuple(one for one in observations if one.point.has_layout_of(target))
    return own if len({one.point.size for one in own}) >= LEAST_SIZES else tuple(observations)


def refusal(
    observations: Sequence[Observation],
    target: Point,
    growth: Growth | None,
    memory_bytes: float | None = None,
) -> str | None:
    """Why no prediction can be made from these observations on a machine with that much memory, or None."""
    sizes = sorted({one.point.size for one in observations})
    if not sizes:
        return "no run to rest on"
    if memory_bytes and target.memory_bytes and target.memory_bytes > memory_bytes:
        needed, there = target.memory_bytes / 1e9, memory_bytes / 1e9
        return f"it needs {needed:.3g} GB and this machine has {there:.3g} GB of memory"
    if growth is None and len(sizes) < LEAST_SIZES and sizes != [target.size]:
        measured = _several(len(sizes), "size")
        return f"{measured} measured, {LEAST_SIZES} are needed to see how the time grows"
    factor = _factors(observations, target)[0]
    if growth is None and factor > REFUSED_WORK:
        limit = f"{REFUSED_WORK:g} is the most that is extrapolated"
        return f"{factor:.3g} times the work of the largest run; {limit}"
    return None


def judge(
    prediction: Prediction,
    observations: Sequence[Observation],
    target: Point,
    growth: Growth | None,
    caches: Sequence[Cache] = (),
    cpus_online: int | None = None,
) -> Verdict:
    """Flag and reason of a prediction made from ``observations``; ``caches`` and ``cpus_online`` as in a
    record's environment."""
    factor, size_factor = _factors(observations, target)
    doubts = []
    if factor > FAR_WORK:
        doubts.append(f"{factor:.3g} times the work of the largest run (more than {FAR_WORK:g})")
    span = _span(observations, target)
    if growth is None and factor > max(span, 1.0) * 1.001:
        doubts.append(
            f"reaches further than the runs do: {factor:.3g} times the work, while they span {span:.3g}"
        )
    doubts += _layout_doubts(observations, target)
    if prediction.disagreement > FAR_DISAGREEMENT:
        doubts.append(f"models that fit alike differ by {100 * prediction.disagreement:.0f} %")
    time_s = prediction.time_s
    if time_s.high > FAR_INTERVAL * time_s.low:
        doubts.append("the interval is wider than a factor of two")
    doubts += _way_doubts(prediction) or _memory_doubts(observations, target, caches)
    if cpus_online and target.cores > cpus_online:
        doubts.append(f"asks for {target.cores} cores where the measured machine has {cpus_online}")
    if factor <= 1.0:
        reason = "; ".join(doubts) or "inside the measured range"
    else:
        far = "; ".join(doubts) or f"{factor:.3g} times the work of the largest run"
        reason = f"{far}; {CONDITION}"
    return Verdict("far" if doubts else "ok", factor, size_factor, reason)


def _work(point: Point) -> float:
    return point.count(None, "flops") + point.count(None, "bytes") + point.count(None, "message_bytes")


def _measure(observations: Sequence[Observation], target: Point):
    """Work where every point declares it, the size where one does not."""
    points = [target, *(one.point for one in observations)]
    return _work if all(_work(point) > 0.0 for point in points) else (lambda point: point.size)


def _factors(observations: Sequence[Observation], target: Point) -> tuple[float, float]:
    measure = _measure(observations, target)
    largest = max(measure(one.point) for one in observations)
    return measure(target) / largest, target.size / max(one.point.size for one in observations)


def _span(observations: Sequence[Observation], target: Point) -> float:
    values = [_measure(observations, target)(one.point) for one in observations]
    return max(values) / min(values)


def _layout_doubts(observations: Sequence[Observation], target: Point) -> list[str]:
    own = {one.point.size for one in observations if one.point.has_layout_of(target)}
    if len(own) == len({one.point.size for one in observations}):
        return []
    wanted = f"{_several(target.ranks, 'rank')} x {_several(target.threads, 'thread')}"
    if not own:
        return [f"{wanted} never ran; other layouts stand in for it"]
    return [f"{wanted} ran {_several(len(own), 'size')} only; other layouts stand in for it"]


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _way_doubts(prediction: Prediction) -> list[str]:
    """Where the machine's facts price the run: what they say that the growth of measured times does not."""
    if not prediction.ways:
        return []
    growth, facts = (way.usual_s for way in prediction.ways)
    if prediction.outgrown:
        return _outgrown_doubts(prediction)
    apart = facts.value / growth.value - 1.0
    if facts.low > growth.high or facts.high < growth.low:
        return [f"the machine's facts say {100 * apart:+.0f} % of what measured growth says"]
    return []


def _outgrown_doubts(prediction: Prediction) -> list[str]:
    told = ", ".join(prediction.emptied)
    left = ", ".join(phase for phase in prediction.outgrown if phase not in prediction.emptied)
    by = [f"{told} by the growth of runs with empty caches"] if told else []
    if left:
        cold = "runs with empty caches (--cold), or " if prediction.untold else ""
        by.append(
            f"{left} by measured memory rates, not by growth, and programs reach more or less of these: {cold}a sample of the wanted size "
            "(--sample) would tell"
        )
    return [f"its data outgrow the caches of every measured run: {'; '.join(by)}"]


def _memory_doubts(observations: Sequence[Observation], target: Point, caches: Sequence[Cache]) -> list[str]:
    wanted = memory_level(target, caches)
    levels = [memory_level(one.point, caches) for one in observations if one.point.memory_bytes]
    if wanted and levels and wanted not in levels:
        measured = " or ".join(sorted({level for level in levels if level}))
        return [f"its data live in {wanted}, those of every measured run in {measured}"]
    return []


def memory_level(point: Point, caches: Sequence[Cache]) -> str | None:
    """Smallest cache that holds what one of its instances is asked to hold, or ``memory``; None when caches
    are not known.

    ``memory_bytes`` is spread over the cores in use; a cache shared by several of them holds the part of
    each.
    """
    data = sorted(
        (cache for cache in caches if cache.type.lower() != "instruction" and cache.bytes),
        key=lambda cache: cache.level,
    )
    if not data or not point.memory_bytes:
        return None
    for cache in data:
        sharing = min(cache.shared_by or 1, point.cores)
        if point.memory_bytes * sharing / point.cores <= cache.bytes:
            return f"L{cache.level}"
    return "memory"
