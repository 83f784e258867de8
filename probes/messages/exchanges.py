"""Facts of the messages of a pair that are no LogGP: by size, what single ones, windows and exchanges take, and how much longer they do
beside something else, which is timed in the same round."""

import math
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hakaru.base.files import load_module
from hakaru.facts.machines.by_launch import over_launches
from hakaru.facts.records import Record

ANSWER_BYTES = 4  # to a window
LEAST_COLD_S, ENOUGH_ALIKE = 4e-9, 3  # that readings tell; samples of an octave
APART = ("pingpong", "pingpong_apart")  # with work between messages, where they were timed

refill = load_module(Path(__file__).with_name("refill.py"))


def clock_s(record: Record) -> float:
    """Of reading the clock."""
    return float(np.median([row["seconds"] for row in record.rows("clock")]))


def _by_size(
    launches: list[tuple[Record, int]],
    record_ids: list[str],
    table: str,
    sample: Callable[[dict], float],
    **keys: Any,
) -> list[dict]:
    """One fact a message size; none when records of older programs lack the table."""
    samples = defaultdict(lambda: [[] for _ in launches])
    for index, (record, pair) in enumerate(launches):
        for row in record.rows(table):
            if row["pair"] == pair:
                samples[row["bytes"]][index].append(sample(row))
    return [over_launches(samples[size], "s", record_ids, bytes=size, **keys) for size in sorted(samples)]


def _beside(
    launches: list[tuple[Record, int]],
    table: str,
    sample: Callable[..., float],
    others: tuple[int, ...] = (),
    keys: tuple[str, ...] = ("bytes",),
    than: tuple[str, ...] = ("pingpong",),
) -> dict[tuple, list[list[float]]]:
    """Values of ``keys`` -> the samples of each launch: ``sample`` of a row and of the seconds of its round in ``than``, those of its own
    size and of ``others`` (bytes); rows without them are left out. ``than``: tables, the last that has them."""
    samples: dict[tuple, list[list[float]]] = defaultdict(lambda: [[] for _ in launches])
    for index, (record, pair) in enumerate(launches):
        than_s = {
            (row["bytes"], row["repetition"]): row["seconds"]
            for name in than
            for row in record.rows(name)
            if row["pair"] == pair
        }
        for row in record.rows(table):
            same = [than_s.get((size, row["repetition"])) for size in (row["bytes"], *others)]
            if row["pair"] == pair and None not in same:
                samples[tuple(row[key] for key in keys)][index].append(sample(row, *same))
    return dict(sorted(samples.items()))


def _window_facts(launches: list[tuple[Record, int]], record_ids: list[str]) -> list[dict]:
    """Time of each message of a window: (T(n, s) - pp(s) - pp(4 B)) / (n - 1), T with an answer of 4 B; a sample a round."""

    def each_s(row: dict, one_s: float, answer_s: float) -> float:
        return max((row["seconds"] - one_s - answer_s) / (row["messages"] - 1), 0.0)

    samples = _beside(launches, "window", each_s, others=(ANSWER_BYTES,))
    note = {"note": "a message of a window that is started at once"}
    return [over_launches(found, "s", record_ids, bytes=size, **note) for (size,), found in samples.items()]


def _crossing_facts(
    launches: list[tuple[Record, int]], record_ids: list[str], limit_bytes: float
) -> list[dict]:
    """How much later a message comes that crosses one of its receiver's own: exchange, apart from the one before where that was timed,
    less ping-pong of the same round.

    It is little beside either, so the sizes next to a size on its side of the eager limit count, too, unless its own rounds contradict
    them."""
    samples = _longer_s(launches, "both_ways") | _longer_s(launches, "apart", APART)
    sizes = list(samples)

    def of(size: int, *others: int) -> dict:
        near = [size, *(other for other in others if (other > limit_bytes) == (size > limit_bytes))]
        pooled = [sum((samples[one][index] for one in near), []) for index in range(len(launches))]
        return over_launches(pooled, "s", record_ids, bytes=size)

    facts = []
    for place, size in enumerate(sizes):
        alone, near = of(size), of(size, *sizes[max(place - 1, 0) : place], *sizes[place + 1 : place + 2])
        facts.append(near if alone["low"] <= near["value"] <= alone["high"] else alone)
    return facts


