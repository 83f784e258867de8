"""Replays on the machine where the traces were taken, held against runs without tracing: what a replay is at best."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from hakaru.base import processes
from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import mpi_flavour
from hakaru.base.statistics import Interval, median_interval
from hakaru.facts import native, programs
from hakaru.facts.machines import Machine
from hakaru.facts.machines.from_probes import distil_checked, rounds_in
from hakaru.facts.machines.settle import refusal
from hakaru.facts.records import Record
from hakaru.facts.records.nearness import Nearness, usual_state
from hakaru.foretell.accuracy.cases import Workload
from hakaru.foretell.accuracy.measure import MEMORY_PROBE, RANKS, probe_here
from hakaru.foretell.accuracy.own import Own, run_s
from hakaru.foretell.replay.documents import Options
from hakaru.foretell.replay.engine import engine
from hakaru.foretell.replay.network import network_plan
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.launchers.here import launch_here
from hakaru.run.measuring.awake import awake
from hakaru.run.measuring.handover import handover_s

TOOL = "hakaru_calls"
WITHIN = 0.03
LEAST_IN_STATE = 3  # turns
LEAST_COVERAGE = 0.9  # of the interval: five turns
# Short, since they are repeated in every turn: the facts are of the same hour as the traces.
BY_ROUNDS = "messages"  # says itself what each of its rounds met
PROBES = {BY_ROUNDS: {"time_s": 6}, "putget": {"samples": 5, "maximum_bytes": 4194304}}

Pair = tuple[Path, float]  # a trace, and seconds of the run beside it


def _over(times_s: Sequence[float], others_s: Sequence[float]) -> list[float]:
    """Turn by turn."""
    return [time_s / other_s for time_s, other_s in zip(times_s, others_s, strict=True)]


def judged(ratio: Interval) -> str:
    """``holds`` where the median is near 1, ``misses`` where the whole interval is not, else ``open``: too restless, or too few turns."""
    low, high = 1.0 - WITHIN, 1.0 + WITHIN
    if ratio.coverage < LEAST_COVERAGE:
        return "open"
    if low <= ratio.value <= high:
        return "holds"
    return "misses" if ratio.low > high or ratio.high < low else "open"


def _told(ratio: Interval) -> dict:
    return {
        "value": ratio.value,
        "low": ratio.low,
        "high": ratio.high,
        "coverage": ratio.coverage,
        "verdict": judged(ratio),
    }


@dataclass(frozen=True)
class Held:
    """One program; times in s of each turn, from the last return of MPI_Init to the first call of MPI_Finalize's last rank."""

    name: str
    replayed_s: tuple[float, ...]
    as_traced_s: tuple[float, ...]
    traced_s: tuple[float, ...]
    run_s: tuple[float, ...]

    @property
    def ratio(self) -> Interval:
        """Replayed over the run without tracing beside it, its median over turns with an interval."""
        return median_interval(_over(self.replayed_s, self.run_s))

    @property
    def tracing(self) -> float:
        """Traced over not traced, the median over turns."""
        return median(_over(self.traced_s, self.run_s))

    @property
    def of_traced(self) -> Interval:
        """Replayed with what the tracer took over the run whose trace it was, its median over turns with an interval."""
        return median_interval(_over(self.as_traced_s, self.traced_s))

    @property
    def spread(self) -> float:
        """Of the runs: longest over shortest."""
        return max(self.run_s) / min(self.run_s)

    @property
    def verdict(self) -> str:
        """Of the run without tracing."""
        return judged(self.ratio)

    def as_dict(self) -> dict:
        return {
            "name": self.name,
            "replayed_s": self.replayed_s,
            "as_traced_s": self.as_traced_s,
            "traced_s": self.traced_s,
            "run_s": self.run_s,
            "tracing": self.tracing,
            "of_traced": _told(self.of_traced),
            "ratio": _told(self.ratio),
            "spread": self.spread,
        }


def calls() -> list[Own]:
    """The programs that make one kind of call each."""
    path = native.tool(TOOL)
    return [_own((str(path), kind), kind) for kind in processes.run([str(path), "list"]).output.split()]


def leaf(workload: Workload) -> Own:
    line = programs.named(workload.program).line(workload.execution)
    return _own(tuple(line), workload.name)


def _own(words: tuple[str, ...], name: str) -> Own:
    return Own(CommandLine(launch_here(mpi_flavour(), RANKS), words), words, RANKS, name)


@dataclass(frozen=True)
class Round:
    """``failed``: why, of the programs that have no result."""

    held: list[Held]
    failed: dict[str, str]


@dataclass(frozen=True)
class Attempts:
    """What is made for programs: nothing more for one that failed."""

    say: Callable[[str], None]
    failed: dict[str, str] = field(default_factory=dict)

    def __call__(self, program: Own, make: Callable[..., Any], *arguments: Any) -> Any:
        if program.name in self.failed:
            return None
        try:
            return make(*arguments)
        except UserError as error:
            self.failed[program.name] = f"{error.problem}: {error.why}"
            self.say(f"no result: {program.name}: {self.failed[program.name]}")
            return None


