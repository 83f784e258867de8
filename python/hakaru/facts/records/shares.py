"""Phases of launches that were not traced, from those of the same point that were: each phase has its share of the time.

A traced launch says where the time goes and is a little slower; the others say how long it takes. So the others get the traced ones'
shares, rank by rank, and the traced ones are no samples where there are others.
"""

from collections.abc import Iterable, Sequence
from statistics import fmean

from msgspec.structs import replace

from hakaru.facts.records.record import Phase, Record, Repetition

Shares = dict[str, list[float]]


def shared(records: Iterable[Record]) -> list[Record]:
    """The records as samples, in their order; those of hakaru's own programs as they are."""
    records = list(records)
    groups: dict[tuple, list[Record]] = {}
    for record in records:
        if record.kind == "command" and record.ok and record.repetitions:
            groups.setdefault((record.point, record.setting), []).append(record)
    samples: dict[str, Record | None] = {}
    for group in groups.values():
        samples |= _samples(group)
    found = [samples.get(record.id, record) for record in records]
    return [record for record in found if record is not None]


def _samples(group: Sequence[Record]) -> dict[str, Record | None]:
    traced = [record for record in group if record.traced]
    others = [record for record in group if not record.traced]
    if not others or not traced:
        return {}
    shares, phases = _shares(traced), _phases(traced)
    given = {record.id: _with(record, shares, phases) for record in others if not record.phases}
    return given | {record.id: None for record in traced}


def _phases(traced: Sequence[Record]) -> tuple[Phase, ...]:
    return tuple({phase.name: phase for record in traced for phase in record.phases}.values())


def _shares(traced: Sequence[Record]) -> Shares:
    """Of each phase, one share of a rank's own time for each rank, the mean over traced launches."""
    names = [phase.name for phase in _phases(traced)]
    repetitions = [repetition for record in traced for repetition in record.repetitions]
    ranks = range(min(len(one.rank_s) for one in repetitions))
    return {name: [fmean(_share(one, name, rank) for one in repetitions) for rank in ranks] for name in names}


def _share(repetition: Repetition, name: str, rank: int) -> float:
    whole = repetition.rank_s[rank]
    return repetition.rank_times(name)[rank] / whole if whole > 0.0 else 0.0


def _with(record: Record, shares: Shares, phases: tuple[Phase, ...]) -> Record:
    repetitions = tuple(
        replace(
            one,
            phases={
                name: tuple(share * time for share, time in zip(of_ranks, one.rank_s, strict=False))
                for name, of_ranks in shares.items()
                if len(of_ranks) == len(one.rank_s)
            },
        )
        for one in record.repetitions
    )
    return replace(record, phases=phases, repetitions=repetitions)
