"""Facts about network levels from records of the probe ``messages``: LogGP, ping-pong, collective operations.

LogGP parameters follow Hoefler, Lichei and Rehm, "Low-overhead LogGP parameter assessment for modern
interconnection networks" (IPDPS 2007), from round trips PRTT(n, d, s) of trains of n messages of s bytes with
a delay d between sends:

    g + G (s - 1) = (PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1)         piecewise linear least squares over s
    o_s(s)        = (PRTT(n, d, s) - PRTT(1, 0, s)) / (n - 1) - d      d = PRTT(1, 0, s); and what the send takes
                                                                       of the processor during d
    o_r(s)        = time of a receive of a message that has arrived, and what its arrival took of the processor
    release(s)    = by rendezvous, from the end of a delayed receive to the end of its send: with c = PRTT(1, 0, 1) / 2 from the receiver's
                    request to the send, c + send - (delay + receive)
    L             = PRTT(1, 0, 1) / 2                                  Netgauge's, with the overheads
"""

import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hakaru.base.files import load_module
from hakaru.facts.machines.by_launch import ENOUGH_LAUNCHES, measures_messages, over_launches
from hakaru.facts.records import Record

SYNCHRONOUS_SHARE = 0.5  # of the receiver's delay: a send that lasts longer waited for the receiver
QUANTITIES = 7  # of Trains

piecewise = load_module(Path(__file__).with_name("piecewise.py"))
near = load_module(Path(__file__).with_name("near.py"))
exchanges = load_module(Path(__file__).with_name("exchanges.py"))


@dataclass
class Trains:
    """One row a round (or a launch, when there are enough), one column a size; NaN: not measured."""

    bytes: np.ndarray
    round_trip_s: np.ndarray  # PRTT(1, 0, s)
    gap_s: np.ndarray  # g + G (s - 1)
    send_overhead_s: np.ndarray
    receive_overhead_s: np.ndarray
    polled_share: np.ndarray  # time of a send over the delay of its receive, while the receiver polls MPI
    unattended_share: np.ndarray  # the same while the receiver makes no call of MPI
    release_s: np.ndarray  # from the end of a receive to the end of its send


def _trains_of(record: Record, pair: int) -> dict[tuple[int, int], np.ndarray]:
    """(bytes, round) -> the quantities of ``Trains``."""
    clock_s = exchanges.clock_s(record)
    single, train, delayed = {}, {}, {}
    for row in record.rows("prtt"):
        if row["pair"] == pair:
            kind = single if row["messages"] == 1 else delayed if row["delay_s"] > 0 else train
            kind[row["bytes"], row["repetition"]] = row
    received, unexpected = (
        {(row["bytes"], row["repetition"]): row for row in record.rows(name) if row["pair"] == pair}
        for name in ("receive_overhead", "unexpected_send")
    )
    stolen = _Stolen(record, pair)
    found = {}
    least = min((size for size, _ in single), default=0)
    requests_s = {
        repetition: 0.5 * row["seconds"] for (size, repetition), row in single.items() if size == least
    }
    for key in single.keys() & train.keys() & delayed.keys() & received.keys() & unexpected.keys():
        one_s, others = single[key]["seconds"], train[key]["messages"] - 1
        spaced_s = (delayed[key]["seconds"] - one_s) / (delayed[key]["messages"] - 1)
        send_s = max(spaced_s - delayed[key]["delay_s"] - clock_s, 0.0)
        receive_s = max(received[key]["seconds"] - clock_s, 0.0)
        of_send_s, of_receive_s = stolen.at(*key, 0.5 * one_s - send_s - receive_s)
        found[key] = np.array(
            [
                one_s,
                (train[key]["seconds"] - one_s) / others,
                send_s + of_send_s,
                receive_s + of_receive_s,
                unexpected[key]["send_s"] / unexpected[key]["delay_s"],
                received[key]["send_s"] / received[key]["delay_s"],
                requests_s.get(key[1], np.nan)
                + received[key]["send_s"]
                - received[key]["delay_s"]
                - received[key]["seconds"],
            ]
        )
    return found


class _Stolen:
    """What messages take of processors outside of the calls (interrupts, a network that the processors serve), beyond what others take
    when there are no messages. Older records have no such table: nothing."""

    def __init__(self, record: Record, pair: int):
        others = [row["seconds"] / row["delay_s"] for row in record.rows("quiet")]
        always = float(np.median(others)) if others else 0.0
        stolen = (row for row in record.rows("stolen") if row["pair"] == pair)
        self._seconds = {
            (row["call"], row["bytes"], row["repetition"]): row["seconds"] - always * row["delay_s"]
            for row in stolen
        }
        self._least = min((size for _, size, _ in self._seconds), default=0)

    def at(self, size: int, repetition: int, most_s: float) -> tuple[float, float]:
        """(after a send, before a receive), together not more than ``most_s``: what is left of half a round trip, in which a rank that
        waits loses nothing by them. Before a receive there is what two sends without bytes left to do, too: that which ended the receive
        before, and that which asked for this."""
        sent_s, asked_s, waited_s = (
            self._seconds.get(key, 0.0)
            for key in (
                ("send", size, repetition),
                ("send", self._least, repetition),
                ("receive", size, repetition),
            )
        )
        send_s, receive_s = max(sent_s, 0.0), max(waited_s - 2.0 * asked_s, 0.0)
        share = min(1.0, max(most_s, 0.0) / max(send_s + receive_s, 1e-12))
        return share * send_s, share * receive_s


