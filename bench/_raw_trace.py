"""Raw traces of a regular halo exchange, as the tracer writes them (native/trace/raw.h), of any size."""

from pathlib import Path

import numpy as np

from hakaru.facts.traces.layout import CALL, COUNTER, COVERED, FINALIZED, HEADER_BYTES, KINDS, Header

CALLS = {"MPI_Irecv": (255, 1), "MPI_Isend": (255, 1), "MPI_Waitall": (255, 2), "MPI_Allreduce": (11, 4)}
IRECV, ISEND, RECV_DONE, SEND_DONE, ALL = (
    KINDS[name] for name in ("irecv", "isend", "recv_done", "send_done", "collective")
)
NEIGHBOURS = (1, -1, 2, -2)
MESSAGE_BYTES = 8192
EVENTS_OF_A_STEP = 12 + 12 + 10 + 4
STEP_TICKS = 40_000


def word(low: int, high: int) -> int:
    return (low & 0xFFFFFFFF) | (high & 0xFFFFFFFF) << 32


class Step:
    """The records of one time step; ``times`` and ``requests`` say which words grow from step to step."""

    def __init__(self, rank: int, ranks: int):
        self.words: list[int] = []
        self.times: list[int] = []
        self.requests: list[int] = []
        self.clock = 10_000
        for number, offset in enumerate(NEIGHBOURS):
            self.record(0, self.message(IRECV, number + 1, (rank + offset) % ranks), 300)
        for number, offset in enumerate(NEIGHBOURS):
            self.record(1, self.message(ISEND, number + 5, (rank - offset) % ranks), 800)
        done = [
            part
            for n, o in enumerate(NEIGHBOURS)
            for part in self.message(RECV_DONE, n + 1, (rank + o) % ranks)
        ]
        self.record(2, done + [(word(SEND_DONE, n + 5), True) for n in range(4)], 9000)
        collective = [word(ALL, 0), word(-1, 0), 8, 8]
        self.record(3, [(value, False) for value in collective], 7000)

    @staticmethod
    def message(kind: int, request: int, peer: int) -> list[tuple[int, bool]]:
        return [(word(kind, request), True), (word(peer, 7), False), (MESSAGE_BYTES, False)]

    def record(self, call: int, items: list[tuple[int, bool]], duration: int) -> None:
        self.words.append(word(call | (2 + len(items)) << 12, duration))
        self.times.append(len(self.words))
        self.words.append(self.clock)
        for value, is_request in items:
            if is_request:
                self.requests.append(len(self.words))
            self.words.append(value)
        self.clock += duration + 500


def records(rank: int, ranks: int, steps: int) -> np.ndarray:
    step = Step(rank, ranks)
    block = np.tile(np.array(step.words, dtype=np.uint64), (steps, 1))
    count = np.arange(steps, dtype=np.uint64)[:, None]
    block[:, step.times] += count * np.uint64(STEP_TICKS)
    block[:, step.requests] += (count * np.uint64(8)) << np.uint64(32)
    return block.ravel()


def write(folder: Path, ranks: int, steps: int) -> int:
    """Writes one file a rank; gives the number of OTF2 events they become."""
    folder.mkdir(parents=True, exist_ok=True)
    table = b"".join(CALL.pack(name.encode(), COVERED, *kind) for name, kind in CALLS.items())
    counters = bytes(COUNTER.size * len(CALLS))
    begin = HEADER_BYTES + len(table) + len(counters)
    for rank in range(ranks):
        data = records(rank, ranks, steps).tobytes()
        last = 20_000 + steps * STEP_TICKS
        header = Header(
            counters_offset=HEADER_BYTES + len(table),
            records_offset=begin,
            call_count=len(CALLS),
            rank=rank,
            world_size=ranks,
            mpi_kind=1,
            process_id=rank,
            start_monotonic_ns=1_000_000,
            last_ticks=last,
            last_monotonic_ns=1_000_000 + last,
            first_valid=2,
            second_valid=2,
            mpi_version=3,
            mpi_subversion=1,
            status=FINALIZED,
            records_end=begin + len(data),
            records=10 * steps,
            host="host",
            boot_id="boot",
            program="halo",
        )
        path = folder / f"rank-{rank:07d}.hkr"
        path.write_bytes(header.packed() + table + counters + data)
    return ranks * steps * EVENTS_OF_A_STEP
