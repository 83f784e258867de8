"""Rates of the probe ``files`` by way, blocks and processes. The value of a launch is the median of its samples."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median
from types import ModuleType
from typing import NamedTuple

from hakaru.base.statistics import Interval, median_interval
from hakaru.facts.records import Record

CACHE, DISK = "cached", "synced"  # the report's cache time and disk time, columns of the probe
INDEPENDENT, COLLECTIVE, SPLIT, MASTER = "independent", "collective", "split", "master"
DIRECT = "split, direct"  # past the page cache
STRIDED = (4, 16, 256)  # blocks of each process in turns


class Key(NamedTuple):
    """``time``: CACHE or DISK; one block is contiguous data."""

    time: str
    way: str
    blocks: int
    ranks: int


@dataclass(frozen=True)
class Rates:
    """``launches``: B/s of all processes by round; ``bytes`` of each process, and ``trials`` of a pattern, by number of processes;
    ``reach``: local, shared or memory, of the folder's file system."""

    launches: Mapping[Key, Mapping[int, float]] = field(default_factory=dict)
    bytes: Mapping[int, int] = field(default_factory=dict)
    trials: Mapping[int, int] = field(default_factory=dict)
    file_system: str = ""
    reach: str = ""

    @property
    def has_disk(self) -> bool:
        return self.reach in ("local", "shared")

    def of(self, key: Key) -> Interval | None:
        """B/s, the interval over launches; None where it was not measured."""
        found = self.launches.get(key)
        return median_interval(list(found.values())) if found else None

    def ratio(self, one: Key, other: Key) -> Interval | None:
        """Rate over rate in the same round; None where no round has both."""
        above, below = self.launches.get(one, {}), self.launches.get(other, {})
        values = [above[number] / below[number] for number in above if number in below]
        return median_interval(values) if values else None


def of_records(records: Iterable[tuple[int, Record]], distiller: ModuleType) -> Rates:
    """Of (round, record); ``distiller``: that of the probe. Writes of few bytes, which are for latencies, are left out, and so are processes
    that share cores: the probe times each from its own start, and they start after each other."""
    samples: dict[Key, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    bytes_, trials, places = {}, defaultdict(int), []
    for number, record in records:
        if record.layout.oversubscribed:
            continue
        places += record.rows("places")
        for row in record.rows("writes"):
            if distiller.is_small((row["way"], row["blocks"], row["ranks"], row["bytes"])):
                continue
            bytes_[row["ranks"]] = row["bytes"] // row["ranks"]
            trials[row["ranks"]] += row["way"] == INDEPENDENT and row["blocks"] == 1
            for time in (CACHE, DISK):
                key = Key(time, row["way"], row["blocks"], row["ranks"])
                samples[key][number].append(row["bytes"] / row[time])
    launches = {key: {number: median(own) for number, own in found.items()} for key, found in samples.items()}
    place = places[0] if places else {"file_system": "", "reach": ""}
    return Rates(launches, bytes_, dict(trials), place["file_system"], place["reach"])
