"""Predicted time of each layout: a replay of the program's schedule, or of a trace, on the machine; at both ends of its facts too.

Computing is priced as ``hakaru replay`` does: by the roofline of the machine, times what the phases took over theirs in the nearest runs
of the results folder, where there are any. The replay prices starting threads, unless runs with as many threads hold it; where the runs
had one thread it is ``threads.parallel`` of the machine for each computation. A layout of one node that has itself been run
on this machine, at any size, is corrected by what that run took over its own prediction, so that what no fact says of messages here is in it.
"""

import dataclasses
import itertools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

import msgspec

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.statistics import median_interval
from hakaru.facts.forecasts.energy import EnergyForecast
from hakaru.facts.machines import Machine
from hakaru.facts.records.record import OTHER
from hakaru.facts.schedules import Schedule
from hakaru.facts.work import Work
from hakaru.foretell import models
from hakaru.foretell.advise import inputs
from hakaru.foretell.advise.caches import WorkingSet, changing
from hakaru.foretell.advise.calibrating import AUTOMATIC
from hakaru.foretell.advise.candidates import Candidate
from hakaru.foretell.advise.correction import Correction, amount, outside_s
from hakaru.foretell.advise.placed import Placed
from hakaru.foretell.advise.sockets import BINDINGS, Sockets
from hakaru.foretell.replay import source as sources
from hakaru.foretell.replay import teams
from hakaru.foretell.replay.calibration import Calibration, calibrate
from hakaru.foretell.replay.documents import Result
from hakaru.foretell.replay.engine import Engine
from hakaru.foretell.replay.forecast import at_ends
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.question import Choices, Documents
from hakaru.run.measuring import by_name

ENDS = ("value", "low", "high")
CLOSE = 1.5  # times the best: what may be as fast when facts err
SURE = 5  # of the best are always predicted at both ends


@dataclass(frozen=True)
class Predicted:
    """``times_s`` at the facts' values and at their good and bad ends; parts of the time in s are means over ranks. ``corrected_s``: what a
    run in this layout showed beyond the replay, negative when it was faster; 0 without a run. ``spread``: how uncertain that is, as low and
    high multiples of the times. ``rank_bandwidth``: memory bandwidth of a rank in B/s by which computing was priced.
    ``carried``: in words, that a cache served the runs which priced it otherwise than it will this one. ``warnings`` of a trace."""

    candidate: Candidate
    times_s: tuple[float, float, float]
    compute_s: float
    communicate_s: float
    fork_s: float
    corrected_s: float
    messages: int
    message_bytes: int
    memory_bytes: float | None
    priced: str
    assumed: tuple[str, ...] = ()
    spread: tuple[float, float] = (1.0, 1.0)
    rank_bandwidth: float | None = None
    carried: str | None = None
    warnings: tuple[str, ...] = ()
    energy: EnergyForecast | None = None

    @property
    def time_s(self) -> float:
        return self.times_s[0]

    @property
    def low_s(self) -> float:
        return min(self.times_s) * self.spread[0]

    @property
    def high_s(self) -> float:
        return max(self.times_s) * self.spread[1]

    def as_dict(self) -> dict[str, Any]:
        one = self.candidate
        return {
            "name": one.name,
            "layout": {
                "nodes": one.nodes,
                "ranks": one.ranks,
                "threads": one.threads,
                "mapping": one.mapping,
                "binding": one.binding,
            },
            "parameters": dict(one.parameters),
            "collectives": dict(one.collectives),
            "source": one.source,
            "launch": one.launch,
            "time_s": {"value": self.time_s, "low": self.low_s, "high": self.high_s},
            "node_s": {
                "value": one.nodes * self.time_s,
                "low": one.nodes * self.low_s,
                "high": one.nodes * self.high_s,
            },
            "energy": self.energy.as_dict() if self.energy else None,
            "compute_s": self.compute_s,
            "communicate_s": self.communicate_s,
            "fork_s": self.fork_s,
            "corrected_s": self.corrected_s,
            "messages": self.messages,
            "message_bytes": self.message_bytes,
            "memory_bytes": self.memory_bytes,
            "rank_bandwidth": self.rank_bandwidth,
            "computing": self.priced,
        }


