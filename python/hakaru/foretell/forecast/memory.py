"""Peak memory of a run that was not made, from the peaks of those that were: grown with the size as times are, by the same models."""

from collections.abc import Sequence

from hakaru.facts.forecasts.forecast import Bytes, MemoryForecast
from hakaru.facts.records import Record
from hakaru.facts.work import Work
from hakaru.foretell import models

NAME = "memory"


def foretell(
    records: Sequence[Record], wanted: Work, ranks_of_node: int | None = None
) -> MemoryForecast | None:
    """Largest resident set of a rank, and of a node that holds so many ranks (None: all). None where no run on this number of ranks and
    threads said its own, or where they had fewer than three sizes and none was the wanted one."""
    found = _observations(records, wanted)
    target = _place(wanted)
    sizes = {one.point.size for one in found}
    if not found or (target.size not in sizes and len(sizes) < models.LEAST_SIZES):
        return None
    estimate = models.predict(found, target, {NAME: "compute"}).time_s
    rank = Bytes(value=estimate.value, low=estimate.low, high=estimate.high)
    return MemoryForecast(rank=rank, node=rank.times(ranks_of_node or wanted.ranks))


def _place(work: Work) -> models.Point:
    """Without its work, which grows with steps as memory does not."""
    return models.Point(float(work.size or 0.0), work.ranks, work.threads, parameters=work.parameters)


def _observations(records: Sequence[Record], wanted: Work) -> list[models.Observation]:
    """Peaks of the fullest rank by size, those of runs with as many ranks and threads; of launches without the tracer where there are any,
    which needs some itself."""
    groups: dict[float, list[Record]] = {}
    for record in records:
        if record.memory and record.ran and (record.ranks, record.threads) == (wanted.ranks, wanted.threads):
            groups.setdefault(record.work.size or 0.0, []).append(record)
    return [_observation(members) for _, members in sorted(groups.items())]


def _observation(members: Sequence[Record]) -> models.Observation:
    kept = [record for record in members if not record.traced] or members
    return models.Observation(
        _place(kept[-1].work),
        tuple({NAME: float(max(record.memory.rank_peak_bytes))} for record in kept),
        tuple(record.id for record in kept),
    )
