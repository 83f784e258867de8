"""What probes of messages share in distilling: which records count, and what a launch's samples count for."""

import numpy as np

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