def _longer_s(
    launches: list[tuple[Record, int]], table: str, than: tuple[str, ...] = ("pingpong",)
) -> dict[int, list[list[float]]]:
    """Size -> of each launch what the rows of ``table`` take longer, a sample a round."""
    pairs = _beside(launches, table, lambda row, other_s: row["seconds"] - other_s, than=than)
    return {size: found for (size,), found in pairs.items()}


def _without_clock(launches: list[tuple[Record, int]], samples: list[list[float]]) -> list[list[float]]:
    readings_s = [clock_s(record) for record, _ in launches]
    return [[one - reading_s for one in own] for own, reading_s in zip(samples, readings_s, strict=True)]


def _crowding_facts(launches: list[tuple[Record, int]], record_ids: list[str]) -> list[dict]:
    """How much longer what crosses takes right after another exchange than apart from it, beyond an answer; of the same round."""
    close, apart = _longer_s(launches, "both_ways"), _longer_s(launches, "apart", APART)
    facts = []
    for size, own in apart.items():
        samples = [
            [one - other for one, other in zip(*rounds, strict=False)]
            for rounds in zip(close[size], own, strict=True)
        ]
        facts.append(over_launches(samples, "s", record_ids, bytes=size))
    return facts


def _answering_facts(launches: list[tuple[Record, int]], record_ids: list[str]) -> list[dict]:
    """How much later a message comes that is sent right after a receive: what work between would hide of the receive."""
    samples = _beside(launches, "pingpong_apart", lambda row, close_s: close_s - row["seconds"])
    return [over_launches(found, "s", record_ids, bytes=size) for (size,), found in samples.items()]


def _persistent_facts(launches: list[tuple[Record, int]], record_ids: list[str]) -> list[dict]:
    """How much longer an exchange takes whose requests were made before."""
    samples = _longer_s(launches, "persistent", than=("apart",))
    return [over_launches(found, "s", record_ids, bytes=size) for size, found in samples.items()]


def _packing_facts(launches: list[tuple[Record, int]], record_ids: list[str]) -> list[dict]:
    """Time of packing, or unpacking, a byte: (pp(s, piece) - pp(s)) / 2 s; a sample a round."""

    def one_side_s(row: dict, plain_s: float) -> float:
        return max(row["seconds"] - plain_s, 0.0) / 2.0 / row["bytes"]

    samples = _beside(launches, "in_pieces", one_side_s, keys=("bytes", "piece_bytes"))
    return [
        over_launches(found, "s/B", record_ids, bytes=size, piece_bytes=piece)
        for (size, piece), found in samples.items()
    ]


def _after_work_facts(launches: list[tuple[Record, int]], record_ids: list[str]) -> list[dict]:
    """How much longer an exchange takes when both ranks worked before: without the clock reading that ends it, less the exchange apart of
    the same round."""

    def longer_s(row: dict, apart_s: float) -> float:
        return row["seconds"] - apart_s

    keys = ("bytes", "work_s", "memory_bytes")
    samples = _beside(launches, "worked_before", longer_s, keys=keys, than=("apart",))
    return [
        over_launches(_without_clock(launches, found), "s", record_ids, **dict(zip(keys, key, strict=True)))
        for key, found in samples.items()
    ]


def _after_cold_facts(launches: list[tuple[Record, int]], record_ids: list[str]) -> list[dict]:
    """How much longer an exchange takes by how cold caches are: of all work, of any time and over any memory, what left them alike, which is
    by octaves."""
    told = [one for one in launches if any("cold_s" in row for row in one[0].rows("worked_before"))]
    samples = _beside(
        told,
        "worked_before",
        lambda row, apart_s: row["seconds"] - apart_s,
        keys=("bytes", "cold_s"),
        than=("apart",),
    )
    alike: dict[tuple[int, float], list[list[float]]] = defaultdict(lambda: [[] for _ in told])
    for (size, cold_s), found in samples.items():
        octave = max(round(math.log2(max(cold_s, LEAST_COLD_S) / LEAST_COLD_S)), 0)
        for into, some in zip(
            alike[size, LEAST_COLD_S * 2**octave], _without_clock(told, found), strict=True
        ):
            into.extend(some)
    return [
        over_launches(found, "s", record_ids, bytes=size, cold_s=cold_s)
        for (size, cold_s), found in sorted(alike.items())
        if sum(map(len, found)) >= ENOUGH_ALIKE
    ]