def _stack(launches: list[dict[tuple[int, int], np.ndarray]]) -> Trains | None:
    sizes = np.array(sorted({size for launch in launches for size, _ in launch}))
    if len(sizes) == 0:
        return None
    column = {size: index for index, size in enumerate(sizes)}
    blocks = []
    for launch in launches:
        rounds = 1 + max((repetition for _, repetition in launch), default=-1)
        block = np.full((rounds, len(sizes), QUANTITIES), np.nan)
        for (size, repetition), values in launch.items():
            block[repetition, column[size]] = values
        blocks.append(block)
    if sum(len(block) > 0 for block in blocks) >= ENOUGH_LAUNCHES:
        blocks = [piecewise.column_medians(block)[np.newaxis] for block in blocks if len(block)]
    stacked = np.concatenate(blocks)
    return Trains(sizes, *(stacked[:, :, quantity] for quantity in range(QUANTITIES)))


def send_limit(sizes: np.ndarray, share: np.ndarray) -> tuple[int, int, int] | None:
    """(value, low, high) in bytes: the longest message whose send does not wait; None when no send waits.

    ``share`` is the time of the send over the delay of the receiver, one row a round, one column a size.

    The value is the largest size measured below the change, low to high the 95 % interval, which ends at the
    smallest size above the change: the change itself lies between two measured sizes.
    """

    def last_free(medians: np.ndarray) -> int:
        """Column of the last size that does not wait by the split that misjudges fewest; -1: all wait."""
        waits = medians > SYNCHRONOUS_SHARE
        errors = [waits[:split].sum() + (~waits[split:]).sum() for split in range(len(waits) + 1)]
        return int(np.argmin(errors)) - 1

    last = last_free(piecewise.column_medians(share))
    if last == len(sizes) - 1:
        return None
    chosen = [last_free(piecewise.column_medians(rows)) for rows in piecewise.resampled(share)]
    lowest, highest = (int(x) for x in np.quantile(chosen, [0.025, 0.975], method="nearest"))
    size = [0, *sizes.tolist()]
    above = min(max(highest, last) + 2, len(size) - 1)
    return size[last + 1], size[min(lowest, last) + 1], size[above]


def _gap_facts(trains: Trains, fact: Any) -> dict[str, list[dict]]:
    gaps, slopes = [], []
    pieces = piecewise.fit(trains.bytes, trains.gap_s)
    for index, piece in enumerate(pieces):
        keys = {
            "minimum_bytes": 0 if index == 0 else int(trains.bytes[pieces[index - 1].last]) + 1,
            "maximum_bytes": int(trains.bytes[piece.last]),
            "residual": float(piece.worst_residual),
            "note": f"largest residual of the line {100.0 * piece.worst_residual:.0f} %",
        }
        gaps.append(fact(piece.intercept, "s", *piece.intercept_interval, keys))
        slopes.append(fact(piece.slope, "s/B", *piece.slope_interval, keys))
    return {"gap": gaps, "gap_per_byte": slopes}


def _overhead_facts(
    sizes: np.ndarray, overhead_s: np.ndarray, limit_bytes: int | None, fact: Any
) -> list[dict]:
    """The overhead by octave of the size, split at the eager limit; an empty octave joins the next."""
    edges = {0, *(2**power for power in range(1, int(sizes[-1]).bit_length()))}
    if limit_bytes:
        edges.add(limit_bytes + 1)
    starts, facts = sorted(edges), []
    minimum = 0
    for start, end in zip(starts, [*starts[1:], int(sizes[-1]) + 1], strict=True):
        samples = piecewise.column_medians(overhead_s[:, (sizes >= start) & (sizes < end)].T)
        samples = samples[np.isfinite(samples)]
        if len(samples):
            facts.append(fact(samples.tolist(), "s", minimum_bytes=minimum, maximum_bytes=end - 1))
            minimum = end
    return facts


def _narrowed(limit: tuple[int, int, int], launches: list[tuple[Record, int]]) -> tuple[int, int, int]:
    """The limit between the sizes of the trains, by what the probe found between them by halving; what contradicts it is left out."""
    value, low, high = limit
    for record, pair in launches:
        for row in record.rows("eager"):
            if row["pair"] == pair and row["low_bytes"] < high and row["high_bytes"] > value:
                low, high = max(low, row["low_bytes"]), min(high, row["high_bytes"])
    return max(value, low), low, high


