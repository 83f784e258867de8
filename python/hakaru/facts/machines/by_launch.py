"""What probes of messages share in distilling: which records count, and what a launch's samples count for."""

from typing import Any

import numpy as np

from hakaru.base.statistics import pseudo_median, pseudo_median_interval
from hakaru.facts.machines.fact import Entry, fact
from hakaru.facts.records import Record

ENOUGH_LAUNCHES = 6  # from here on a launch counts as one sample, since order statistics of six reach 95 %


def measures_messages(record: Record) -> bool:
    """Whether it is a good run of several ranks. Ranks that share a processor measure the scheduler, not the network."""
    return record.ran and record.ranks > 1 and not record.layout.oversubscribed


def by_launch(launches: list[list[float]]) -> list[float]:
    """Samples of a median: one a launch when there are enough launches, all samples pooled otherwise."""
    filled = [launch for launch in launches if launch]
    if len(filled) >= ENOUGH_LAUNCHES:
        return [float(np.median(launch)) for launch in filled]
    return [sample for launch in filled for sample in launch]


def over_launches(launches: list[list[float]], unit: str, record_ids: list[str], **keys: Any) -> Entry:
    """The fact of all samples. With enough launches it is the pseudo-median of theirs: on a shared host samples have two speeds, programs
    meet both, and the median is one of them by chance."""
    filled = [launch for launch in launches if launch]
    if len(filled) < ENOUGH_LAUNCHES:
        return fact(by_launch(launches), unit, record_ids, **keys)
    found = pseudo_median_interval([pseudo_median(launch) for launch in filled])
    return fact(found.value, unit, record_ids, low=found.low, high=found.high, count=found.count, **keys)
