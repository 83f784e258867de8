"""What waiting for processors adds to a run: the longest wait of a thread, and a share of what the others waited.

Threads that meet often wait for one disturbance after the other, all together: the share is 1. Threads that meet at the end only wait side
by side, and the longest wait counts: it is 0. Launches tell which it is: their times less what was added agree best with the right share.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, median

from hakaru.facts.records.record import Record, Repetition

SHARES = tuple(tenth / 10 for tenth in range(11))
ENOUGH = 5  # repetitions of a problem
SEEN = 0.01  # of the time: less than this adds nothing that could be told from noise


def share_that_adds(records: Iterable[Record]) -> float:
    """Of the waits of all threads but the longest, in runs of one program on one layout. 0 on one core, and where too little was waited
    to tell."""
    problems: dict[str, list[Repetition]] = defaultdict(list)
    for record in records:
        if record.layout.cores > 1:
            problems[json.dumps(record.parameters, sort_keys=True)] += record.repetitions
    told = [one for one in problems.values() if len(one) >= ENOUGH and _others(one) > SEEN]
    return min(SHARES, key=lambda share: sum(_apart(one, share) for one in told)) if told else 0.0


def _others(repetitions: Sequence[Repetition]) -> float:
    """Waits beside the longest, as a share of the time."""
    return fmean(one.left_alone(0.0) - one.left_alone(1.0) for one in repetitions)


def _apart(repetitions: Sequence[Repetition], share: float) -> float:
    """Sum of the relative distances from the median of what was left."""
    times_s = [one.wall_s * one.left_alone(share) for one in repetitions]
    middle_s = median(times_s)
    return sum(abs(time_s / middle_s - 1.0) for time_s in times_s) if middle_s > 0.0 else 0.0
