"""Predicted time of each layout: a replay of the program's schedule, or of a trace, on the machine; at both ends of its facts too.

Computing is priced as ``hakaru replay`` does: by the roofline of the machine, times what the phases took over theirs in the nearest runs
of the results folder, where there are any. Threads cost ``threads.parallel`` (else ``fork``) of the machine for each call of a computing phase, unless the runs
had as many threads and so hold it.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakaru.advise.candidates import MAPPINGS, Candidate
from hakaru.errors import UserError
from hakaru.explain import facts
from hakaru.replay import source as sources
from hakaru.replay.calibration import Calibration, calibrate
from hakaru.replay.document import Totals, read_result
from hakaru.replay.engine import Engine
from hakaru.replay.forecast import at_ends
from hakaru.replay.levels import Told
from hakaru.replay.question import Choices, Question

ENDS = ("value", "low", "high")


@dataclass(frozen=True)
class Predicted:
    """``times_s`` at the facts' values and at their good and bad ends; parts of the time in s are means over ranks."""

    candidate: Candidate
    times_s: tuple[float, float, float]
    compute_s: float
    communicate_s: float
    fork_s: float
    messages: int
    message_bytes: int
    memory_bytes: float | None
    priced: str
    assumed: tuple[str, ...] = ()

    @property
    def time_s(self) -> float:
        return self.times_s[0]

    @property
    def low_s(self) -> float:
        return min(self.times_s)

    @property
    def high_s(self) -> float:
        return max(self.times_s)

    def as_dict(self) -> dict[str, Any]:
        one = self.candidate
        return {
            "name": one.name,
            "layout": {
                "nodes": one.nodes,
                "ranks": one.ranks,
                "threads": one.threads,
                "mapping": one.mapping,
            },
            "parameters": dict(one.parameters),
            "collectives": dict(one.collectives),
            "source": one.source,
            "launch": one.launch,
            "time_s": {"value": self.time_s, "low": self.low_s, "high": self.high_s},
            "compute_s": self.compute_s,
            "communicate_s": self.communicate_s,
            "fork_s": self.fork_s,
            "messages": self.messages,
            "message_bytes": self.message_bytes,
            "memory_bytes": self.memory_bytes,
            "computing": self.priced,
        }


class Mapped(Question):
    """A question whose ranks go round the nodes."""

    def documents(self, machine: dict[str, Any], ranks: int):
        asked = super().documents(machine, ranks)
        if "placement" in asked.network:
            asked.network["placement"]["mapping"] = MAPPINGS[1]
        return asked


@dataclass(frozen=True)
class Adviser:
    """``records`` are runs of the program on ``measured_on``, empty where there are none."""

    engine: Engine
    machine: dict[str, Any]
    folder: Path
    records: Sequence[Mapping] = ()
    measured_on: dict[str, Any] | None = None

    def predict_all(
        self, program: str, given: Mapping[str, Any], wanted: Sequence[Candidate], jobs: int = 2
    ) -> list[Predicted]:
        """In the order of ``wanted``."""

        def one(numbered: tuple[int, Candidate]) -> Predicted:
            number, candidate = numbered
            place = self.folder / str(number)
            place.mkdir(parents=True, exist_ok=True)
            parameters = dict(given) | dict(candidate.parameters)
            words = [program, *_words(parameters)]
            source = sources.find(
                f"{sources.PREFIX}{','.join(words)}", candidate.ranks, candidate.threads, place
            )
            found = self.predict(source, candidate)
            source.path.unlink(missing_ok=True)
            return found

        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(one, enumerate(wanted)))

    def predict_traces(self, texts: Sequence[str], nodes: int) -> list[Predicted]:
        """Traces or schedules of a person's program, each written ``PATH`` or ``PATH@THREADS``."""
        result = []
        for text in texts:
            path, threads = split_threads(text)
            source = sources.find(path, None, threads, self.folder)
            ranks = source.ranks or self.engine.ranks(source.path)
            candidate = Candidate(min(nodes, ranks), -(-ranks // min(nodes, ranks)), threads, source=path)
            result.append(self.predict(dataclasses.replace(source, ranks=ranks), candidate))
        return result

    def predict(self, source: sources.Source, candidate: Candidate) -> Predicted:
        calibration, fork_inside = self._calibration(source)
        way = "measured" if calibration else "factor"
        choices = Choices(
            collectives=dict(candidate.collectives),
            ranks_per_node=candidate.ranks_per_node,
            way=way,
            calibration=calibration,
        )
        kind = Question if candidate.mapping == MAPPINGS[0] else Mapped
        fork_s = 0.0 if fork_inside else self._fork_s(source, candidate)
        times = []
        for bound, machine in zip(
            ENDS, (self.machine, at_ends(self.machine, True), at_ends(self.machine, False)), strict=True
        ):
            question = kind(source, dataclasses.replace(choices, bound=bound), self.engine)
            asked, result = question.ask(machine)
            totals = read_result(result)
            if bound == "value":
                value, told = totals, asked
            times.append(totals.makespan_s + fork_s)
        return _predicted(source, candidate, tuple(times), value, told, fork_s)

    def _calibration(self, source: sources.Source) -> tuple[Calibration | None, bool]:
        """The factors of the runs with as many threads, else with one; and whether these hold the cost of threads."""
        if not self.records or source.evaluated is None or self.measured_on is None:
            return None, source.kind == "trace"
        for threads in dict.fromkeys((source.threads, 1)):
            evaluated = source.evaluated | {"threads": threads}

            def describe(parameters: Mapping[str, object], threads: int = threads) -> Mapping:
                from hakaru.forecast import evaluate

                return evaluate(source.program, parameters, source.ranks, threads)

            try:
                found = calibrate(self.records, evaluated, describe, self.measured_on, Told())
            except UserError:
                continue
            return found, threads == source.threads
        return None, False

    def _fork_s(self, source: sources.Source, candidate: Candidate) -> float:
        """Starting threads, for each call of a computing phase; the counts are of all ranks where a program counts them so."""
        if candidate.threads == 1 or source.evaluated is None:
            return 0.0
        cost = fork_cost_s(self.machine, candidate.threads)
        names = {phase["name"] for phase in source.phases if phase["kind"] == "compute"}
        calls = sum(
            float(row.get("calls") or 0.0)
            for row in source.evaluated["phases"]
            if row["phase"] in names and (row.get("flops") or row.get("bytes"))
        )
        return cost * calls


def fork_cost_s(machine: Mapping[str, Any], threads: int) -> float:
    """Of the nearest number of threads that the machine has a fact for; 0 without any."""
    for name in ("parallel", "fork"):
        entries = [entry for entry in facts.values(machine, "threads", name) if "threads" in entry]
        if entries:
            return float(min(entries, key=lambda entry: abs(entry["threads"] - threads))["value"])
    return 0.0


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
    from hakaru import native

    return native.assignments(dict(parameters))


def _predicted(source, candidate: Candidate, times: tuple, value: Totals, told, fork_s: float) -> Predicted:
    evaluated = source.evaluated or {}
    return Predicted(
        candidate,
        times,
        value.compute_mean_s,
        value.makespan_s - value.compute_mean_s,
        fork_s,
        value.messages,
        value.bytes,
        evaluated.get("memory_bytes"),
        told.compute.text,
        tuple(told.plan.told.assumed),
    )