@dataclass(frozen=True)
class Adviser:
    """``records`` are runs of the program on ``measured_on``, empty where there are none."""

    engine: Engine
    machine: Machine
    folder: Path
    records: Sequence[Mapping] = ()
    measured_on: Machine | None = None

    def predict_all(
        self,
        program: str,
        given: Mapping[str, Any],
        wanted: Sequence[Candidate],
        jobs: int = 2,
        tell: Callable[[str], None] | None = None,
    ) -> list[Predicted]:
        """In the order of ``wanted``. All are predicted at the facts' values; at their ends, which takes twice as long again, those that
        may be the best or are shown."""
        tell = tell or (lambda text: None)
        first = self._each(program, given, list(enumerate(wanted)), jobs, ENDS[:1], tell)
        times = sorted(one.time_s for one in first)
        limit = max(times[0] * CLOSE, times[min(SURE, len(times)) - 1])
        near = [(at, wanted[at]) for at, one in enumerate(first) if one.time_s <= limit]
        again = self._each(program, given, near, jobs, ENDS, tell)
        for (at, _), one in zip(near, again, strict=True):
            first[at] = one
        return first

    def _each(
        self,
        program: str,
        given: Mapping[str, Any],
        wanted: Sequence[tuple[int, Candidate]],
        jobs: int,
        ends: Sequence[str],
        tell: Callable[[str], None],
    ) -> list[Predicted]:
        done = itertools.count(1)

        def one(numbered: tuple[int, Candidate]) -> Predicted:
            number, candidate = numbered
            place = self.folder / str(number)
            place.mkdir(parents=True, exist_ok=True)
            parameters = dict(given) | dict(candidate.parameters)
            words = [program, *_words(parameters)]
            source = sources.find(
                f"{sources.PREFIX}{','.join(words)}", candidate.ranks, candidate.threads, place
            )
            found = self.predict(source, candidate, ends)
            source.path.unlink(missing_ok=True)
            bounds = "" if len(ends) == 1 else " with its bounds"
            tell(f"[{next(done)}/{len(wanted)}] {candidate.name}: {units.seconds(found.time_s)}{bounds}")
            return found

        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(one, wanted))

    def predict_traces(self, texts: Sequence[str], nodes: int, one_program: bool = False) -> list[Predicted]:
        """Traces or schedules of a person's program, each written ``PATH`` or ``PATH@THREADS``. Raises UserError for paths that do not
        exist, and for traces of programs with different names unless they are said to be of ``one_program``."""
        given = [split_threads(text) for text in texts]
        inputs.missing([path for path, _ in given if not path.startswith(by_name.PREFIX)])
        found = [sources.find(path, None, threads, self.folder) for path, threads in given]
        told = {source.name: inputs.about(source) for source in found}
        inputs.of_one_program(told, one_program)
        result = []
        for (path, threads), source in zip(given, found, strict=True):
            ranks = source.ranks or self.engine.ranks(source.path)
            candidate = Candidate(min(nodes, ranks), -(-ranks // min(nodes, ranks)), threads, source=path)
            predicted = self.predict(dataclasses.replace(source, ranks=ranks), candidate)
            warnings = tuple(f"{path}: {text}" for text in told[source.name].warnings)
            result.append(dataclasses.replace(predicted, warnings=warnings))
        return result

    def predict(self, source: sources.Source, candidate: Candidate, ends: Sequence[str] = ENDS) -> Predicted:
        """``ends``: at which ends of the facts; the others get the time at the values."""
        calibration, fork_inside = self._calibration(source)
        way = "measured" if calibration else "factor"
        choices = Choices(
            collectives=dict(candidate.collectives),
            ranks_per_node=candidate.ranks_per_node,
            way=way,
            calibration=calibration,
        )
        added_s = self._fork_s(source, candidate) if calibration and not fork_inside else 0.0
        correction = self._correction(source, candidate, choices, added_s)
        times = []
        for bound in ends:
            machine = self.machine if bound == ENDS[0] else at_ends(self.machine, bound == ENDS[1])
            question = Placed(
                source, dataclasses.replace(choices, bound=bound), self.engine, candidate=candidate
            )
            asked, result = question.ask(machine)
            if bound == "value":
                value, told = result, asked
            times.append((result.makespan_s + added_s) * correction.ratio.value + correction.outside_s)
        times += times[:1] * (len(ENDS) - len(times))
        fork_s = 0.0 if fork_inside else self._fork_s(source, candidate)
        found = _predicted(source, candidate, tuple(times), value, told, (fork_s, added_s), correction)
        return dataclasses.replace(found, carried=self._carried(source, candidate, calibration))

    def _carried(
        self, source: sources.Source, candidate: Candidate, calibration: Calibration | None
    ) -> str | None:
        if calibration is None:
            return None
        point = calibration.observation.point
        sets = [
            WorkingSet.of(point.memory_bytes, point.cores),
            WorkingSet.of(source.evaluated.memory_bytes, candidate.ranks * candidate.threads),
        ]
        cache = changing(*sets, self.measured_on)
        if cache is None:
            return None
        shown = " and ".join(units.capacity(one.core_bytes) for one in sets)
        return (
            f"computing is carried from runs that {cache} served otherwise ({shown} of a core): "
            f"time short runs of the same size, with --calibrate {AUTOMATIC}"
        )

    def _correction(
        self, source: sources.Source, candidate: Candidate, choices: Choices, added_s: float
    ) -> Correction:
        """By the nearest run in this very layout; else what the runs that price computing had outside of phases."""
        if choices.calibration is None:
            return Correction()
        elsewhere = candidate.nodes > 1 or candidate.collectives or self.machine != self.measured_on
        run = None if elsewhere else self._nearest_run(source)
        if run is None:
            return Correction(outside_s=outside_s(choices.calibration.observation, source))
        words = [source.program, *_words(run.point.parameters)]
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            text = f"{sources.PREFIX}{','.join(word for word in words if not word.endswith('='))}"
            again = sources.find(text, source.ranks, source.threads, Path(place))
            expected_s = Placed(again, choices, self.engine, candidate=candidate).time_s(self.machine)
        expected_s += self._fork_s(again, candidate) if added_s else 0.0
        # An observation's times are those of the wanted number of steps: as much longer as its work is more than that of the run.
        expected_s *= amount(run.point.work.values()) / again.evaluated.amount
        pairs = zip(run.totals(), run.values(OTHER), strict=True)
        return Correction(
            median_interval([(total - outside) / expected_s for total, outside in pairs]),
            outside_s(run, source),
        )

    def _nearest_run(self, source: sources.Source) -> models.Observation | None:
        def describe(parameters: Mapping[str, object]) -> Work:
            from hakaru.foretell.forecast import evaluate

            return evaluate(source.program, parameters, source.ranks, source.threads)

        found = models.relevant(list(self.records), source.evaluated, describe)
        wanted = models.point_of(source.evaluated)
        own = [
            one
            for one in found.observations
            if (one.point.ranks, one.point.threads) == (wanted.ranks, wanted.threads)
        ]
        return min(own, key=lambda one: abs(log(one.point.size / wanted.size)), default=None)

    def _calibration(self, source: sources.Source) -> tuple[Calibration | None, bool]:
        """The factors of the runs with as many threads, else with one; and whether these hold the cost of threads."""
        if not self.records or source.evaluated is None or self.measured_on is None:
            return None, source.kind == "trace"
        for threads in dict.fromkeys((source.threads, 1)):
            evaluated = msgspec.structs.replace(source.evaluated, threads=threads)

            def describe(parameters: Mapping[str, object], threads: int = threads) -> Work:
                from hakaru.foretell.forecast import evaluate

                return evaluate(source.program, parameters, source.ranks, threads)

            try:
                found = calibrate(
                    self.records, evaluated, describe, self.measured_on, Told(), self._share_of_a_run
                )
            except UserError:
                continue
            return found, threads == source.threads
        return None, False

    def _share_of_a_run(self, ranks: int, threads: int) -> float:
        """Runs here fill sockets."""
        sockets = Sockets.of(self.measured_on)
        if sockets is None or ranks * threads > sockets.cores:
            return 1.0
        return sockets.bandwidth_share(self.measured_on, ranks, threads, BINDINGS[0])

    def _fork_s(self, source: sources.Source, candidate: Candidate) -> float:
        """Starting threads, once for each computation of rank 0: as the replay adds it where computing is priced by the roofline alone."""
        if candidate.threads == 1 or source.kind == "trace":
            return 0.0
        cost_s = teams.team(self.machine, candidate.threads, Told()).fork_s
        return cost_s * computations(source.path) if cost_s else 0.0


def computations(schedule: Path) -> int:
    """Of the timed part of rank 0, those that take time."""
    whole = Schedule.read(schedule)
    return sum(
        times for one, times in whole.streams[0].timed() if one.do == "compute" and whole.takes_time(one)
    )


def split_threads(text: str) -> tuple[str, int]:
    """("path", 4) of ``path@4``."""
    path, at, threads = text.rpartition("@")
    if not at:
        return text, 1
    if not threads.isdigit() or int(threads) < 1:
        raise UserError(
            f"'{text}' is not understood", "after @ stands the number of threads", f"write {path}@2"
        )
    return path, int(threads)


def _words(parameters: Mapping[str, Any]) -> list[str]:
    from hakaru.facts import programs

    return programs.assignments(dict(parameters))


def _predicted(
    source,
    candidate: Candidate,
    times: tuple,
    value: Result,
    told: Documents,
    fork: tuple[float, float],
    correction: Correction,
) -> Predicted:
    """``fork``: what starting threads takes, and how much of it the replay did not hold."""
    evaluated = source.evaluated or Work()
    fork_s, added_s = fork
    replayed_s = value.makespan_s + added_s
    compute_s, roofline = value.breakdown.compute.mean, told.options.roofline
    return Predicted(
        candidate,
        times,
        max(compute_s - (fork_s - added_s), 0.0),
        value.makespan_s - compute_s,
        fork_s,
        times[0] - replayed_s,
        value.messages,
        value.message_bytes,
        evaluated.memory_bytes,
        told.compute.text,
        tuple(told.plan.told.assumed),
        (correction.ratio.low / correction.ratio.value, correction.ratio.high / correction.ratio.value),
        roofline and roofline.memory_bandwidth,
    )
