"""Which way of writing suits a program's own files: each priced by facts of the probe ``storage``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.foretell.advise.written import COLLECTIVE, MASTER, OWN, SHARED, Written

FACTS = "storage.ways"
LARGE = 1 << 20  # B of a call into which small ones can be gathered
CLOSE = 1.05  # times the best: not told apart
TOLD = {
    (OWN, "parts"): "a file for each rank",
    (SHARED, "parts"): "one, independent",
    (SHARED, "interleaved"): "one, independent, in turns",
    (COLLECTIVE, "parts"): "one, collective",
    (COLLECTIVE, "interleaved"): "one, collective, in turns",
    (MASTER, "parts"): "one, rank 0 gathers",
}


@dataclass(frozen=True)
class Cost:
    """Of a file (or one for each rank): open_s + calls of a rank x call_s + bytes of all ranks / bandwidth."""

    open_s: float
    call_s: float
    bandwidth: float

    def seconds(self, calls: float, size: float, rounds: int) -> float:
        return rounds * (self.open_s + calls * self.call_s + size / self.bandwidth)


@dataclass(frozen=True)
class Priced:
    """A way of writing these files. ``calls`` of a rank for a file; ``today``: it is what the program does, as far as a trace tells;
    ``close``: not to be told from the fastest."""

    way: str
    pattern: str
    calls: int
    time_s: float
    low_s: float
    high_s: float
    today: bool = False
    close: bool = False

    @property
    def told(self) -> str:
        return TOLD[self.way, self.pattern]


@dataclass(frozen=True)
class Costs:
    """By way and pattern: value, and the ends of the interval; ``ranks``: of the runs that they come from."""

    ranks: int
    synced: bool
    of: dict[tuple[str, str], tuple[Cost, Cost, Cost]]
    source: str


def costs(machine: Machine, ranks: int) -> Costs:
    """For so many ranks, or the nearest number that was measured. Raises UserError where the machine does not say them."""
    opened = machine.facts(f"{FACTS}.open")
    if not opened:
        raise UserError(
            f"the machine '{machine.name}' does not say what ways of writing take",
            f"there are no facts {FACTS}",
            "measure them where the files are written: hakaru probe storage",
        )
    counts = {one.keys["ranks"] for one in opened}
    nearest = min(counts, key=lambda count: (abs(count - ranks), -count))
    chosen = [one for one in opened if one.keys["ranks"] == nearest]
    found = {(one.keys["way"], one.keys["pattern"]): _cost(machine, one) for one in chosen}
    return Costs(nearest, any("synced" in one.keys for one in chosen), found, chosen[0].source or "")


def _cost(machine: Machine, opened: Fact) -> tuple[Cost, Cost, Cost]:
    call, bandwidth = (machine.find(f"{FACTS}.{name}", **opened.keys) for name in ("call", "bandwidth"))
    if call is None or bandwidth is None:
        raise UserError(
            f"the machine '{machine.name}' does not say all of {FACTS}",
            f"call or bandwidth of {opened.keys['way']} is missing",
            "measure again: hakaru probe storage",
        )
    value = Cost(opened.value, call.value, bandwidth.value)
    low = Cost(_end(opened, "low"), _end(call, "low"), _end(bandwidth, "high"))
    high = Cost(_end(opened, "high"), _end(call, "high"), _end(bandwidth, "low"))
    return value, low, high


def _end(fact: Fact, name: str) -> float:
    end = getattr(fact, name)
    return fact.value if end is None else end


def rank(files: Written, known: Costs) -> list[Priced]:
    """All ways, the least time first; each as many calls as today, and in larger ones where that is less."""
    found = sorted(_priced(files, known), key=lambda one: one.time_s)
    best = found[0]
    return [_marked(one, best) for one in found]


def _priced(files: Written, known: Costs) -> Iterator[Priced]:
    size = files.bytes / files.rounds
    calls = max(1, round(files.calls / files.rounds))
    fewer = max(1, round(size / (files.ranks * LARGE)))
    for (way, pattern), ends in known.of.items():
        for count in sorted({calls, min(calls, fewer)}):
            value, low, high = (cost.seconds(count, size, files.rounds) for cost in ends)
            today = way == files.way and pattern == "parts" and count == calls
            yield Priced(way, pattern, count, value, min(low, value), max(high, value), today)


def _marked(one: Priced, best: Priced) -> Priced:
    close = one.time_s <= CLOSE * best.time_s or one.low_s <= best.high_s
    return Priced(one.way, one.pattern, one.calls, one.time_s, one.low_s, one.high_s, one.today, close)


def assumed(files: Written, known: Costs) -> Sequence[str]:
    found = [
        "the files lie on the file system that the probe measured",
        "each rank has as many bytes as the others",
    ]
    if known.ranks != files.ranks:
        found.append(
            f"ways cost {files.ranks} ranks what they cost {known.ranks}, the nearest that were measured"
        )
    if files.way in (SHARED, COLLECTIVE):
        found.append("ranks write a part each, as the row marked today has it: sums do not tell the pattern")
    found.append(
        "files are waited for until they are on the disk"
        if known.synced
        else "calls end when the system has the bytes"
    )
    return found
