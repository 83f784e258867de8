"""How long a launch will take, roughly: for progress and dry runs, never for forecasts."""

from statistics import median

from hakaru.facts import programs
from hakaru.facts.records import Record
from hakaru.facts.work import Work
from hakaru.run.campaign.plan import Point

START_S = 0.6  # of an MPI launch, when nothing was measured yet
RATE = 4.0e9  # flop/s or B/s of a core, when nothing was measured yet
PROBE_S = 12.0  # of a probe that was never run; its small preset is shorter


class Estimator:
    """Learns from finished launches: the same point if it ran before, else the same program scaled by its work."""

    def __init__(self, records: list[Record]):
        self._seconds: dict[tuple, list[float]] = {}
        self._per_work: dict[str, list[float]] = {}
        self._foreseen: dict[tuple, float | None] = {}
        for record in records:
            self.learn(record)

    def learn(self, record: Record) -> None:
        if not record.ok:
            return
        seconds = record.duration_s
        self._seconds.setdefault(record.point, []).append(seconds + START_S)
        work = _work(record.work, record.layout.cores)
        if work > 0.0:
            count = len(record.repetitions) + record.warmup_discarded
            self._per_work.setdefault(record.program, []).append(seconds / (work * max(count, 1)))

    def seconds(self, point: Point) -> float:
        if known := self._seconds.get(point.key):
            return median(known)
        if point.key not in self._foreseen:
            self._foreseen[point.key] = _foreseen(point)
        work = self._foreseen[point.key]
        if work is None:
            return PROBE_S
        rates = self._per_work.get(point.program)
        return START_S + work * (median(rates) if rates else 1.0 / RATE)


def _foreseen(point: Point) -> float | None:
    """Work of a core in a launch, in flops or bytes; None of a probe. It is asked of the program itself, which takes a while."""
    program = programs.named(point.program)
    if program.kind == "probe":
        return None
    work = _work(point.work(), point.layout.ranks * point.layout.threads)
    return work * program.describe().usual.count(point.repetitions, point.warmup)


def _work(work: Work, cores: int) -> float:
    return sum(max(phase.flops, phase.bytes) for phase in work.phases) / cores