def loggp_facts(trains: Trains, launches: list[tuple[Record, int]]) -> dict[str, Any]:
    """latency, send_overhead, receive_overhead, gap, gap_per_byte; limits of sends that do not wait."""
    from hakaru.facts.machines import fact

    record_ids = [record.id for record, _ in launches]

    def measured(samples: Any, unit: str, **keys: Any) -> dict:
        return fact(samples, unit, record_ids, **keys)

    def fitted(value: float, unit: str, low: float, high: float, keys: dict) -> dict:
        return fact(value, unit, record_ids, low=low, high=high, **keys)

    limit = send_limit(trains.bytes, trains.polled_share)
    limit = limit and _narrowed(limit, launches)
    unattended = send_limit(trains.bytes, trains.unattended_share)
    facts: dict[str, Any] = {}
    if trains.bytes[0] == 1:
        half_s = 0.5 * trains.round_trip_s[:, 0]
        rest_s = np.maximum(half_s - trains.send_overhead_s[:, 0] - trains.receive_overhead_s[:, 0], 0.0)
        facts["latency"] = measured(
            half_s[np.isfinite(half_s)].tolist(), "s", note="PRTT(1,0,1)/2, overheads included"
        )
        facts["latency_without_overheads"] = measured(
            rest_s[np.isfinite(rest_s)].tolist(), "s", note="PRTT(1,0,1)/2 - o_s(1) - o_r(1)"
        )
    limit_bytes = limit[0] if limit else None
    facts["send_overhead"] = _overhead_facts(trains.bytes, trains.send_overhead_s, limit_bytes, measured)
    facts["receive_overhead"] = _overhead_facts(
        trains.bytes, trains.receive_overhead_s, limit_bytes, measured
    )
    facts |= _gap_facts(trains, fitted)
    if limit:
        late = trains.bytes > (unattended or limit)[0]
        released = (
            _overhead_facts(trains.bytes[late], trains.release_s[:, late], limit_bytes, measured)
            if late.any()
            else []
        )
        facts |= {"release": released} if released else {}
        facts["eager_limit"] = fitted(
            limit[0],
            "B",
            *limit[1:],
            {"note": "largest size measured whose send does not wait for its receive"},
        )
    if unattended:
        facts["unattended_send_limit"] = fitted(
            unattended[0],
            "B",
            *unattended[1:],
            {"note": "largest size measured whose send returns while the receiver makes no MPI call"},
        )
    return facts


def _pairs(records: list[Record]) -> dict[str, list[tuple[Record, int]]]:
    """Network level -> (record, pair) of every launch that measured it."""
    found = defaultdict(list)
    for record in records:
        for row in record.rows("pairs"):
            found[row["level"]].append((record, row["pair"]))
    return found


def _operation(name: str) -> tuple[str, dict[str, Any]]:
    """What the fact is called, and its keys: neighbourhood_grid_2 is of two partners on a grid."""
    name, *way = name.split("_")
    topology = {"topology": way[0]} if len(way) > 1 else {}
    return name, topology | ({"neighbours": int(way[-1])} if way else {})


def _collective_facts(records: list[Record]) -> dict[str, dict[str, list[dict]]]:
    """level -> operation -> facts by ranks and bytes."""
    samples: dict[tuple, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        for row in record.rows("collectives"):
            samples[row["level"], row["operation"], row["ranks"], row["bytes"]][record.id].append(
                row["seconds"]
            )
    facts: dict[str, dict[str, list[dict]]] = defaultdict(lambda: defaultdict(list))
    for (level, operation, ranks, size), launches in sorted(samples.items()):
        name, keys = _operation(operation)
        facts[level][name].append(
            over_launches(list(launches.values()), "s", list(launches), ranks=ranks, bytes=size, **keys)
        )
    return facts


def distil(records: list[Record]) -> dict:
    """``{"network": {level: facts}}`` of all records whose ranks had a processor each; may be empty."""
    usable = near.usual_rounds([record for record in records if measures_messages(record)])
    network: dict[str, dict] = {}
    for level, launches in _pairs(usable).items():
        record_ids = [record.id for record, _ in launches]
        facts: dict[str, Any] = {}
        trains = _stack([_trains_of(record, pair) for record, pair in launches])
        if trains is not None:
            facts |= loggp_facts(trains, launches)
        limit_bytes = facts["eager_limit"]["value"] if "eager_limit" in facts else math.inf
        facts |= exchanges.pair_facts(launches, record_ids, limit_bytes)
        network[level] = facts
    for level, operations in _collective_facts(usable).items():
        network.setdefault(level, {}).update({name: list(facts) for name, facts in operations.items()})
    network = {level: facts for level, facts in network.items() if facts}
    return {"network": network} if network else {}
