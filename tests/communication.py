"""What a schedule communicates, as publications tabulate it: means over processors of one repetition."""

import subprocess
from collections import Counter
from dataclasses import dataclass, field

import msgspec

from hakaru.facts import programs
from hakaru.facts.schedules import Schedule


@dataclass
class Communication:
    """Operations by what they do, and bytes of puts and gets, summed over all ranks."""

    ranks: int
    total: Counter = field(default_factory=Counter)
    transfer_bytes: int = 0

    def mean(self, what: str) -> float:
        """Operations a rank: send, put, put of a stride, get, get of a stride, or the name of a collective."""
        return self.total[what] / self.ranks

    @property
    def message_bytes(self) -> float:
        """Mean length of puts and gets."""
        transfers = sum(self.total[what] for what in ("put", "put of a stride", "get", "get of a stride"))
        return self.transfer_bytes / transfers if transfers else 0.0


def of_schedule(schedule: Schedule) -> Communication:
    """Of what lies inside the region `repetition`, all ranks together."""
    found = Communication(schedule.ranks)
    for stream in schedule.streams:
        for operation, times in stream.timed():
            what = operation.do
            if what in ("begin", "end", "compute"):
                continue
            if what in ("put", "get"):
                found.transfer_bytes += stream.sharing * times * operation.bytes
                what += " of a stride" if schedule.is_strided(operation) else ""
            found.total["send" if what == "isend" else what] += stream.sharing * times
    return found


def of_app(name: str, ranks: int, *words: str) -> Communication:
    """Of the schedule that a built app says for so many ranks."""
    command = [programs.named(name).path, "schedule", *words, "--ranks", str(ranks)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return of_schedule(msgspec.json.decode(done.stdout, type=Schedule))