def _served_facts(launches: list[tuple[Record, int]], record_ids: list[str]) -> dict[str, list[dict]]:
    """sending(s, w): what a send in a row of them takes of its processor, in the call and after it, with work w before each. receiving(s):
    what one that has come takes, of turns of a send, work and a receive less the former of the same round."""

    def beside_work(record: Record, pair: int, table: str) -> dict[tuple[int, float, int], float]:
        return {
            (row["bytes"], row["about_s"], row["repetition"]): row["seconds"] - row["work_s"]
            for row in record.rows(table)
            if row["pair"] == pair
        }

    sending: dict[tuple[int, float], list[list[float]]] = defaultdict(lambda: [[] for _ in launches])
    receiving: dict[int, list[list[float]]] = defaultdict(lambda: [[] for _ in launches])
    for index, (record, pair) in enumerate(launches):
        rows = beside_work(record, pair, "row")
        for (size, work_s, _), seconds in rows.items():
            sending[size, work_s][index].append(max(seconds, 0.0))
        for key, seconds in beside_work(record, pair, "lagged").items():
            if key in rows:
                receiving[key[0]][index].append(max(seconds - max(rows[key], 0.0), 0.0))
    return {
        "sending": [
            over_launches(sending[key], "s", record_ids, bytes=key[0], work_s=key[1])
            for key in sorted(sending)
        ],
        "receiving": [
            over_launches(receiving[size], "s", record_ids, bytes=size) for size in sorted(receiving)
        ],
    }


def _fresh_facts(launches: list[tuple[Record, int]], record_ids: list[str]) -> list[dict]:
    """How much longer a byte takes each of the first times that a message is sent from its memory, over the mean of the last two."""
    samples: dict[tuple[int, int], list[list[float]]] = defaultdict(lambda: [[] for _ in launches])
    for index, (record, pair) in enumerate(launches):
        rounds: dict[tuple[int, int], dict[int, float]] = defaultdict(dict)
        for row in record.rows("fresh"):
            if row["pair"] == pair:
                rounds[row["bytes"], row["repetition"]][row["use"]] = row["seconds"] / row["bytes"]
        for (size, _), each in rounds.items():
            *first, late, last = (each[use] for use in sorted(each))
            for use, value in enumerate(first, start=1):
                samples[size, use][index].append(value - 0.5 * (late + last))
    return [
        over_launches(found, "s/B", record_ids, bytes=size, use=use)
        for (size, use), found in sorted(samples.items())
    ]


def _small_pages_facts(launches: list[tuple[Record, int]], record_ids: list[str]) -> list[dict]:
    """How much longer a byte takes from pages as they are given than from those of 2 MiB; of the same round."""
    samples = _beside(
        launches, "large_pages", lambda row, given_s: max(given_s - row["seconds"], 0.0) / row["bytes"]
    )
    return [over_launches(found, "s/B", record_ids, bytes=size) for (size,), found in samples.items()]


def pair_facts(
    launches: list[tuple[Record, int]], record_ids: list[str], limit_bytes: float
) -> dict[str, list[dict]]:
    """Windows, ping-pong, exchange in both directions at once, and what that takes beside work between start and wait."""
    facts = {
        "window": _window_facts(launches, record_ids),
        "posting": _by_size(launches, record_ids, "posting", lambda row: max(row["seconds"], 0.0)),
        "posting_apart": _by_size(launches, record_ids, "posting", lambda row: max(row["apart_s"], 0.0)),
        "packing": _packing_facts(launches, record_ids),
        "after_work": _after_work_facts(launches, record_ids),
        "after_cold": _after_cold_facts(launches, record_ids),
        "first_uses": _fresh_facts(launches, record_ids),
        "small_pages": _small_pages_facts(launches, record_ids),
        "pingpong": _by_size(launches, record_ids, "pingpong", lambda row: row["seconds"]),
        "exchange": _by_size(launches, record_ids, "both_ways", lambda row: row["seconds"]),
        "crossing": _crossing_facts(launches, record_ids, limit_bytes),
        "crowding": _crowding_facts(launches, record_ids),
        "answering": _answering_facts(launches, record_ids),
        "persistent": _persistent_facts(launches, record_ids),
        **_served_facts(launches, record_ids),
        "refilling": refill.refilling_facts(launches, record_ids),
        "exchange_beside_work": _by_size(
            launches,
            record_ids,
            "post_work_wait",
            lambda row: max(row["seconds"] - row["work_s"], 0.0),
            note="time of post, work, wait beyond the work, which lasts as long as an exchange",
        ),
    }
    return {name: found for name, found in facts.items() if found}