def hold(held: Sequence[Own], turns: int, say: Callable[[str], None]) -> Round:
    """Every program traced and run once a turn, with the probes before each turn; all replayed with the facts of all turns. What met
    another state of the cores than the usual one (facts.records.nearness) is left out, where enough is left. A program that cannot be
    traced, run or replayed has no result; the others go on."""
    attempt = Attempts(say)
    with tempfile.TemporaryDirectory(prefix="hakaru-accuracy-") as name, awake(say):
        folder = Path(name)
        memory = probe_here(MEMORY_PROBE, 1, folder / f"{MEMORY_PROBE}.json")
        probed: dict[str, list[Met]] = {probe: [] for probe in PROBES}
        pairs: list[list[Met]] = [[] for _ in held]
        for turn in range(turns):
            say(f"turn {turn + 1} of {turns}")
            for probe, given in PROBES.items():
                probed[probe].append(met(probe_here, probe, RANKS, folder / f"{probe}-{turn}.json", given))
            for number, program in enumerate(held):
                pair = attempt(program, met, _pair, program, folder / f"{turn}-{number}", turn % 2 == 0)
                pairs[number] += [pair] if pair else []
        usual = usual_state(
            [one for some in (*probed.values(), *pairs) for each in some for one in each.handovers_s]
        )
        kept = [in_state(some, usual) for some in pairs]
        if left_out := sum(map(len, pairs)) - sum(map(len, kept)):
            say(
                f"left out: {left_out} of {len(held) * turns} pairs met another state of the cores, or saw it change"
            )
        machine = _machine([memory, *records_in(probed, usual)], say)
        found = [
            attempt(program, _held, program, own, machine) for program, own in zip(held, kept, strict=True)
        ]
        return Round([one for one in found if one], attempt.failed)


@dataclass(frozen=True)
class Met:
    """A record of a probe, or a pair; and the handovers before and after it."""

    made: Any
    handovers_s: tuple[float, float]


def met(make: Callable[..., Any], *arguments: Any) -> Met:
    before_s = handover_s()
    made = make(*arguments)
    return Met(made, (before_s, handover_s()))


def in_state(some: Sequence[Met], usual: Nearness | None) -> list[Any]:
    """Those that met the usual state before and after; all where there is one state, or where too few are left."""
    kept = [one.made for one in some if usual is None or all(map(usual.contains, one.handovers_s))]
    return kept if len(kept) >= LEAST_IN_STATE else [one.made for one in some]


def records_in(probed: Mapping[str, Sequence[Met]], usual: Nearness | None) -> list[Record]:
    """Of what met the usual state: whole runs of a probe, and of one that says so itself the rounds."""
    found = []
    for probe, some in probed.items():
        by_rounds = usual is not None and probe == BY_ROUNDS
        found += rounds_in([one.made for one in some], usual.near) if by_rounds else in_state(some, usual)
    return found


def _pair(program: Own, folder: Path, traced_first: bool) -> Pair:
    """A trace, and the time of a run without tracing. Turns change which comes first: memory that a run has just left costs the next one
    less, where the hypervisor has to give it."""
    if traced_first:
        return program.trace(folder, False), program.time(folder.with_name(f"{folder.name}-alone"))
    run = program.time(folder.with_name(f"{folder.name}-alone"))
    return program.trace(folder, False), run


def _machine(records: Sequence[Record], say: Callable[[str], None]) -> Machine:
    """Facts of all probes but those that contradict themselves. Raises UserError where nothing else is left."""
    sound = []
    for record in records:
        refused = distil_checked([record], "here")[1]
        for one in refused:
            say(f"disturbed: {one}")
        sound += [] if refused else [record]
    machine, refused = distil_checked(sound, "here") if sound else (None, [])
    if machine is None or refused or {record.program for record in sound} != {MEMORY_PROBE, *PROBES}:
        raise UserError(
            "the probes were disturbed each time",
            refusal(refused) or "their facts contradict each other",
            "let the machine rest, or make more --launches",
            ENVIRONMENT,
        )
    return machine


def _held(program: Own, pairs: Sequence[Pair], machine: Machine) -> Held:
    archives, alone = zip(*pairs, strict=True)
    network = network_plan(machine, "hierarchy", program.ranks, 1).network
    replays = engine(None)
    plain, as_traced = (
        tuple(
            replays.replay(archive, network, Options(), as_traced=tracing).makespan_s for archive in archives
        )
        for tracing in (False, True)
    )
    return Held(
        program.name,
        plain,
        as_traced,
        tuple(run_s(archive) for archive in archives),
        alone,
    )
